/** The page. */

import { Help, HelpButton } from "../../shared/help";
import { Machines } from "../../shared/machines";
import { ThemeButton } from "../../shared/theme";
import { Compared } from "./broken";
import { Columns } from "./columns";
import { Editor } from "./editor";
import { BINDINGS } from "./keys";
import { Layers } from "./layers";
import { Learn } from "./learn";
import { Play, play } from "./play";
import { Side } from "./side";
import { Plan } from "./plan";
import {
  args, cancel, chooseMachine, chosen, connected, decodes, engine, example, going, invoke, keep, language, live, local, look, machine,
  note, offer, openFile, page, problems, run, source, stale, status, stdin, take, temperature,
} from "./store";
import { number } from "./text";
import { Explain, Timeline } from "./timeline";
import { Tour, startTour } from "./tour";
import { Transport } from "./transport";
import type { Example, Line } from "./types";

function Header() {
  const machines = offer.value?.machines ?? [];
  const engines = chosen.value?.engines ?? [];
  return (
    <header class="top">
      <h1>
        <img src="icon.svg" alt="" width="26" height="26" />
        Transputer <span>Studio</span>
      </h1>
      <nav>
        <button aria-pressed={page.value === "debug"} onClick={() => (page.value = "debug")}>
          Debug
        </button>
        {local.value ? (
          <button aria-pressed={page.value === "play"} onClick={() => play()}>
            Play
          </button>
        ) : (
          <>
            <button aria-pressed={page.value === "learn"} onClick={() => (page.value = "learn")}>
              Learn
            </button>
            <button onClick={() => startTour()}>Tour</button>
          </>
        )}
      </nav>
      {local.value?.loom && <Machines here="trace" />}
      <div class="right">
        {!live.value && <span class="badge">recording</span>}
        <span class={`link ${connected.value ? "" : "lost"}`} role="status">
          {connected.value ? "" : "connection lost, trying again"}
        </span>
        <label class="machine" title={machines.find((m) => m.name === machine.value)?.doc}>
          machine
          <select aria-label="Machine" value={machine.value} onChange={(e) => chooseMachine(e.currentTarget.value)}>
            {machines.map((m) => (
              <option key={m.name} value={m.name} title={m.missing || m.doc}>
                {m.name}
              </option>
            ))}
          </select>
        </label>
        <label class="machine" title="all engines make the same steps; the dense ones are slow">
          engine
          <select aria-label="Engine" value={engine.value || engines[0]} onChange={(e) => (engine.value = e.currentTarget.value)}>
            {engines.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <HelpButton />
        <ThemeButton />
      </div>
    </header>
  );
}

/** The examples of the chosen machine, by their group. */
function groups(all: Example[]): [string, { title: string; index: number }[]][] {
  const found = new Map<string, { title: string; index: number }[]>();
  all.forEach((one, index) => {
    if (one.machine !== machine.value) return;
    found.set(one.group, [...(found.get(one.group) ?? []), { title: one.title, index }]);
  });
  return [...found];
}

/** Problems with the name of the function to call, which this page has a box for. */
const NAMES = /no exported func|--invoke/;

function Source() {
  const all = offer.value?.examples ?? [];
  const missing = chosen.value?.missing;
  return (
    <section class="source panel" aria-label="Program">
      <header>
        <select
          aria-label="Examples"
          class="examples"
          value={all[example.value]?.source === source.value ? example.value : -1}
          onChange={(e) => take(Number(e.currentTarget.value))}
        >
          <option value={-1} disabled>
            your own program
          </option>
          {groups(all).map(([group, ones]) => (
            <optgroup key={group} label={group}>
              {ones.map(({ title, index }) => (
                <option key={index} value={index}>
                  {title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <select aria-label="Language" class="language" value={language.value} onChange={(e) => (language.value = e.currentTarget.value)}>
          {Object.entries(chosen.value?.languages ?? {}).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        {local.value && (
          <label class="open" title="Open a .wasm, .wat or .asm file; the page compiles it">
            Open
            <input type="file" accept=".wasm,.wat,.asm" aria-label="Open a file" onChange={(e) => void openFile(e.currentTarget)} />
          </label>
        )}
        {going.value && status.value.kind !== "learn" ? (
          <button key="stop" class="primary stop" title="Stop (Escape)" onClick={() => cancel()}>
            Stop
          </button>
        ) : (
          <button key="run" class="primary" id="run" title="Run (Ctrl Enter)" onClick={() => run()}>
            Run
          </button>
        )}
      </header>
      <Editor />
      {language.value === "words" && <Plan />}
      <div class="problems" role="alert">
        {problems.value.slice(0, 4).map((p, i) => (
          <p key={i} class={p.severity ?? "error"}>
            {p.line ? <b>line {p.line}</b> : null} {p.message}
          </p>
        ))}
        {problems.value.some(({ message }) => NAMES.test(message)) && (
          <p class="note">Name the function to call in the box below; with none, main is run.</p>
        )}
        {missing && <p class="warning">{machine.value}: {missing}</p>}
        {!problems.value.length && stale.value && look.value && <p class="note">edited; run again to see the change</p>}
      </div>
      <How />
    </section>
  );
}

/** What a run is given besides its program: what the machine and the language take. */
function How() {
  const takes = language.value === "words" ? [] : (chosen.value?.takes ?? []);
  const functions = status.value.code?.functions ?? [];
  return (
    <div class="how">
      {takes.includes("invoke") && (
        <label>
          function
          <input list="functions" value={invoke.value} placeholder="main" onInput={(e) => (invoke.value = e.currentTarget.value)} />
          <datalist id="functions">
            {functions.map((f) => (
              <option key={f.pc} value={f.name} />
            ))}
          </datalist>
        </label>
      )}
      {takes.includes("args") && (
        <label>
          {machine.value === "soft" ? "first registers" : "arguments"}
          <input value={args.value} placeholder="none" onInput={(e) => (args.value = e.currentTarget.value)} />
        </label>
      )}
      {takes.includes("stdin") && (
        <label>
          input
          <input
            value={stdin.value.replaceAll("\n", "⏎")}
            placeholder="nothing"
            onInput={(e) => (stdin.value = e.currentTarget.value.replaceAll("⏎", "\n"))}
          />
        </label>
      )}
      {takes.includes("temperature") && (
        <label>
          temperature
          <input
            value={temperature.value}
            aria-label="Temperature"
            onChange={(e) => (temperature.value = Math.min(10, Math.max(0, Number(e.currentTarget.value) || 0)))}
          />
        </label>
      )}
      {machine.value === "trace" && language.value === "c" && !local.value && (
        <label class="check" title="Compile without optimising: every variable keeps a place in memory, and has its name here. More steps.">
          <input type="checkbox" checked={keep.value} onChange={(e) => (keep.value = e.currentTarget.checked)} />
          variables by name (-O 0)
        </label>
      )}
    </div>
  );
}

const lineText = (line: Line | null) =>
  line ? `${line.file.startsWith("program.") ? "" : `${line.file} `}line ${line.number}` : "";

const INVITED: Record<string, string> = {
  trace: "Press Run: a transformer executes the program, one forward pass per instruction.",
  loom: "Press Run: a looped transformer executes the program, one application to its matrix per instruction.",
  soft: "Press Run: the differentiable machine executes the program on its hard path. It is not a transformer.",
};

/** What stands where a step will be. */
function Welcome() {
  return (
    <div class="timeline welcome">
      {going.value ? (
        <p>{status.value.message ?? status.value.phase}</p>
      ) : (
        <>
          <p>
            Each step will stand here: the tokens, an arc for every head to the token that it found, and below,
            what each layer makes of them.
          </p>
          <p class="acts">
            <button class="primary" onClick={() => run()}>
              Run this program
            </button>
            <button class="second" onClick={() => startTour()}>
              Take the tour
            </button>
          </p>
        </>
      )}
    </div>
  );
}

function Now() {
  const step = look.value?.step;
  return (
    <header class="now">
      {step ? (
        <>
          <div class="count">
            <small>{step.ended ? "after step" : "step"}</small>
            <b>{number(step.ended ? step.step - 1 : step.step)}</b>
          </div>
          <div class="what">
            <code>{step.ended ? "the end" : step.instruction}</code>
            {step.phase ? <i>phase {step.phase}</i> : null}
            <span>
              {[step.function, lineText(step.line)].filter(Boolean).join(", ")}
            </span>
          </div>
          <div class="writes">
            <small>{step.ended ? "" : decodes.value ? `token ${number(step.token)} writes` : "changes"}</small>
            <code>{step.ended ? "" : step.writes || "only the new state"}</code>
          </div>
          {(status.value.about?.edits ?? 0) > 0 && (
            <span class="edited-run" title="Memory began with values that were edited here, not with the program's own">
              edited run
            </span>
          )}
        </>
      ) : (
        <p class="quiet">
          {going.value ? (status.value.message ?? status.value.phase) : INVITED[machine.value]}
        </p>
      )}
    </header>
  );
}

export function App() {
  return (
    <div class={`studio on-${page.value}`}>
      <Header />
      {page.value === "learn" ? (
        <Learn />
      ) : page.value === "play" ? (
        <Play />
      ) : (
        <>
          <main class="desk">
            <Source />
            <div class="centre">
              <section class="panel pass" aria-label="Forward pass">
                <Now />
                <Compared />
                {!look.value ? <Welcome /> : decodes.value ? <Timeline /> : <Columns />}
                <Explain />
              </section>
              <Layers />
            </div>
            <Side />
          </main>
          <Transport />
        </>
      )}
      <Tour />
      <Help bindings={BINDINGS} />
      {!offer.value && <p class="loading">{note.value || "loading"}</p>}
    </div>
  );
}
