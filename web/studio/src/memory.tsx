/** Memory, in bytes or in words. What a run begins with can be edited, and then run again. */

import { useState } from "preact/hooks";
import { edit, editing, edits, forgetEdits, look, memoryAt, ranWith, run, showMemory, status } from "./store";
import { hex, number, slotName } from "./text";

const ROWS = 12;
const EACH = 8;

/** One cell: what it holds, or where that can be said anew, what it is to hold. */
function Cell(props: {
  address: number;
  value: number | null;
  text: (value: number) => string;
  read: (text: string) => number | null;
  editable: boolean;
  lit: boolean;
}) {
  const { address, value, text, read } = props;
  const [typing, setTyping] = useState(false);
  const pending = edits.value.get(address);
  const held = pending ?? value;
  if (held === null) return <span class="cell absent">··</span>;
  const kinds = ["cell", props.lit && "lit", held === 0 && "zero", pending !== undefined && "edited"];
  if (!props.editable) {
    return <span class={kinds.filter(Boolean).join(" ")} data-address={address}>{text(held)}</span>;
  }
  const done = (event: Event) => {
    const found = read((event.currentTarget as HTMLInputElement).value.trim());
    if (found !== null) edit(address, found, value ?? 0);
    setTyping(false);
  };
  if (!typing) {
    return (
      <button
        class={kinds.filter(Boolean).join(" ")}
        data-address={address}
        title={`Let memory begin with another value at ${number(address)}`}
        onClick={() => setTyping(true)}
      >
        {text(held)}
      </button>
    );
  }
  return (
    <input
      class="cell typing"
      data-address={address}
      aria-label={`Value at ${address}`}
      value={text(held)}
      ref={(input) => input?.select()}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setTyping(false);
        event.stopPropagation();
      }}
    />
  );
}

const readByte = (text: string) => (/^[0-9a-f]{1,2}$/i.test(text) ? parseInt(text, 16) : null);

function readWord(bits: number) {
  return (text: string) => {
    const found = Number(text);
    const fits = found >= -(2 ** (bits - 1)) && found < 2 ** bits;
    return text && Number.isInteger(found) && fits ? found : null;
  };
}

function Bytes() {
  const state = look.value?.state;
  const bytes = state?.memory?.bytes ?? "";
  const address = state?.memory?.address ?? 0;
  const touched = state?.touched;
  const most = editing.value ? (status.value.code?.editable ?? 0) : 0;
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const here = Array.from({ length: EACH }, (_, i) => bytes.slice(2 * (row * EACH + i), 2 * (row * EACH + i) + 2));
    return { at: address + row * EACH, here };
  });
  return (
    <div class="hex" role="table">
      {rows.map(({ at, here }) => (
        <div role="row" key={at}>
          <span class="at">{hex(at, 6)}</span>
          <span class="bytes">
            {here.map((byte, i) => (
              <Cell
                key={i}
                address={at + i}
                value={byte ? parseInt(byte, 16) : null}
                text={(value) => hex(value, 2)}
                read={readByte}
                editable={at + i < most}
                lit={!!touched && at + i >= touched.address && at + i < touched.address + touched.count}
              />
            ))}
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
  );
}

function Words() {
  const words = look.value?.state.words;
  if (!words) return null;
  const most = editing.value ? words.editable : 0;
  const read = readWord(words.bits);
  return (
    <div class="words" role="table">
      {words.values.map((value, i) => {
        const slot = words.first + i;
        return (
          <div class="word" role="row" key={slot} title={words.names[i] || `slot ${slot}`}>
            <span class="at">{words.names[i] ? slotName(words.names[i]!, 11) : slot}</span>
            <Cell
              address={slot}
              value={value}
              text={String}
              read={read}
              editable={slot < most}
              lit={words.touched.includes(slot)}
            />
          </div>
        );
      })}
    </div>
  );
}

/** What is to be done about edits. */
function Edits() {
  const done = status.value.about?.edits ?? 0;
  const fresh = edits.value !== ranWith.value;
  const count = fresh ? edits.value.size : done;
  if (!count) return null;
  return (
    <div class="edits" role="status">
      <span>{fresh ? `${count} edited` : `began with ${count} edited`}</span>
      {fresh && (
        <button class="again" title="Run again, with memory as it was edited" onClick={() => run()}>
          Run again
        </button>
      )}
      <button
        class="forget"
        title="The program's own memory"
        onClick={() => {
          forgetEdits();
          if (done) void run();
        }}
      >
        Undo
      </button>
    </div>
  );
}

export function Memory() {
  const state = look.value?.state;
  const inWords = !!state?.words;
  const touched = state?.touched ?? (state?.words?.touched.length ? { address: state.words.touched[0]! } : null);
  const stride = inWords ? 32 : ROWS * EACH;
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
          <button class="link" onClick={() => showMemory(touched.address - (inWords ? 0 : 16))} title="Go to what was just written">
            wrote {touched.address}
          </button>
        )}
        <span class="jump">
          <button aria-label="Lower addresses" onClick={() => showMemory(memoryAt.value - stride)}>
            ↑
          </button>
          <button aria-label="Higher addresses" onClick={() => showMemory(memoryAt.value + stride)}>
            ↓
          </button>
          <input aria-label="Address" placeholder="address" value={memoryAt.value} onChange={jump} />
        </span>
      </header>
      <Edits />
      {!state ? <p class="quiet none">Run a program to see what it keeps in memory.</p> : status.value.code?.memory === false ? <p class="quiet none">This program has no memory.</p> : inWords ? <Words /> : <Bytes />}
    </section>
  );
}
