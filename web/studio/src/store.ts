/** What the page knows, and what can be done. */

import { batch, computed, effect, signal } from "@preact/signals";
import { linkOf, linkedFrom } from "./link";
import { Local, carried } from "./local/local";
import { Recording, Refused, Server, recorded, type Job, type Source } from "./source";
import type { Damage, Example, Line, Look, Offer, Problem, Seen, Status } from "./types";

export const page = signal<"debug" | "learn" | "play">("debug");
/** The runs of this page itself, if it was exported with its weights. */
export const local = signal<Local | null>(null);
export const offer = signal<Offer | null>(null);
export const connected = signal(true);
export const live = signal(true);
export const status = signal<Status>({ run: 0, kind: null, phase: "none", watched: 0 });
export const look = signal<Look | null>(null);
export const note = signal("");
export const busy = signal(false);
export const playing = signal(false);
export const speed = signal(8);
export const memoryAt = signal(0);
export const breaks = signal<ReadonlySet<number>>(new Set());
export const hovered = signal<string | null>(null);
export const explained = signal("");
export const everyHead = signal(false);
export const everyField = signal(false);
export const layer = signal<number | null>(null);
/** The head or the group of neurons that was clicked. */
export const picked = signal<{ part: string; title: string; step: number | null } | null>(null);
export const tour = signal<number | null>(null);

export const source = signal("");
export const language = signal("c");
export const invoke = signal("");
export const args = signal("");
export const stdin = signal("");
export const machine = signal("");
export const keep = signal(false);
export const temperature = signal(0.25);
/** The engine that is chosen; empty: the machine's first. */
export const engine = signal("");
/** What memory is to begin with otherwise, by address. */
export const edits = signal<ReadonlyMap<number, number>>(new Map());
/** Those that the shown run began with. */
export const ranWith = signal(edits.value);
export const example = signal(0);
/** The text that the shown run was made of. */
export const ran = signal("");

export const seen = signal<Seen[]>([]);

export const cursor = computed(() => look.value?.step.step ?? 0);
export const steps = computed(() => Math.max(status.value.steps ?? 0, look.value?.step.steps ?? 0));
export const going = computed(() => ["waiting", "compiling", "running", "learning"].includes(status.value.phase));
export const problems = computed<Problem[]>(() =>
  status.value.phase === "failed" && status.value.kind !== "learn" ? (status.value.problems ?? []) : [],
);
export const stale = computed(() => ran.value !== source.value);
/** The machine of the run on show. */
export const shownMachine = computed(() => status.value.machine ?? machine.value);
/** Whether that machine decodes tokens; a conversation has those of a language model besides. */
export const decodes = computed(() => ["trace", "chat"].includes(shownMachine.value));
/** The machine that is chosen, as the server offers it. */
export const chosen = computed(() => offer.value?.machines.find((one) => one.name === machine.value));
const lineIn = (file: string, lines: (Line | null | undefined)[]) =>
  (stale.value ? undefined : lines.find((line) => line?.file.startsWith(file)))?.number ?? 0;
/** Whether a step is of a line of the program or its plan. */
const lineOf = (shown: Look) => /^(program|plan)\./.test(shown.step.line?.file ?? "");
const openLines = () => [look.value?.step.line, ...(look.value?.state.calls ?? []).map((call) => call.line)];
/** The source line of the step on show, if it is one of the program's own. */
export const currentLine = computed(() => lineIn("program.", [look.value?.step.line]));
/** The same, or inside a routine the line that called it. */
export const shownLine = computed(() => lineIn("program.", openLines()));
/** The line of a plan's program. */
export const planLine = computed(() => lineIn("plan.", openLines()));
/** Whether cells of memory can be edited now: only what a run begins with. */
export const editing = computed(() => live.value && !local.value && cursor.value === 1 && !stale.value && !going.value);

/** What the run came to: results, or of a question its answer. */
export function answered(): string {
  return status.value.about?.answer || (status.value.text ?? []).join(" ");
}

let door: Source;
let wanted: number | null = null;
let asking: Promise<void> | null = null;

export async function begin(): Promise<void> {
  const site = await carried();
  const runs = site ? null : await recorded();
  door = site ? (local.value = new Local(site)) : runs ? new Recording(runs) : new Server();
  if (site) Object.assign(globalThis, { transputer: local.value }); // for scripts
  live.value = door.live;
  const found = await door.offer();
  const kept = door.live && !local.value ? keptSource() : null;
  batch(() => {
    offer.value = found;
    machine.value = found.machines[0]?.name ?? "";
    if (kept) Object.entries(kept).forEach(([name, value]) => fields[name as keyof typeof fields]!(value));
    else take(found.examples.findIndex((one) => one.title === "Greatest common divisor") || 0);
  });
  door.listen(hear, (yes) => (connected.value = yes));
  const linked = await linkedFrom(location.hash);
  if (linked) {
    batch(() => {
      for (const [name, set] of Object.entries(fields)) {
        if (name in linked && name !== "ran") set(String(linked[name as keyof typeof linked]));
      }
    });
    linkedStep = linked.step;
  }
  if (!door.live || local.value || linked) await run();
}

