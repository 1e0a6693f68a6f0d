/** What the program holds: output, variables by name, memory. */

import { before, global, layout, program, seen } from "./store";
import { slotName } from "./listing";

const SHOWN = 24;

function Output() {
  const text = seen.value?.output ?? "";
  return (
    <section class="panel output" aria-label="Output">
      <header>
        <h2>Output</h2>
        <span class="quiet">putchar</span>
      </header>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

function Variables() {
  const now = seen.value;
  const held = layout.value;
  const symbols = program.value?.symbols ?? [];
  return (
    <section class="panel slots variables" aria-label="Variables">
      <header>
        <h2>Variables</h2>
        <span class="quiet">by the compiler's names</span>
      </header>
      <ul tabIndex={0}>
        {now &&
          held &&
          symbols.filter(({ name }) => !name.startsWith("__")).map(({ name, slot, count }) => {
            const words = global(name, now.words);
            const changed = words.some((_, i) => before.value.length > 0 && before.value[slot + i] !== now.words[slot + i]);
            return (
              <li key={name} class={changed ? "lit" : ""} title={`${name}: slot ${slot}${count > 1 ? ` to ${slot + count - 1}` : ""}`}>
                <span>{name}</span>
                <b>{words.slice(0, SHOWN).join(" ")}{count > SHOWN ? " …" : ""}</b>
              </li>
            );
          })}
      </ul>
    </section>
  );
}

function Memory() {
  const now = seen.value;
  const held = layout.value;
  const symbols = program.value?.symbols ?? [];
  const { bits, memory } = held?.config ?? { bits: 8, memory: 0 };
  const kind = bits > 8 ? "wide" : memory > 160 ? "many" : "";
  return (
    <section class="panel memory" aria-label="Memory">
      <header>
        <h2>Memory</h2>
        <span class="quiet">{held ? `${held.config.memory} slots of ${held.config.bits} bits` : ""}</span>
      </header>
      <div class={`cells ${kind}`} tabIndex={0}>
        {now?.words.map((word, slot) => {
          const changed = before.value.length > 0 && before.value[slot] !== word;
          const name = slotName(symbols, slot) || (slot ? "" : "output");
          return (
            <span key={slot} class={`${changed ? "lit" : ""} ${word ? "" : "zero"} ${name ? "named" : ""}`} title={`slot ${slot}${name ? ` (${name})` : ""}: ${held!.signed(word)}`}>
              {held!.signed(word)}
            </span>
          );
        })}
      </div>
    </section>
  );
}

export function Side() {
  return (
    <aside class="side">
      <Variables />
      <Memory />
      <Output />
    </aside>
  );
}
