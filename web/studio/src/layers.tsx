/** What each layer leaves in the residual stream, as named fields. */

import { everyField, everyHead, explained, go, hovered, look } from "./store";
import { ABOUT, headColour, number } from "./text";
import type { Read, Tile } from "./types";

const GROUPS: Record<string, string> = {
  where: "where the program is",
  stack: "stack and frame",
  address: "addresses",
  value: "values",
  token: "the token itself",
  operation: "which instruction it is",
  work: "work in between",
};

function tileWords(tile: Tile, layer: string): string {
  const made = tile.new ? (layer === "token" ? "The embedding sets" : `${cap(layer)} sets`) : `${cap(layer)} keeps`;
  return `${made} ${tile.name} to ${number(tile.value)} (${GROUPS[tile.group] ?? tile.group}).`;
}

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
      onClick={() => read.step && go(read.step + 1)}
    >
      <b>{read.head}</b>
      <span>
        {read.asked || "nothing"} <i>@{number(read.token)}</i>
      </span>
    </button>
  );
}

export function Layers() {
  const shown = look.value;
  const held = shown?.layers?.layers ?? [];
  return (
    <section class="layers panel" aria-label="Layers">
      <header>
        <h2>Layers</h2>
        <span class="legend">
          {Object.keys(GROUPS).map((group) => (
            <i key={group} class={`key ${group}`} title={GROUPS[group]}>
              {group}
            </i>
          ))}
        </span>
        <label>
          <input type="checkbox" checked={everyHead.value} onChange={(e) => (everyHead.value = e.currentTarget.checked)} />
          all heads
        </label>
        <label>
          <input type="checkbox" checked={everyField.value} onChange={(e) => (everyField.value = e.currentTarget.checked)} />
          all fields
        </label>
      </header>
      <div class="rows" tabIndex={0}>
        {held.map((one, index) => {
          const tiles = one.tiles.filter((tile) => everyField.value || (tile.new && !tile.name.startsWith("|")));
          const reads = (shown?.step.reads ?? []).filter((r) => r.layer === index - 1 && (everyHead.value || r.used));
          return (
            <div class="row" key={one.name}>
              <div class="name">{one.name === "token" ? "token in" : one.name}</div>
              <div class="tiles">
                {reads.map((read) => (
                  <HeadChip key={read.head} read={read} />
                ))}
                {tiles.map((tile) => (
                  <span
                    key={tile.name}
                    class={`tile ${tile.group} ${tile.new ? "new" : "old"}`}
                    onMouseEnter={() => (explained.value = tileWords(tile, one.name))}
                  >
                    <b>{tile.name}</b>
                    <span>{number(tile.value)}</span>
                  </span>
                ))}
                {!reads.length && !tiles.length && <span class="quiet">adds nothing that lasts</span>}
              </div>
            </div>
          );
        })}
        {shown && !shown.step.ended && (
          <div class="row out">
            <div class="name">token out</div>
            <div class="tiles">
              <span class="tile written">
                <b>writes</b>
                <span>{shown.step.writes || "nothing, only the new state"}</span>
              </span>
            </div>
          </div>
        )}
        {shown?.step.ended && <p class="quiet end">The run has ended; there is no next forward pass.</p>}
        {!shown && <p class="quiet end">Run a program to see what each layer adds.</p>}
      </div>
    </section>
  );
}
