/** A program that is played: its output as a screen, keys as its input. */

import { useEffect, useRef, useState } from "preact/hooks";
import { cancel, going, local, page, run } from "./store";
import { number } from "./text";

/** Keys by the letters that games read. */
const KEYS: Record<string, string> = { ArrowUp: "w", ArrowLeft: "a", ArrowDown: "s", ArrowRight: "d", Enter: "\n" };
const PAD = ["w", "a", "s", "d", " ", "q"];
const NAMES: Record<string, string> = { w: "↑", a: "←", s: "↓", d: "→", " ": "space", q: "quit" };
/** What ends a frame: a form feed, or an escape that clears the screen or goes home. */
const FRAME = /\f|\x1b\[(?:2J|H|1;1H|\d+A)/g;

export async function play(): Promise<void> {
  page.value = "play";
  await run();
}

const type = (text: string) => local.value?.keys.push(...new TextEncoder().encode(text));

/** The last whole frame of an output, and how many there were. */
function frame(output: number[]): { text: string; frames: number } {
  const parts = new TextDecoder().decode(Uint8Array.from(output.slice(-(1 << 16)))).split(FRAME).filter((part) => part.trim());
  const ends = output.filter((byte) => byte === 12).length;
  const whole = ends && parts.length > 1 && output.at(-1) !== 12 ? parts.at(-2) : parts.at(-1);
  return { text: (whole ?? "").replace(/\x1b\[[0-9;?]*[A-Za-z]/g, ""), frames: ends || parts.length };
}

export function Play() {
  const screen = useRef<HTMLPreElement>(null);
  const [shown, setShown] = useState({ text: "", frames: 0, steps: 0, means: "steps" });
  useEffect(() => {
    screen.current?.focus();
    const timer = setInterval(() => {
      const runs = local.value;
      if (runs) setShown({ ...frame(runs.screen), steps: runs.steps, means: runs.means });
    }, 50);
    return () => clearInterval(timer);
  }, []);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.key === "Tab") return;
    const key = KEYS[event.key] ?? (event.key.length === 1 ? event.key : "");
    if (!key) return;
    type(key);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <main class="player panel">
      <pre class="screen" tabIndex={0} ref={screen} onKeyDown={press} aria-label="Screen">
        {shown.text || "the program has not written anything yet"}
      </pre>
      <div class="pad" aria-label="Keys">
        {PAD.map((key) => (
          <button key={key} data-key={key} onClick={() => type(key)}>
            {NAMES[key]}
          </button>
        ))}
      </div>
      <p class="tally" role="status">
        {number(shown.frames)} frames, <b>{number(shown.steps)}</b> {shown.means} in this page.{" "}
        {going.value ? (
          <button onClick={() => cancel().then(() => (page.value = "debug"))}>Stop, and look inside</button>
        ) : (
          <>
            <button onClick={() => play()}>Play again</button> <button onClick={() => (page.value = "debug")}>Look inside</button>
          </>
        )}
      </p>
    </main>
  );
}