/** The step that a link names, until its run has reached it. */
let linkedStep = 0;

/** Put the program, its input and the step into the address, and copy it. */
export async function share(): Promise<void> {
  const link = await linkOf({
    machine: machine.value,
    language: language.value,
    source: source.value,
    invoke: invoke.value,
    args: args.value,
    stdin: stdin.value,
    step: cursor.value,
  });
  if (location.protocol !== "about:") history.replaceState(null, "", link);
  await navigator.clipboard?.writeText(location.href).catch(() => undefined);
  note.value = "the address of this page is now a link to this step";
}

const fields = {
  machine: (v: string) => (machine.value = v || machine.value),
  source: (v: string) => (source.value = v),
  language: (v: string) => (language.value = v),
  invoke: (v: string) => (invoke.value = v),
  args: (v: string) => (args.value = v),
  stdin: (v: string) => (stdin.value = v),
  ran: (v: string) => (ran.value = v),
};

function keptSource(): Record<string, string> | null {
  try {
    return JSON.parse(sessionStorage.getItem("work") ?? "null");
  } catch {
    return null;
  }
}

effect(() => {
  if (!offer.value || !live.value || local.value) return;
  const work = {
    machine: machine.value,
    source: source.value,
    language: language.value,
    invoke: invoke.value,
    args: args.value,
    stdin: stdin.value,
    ran: ran.value,
  };
  sessionStorage.setItem("work", JSON.stringify(work));
});

/** Put an example into the editor. */
export function take(index: number): void {
  const one: Example | undefined = offer.value?.examples[Math.max(0, index)];
  if (!one) return;
  batch(() => {
    example.value = Math.max(0, index);
    machine.value = one.machine;
    source.value = one.source;
    language.value = one.language;
    invoke.value = one.invoke;
    args.value = one.args.join(" ");
    stdin.value = one.stdin;
    breaks.value = new Set();
    edits.value = new Map();
  });
}

/** Put a file into the editor, and run it. */
export async function openFile(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  if (!file || !local.value) return;
  const found = await local.value.opened(file);
  batch(() => {
    source.value = found.source;
    language.value = found.language in (chosen.value?.languages ?? {}) ? found.language : language.value;
    [invoke.value, args.value, stdin.value] = ["", "", ""];
    breaks.value = new Set();
  });
  input.value = "";
  await run();
}

/** Take another machine, with an example of its own unless it reads what is in the editor. */
export function chooseMachine(name: string): void {
  const first = offer.value?.examples.findIndex((one) => one.machine === name) ?? -1;
  const reads = offer.value?.machines.find((one) => one.name === name)?.languages ?? {};
  machine.value = name;
  engine.value = "";
  edits.value = new Map();
  if (!(language.value in reads) || language.value === "c") take(first);
}

/** Let memory begin with another value at an address than the one that is there. */
export function edit(address: number, value: number, there: number): void {
  if (value === (edits.value.get(address) ?? there)) return;
  edits.value = new Map(edits.value).set(address, value);
}

export const forgetEdits = () => (edits.value = new Map());

// Addresses are those of the program that ran: another text, and they mean nothing.
effect(() => {
  if (stale.value && edits.value.size) edits.value = new Map();
});

function words(text: string): string[] {
  return text.trim() ? text.trim().split(/\s+/) : [];
}

/** How many runs were asked for. */
let asked = 0;

/** Run what is in the editor, on healthy weights or with a part of them broken. */
export async function run(broken: Damage | null = null): Promise<void> {
  playing.value = false;
  const job: Job = {
    language: language.value,
    source: source.value,
    invoke: invoke.value.trim(),
    args: words(args.value),
    stdin: stdin.value,
    machine: machine.value,
    edits: Object.fromEntries(edits.value),
    keep: keep.value,
    temperature: temperature.value,
    engine: engine.value || (chosen.value?.engines[0] ?? ""),
    broken,
    played: page.value === "play",
  };
  const number = (asked += 1);
  await attempt(async () => {
    const begun = await door.run(job);
    if (number < asked) return; // another run was asked for meanwhile
    batch(() => {
      ran.value = job.source;
      ranWith.value = edits.value;
      look.value = null;
      picked.value = null;
      if (!edits.value.size) memoryAt.value = 0;
      hear(begun);
    });
  });
}

