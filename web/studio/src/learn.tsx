/** Watch the soft machine learn a program by gradient descent. */

import { signal } from "@preact/signals";
import { cancel, going, learn, note, offer, seen, status } from "./store";
import { number } from "./text";
import type { Seen } from "./types";

const task = signal("max");
const seed = signal(0);
const WIDTH = 520;
const HEIGHT = 150;

function curve(values: number[], most: number, height: (value: number) => number): string {
  return values
    .map((value, i) => `${i ? "L" : "M"} ${((i * WIDTH) / Math.max(1, most - 1)).toFixed(1)} ${height(value).toFixed(1)}`)
    .join(" ");
}

function Chart({ title, now, children }: { title: string; now: string; children: preact.ComponentChildren }) {
  return (
    <section class="panel chart">
      <header>
        <h2>{title}</h2>
        <b>{now}</b>
      </header>
      <svg viewBox={`-4 -6 ${WIDTH + 8} ${HEIGHT + 12}`} preserveAspectRatio="none">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <line key={part} class="grid" x1={0} x2={WIDTH} y1={part * HEIGHT} y2={part * HEIGHT} />
        ))}
        {children}
      </svg>
    </section>
  );
}

const FLOOR = 1e-4;
const loss = (value: number) => (HEIGHT * Math.log(Math.max(FLOOR, Math.min(1, value)))) / Math.log(FLOOR);

function Selectors({ last }: { last: Seen | undefined }) {
  const fields = ["operation", "to", "from", "and"];
  return (
    <section class="panel selectors">
      <header>
        <h2>Selectors crystallising</h2>
        <span class="quiet">the weight of the likeliest choice</span>
      </header>
      <div class="matrix" style={{ gridTemplateRows: `repeat(${fields.length}, 1fr)` }}>
        {fields.map((field, i) => (
          <div class="line" key={field}>
            <span>{field}</span>
            {(last?.selectors ?? []).map((row, place) => (
              <i key={place} class={(row[i] ?? 0) > 55 ? "sure" : ""} style={{ "--sure": (row[i] ?? 0) / 100 }} title={`instruction ${place}: ${row[i]} %`}>
                {row[i]}
              </i>
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function Text({ last, before }: { last: Seen | undefined; before: Seen | undefined }) {
  const learned = status.value.kind === "learn" ? status.value.learned : undefined;
  const shown = learned?.program.length ? learned.program : (last?.program ?? []);
  return (
    <section class="panel program">
      <header>
        <h2>{learned ? "The program it found" : "The program as it would be read now"}</h2>
        <span class="quiet">{learned ? (learned.minimal ? "minimal" : "") : last ? `update ${last.update}` : ""}</span>
      </header>
      <ol start={0}>
        {shown.map((text, i) => (
          <li key={i} class={!learned && before && before.program[i] !== text ? "changed" : ""}>
            {text}
          </li>
        ))}
      </ol>
      {learned && (
        <ul class="facts">
          {learned.proof?.facts.map((fact) => <li key={fact}>✓ {fact}</li>)}
          <li>
            {learned.detail}; {number(learned.evaluations)} evaluations in {learned.seconds.toFixed(0)} s
          </li>
        </ul>
      )}
    </section>
  );
}

export function Learn() {
  const missing = offer.value?.cannot_learn ?? "";
  const all = seen.value;
  const last = all.at(-1);
  const wave = all.filter((one) => one.wave === last?.wave);
  const most = last ? Math.ceil(last.updates / 10) : 2;
  const mine = status.value.kind === "learn";
  const running = mine && going.value;
  const failed = mine && status.value.phase === "failed" ? status.value.problems?.[0]?.message : "";
  const restarts = last?.losses.length ?? 0;
  return (
    <main class="lesson">
      <div class="bar">
        <p>
          The <b>soft machine</b> is the differentiable sibling: every instruction is a mixture of all instructions, and gradient
          descent sharpens the mixture until one program is left. It is not a transformer.
        </p>
        <label>
          task
          <select value={task.value} onChange={(e) => (task.value = e.currentTarget.value)} disabled={!!missing}>
            {Object.entries(offer.value?.tasks ?? {}).map(([name, doc]) => (
              <option key={name} value={name} title={doc}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          seed
          <input type="number" min={0} value={seed.value} disabled={!!missing} onChange={(e) => (seed.value = Math.max(0, Number(e.currentTarget.value) || 0))} />
        </label>
        {running ? (
          <button class="primary stop" onClick={() => cancel()}>
            Stop
          </button>
        ) : (
          <button class="primary" disabled={!!missing} onClick={() => learn(task.value, seed.value)}>
            Learn
          </button>
        )}
      </div>
      {missing && (
        <p class="notice" role="alert">
          Learning is not available here: {missing}
        </p>
      )}
      {(failed || note.value) && !missing && <p class="notice">{failed || note.value}</p>}
      <div class="grid">
        <Chart title="Loss" now={last ? last.loss.toFixed(4) : "–"}>
          {Array.from({ length: restarts }, (_, r) => (
            <path key={r} class="faint" d={curve(wave.map((one) => one.losses[r] ?? 1), most, loss)} />
          ))}
          <path class="loss" d={curve(wave.map((one) => one.loss), most, loss)} />
        </Chart>
        <Chart title="Hard accuracy" now={last ? `${(100 * last.hard).toFixed(1)} %` : "–"}>
          <path class="hard" d={curve(wave.map((one) => one.hard), most, (v) => HEIGHT * (1 - v))} />
        </Chart>
        <Selectors last={last} />
        <Text last={last} before={all.at(-2)} />
      </div>
      <p class="quiet state" role="status">
        {running
          ? last
            ? `wave ${last.wave}, update ${last.update} of ${last.updates}, ${restarts} restarts side by side (thin lines); the best is shown`
            : (status.value.message ?? "starting")
          : mine && status.value.phase === "done"
            ? status.value.learned?.solved
              ? "learned and proved"
              : "nothing right was found in time"
            : "Loss is on a logarithmic scale from 1 to 0.0001; hard accuracy counts result bits of the program read off the mixture."}
      </p>
    </main>
  );
}
