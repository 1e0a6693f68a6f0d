/** What each layer leaves in the residual stream, as named fields. */

import { Breaker, PartChip } from "./broken";
import { decodes, everyField, everyHead, explained, hovered, look, picked, shownMachine } from "./store";
import { ABOUT, fieldWords, headColour, number } from "./text";
import type { Read, Tile } from "./types";

const GROUPS: Record<string, string> = {
  where: "where the program is",
  stack: "stack and frame",
  address: "addresses",
  value: "values",
  token: "the token itself",
  operation: "which instruction it is",
  work: "work in between, done in every step and used by few instructions",
};

/** What the first row is called. */
const ROWS: Record<string, string> = { token: "token in", state: "column 0" };

/** What machines have less of than all. */
const LEGENDS: Record<string, string[]> = {
  loom: ["where", "address", "value", "operation", "work"],
  soft: ["where", "operation", "address", "value"],
  chat: ["token"],
};

function tileWords(tile: Tile, layer: string): string {
  const made = tile.new ? (layer === "token" ? "The embedding sets" : `${cap(layer)} sets`) : `${cap(layer)} keeps`;
  return `${made} ${tile.name} to ${shown(tile.value)}: ${fieldWords(tile.name) || GROUPS[tile.group] || tile.group}.`;
}

const shown = (value: number | string) => (typeof value === "number" ? number(value) : value);

const cap = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function HeadChip({ read }: { read: Read }) {
  return (
    <button
      class={`head ${read.used ? "" : "idle"} ${hovered.value === read.head ? "lit" : ""}`}
      style={{ color: headColour(read.head) }}
      title={ABOUT[read.head] ?? ""}
      onMouseEnter={() => {
        hovered.value = read.head;
        explained.value = read.words;
      }}
      onMouseLeave={() => (hovered.value = null)}
      onFocus={() => (explained.value = read.words)}
      onClick={() => (picked.value = { part: read.head, title: `head ${read.head}`, step: read.step })}
    >
      <b>{read.head}</b>
      <span>
        {read.asked || "nothing"} <i>@{number(read.token)}</i>
      </span>
    </button>
  );
}

export function Layers() {
  const seen = look.value;
  const held = seen?.layers?.layers ?? [];
  const on = shownMachine.value;
  return (
    <section class="layers panel" aria-label="Layers">
      <header>
        <h2>{on === "soft" ? "Choices" : "Layers"}</h2>
        <span class="legend">
          {(LEGENDS[on] ?? Object.keys(GROUPS)).map((group) => (
            <i key={group} class={`key ${group}`} title={GROUPS[group]}>
              {group}
            </i>
          ))}
        </span>
        {on !== "soft" && <label>
          <input type="checkbox" checked={everyHead.value} onChange={(e) => (everyHead.value = e.currentTarget.checked)} />
          all heads
        </label>}
        {on === "trace" && <label>
          <input type="checkbox" checked={everyField.value} onChange={(e) => (everyField.value = e.currentTarget.checked)} />
          all fields
        </label>}
      </header>
      <Breaker />
      <div class="rows" tabIndex={0}>
        {held.map((one, index) => {
          const tiles = one.tiles.filter((tile) => everyField.value || (tile.new && tile.used !== false && !tile.name.startsWith("|")));
          const reads = (seen?.step.reads ?? []).filter((r) => r.layer === index - 1 && (everyHead.value || r.used));
          return (
            <div class="row" key={one.name}>
              <div class="name">{ROWS[one.name] ?? one.name.replace(/^layer (\d+ \w)/, "$1")}</div>
              <div class="tiles">
                {reads.map((read) => (
                  <HeadChip key={read.head} read={read} />
                ))}
                {Object.entries(one.groups ?? {}).map(([name, count]) => (
                  <PartChip key={name} name={name} layer={index - 1} count={count} />
                ))}
                {tiles.map((tile) => (
                  <span
                    key={tile.name}
                    class={`tile ${tile.group} ${tile.new ? "new" : "old"}`}
                    onMouseEnter={() => (explained.value = tileWords(tile, one.name))}
                  >
                    <b>{tile.name}</b>
                    <span>{shown(tile.value)}</span>
                  </span>
                ))}
                {one.more && <span class="quiet">and more columns</span>}
                {!reads.length && !tiles.length && <span class="quiet">adds nothing that lasts</span>}
              </div>
            </div>
          );
        })}
        {seen && !seen.step.ended && (
          <div class="row out">
            <div class="name">{decodes.value ? "token out" : "changes"}</div>
            <div class="tiles">
              <span class="tile written">
                <b>writes</b>
                <span>{seen.step.writes || "nothing, only the new state"}</span>
              </span>
            </div>
          </div>
        )}
        {seen && !held.length && !seen.step.ended && (
          <p class="quiet end">Every choice is certain here: at a temperature above 0, this is what each is spread over.</p>
        )}
        {seen?.step.ended && <p class="quiet end">The run has ended; there is no next {on === "soft" ? "step" : "forward pass"}.</p>}
        {!seen && <p class="quiet end">Run a program to see what each layer adds.</p>}
      </div>
    </section>
  );
}
