/** The page. */

import { Editor } from "./editor";
import { BINDINGS } from "./keys";
import { Layers } from "./layers";
import { Learn } from "./learn";
import { Side } from "./side";
import {
  args, cancel, connected, example, going, help, invoke, language, live, look, machine, note, offer, page, problems,
  run, source, stale, status, stdin, take, theme,
} from "./store";
import { number } from "./text";
import { Explain, Timeline } from "./timeline";
import { Tour, startTour } from "./tour";
import { Transport } from "./transport";
import type { Example } from "./types";

function Header() {
  const machines = offer.value?.machines ?? [];
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
        <button aria-pressed={page.value === "learn"} onClick={() => (page.value = "learn")}>
          Learn
        </button>
        <button onClick={() => startTour()}>Tour</button>
      </nav>
      <div class="right">
        {!live.value && <span class="badge">recording</span>}
        <span class={`link ${connected.value ? "" : "lost"}`} role="status">
          {connected.value ? "" : "connection lost, trying again"}
        </span>
        <label class="machine" title={machines.find((m) => m.name === machine.value)?.doc}>
          machine
          <select value={machine.value} onChange={(e) => (machine.value = e.currentTarget.value)}>
            {machines.map((m) => (
              <option key={m.name} value={m.name}>
                {m.name} · {m.engines.join(", ")}
              </option>
            ))}
          </select>
        </label>
        <button class="round" title="Keys (?)" aria-label="Keys" onClick={() => (help.value = !help.value)}>
          ?
        </button>
        <button
          class="round"
          title="Dark or light"
          aria-label="Dark or light"
          onClick={() => (theme.value = theme.value === "dark" ? "light" : "dark")}
        >
          {theme.value === "dark" ? "☾" : "☀"}
        </button>
      </div>
    </header>
  );
}

function groups(all: Example[]): [string, { title: string; index: number }[]][] {
  const found = new Map<string, { title: string; index: number }[]>();
  all.forEach((one, index) => {
    found.set(one.group, [...(found.get(one.group) ?? []), { title: one.title, index }]);
  });
  return [...found];
}

function Source() {
  const all = offer.value?.examples ?? [];
  const functions = status.value.code?.functions ?? [];
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
          {Object.entries(offer.value?.languages ?? {}).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        {going.value && status.value.kind !== "learn" ? (
          <button class="primary stop" title="Stop (Escape)" onClick={() => cancel()}>
            Stop
          </button>
        ) : (
          <button class="primary" id="run" title="Run (Ctrl Enter)" onClick={() => run()}>
            Run
          </button>
        )}
      </header>
      <Editor />
      <div class="problems" role="alert">
        {problems.value.slice(0, 4).map((p, i) => (
          <p key={i} class={p.severity ?? "error"}>
            {p.line ? <b>line {p.line}</b> : null} {p.message}
          </p>
        ))}
        {!problems.value.length && stale.value && look.value && <p class="note">edited; run again to see the change</p>}
      </div>
      <div class="how">
        <label>
          function
          <input list="functions" value={invoke.value} placeholder="main" onInput={(e) => (invoke.value = e.currentTarget.value)} />
          <datalist id="functions">
            {functions.map((f) => (
              <option key={f.pc} value={f.name} />
            ))}
          </datalist>
        </label>
        <label>
          arguments
          <input value={args.value} placeholder="none" onInput={(e) => (args.value = e.currentTarget.value)} />
        </label>
        <label>
          input
          <input
            value={stdin.value.replaceAll("\n", "⏎")}
            placeholder="nothing"
            onInput={(e) => (stdin.value = e.currentTarget.value.replaceAll("⏎", "\n"))}
          />
        </label>
      </div>
    </section>
  );
}

function Now() {
  const step = look.value?.step;
  return (
    <header class="now">
      {step ? (
        <>
          <div class="count">
            <small>step</small>
            <b>{number(step.step)}</b>
          </div>
          <div class="what">
            <code>{step.ended ? "the end" : step.instruction}</code>
            {step.phase ? <i>phase {step.phase}</i> : null}
            <span>
              {step.function}
              {step.line ? `, ${step.line.file.startsWith("program.") ? "" : `${step.line.file} `}line ${step.line.number}` : ""}
            </span>
          </div>
          <div class="writes">
            <small>{step.ended ? "" : `token ${number(step.token)} writes`}</small>
            <code>{step.ended ? "" : step.writes || "only the new state"}</code>
          </div>
        </>
      ) : (
        <p class="quiet">
          {going.value ? (status.value.message ?? status.value.phase) : "Press Run: a transformer executes the program, one forward pass per instruction."}
        </p>
      )}
    </header>
  );
}

function Help() {
  if (!help.value) return null;
  return (
    <div class="help" role="dialog" aria-label="Keys" onClick={() => (help.value = false)}>
      <div>
        <h2>Keys</h2>
        <dl>
          {BINDINGS.map((b) => (
            <div key={b.keys}>
              <dt>
                {b.keys.split(" ").map((k) => (
                  <kbd key={k}>{k}</kbd>
                ))}
              </dt>
              <dd>{b.doc}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

export function App() {
  return (
    <div class={`studio on-${page.value}`}>
      <Header />
      {page.value === "learn" ? (
        <Learn />
      ) : (
        <>
          <main class="desk">
            <Source />
            <div class="centre">
              <section class="panel pass" aria-label="Forward pass">
                <Now />
                <Timeline />
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
      <Help />
      {!offer.value && <p class="loading">{note.value || "loading"}</p>}
    </div>
  );
}
