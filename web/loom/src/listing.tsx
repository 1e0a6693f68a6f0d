/** The instructions of the program, the one that comes next marked. */

import { useEffect, useRef } from "preact/hooks";
import { computed, effect } from "@preact/signals";
import type { Instruction, Program, Sign } from "./machine";
import { offer, program, seen } from "./store";

const short = (name: string) => name.replace(/^.*\./, "");

/** What a slot is called: the global or array it belongs to, or the first local that lies there. */
export function slotName(symbols: Sign[], slot: number): string {
  const found = symbols.find((one) => slot >= one.slot && slot < one.slot + one.count);
  if (!found) return "";
  if (found.count > 1) return `${found.name}[${slot - found.slot}]`;
  const same = symbols.some((one) => one.slot !== found.slot && short(one.name) === short(found.name));
  return same ? found.name : short(found.name);
}

/** An operand by name; a constant as the number that it is. */
function operand(held: Program, kind: string, value: number): string {
  if (kind === "pc") return `@${value}`;
  const name = slotName(held.symbols, value) || (value ? `·${value}` : "output");
  return held.constants.includes(value) ? `#${held.memory[value]}` : name;
}

interface Row extends Instruction {
  shown: string;
}

const rows = computed<Row[]>(() => {
  const held = program.value;
  if (!held) return [];
  return held.code.map((one) => ({ ...one, shown: one.operands.map(([kind, value]) => operand(held, kind, value)).join(", ") }));
});

export function Listing() {
  const list = useRef<HTMLOListElement>(null);
  useEffect(
    () =>
      effect(() => {
        rows.value;
        const place = seen.value?.place ?? -1;
        const box = list.current!;
        box.querySelector(".here")?.classList.remove("here");
        const row = box.children[place] as HTMLElement | undefined;
        if (!row) return;
        row.classList.add("here");
        const top = row.offsetTop - box.offsetTop;
        if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 3;
      }),
    [],
  );
  return (
    <section class="panel listing" aria-label="Instructions">
      <header>
        <h2>Program</h2>
        <span class="quiet">{rows.value.length} instructions · {program.value?.memory.length ?? 0} words</span>
      </header>
      <ol ref={list} tabIndex={0}>
        {rows.value.map((one, at) => (
          <li key={at} title={`${offer.value?.operations[one.name] ?? ""} (line ${one.line})`}>
            <i>{at}</i>
            <b>{one.name}</b>
            <span>{one.shown}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
