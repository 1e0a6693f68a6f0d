/** What each of the eight layers does to the state in the next step. */

import { bipolar, type Layout } from "./machine";
import { changes, type Change } from "./probe";
import { slotName } from "./listing";
import { hovered, layers, layout, program } from "./store";

/** The layers by what they are for. */
export const LAYERS: [string, string][] = [
  ["fetch", "The program counter finds its column; the instruction arrives in column 0."],
  ["decode", "The operands find their columns; each operation prepares the operands of the subtraction."],
  ["indirect", "A pointer finds the slot that it points to; FIND sends its start to all slots."],
  ["subtract", "One subtraction with borrows does all arithmetic; FIND searches."],
  ["write", "The result goes to its column."],
  ["branch", "Whether a jump is taken."],
  ["advance", "The program counter becomes the target of the jump, or the next instruction."],
  ["clamp", "Bits become -1 or 1 again, and column 0 is cleared."],
];

const KINDS: Record<string, string> = {
  pc: "where", a: "operation", b: "address", c: "address", target: "address", memory: "value", minuend: "work",
  subtrahend: "work", left: "value", right: "value", second: "value", needle: "value",
};

/** A field as bits, the highest first: blue is -1, amber 1, grey 0, hatched anything else. */
function Bits({ values }: { values: number[] }) {
  return (
    <span class="bits" aria-hidden="true">
      {values.toReversed().map((value, i) => (
        <i key={i} class={value === 1 ? "one" : value === -1 ? "minus" : value === 0 ? "none" : "odd"} />
      ))}
    </span>
  );
}

function where(held: Layout, change: Change): string {
  if (!change.column) return "";
  if (change.columns > 1) return `${change.columns} columns`;
  const slot = change.column - held.config.scratch;
  if (slot >= 0 && slot < held.config.memory) return slotName(program.value?.symbols ?? [], slot) || `slot ${slot}`;
  return `column ${change.column}`;
}

function value(held: Layout, change: Change): string {
  const { after, field } = change;
  if (after.every((one) => one === 0)) return "cleared";
  if (after.length === 1) return String(after[0]);
  const number = bipolar(after);
  if (number === null) return "";
  if (after.length === held.config.bits && field !== "tag") return String(held.signed(number));
  return String(number);
}

function Tile({ held, change }: { held: Layout; change: Change }) {
  const place = where(held, change);
  const shown = value(held, change);
  const name = `${place ? `${place} ` : ""}${change.field}`;
  const told = `${place || "column 0"}, ${change.field}: ${change.before.toReversed().join(" ")} → ${change.after.toReversed().join(" ")}`;
  return (
    <span class={`tile ${KINDS[change.field] ?? "token"} ${shown === "cleared" ? "cleared" : ""} ${place ? "out" : ""}`} title={told}>
      <b>{name}</b>
      {shown !== "cleared" && change.after.length > 1 && <Bits values={change.after} />}
      {shown && <span>{shown}</span>}
    </span>
  );
}

export function Layers() {
  const held = layout.value;
  const states = layers.value;
  return (
    <section class="panel layers" aria-label="Layers">
      <header>
        <h2>The next forward pass, layer by layer</h2>
        <span class="quiet">point at a layer to see its state above</span>
      </header>
      <div class="rows">
        {LAYERS.map(([name, doc], at) => {
          const [before, after] = [states[at], states[at + 1]];
          const found = held && before && after ? changes(held, before, after) : [];
          return (
            <div
              key={name}
              class={`row ${hovered.value === at ? "lit" : ""}`}
              tabIndex={0}
              aria-label={`Layer ${at + 1}, ${name}: ${doc}`}
              onFocus={() => (hovered.value = at)}
              onBlur={() => (hovered.value = null)}
              onMouseEnter={() => (hovered.value = at)}
              onMouseLeave={() => (hovered.value = null)}
            >
              <div class="name" title={doc}>
                <i>{at + 1}</i> {name}
              </div>
              <div class="tiles">
                {found.map((one) => (
                  <Tile key={`${one.column} ${one.field}`} held={held!} change={one} />
                ))}
                {!found.length && <span class="quiet">{states.length ? "changes nothing" : at ? "" : "halted: a fixed point"}</span>}
              </div>
            </div>
          );
        })}
      </div>
    </section>
  );
}
