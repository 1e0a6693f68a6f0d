/** Moving through a run. */

import { useState } from "preact/hooks";
import { busy, cursor, go, look, move, note, playing, share, shownMachine, speed, status, steps } from "./store";
import { number } from "./text";

const SPEEDS = [1, 2, 4, 8, 24, 120, 1200, 12000];

/** Icons on a grid of 16. */
const ICONS: Record<string, string> = {
  first: "M4 3v10M13 3 6 8l7 5z",
  reverse: "M8 3 2 8l6 5zM14 3 8 8l6 5z",
  previous: "M13 12H7a3 3 0 0 1 0-6h5M9 3 12 6 9 9",
  back: "M11 3 5 8l6 5z",
  play: "M4 2.5 13 8l-9 5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  step: "M5 3l6 5-6 5z",
  next: "M3 12h6a3 3 0 0 0 0-6H4M7 3 4 6l3 3",
  out: "M8 13V4M4 8l4-4 4 4",
  continue: "M2 3l6 5-6 5zM8 3l6 5-6 5z",
  last: "M12 3v10M3 3l7 5-7 5z",
};
const STROKED = new Set(["previous", "next", "out"]);

export function Icon({ name }: { name: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class={STROKED.has(name) ? "stroke" : "fill"}>
      <path d={ICONS[name]} />
    </svg>
  );
}

function Key({ icon, label, keys, act, off, text }: {
  icon: string;
  label: string;
  keys: string;
  act: () => void;
  off?: boolean;
  text?: string;
}) {
  return (
    <button class={`key-button ${text ? "wide" : ""}`} title={`${label} (${keys})`} aria-label={label} data-move={icon} disabled={off} onClick={act}>
      <Icon name={icon} />
      {text && <span>{text}</span>}
    </button>
  );
}

export const play = () => {
  if (!look.value) return;
  if (!playing.value && look.value.step.ended) void go(1).then(() => (playing.value = true));
  else playing.value = !playing.value;
};

export function Transport() {
  const none = !look.value;
  const at = cursor.value;
  const most = Math.max(1, steps.value + 1);
  const start = none || at <= 1;
  const end = none || at >= most;
  const [typed, setTyped] = useState<string | null>(null); // what comes meanwhile does not overwrite it
  const jump = (event: Event) => {
    const text = (event.currentTarget as HTMLInputElement).value.replaceAll(",", "").trim();
    const value = text === "end" ? most : Number(text);
    if (Number.isInteger(value) && value > 0) void go(value);
    setTyped(null);
  };
  return (
    <footer class="transport" aria-label="Controls">
      <div class="keys">
        <Key icon="first" label="To the beginning" keys="Home" act={() => go(1)} off={start} />
        <Key icon="reverse" label="Back to a breakpoint" keys="R" act={() => move("reverse")} off={start} />
        <Key icon="previous" label="Previous line" keys="P" act={() => move("previous")} off={start} />
        <Key icon="back" label="One step back" keys="←" act={() => move("back")} off={start} />
        <button class="play" title={`${playing.value ? "Pause" : "Play"} (Space)`} aria-label={playing.value ? "Pause" : "Play"} data-move="play" disabled={none} onClick={play}>
          <Icon name={playing.value ? "pause" : "play"} />
        </button>
        <Key icon="step" label="One step on" keys="→" act={() => move("step")} off={end} />
        <Key icon="next" label="Next line" keys="N" act={() => move("next")} off={end} />
        {shownMachine.value === "trace" && (
          <Key icon="out" label="Out of this function" keys="O" act={() => move("out")} off={end} />
        )}
        <Key icon="continue" label="Continue to a breakpoint" keys="C" act={() => move("continue")} off={end} />
        <Key icon="last" label="To the end" keys="End" act={() => go(most)} off={end} />
      </div>
      <input
        class="scrub"
        type="range"
        min={1}
        max={most}
        value={at || 1}
        disabled={none}
        aria-label="Step"
        style={{ "--part": `${most > 1 ? (100 * Math.max(0, at - 1)) / (most - 1) : 0}%` }}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <label class="jump">
        step
        <input
          id="jump"
          value={typed ?? (look.value?.step.ended ? "end" : at ? number(at) : "")}
          disabled={none}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={jump}
          aria-label="Jump to step"
        />
        <span>of {number(steps.value)}</span>
      </label>
      <label class="speed" title="Steps per second">
        speed
        <select value={speed.value} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
          {SPEEDS.map((s) => (
            <option key={s} value={s}>
              {number(s)}/s
            </option>
          ))}
        </select>
      </label>
      <button class="share" title="Copy a link to this program, its input and this step" disabled={none} onClick={() => share()}>
        Share
      </button>
      <span class={`note ${busy.value ? "busy" : ""}`} role="status" title={trace()}>
        {note.value || message()}
      </span>
    </footer>
  );
}

/** The hash of all decoded tokens, where it is known. */
function trace(): string {
  const hash = status.value.result?.trace_sha256;
  return hash ? `SHA-256 of all decoded tokens: ${hash}` : "";
}

function message(): string {
  const s = status.value;
  if (s.kind === "learn" || s.phase === "none") return "";
  if (s.phase === "waiting") return "waiting for its turn";
  if (s.phase === "compiling") return s.message ?? "compiling";
  if (s.phase === "running") return `running, ${number(s.steps ?? 0)} steps`;
  if (s.phase === "failed") return "";
  if (s.stopped) return s.stopped;
  const r = s.result;
  if (!r) return "";
  const what = r.trap ? `trap: ${r.trap}` : s.about?.answer ? `answer ${s.about.answer}` : (s.text?.length ?? 0) ? `returned ${s.text!.join(" ")}` : `exit code ${r.exit_code}`;
  const rate = r.seconds > 0 ? `, ${number(Math.round(r.steps / r.seconds))} steps/s` : "";
  const cut = s.message ? ` · ${s.message}` : "";
  const time = r.seconds > 0 ? `, ${r.seconds.toFixed(2)} s` : "";
  return `${what} · ${number(r.instructions)} instructions, ${r.engine}${time}${rate}${cut}`;
}