export const cancel = () => attempt(async () => hear(await door.cancel()));

let placed = 0;

/** A report from the server: the same at any time, so that a lost one does not matter. */
function hear(found: Status): void {
  const before = status.value;
  status.value = found;
  if (found.run !== before.run) placed = 0;
  if (found.kind === "learn") void watch(found);
  else if (["running", "done"].includes(found.phase) && (found.steps ?? 0) > 0) {
    if (((found.phase === "done" && found.code) || found.broken?.first) && placed !== found.run) {
      placed = found.run;
      if (memoryAt.value === 0) memoryAt.value = found.code?.first_memory ?? 0;
      void go(found.broken?.first ?? (linkedStep || (look.value ? cursor.value : 1)));
      linkedStep = 0;
    } else if (found.phase === "done" && before.phase === "running" && found.broken && look.value) void go(cursor.value); // with the tokens since
    else if (!look.value && !asking) void go(1);
  }
}

async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    note.value = "";
    await action();
  } catch (error) {
    playing.value = false;
    note.value = error instanceof Refused ? error.message : "no connection to the studio; is it still running?";
  }
}

/** Show a step. While one is on its way, of those asked for meanwhile only the last one follows. */
export function go(step: number): Promise<void> {
  wanted = step;
  asking ??= follow().finally(() => (asking = null));
  return asking;
}

async function follow(): Promise<void> {
  await attempt(async () => {
    busy.value = true;
    try {
      while (wanted !== null) {
        const most = Math.max(1, steps.value + 1);
        const [step, run] = [Math.min(most, Math.max(1, wanted)), status.value.run];
        wanted = null;
        const found = await door.look(step, memoryAt.value);
        if (run === status.value.run) show(found);
      }
    } finally {
      wanted = null;
      busy.value = false;
    }
  });
}

function show(found: Look): void {
  batch(() => {
    look.value = found;
    hovered.value = null;
    explained.value = "";
  });
}

/** Move, as a debugger does. */
export async function move(wanted: string): Promise<void> {
  if (!look.value || (wanted === "out" && shownMachine.value !== "trace")) return;
  // Inside a library, the next line is the program's own.
  const how = wanted === "next" && shownMachine.value === "trace" && !lineOf(look.value) ? "own" : wanted;
  if (how === "step") return go(cursor.value + 1);
  if (how === "back") return go(cursor.value - 1);
  await attempt(async () => {
    busy.value = true;
    try {
      const spots = [...breaks.value].map((line) => ({ line }));
      const found = await door.search(cursor.value, how, spots);
      await go(found.step);
      if (found.stopped_at) note.value = `stopped at ${found.stopped_at}`;
    } finally {
      busy.value = false;
    }
  });
}

export function showMemory(address: number): void {
  memoryAt.value = Math.max(0, Math.floor(address / 8) * 8);
  if (look.value) void go(cursor.value);
}

export function toggleBreak(line: number): void {
  const next = new Set(breaks.value);
  if (!next.delete(line)) next.add(line);
  breaks.value = next;
}

let timer = 0;
effect(() => {
  clearTimeout(timer);
  if (!playing.value) return;
  const tick = async () => {
    if (!playing.value) return;
    if (!look.value || look.value.step.ended) {
      playing.value = false;
      return;
    }
    const began = performance.now();
    const stride = Math.max(1, Math.round(speed.value / 12));
    await go(cursor.value + stride);
    const stopped = currentLine.value && breaks.value.has(currentLine.value) && stride === 1;
    if (stopped && look.value?.step.phase === 0) playing.value = false;
    const wait = (1000 * stride) / speed.value - (performance.now() - began);
    timer = window.setTimeout(tick, Math.max(0, wait));
  };
  timer = window.setTimeout(tick);
});

export const learn = (task: string, seed: number) =>
  attempt(async () => {
    seen.value = [];
    hear(await door.learn(task, seed));
  });

let watching = false;
let learning = 0;

async function watch(found: Status): Promise<void> {
  if (learning !== found.run) {
    learning = found.run;
    seen.value = [];
  }
  if (watching || found.watched <= seen.value.length) return;
  watching = true;
  try {
    while (seen.value.length < status.value.watched && status.value.kind === "learn") {
      const more = await door.learned(seen.value.length);
      if (!more.length) break;
      seen.value = [...seen.value, ...more];
    }
  } catch {
    // the next report tries again
  } finally {
    watching = false;
  }
}
