/** What the page shows of a step, from the tokens and the weights; as `runtime/trace/view.py` does. */

import type { Line, Look, Read, Slot, State, Step, Token as Chip } from "../types";
import { Fields } from "./fields";
import { type ForwardPass, Lens, type Lookup } from "./lens";
import type { SiteData } from "./data";
import type { OpenCall, Tape, Token, Word } from "./tape";

const NOTHING = "nothing";
const ADDRESS = 4;
const text = (value: number | bigint) => value.toLocaleString("en-US");

export class View {
  private readonly fields: Fields;
  private last: { position: number; forward: ForwardPass } | null = null;

  constructor(private readonly site: SiteData, private readonly lens: Lens, private readonly tape: Tape) {
    this.fields = new Fields(site);
  }

  private get program() {
    return this.tape.program;
  }

  private pass(position: number): ForwardPass {
    if (this.last?.position !== position) this.last = { position, forward: this.lens.look(this.tape.rows, position) };
    return this.last.forward;
  }

  /** The position of the token before a step, which holds its state. */
  private before(step: number): number {
    return step <= this.tape.recorded ? this.tape.position(step) - 1 : this.tape.length - 1;
  }

  look(step: number, address: number): Look {
    const shown = this.step(step);
    return {
      step: shown,
      state: this.state(step, address, 256),
      tokens: this.tokens(step, 24, 8),
      layers: shown.ended ? null : this.layers(step),
    };
  }

  place(step: number): { line: number; depth: number } {
    const now = this.tape.token(this.before(step));
    const line = this.program.lines[now.pc];
    return { line: line && line[0] === this.program.example.title ? line[1] : 0, depth: now.depth };
  }

  /** The output up to a step, as text. */
  outputAt(step: number): string {
    return printed(this.tape.outputBefore(this.before(step)));
  }

  // Steps

  step(number: number): Step {
    const position = this.before(number);
    const now = this.tape.token(position);
    const ended = number > this.tape.recorded;
    const after = ended ? null : this.tape.token(position + 1);
    const reads = ended ? [] : this.pass(position).lookups.map((lookup) => this.read(lookup, now));
    return {
      step: number,
      steps: this.tape.recorded,
      ended,
      token: position + 1,
      pc: now.pc,
      phase: now.phase,
      instruction: ended ? "" : this.instruction(now.pc),
      source: ended ? "" : (this.program.written[now.pc] ?? ""),
      function: ended ? "" : (this.tape.function(now.pc)?.[1] ?? ""),
      line: ended ? null : this.line(now.pc),
      reads,
      writes: after ? this.says(after) : "",
      sentence: after ? this.sentence(position, now, after) : "",
      kind: after ? this.kind(after) : "end",
    };
  }

  private instruction(pc: number): string {
    return this.program.listing[pc] ?? "no instruction";
  }

  private line(pc: number): Line | null {
    const line = this.program.lines[pc];
    if (!line) return null;
    const own = line[0] === this.program.example.title;
    return { file: own ? `program.${this.program.example.language}` : line[0], number: line[1] };
  }

  private uses(pc: number): string[] {
    return this.program.uses[this.program.names[pc] ?? ""] ?? [];
  }

  private read(lookup: Lookup, now: Token): Read {
    const token = this.tape.token(lookup.position);
    const target = this.target(lookup);
    return {
      head: lookup.name,
      layer: lookup.layer,
      used: this.uses(now.pc).includes(lookup.name) && target !== NOTHING,
      token: lookup.position,
      step: this.tape.stepOf(lookup.position),
      asked: target,
      says: this.says(token),
      kind: this.kind(token),
      margin: lookup.margin === Infinity ? null : lookup.margin,
      words: this.words(lookup, token),
    };
  }

  private target({ target, name }: Lookup): string {
    if (!target.size) return "";
    const joined = (field: string) => [0, 1, 2, 3].reduce((sum, i) => sum + (target.get(`${field}${i}`) ?? 0) * 256 ** i, 0);
    if (target.has("frame")) return `the call at depth ${joined("depth")}`;
    if (name === "stack limits") return "the stack limits";
    const space = target.get("space") ?? 0;
    return space ? this.named(space, joined("at")) : NOTHING;
  }

  private named(space: number, at: number): string {
    const kind = this.program.spaces[space];
    if (kind === "memory") return `memory at ${at * ADDRESS}`;
    if (kind) return `${kind} entry ${at}`;
    return (this.site.places[space] ?? `address {at} of space ${space}`).replace("{at}", String(at));
  }

