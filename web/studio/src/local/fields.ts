/** Fields from lanes: bytes joined into numbers, sorted into groups; as `debugger/fields.py` does. */

import type { Tile } from "../types";
import type { SiteData } from "./data";

export class Fields {
  private readonly patterns: Record<keyof SiteData["patterns"], RegExp>;
  private readonly order: string[];

  constructor(private readonly site: SiteData) {
    const made = Object.entries(site.patterns).map(([name, text]) => [name, new RegExp(text)]);
    this.patterns = Object.fromEntries(made);
    this.order = [...Object.keys(site.groups), "operation", "work"];
  }

  /** Lanes as fields; single bits of bytes are left out. */
  joined(lanes: Map<string, number>): Map<string, number> {
    const fields = new Map<string, number>();
    for (const [lane, value] of lanes) {
      const name = this.patterns.spelled.exec(lane)?.[1] ?? lane;
      if (this.patterns.bit.test(name)) continue;
      const [field, place] = this.digit(name);
      fields.set(field, (fields.get(field) ?? 0) + value * 256 ** place);
    }
    return fields;
  }

  private digit(lane: string): [string, number] {
    const word = this.patterns.word.exec(lane);
    if (word) return [`${word[1]}, word`, Number(word[2]) - 2];
    const byte = this.patterns.in_word.test(lane) ? null : this.patterns.byte.exec(lane);
    return byte ? [byte[1]!, Number(byte[2])] : [lane, 0];
  }

  private group(name: string): string {
    let best = "";
    let longest = 0;
    for (const [group, names] of Object.entries(this.site.groups)) {
      for (const first of names) {
        const fits = name === first || (name.startsWith(first) && !/[\p{L}\p{N}]/u.test(name[first.length]!));
        if (fits && first.length > longest) [best, longest] = [group, first.length];
      }
    }
    return best || (this.patterns.operation.test(name) ? "operation" : "work");
  }

  short(name: string): string {
    const bare = name.replace(/^instruction\./, "");
    if (!bare.includes("/")) return name;
    const [first, ...more] = bare.split("/");
    return `${first} or ${more.length} more`;
  }

  tiles(before: Map<string, number> | null, after: Map<string, number>, live: Set<string>): Tile[] {
    const old = this.joined(before ?? new Map());
    const used = this.joined(new Map([...after.keys()].filter((lane) => live.has(lane)).map((lane) => [lane, 1])));
    const tiles = [...this.joined(after)].map(([name, value]) => ({
      group: this.group(name),
      name: this.short(name),
      value,
      new: old.get(name) !== value,
      used: used.has(name),
    }));
    return tiles.sort((a, b) => this.order.indexOf(a.group) - this.order.indexOf(b.group));
  }
}
