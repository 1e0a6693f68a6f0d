/** What the program holds: output, calls, stack, locals, memory. */

import { useEffect, useRef } from "preact/hooks";
import { explained, look, memoryAt, showMemory, status } from "./store";
import { hex, number } from "./text";
import type { Slot } from "./types";

function Slots({ title, slots, empty, name }: { title: string; slots: Slot[]; empty: string; name: (i: number) => string }) {
  return (
    <section class="panel slots" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <ul>
        {slots.map((slot) => (
          <li
            key={slot.index}
            onMouseEnter={() =>
              (explained.value = `${title}: ${name(slot.index)} is ${number(slot.signed)} (0x${hex(slot.value, 8)})${
                slot.token === null ? ", never written." : `, written by token ${number(slot.token)}.`
              }`)
            }
          >
            <span>{name(slot.index)}</span>
            <b>{number(slot.signed)}</b>
          </li>
        ))}
        {!slots.length && <li class="quiet">{empty}</li>}
      </ul>
    </section>
  );
}

const ROWS = 12;

function Memory() {
  const state = look.value?.state;
  const bytes = state?.memory.bytes ?? "";
  const address = state?.memory.address ?? 0;
  const touched = state?.touched;
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const at = address + row * 8;
    const here = Array.from({ length: 8 }, (_, i) => bytes.slice(2 * (row * 8 + i), 2 * (row * 8 + i) + 2));
    return { at, here };
  });
  const jump = (event: Event) => {
    const text = (event.currentTarget as HTMLInputElement).value.trim();
    const value = Number(text);
    if (text && Number.isFinite(value) && value >= 0) showMemory(value);
  };
  return (
    <section class="panel memory" aria-label="Memory">
      <header>
        <h2>Memory</h2>
        {touched && (
          <button class="link" onClick={() => showMemory(touched.address - 16)} title="Go to what was just written">
            wrote {touched.address}
          </button>
        )}
        <span class="jump">
          <button aria-label="Lower addresses" onClick={() => showMemory(memoryAt.value - ROWS * 8)}>
            ↑
          </button>
          <button aria-label="Higher addresses" onClick={() => showMemory(memoryAt.value + ROWS * 8)}>
            ↓
          </button>
          <input aria-label="Address" placeholder="address" value={memoryAt.value} onChange={jump} />
        </span>
      </header>
      <div class="hex" role="table">
        {rows.map(({ at, here }) => (
          <div role="row" key={at}>
            <span class="at">{hex(at, 6)}</span>
            <span class="bytes">
              {here.map((byte, i) => {
                const lit = touched && at + i >= touched.address && at + i < touched.address + touched.count;
                return (
                  <span key={i} class={`${lit ? "lit" : ""} ${byte === "00" || !byte ? "zero" : ""}`}>
                    {byte || "··"}
                  </span>
                );
              })}
            </span>
            <span class="ascii">
              {here.map((byte) => {
                const code = parseInt(byte, 16);
                return code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
              })}
            </span>
          </div>
        ))}
      </div>
    </section>
  );
}

function Output() {
  const state = look.value?.state;
  const result = status.value.result;
  const ended = look.value?.step.ended;
  const text = status.value.text ?? [];
  const shown = useRef<HTMLPreElement>(null);
  useEffect(() => {
    shown.current?.scrollTo(0, shown.current.scrollHeight);
  }, [state?.output_bytes, ended]);
  return (
    <section class="panel output" aria-label="Output">
      <header>
        <h2>Output</h2>
        <span class="quiet">{state ? `${number(state.output_bytes)} bytes so far` : ""}</span>
      </header>
      <pre tabIndex={0} ref={shown}>
        {state?.output}
        {ended && result && !result.trap && text.length > 0 && <span class="result">{text.join(" ")}</span>}
        {ended && result?.trap && <span class="trap">trap: {result.trap}</span>}
        {ended && status.value.stopped && <span class="trap">{status.value.stopped}</span>}
      </pre>
    </section>
  );
}

export function Side() {
  const state = look.value?.state;
  return (
    <aside class="side">
      <Output />
      <section class="panel calls" aria-label="Call stack">
        <header>
          <h2>Calls</h2>
          {state && (
            <span class="registers">
              {Object.entries(state.registers).map(([name, value]) => (
                <i key={name}>
                  {name} <b>{value}</b>
                </i>
              ))}
            </span>
          )}
        </header>
        <ol>
          {state?.calls.map((call, i) => (
            <li key={call.depth} class={i ? "" : "inner"}>
              <b>{call.function}</b>
              <span>{call.line ? `${call.line.file.replace(/^program\./, "line .").replace(/^line \.\w+/, "line")} ${call.line.number}` : `pc ${call.pc}`}</span>
            </li>
          ))}
        </ol>
      </section>
      <div class="pair">
        <Slots title="Stack" slots={state?.stack ?? []} empty="empty" name={(i) => `slot ${i}`} />
        <Slots title="Locals" slots={state?.locals ?? []} empty="none" name={(i) => `local ${i}`} />
      </div>
      <Memory />
    </aside>
  );
}