  private words(lookup: Lookup, token: Token): string {
    const target = this.target(lookup);
    const step = this.tape.stepOf(lookup.position);
    let origin = step ? `decoded in step ${text(step)}` : "part of the prompt";
    let content = this.says(token) || "a state";
    if (token.space === this.site.spaces.SENTINEL && target !== NOTHING) {
      [content, origin] = ["the sentinel", "since nothing was written there: the value is 0"];
    }
    const goal = target === "" || target === NOTHING ? "" : ` looked up ${target} and`;
    const said = `Head ${lookup.name}${goal} attended to token ${text(lookup.position)} (${content}), ${origin}`;
    return lookup.margin === Infinity ? `${said}; there was no other token.` : `${said}; score margin ${text(lookup.margin)}.`;
  }

  private says(token: Token): string {
    if (token.space in this.program.spaces) return `${this.named(token.space, token.at)} = ${token.value}`;
    return this.describe(token);
  }

  private describe(token: Token): string {
    const { spaces, statuses, traps } = this.site;
    const trap = traps[token.status - statuses.TRAPS!];
    if (trap !== undefined) return `trap: ${trap}`;
    const known = Object.entries(statuses).find(([, number]) => number && number === token.status)?.[0].toLowerCase();
    const status = known ?? (token.status ? `status ${token.status}` : "");
    if (!token.space) return status;
    const name = Object.entries(spaces).find(([, number]) => number === token.space)?.[0].toLowerCase() ?? `space ${token.space}`;
    if (token.space === spaces.CODE) return `code ${token.at}`;
    if (token.space === spaces.FRAME) return `frame ${token.depth}: back to ${token.value}, fp ${token.at}`;
    if (token.space === spaces.OUTPUT) return `output ${token.value & 0xffn}`;
    if (token.space === spaces.SENTINEL) return "nothing was written there: 0";
    const said = `${name} ${token.at} = ${token.value}`;
    return status ? `${said}, ${status}` : said;
  }

  private kind(token: Token): string {
    return this.program.spaces[token.space] ?? this.site.kinds[token.space] ?? "state";
  }

  // Sentences

  private sentence(position: number, now: Token, after: Token): string {
    const fields = after.space && after.space !== this.site.spaces.FRAME ? ["value"] : ["pc"];
    const forward = this.pass(position);
    const paths = this.lens.paths(forward, fields);
    const used = forward.lookups.filter((one) => this.uses(now.pc).includes(one.name));
    const live = used.filter((one) => paths.heads.has(`${one.layer}.${one.head}`) && !this.site.fetches.includes(one.name));
    const fetched = (live.length ? live : used)
      .filter((one) => !this.site.fetches.includes(one.name))
      .map((one) => {
        const said = this.describe(this.tape.token(one.position));
        const cut = said.lastIndexOf(" = ");
        const from = `token ${text(one.position)}`;
        return cut > 0
          ? `head ${one.name} fetched ${said.slice(cut + 3)} from ${from} (${said.slice(0, cut)})`
          : `head ${one.name} attended to ${from} (${said || "a state"})`;
      });
    const neurons = this.neurons(paths.groups);
    const jump = after.pc === now.pc || after.pc === now.pc + 1 ? null : after.pc;
    const facts = [fetched.join(", "), `${neurons} ${result(this.describe(after), jump, neurons !== "")}`.trim()].filter(Boolean);
    const phase = now.phase ? ` /${now.phase}` : "";
    return `${this.instruction(now.pc)}${phase}: ${facts.join("; ")}.`;
  }

  private neurons(groups: Map<string, number>[]): string {
    const layers = new Map<string, number[]>();
    groups.forEach((layer, number) => {
      for (const name of layer.keys()) {
        if (this.site.bookkeeping.includes(name) || name.startsWith("next ")) continue;
        layers.set(name, [...(layers.get(name) ?? []), number]);
      }
    });
    const listed = (numbers: number[]) =>
      numbers.length > 1 ? `layers ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}` : `layer ${numbers[0]}`;
    return layers.size ? `neurons of ${[...layers].map(([name, numbers]) => `${name} (${listed(numbers)})`).join(", ")}` : "";
  }

  // States

  private state(step: number, address: number, count: number): State {
    const position = this.before(step);
    const now = this.tape.token(position);
    const calls = this.tape.calls(position);
    const inner = calls[0]!;
    const returned = step > this.tape.recorded && now.status !== 0;
    const output = this.tape.outputBefore(position);
    const { GLOBAL } = this.site.spaces as { GLOBAL: number };
    return {
      step,
      registers: { pc: now.pc, sp: now.sp, fp: now.fp, depth: now.depth, phase: now.phase },
      variables: [],
      stack: this.operands(inner, position),
      locals: returned ? [] : this.locals(inner, position).slice(0, 64),
      globals: this.tape.written(GLOBAL, position).slice(0, 32).map((at) => slot(this.tape.word(GLOBAL, at, position))),
      calls: returned ? [] : calls.map((call) => this.call(call)),
      memory: { address, bytes: this.memory(position, address, count) },
      touched: this.program.spaces[now.space] === "memory" ? { address: now.at * ADDRESS, count: ADDRESS } : null,
      output: printed(output),
      output_bytes: output.length,
    };
  }

