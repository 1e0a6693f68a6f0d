/** The page. */

import { Help, HelpButton } from "../../shared/help";
import { Machines } from "../../shared/machines";
import { ThemeButton } from "../../shared/theme";
import icon from "../../studio/public/icon.svg";
import { DEMOS, OWN } from "./demos";
import { build, choose, reset } from "./desk";
import { Editor } from "./editor";
import { Heat } from "./heat";
import { BINDINGS } from "./keys";
import { Layers } from "./layers";
import { Listing } from "./listing";
import { again, buildAndPlay, play, step } from "./run";
import { Screen } from "./screen";
import { ENGINES, type EngineName } from "./session";
import { Side } from "./side";
import {
  STEP_RATES, TICK_RATES, bits, demo, engine, layout, note, offer, problems, program, running, seen, speed, stale, stepRate,
  tickRate, widthChosen, working,
} from "./store";

const number = (value: number) => Math.round(value).toLocaleString("en-US");

function Header() {
  const held = layout.value?.config;
  return (
    <header class="top">
      <h1>
        <img src={icon} alt="" width="26" height="26" />
        Transputer <span>Loom</span>
      </h1>
      <Machines here="loom" />
      <p class="about">
        {held ? (
          <>
            One instruction is one pass through <b>{held.heads.length} layers</b>, {held.heads.reduce((a, b) => a + b)} heads,{" "}
            <b>{number(held.nonzeros)}</b> nonzero weights
          </>
        ) : null}
      </p>
      <div class="right">
        <label class="machine" title="Engine. All engines compute the same states.">
          runs
          <select
            id="engine"
            value={engine.value}
            onChange={(e) => {
              engine.value = e.currentTarget.value as EngineName;
              void reset();
            }}
          >
            {Object.entries(ENGINES).map(([name, title]) => (
              <option key={name} value={name} disabled={name === "webgpu" && !("gpu" in navigator)}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <span class="badge config" title="The smallest configuration that the program fits">{program.value?.config ?? ""}</span>
        <HelpButton />
        <ThemeButton />
      </div>
    </header>
  );
}

function Source() {
  const groups = [...new Set(DEMOS.map((one) => one.group))];
  return (
    <section class="source panel" aria-label="Source">
      <header>
        <select aria-label="Examples" class="examples" value={demo.value.file} onChange={(e) => void choose(DEMOS.find((one) => one.file === e.currentTarget.value)!)}>
          {groups.map((group) => (
            <optgroup key={group} label={group}>
              {DEMOS.filter((one) => one.group === group).map((one) => (
                <option key={one.file} value={one.file}>
                  {one.title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <select aria-label="Word size" class="language" value={bits.value} title="Bits of an int: 32 unless you choose; the examples ask for 8" onChange={(e) => { bits.value = Number(e.currentTarget.value); widthChosen.value = true; void build(); }}>
          {[8, 16, 32].map((n) => (
            <option key={n} value={n}>
              {n} bits
            </option>
          ))}
        </select>
        <button class={`primary ${stale.value ? "" : "done"}`} id="compile" title="Compile and run (Ctrl Enter)" disabled={Boolean(working.value)} onClick={() => void buildAndPlay()}>
          Compile
        </button>
      </header>
      <Editor />
      <div class="problems" role="alert">
        {problems.value.map((p, i) => (
          <p key={i} class="error">
            {p.line ? <b>line {p.line}</b> : null} {p.message}
          </p>
        ))}
        {!problems.value.length && <p class="quiet">{working.value || (stale.value ? "edited; Run or Compile compiles it" : "the compiler is Python and runs in this page")}</p>}
      </div>
    </section>
  );
}

function rate(value: number, what: string): string {
  return value === Infinity ? "as fast as it can" : value ? `${number(value)} ${what}/s` : "once";
}

function Transport() {
  const now = seen.value;
  return (
    <footer class="transport" aria-label="Controls">
      <div class="keys">
        <button class="key-button" title="Back to the start (R)" aria-label="Reset" id="reset" onClick={() => void again()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="fill"><path d="M4 3v10M13 3 6 8l7 5z" /></svg>
        </button>
        <button class="play" title={`${running.value ? "Pause" : "Run"} (P)`} aria-label={running.value ? "Pause" : "Run"} id="play" onClick={() => void play()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="fill"><path d={running.value ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5 13 8l-9 5.5z"} /></svg>
        </button>
        <button class="key-button" title="One step (→)" aria-label="Step" id="step" disabled={running.value} onClick={() => void step()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="fill"><path d="M5 3l6 5-6 5z" /></svg>
        </button>
      </div>
      <label>
        steps
        <select id="steps" value={STEP_RATES.indexOf(stepRate.value)} onChange={(e) => (stepRate.value = STEP_RATES[Number(e.currentTarget.value)]!)}>
          {STEP_RATES.map((one, i) => (
            <option key={one} value={i}>
              {rate(one, "steps")}
            </option>
          ))}
        </select>
      </label>
      <label title="A game runs main once per tick and keeps its memory">
        main
        <select id="ticks" value={TICK_RATES.indexOf(tickRate.value)} onChange={(e) => (tickRate.value = TICK_RATES[Number(e.currentTarget.value)]!)}>
          {TICK_RATES.map((one, i) => (
            <option key={one} value={i}>
              {rate(one, "ticks")}
            </option>
          ))}
        </select>
      </label>
      <dl class="counts">
        <div><dt>step</dt><dd id="count">{number(now?.steps ?? 0)}</dd></div>
        <div><dt>tick</dt><dd>{number(now?.ticks ?? 0)}</dd></div>
        <div><dt>steps/s</dt><dd>{running.value ? number(speed.value.steps) : "–"}</dd></div>
        <div><dt>ticks/s</dt><dd>{running.value && tickRate.value ? speed.value.ticks.toFixed(1) : "–"}</dd></div>
      </dl>
      <span class="note" role="status">{note.value || working.value || state()}</span>
    </footer>
  );
}

function state(): string {
  const now = seen.value;
  if (!now) return "loading";
  if (running.value) return "running";
  if (now.trap) return `trap: ${now.trap}`;
  if (now.halted) return "halted";
  return now.steps ? "paused" : "ready";
}

export function App() {
  if (!offer.value) return <div class="loading">{note.value || "loading the weights"}</div>;
  return (
    <div class="studio loom">
      <Header />
      <main class="desk">
        <div class="left">
          <Source />
          <Listing />
        </div>
        <div class="centre">
          <Screen />
          <Heat />
          <Layers />
        </div>
        <Side />
      </main>
      <Transport />
      <Help bindings={BINDINGS}>
        <p class="quiet">{OWN.hint} While such a program runs, arrows, WASD and Space are its own.</p>
      </Help>
    </div>
  );
}
