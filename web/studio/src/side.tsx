/** What the program holds: output, calls, stack, locals, memory. */

import { useEffect, useRef } from "preact/hooks";
import { Memory } from "./memory";
import { answered, explained, look, shownMachine, status } from "./store";
import { hex, number } from "./text";
import type { Slot } from "./types";

function SlotRow({ title, slot, name }: { title: string; slot: Slot; name: string }) {
  const written = slot.token === null ? ", never written." : `, written by token ${number(slot.token)}.`;
  return (
    <li onMouseEnter={() => (explained.value = `${title}: ${name} is ${number(slot.signed)} (0x${hex(slot.value, 8)})${written}`)}>
      <span>{name}</span>
      <b>{number(slot.signed)}</b>
    </li>
  );
}

function Slots({ title, slots, empty, name }: { title: string; slots: Slot[]; empty: string; name: (i: number) => string }) {
  return (
    <section class="panel slots" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <ul>
        {slots.map((slot) => (
          <SlotRow key={slot.index} title={title} slot={slot} name={name(slot.index)} />
        ))}
        {!slots.length && <li class="quiet">{empty}</li>}
      </ul>
    </section>
  );
}

/** Variables by their names; below them, locals that have none. */
function Variables() {
  const state = look.value?.state;
  const named = state?.variables ?? [];
  const locals = state?.locals ?? [];
  return (
    <section class="panel slots variables" aria-label="Variables">
      <header>
        <h2>{named.length || !state?.locals ? "Variables" : "Locals"}</h2>
        {state && !state.calls && <Registers />}
      </header>
      <ul>
        {named.map((one) => (
          <li
            key={`${one.local} ${one.name}`}
            class={one.local ? "" : "global"}
            onMouseEnter={() => (explained.value = `${one.type} ${one.name} = ${one.value}${one.local ? "" : " (global)"}`.trim())}
          >
            <span>{one.name}</span>
            <b>{one.value}</b>
          </li>
        ))}
        {locals.map((slot) => (
          <SlotRow key={slot.index} title="Locals" slot={slot} name={`local ${slot.index}`} />
        ))}
        {!named.length && !locals.length && <li class="quiet">none</li>}
      </ul>
    </section>
  );
}

function Registers() {
  if (look.value?.step.ended) return null;
  const held = look.value?.state.registers ?? {};
  return (
    <span class="registers">
      {Object.entries(held).map(([name, value]) => (
        <i key={name}>
          {name} <b>{value}</b>
        </i>
      ))}
    </span>
  );
}

function Output() {
  const state = look.value?.state;
  const result = status.value.result;
  const ended = look.value?.step.ended;
  const shown = useRef<HTMLPreElement>(null);
  useEffect(() => {
    shown.current?.scrollTo(0, shown.current.scrollHeight);
  }, [state?.output_bytes, ended]);
  return (
    <section class="panel output" aria-label="Output">
      <header>
        <h2>Output</h2>
        <span class="quiet">{state?.output_bytes ? `${number(state.output_bytes)} bytes so far` : ""}</span>
      </header>
      <pre tabIndex={0} ref={shown}>
        {state?.output}
        {ended && result && !result.trap && <span class="result">{answered()}</span>}
        {ended && result?.trap && <span class="trap">trap: {result.trap}</span>}
        {ended && status.value.stopped && <span class="trap">{status.value.stopped}</span>}
      </pre>
    </section>
  );
}

export function Side() {
  const state = look.value?.state;
  const calls = shownMachine.value === "trace";
  return (
    <aside class={`side ${calls ? "" : "plain"}`}>
      <Output />
      {calls && <section class="panel calls" aria-label="Call stack">
        <header>
          <h2>Calls</h2>
          {state && <Registers />}
        </header>
        <ol>
          {state?.calls?.map((call, i) => (
            <li key={call.depth} class={i ? "" : "inner"}>
              <b>{call.function}</b>
              <span>{call.line ? `${call.line.file.replace(/^program\./, "line .").replace(/^line \.\w+/, "line")} ${call.line.number}` : `pc ${call.pc}`}</span>
            </li>
          ))}
        </ol>
      </section>}
      <div class={calls ? "pair" : "single"}>
        {calls && <Slots title="Stack" slots={state?.stack ?? []} empty="empty" name={(i) => `slot ${i}`} />}
        <Variables />
      </div>
      <Memory />
    </aside>
  );
}