  private operands(call: OpenCall, position: number): Slot[] {
    const bottom = this.program.untyped ? 0 : call.fp + (call.function?.[2] ?? 0);
    const slots: Slot[] = [];
    for (let i = call.sp - 1; i >= Math.max(bottom, call.sp - 64); i--) {
      slots.push(slot(this.tape.word(this.site.spaces.SLOT!, i, position)));
    }
    return slots;
  }

  private locals(call: OpenCall, position: number): Slot[] {
    const { SLOT, VARIABLE } = this.site.spaces as { SLOT: number; VARIABLE: number };
    const places = this.program.untyped
      ? this.tape.written(VARIABLE, position).filter((at) => at >= call.fp)
      : Array.from({ length: call.function?.[2] ?? 0 }, (_, i) => call.fp + i);
    const space = this.program.untyped ? VARIABLE : SLOT;
    return places.map((at) => slot(this.tape.word(space, at, position), call.fp));
  }

  private call(call: OpenCall) {
    return { function: call.function?.[1] ?? "?", pc: call.pc, depth: call.depth, line: this.line(call.pc) };
  }

  private memory(position: number, address: number, count: number): string {
    const space = this.program.memory;
    if (space === null) return "";
    const word = this.site.word;
    let hex = "";
    for (let at = Math.floor(address / word); at < (address + count) / word; at++) {
      const { value } = this.tape.word(space, at, position);
      for (let i = 0; i < word; i++) hex += Number((value >> BigInt(8 * i)) & 255n).toString(16).padStart(2, "0");
    }
    return hex.slice(2 * (address % word), 2 * (address % word) + 2 * count);
  }

  /** The address, rounded down, of the first nonzero word at the start or the end. */
  firstMemory(): number {
    const space = this.program.memory;
    if (space === null) return 0;
    for (const position of [this.before(1), this.before(this.tape.recorded + 1)]) {
      const first = this.tape.written(space, position).find((at) => this.tape.word(space, at, position).value);
      if (first !== undefined) return Math.floor((first * this.site.word) / 16) * 16;
    }
    return 0;
  }

  // Layers and tokens

  private layers(number: number) {
    const forward = this.pass(this.before(number));
    const paths = this.lens.paths(forward);
    const live = this.lens.liveLanes(paths);
    return {
      step: number,
      layers: forward.fields.map((after, i) => ({
        name: i ? `layer ${i - 1}` : "token",
        tiles: this.fields.tiles(i ? forward.fields[i - 1]! : null, after, live[i]!),
        groups: i ? Object.fromEntries(paths.groups[i - 1]!) : {},
      })),
    };
  }

  private tokens(number: number, before: number, after: number) {
    const here = this.before(number) + 1;
    const last = this.tape.length - 1;
    const near: number[] = [];
    for (let at = Math.max(0, here - before); at <= Math.min(last, here + after); at++) near.push(at);
    const far = new Set<number>();
    if (number <= this.tape.recorded) {
      const used = this.uses(this.tape.token(here - 1).pc);
      for (const one of this.pass(here - 1).lookups) {
        if (used.includes(one.name) && !near.includes(one.position)) far.add(one.position);
      }
    }
    const places = [...[...far].sort((a, b) => a - b), ...near];
    return { step: number, current: here, last, tokens: places.map((at) => this.chip(at)) };
  }

  private chip(position: number): Chip {
    const token = this.tape.token(position);
    const step = this.tape.stepOf(position);
    const code = step === null ? (token.space === this.site.spaces.CODE ? token.at : -1) : this.tape.token(position - 1).pc;
    const label = code >= 0 ? this.instruction(code) : "";
    return { position, step, kind: this.kind(token), says: this.says(token), label };
  }
}

function printed(output: number[]): string {
  return new TextDecoder().decode(Uint8Array.from(output.slice(-65536)));
}

function slot(word: Word, first = 0): Slot {
  const bits = word.value < 1n << 32n ? 32 : 64;
  return {
    index: word.index - first,
    value: Number(word.value),
    signed: Number(BigInt.asIntN(bits, word.value)),
    token: word.token,
  };
}

function result(writes: string, jump: number | null, computed: boolean): string {
  const cut = writes.lastIndexOf(" = ");
  let said = writes || (jump !== null ? "" : "nothing is written");
  if (writes.startsWith("work ")) said = computed ? "keep numbers for the next step" : "numbers kept for the next step";
  else if (cut > 0) {
    const [place, value] = [writes.slice(0, cut), writes.slice(cut + 3)];
    said = computed ? `compute ${value}, written to ${place}` : `${value} goes to ${place}`;
  }
  return [said, jump === null ? "" : `next pc ${jump}`].filter(Boolean).join(", ");
}
