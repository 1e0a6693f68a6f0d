/** What the page knows, and what can be done. */

import { batch, computed, effect, signal } from "@preact/signals";
import { compile, warm } from "./compiler";
import { DEMOS, OWN, type Demo, type View } from "./demos";
import { load, type Offer, type Problem, type Program, type State } from "./machine";
import { weights } from "./native";
import { Probe } from "./probe";
import { KEY, Session, type EngineName, type Seen } from "./session";

/** Steps in a second; the last as many as there can be. */
export const STEP_RATES = [1, 4, 16, 64, 256, 1024, 8192, Infinity];
/** Runs of main in a second; the first means once. */
export const TICK_RATES = [0, 1, 2, 4, 10, 20, Infinity];
/** Milliseconds of a frame that are for steps: at least, and at most where frames take long. */
const BUDGET = [11, 40] as const;
/** Milliseconds between two looks at a fast run, and at its layers. */
const GLANCE = 100;
const STUDY = 1000;

export const theme = signal<"dark" | "light">(initialTheme());
export const offer = signal<Offer | null>(null);
export const demo = signal<Demo>(OWN);
export const source = signal("");
export const bits = signal(8);
export const engine = signal<EngineName>("native");
export const program = signal<Program | null>(null);
/** The text that the program on show was made of. */
export const compiled = signal("");
export const problems = signal<Problem[]>([]);
export const note = signal("");
export const working = signal("");
export const running = signal(false);
export const stepRate = signal(Infinity);
export const tickRate = signal(0);
export const session = signal<Session | null>(null);
export const seen = signal<Seen | null>(null);
/** The words that were on show before. */
export const before = signal<number[]>([]);
/** The words that the screen shows: those at the end of a tick, while it plays. */
export const picture = signal<number[]>([]);
/** The states before the next step and after each of its layers; none where there is no step. */
export const layers = signal<State[]>([]);
/** The layer whose state the map shows. */
export const hovered = signal<number | null>(null);
export const speed = signal({ steps: 0, ticks: 0 });
export const help = signal(false);

export const layout = computed(() => session.value?.layout ?? null);
export const stale = computed(() => source.value !== compiled.value);
/** Whether the program is the example that was chosen, as it came. */
export const own = computed(() => compiled.value !== (examples[demo.value.file]?.text ?? ""));
/** How the screen shows the program: as its example does, if it has what that shows. */
export const view = computed<View>(() => {
  const wanted = demo.value.shows ?? (demo.value.view === "rays" ? "wall" : "");
  return program.value?.symbols.some((one) => one.name === wanted) ? demo.value.view : "text";
});
export const takesKeys = computed(() => program.value?.symbols.some((one) => one.name === KEY) ?? false);
export const currentLine = computed(() => {
  const place = seen.value?.place ?? -1;
  return stale.value ? 0 : (program.value?.code[place]?.line ?? 0);
});

type Examples = Record<string, Program & { text: string }>;
let examples: Examples = {};
let probe: { of: Session; probe: Probe } | null = null;

function initialTheme(): "dark" | "light" {
  const kept = localStorage.getItem("theme");
  if (kept === "dark" || kept === "light") return kept;
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem("theme", theme.value);
});

export async function begin(): Promise<void> {
  const read = (answer: Response) => answer.json();
  const [found, all] = await Promise.all([load<Offer>("machine.json", read), load<Examples>("programs.json", read)]);
  offer.value = found;
  examples = all;
  const named = DEMOS.find((one) => one.file === `${location.hash.slice(1)}.c`);
  await choose(named ?? DEMOS[0]!);
}

/** Put an example on the desk; its program is there already. */
export async function choose(one: Demo): Promise<void> {
  const held = examples[one.file]!;
  batch(() => {
    running.value = false;
    demo.value = one;
    source.value = compiled.value = held.text;
    bits.value = 8;
    program.value = held;
    problems.value = [];
    stepRate.value = one.steps ?? Infinity;
    tickRate.value = one.ticks ?? 0;
  });
  history.replaceState(null, "", `#${one.file.replace(/\.c$/, "")}`);
  await reset();
}

/** Compile what is in the editor; whether it is a program. */
export async function build(): Promise<boolean> {
  const text = source.value;
  running.value = false;
  working.value = "compiling (the first time, Python is loaded)";
  try {
    const made = await compile(text, bits.value, Object.keys(offer.value!.configs));
    if ("problems" in made) {
      problems.value = made.problems;
      return false;
    }
    batch(() => {
      problems.value = [];
      program.value = made;
      compiled.value = text;
    });
    await reset();
    return true;
  } catch (error) {
    note.value = message(error);
    return false;
  } finally {
    working.value = "";
  }
}

/** Compile, and run what comes of it. */
export async function buildAndPlay(): Promise<void> {
  if (await build()) await play();
}

export const warmCompiler = () => void warm();

/** Begin again, and go on running where it ran. */
export async function again(): Promise<void> {
  const ran = running.value;
  await reset();
  if (ran) await play();
}

/** Back to the beginning. */
export async function reset(): Promise<void> {
  running.value = false;
  note.value = "";
  working.value = engine.value === "native" ? "" : "loading ONNX Runtime";
  try {
    const opened = await Session.open(offer.value!, program.value!, engine.value);
    batch(() => {
      session.value = opened;
      before.value = [];
      picture.value = [];
      speed.value = { steps: 0, ticks: 0 };
      show(opened, true);
    });
    await study(opened);
  } catch (error) {
    note.value = message(error);
  } finally {
    working.value = "";
  }
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Put on show what a run holds now. */
function show(one: Session, whole: boolean): void {
  const found = one.seen;
  batch(() => {
    before.value = seen.value && session.value === one ? seen.value.words : [];
    seen.value = found;
    if (whole || found.halted) picture.value = found.words;
  });
}

/** Work out what the layers do in the next step. */
async function study(one: Session): Promise<void> {
  if (!probe || probe.of.layout !== one.layout) {
    const made = new Probe(one.config, await weights(one.config), one.start);
    probe = { of: one, probe: made };
  }
  const state = seen.value!.state;
  layers.value = one.halted ? [] : [state, ...probe.probe.look(state)];
}

/** One step on. */
export async function step(): Promise<void> {
  const one = session.value;
  if (!one || running.value) return;
  if (stale.value && !(await build())) return;
  await attempt(async (now) => {
    if (now.halted && !begun(now)) return;
    await now.run(1, Infinity);
    await settle(now);
  });
}

/** Begin main again where that is wanted. */
function begun(one: Session): boolean {
  if (!tickRate.value || one.trap) return false;
  one.tick(takeKey());
  return true;
}

async function attempt(action: (one: Session) => Promise<void>): Promise<void> {
  try {
    note.value = "";
    await action(session.value!);
  } catch (error) {
    running.value = false;
    note.value = message(error);
  }
}

/** Run, or pause. */
export async function play(): Promise<void> {
  if (running.value) {
    running.value = false;
    return attempt(settle);
  }
  if (stale.value && !(await build())) return;
  if (session.value?.halted && !tickRate.value) await reset();
  running.value = true;
  const now = performance.now();
  pace = { last: now, due: 1, tick: now + 1000 / (tickRate.value || Infinity), glanced: 0, studied: 0, drawn: 0 };
  measured = { at: pace.last, steps: session.value!.steps, ticks: session.value!.ticks };
  requestAnimationFrame(frame);
}

/** When things were last done in a run: steps that are due, ticks, looks. */
let pace = { last: 0, due: 0, tick: 0, glanced: 0, studied: 0, drawn: 0 };
let measured = { at: 0, steps: 0, ticks: 0 };

async function frame(now: number): Promise<void> {
  const one = session.value;
  if (!running.value || !one) return;
  await attempt((held) => advance(held, now));
  if (session.value !== one) return;
  if (running.value) requestAnimationFrame(frame);
  else await attempt(settle);
}

/** After the last step of a run: everything as it is now. */
async function settle(one: Session): Promise<void> {
  show(one, true);
  await study(one);
}

/** As many steps as are due, in the time that a frame has. */
async function advance(one: Session, now: number): Promise<void> {
  const end = performance.now() + Math.min(Math.max(now - pace.last, BUDGET[0]), BUDGET[1]);
  pace.due = due(now);
  pace.last = now;
  while (pace.due >= 1) {
    if (one.halted) {
      if (pace.drawn !== now) picture.value = one.words;
      pace.drawn = now;
      if (!goOn(one, now)) break;
    }
    pace.due -= await one.run(Math.floor(Math.min(pace.due, 1e6)), end - performance.now());
    if (performance.now() >= end) break;
  }
  const slow = stepRate.value <= 64;
  const moved = one.steps !== seen.value?.steps || one.ticks !== seen.value?.ticks;
  if (moved && (slow || now - pace.glanced >= GLANCE)) {
    pace.glanced = now;
    show(one, !tickRate.value);
  }
  if (now - pace.studied >= (slow ? GLANCE : STUDY)) {
    pace.studied = now;
    await study(one);
  }
  measure(one, now);
}

/** How many steps there should be by now; never more than those of a second. */
function due(now: number): number {
  if (stepRate.value === Infinity) return Infinity;
  return Math.min(pace.due + (stepRate.value * Math.max(0, now - pace.last)) / 1000, Math.max(1, stepRate.value));
}

/** At the end of main: whether it begins again now. Ends the run where it never will. */
function goOn(one: Session, now: number): boolean {
  if (now < pace.tick) return false;
  if (!begun(one)) {
    running.value = false;
    return false;
  }
  const each = 1000 / tickRate.value;
  pace.tick = Math.max(pace.tick, now - each) + each;
  return true;
}

function measure(one: Session, now: number): void {
  const seconds = (now - measured.at) / 1000;
  if (seconds < 0.5) return;
  speed.value = { steps: (one.steps - measured.steps) / seconds, ticks: (one.ticks - measured.ticks) / seconds };
  measured = { at: now, steps: one.steps, ticks: one.ticks };
}

/** The numbers of keys, as programs see them. */
const KEYS: Record<string, number> = {
  ArrowUp: 1, ArrowRight: 2, ArrowDown: 3, ArrowLeft: 4, " ": 5,
  w: 1, d: 2, s: 3, a: 4,
};
const down = new Set<number>();
let pressed = 0;

/** A key goes down or up; whether it is one that programs see. */
export function keyed(name: string, isDown: boolean): boolean {
  const number = KEYS[name.length === 1 ? name.toLowerCase() : name];
  if (!number) return false;
  if (isDown) {
    down.add(number);
    pressed = number;
  } else down.delete(number);
  return true;
}

/** The key since the last tick: the last that was pressed, or one that is still held. */
function takeKey(): number {
  const found = pressed || [...down].at(-1) || 0;
  pressed = 0;
  return found;
}

/** A click on the screen: another word in a cell of the array that it draws. */
export function paint(index: number): void {
  const one = session.value;
  const { shows, paint: values } = demo.value;
  if (!one || !values || !shows) return;
  const slot = program.value!.symbols.find((s) => s.name === shows)!.slot + index;
  one.write(shows, index, ((seen.value!.words[slot] ?? 0) + 1) % values);
  if (running.value) show(one, true);
  else void attempt(settle);
}

/** The words of a global as the screen shows them, signed. */
export function global(name: string, words: number[]): number[] {
  const found = program.value?.symbols.find((one) => one.name === name);
  if (!found || !layout.value) return [];
  return words.slice(found.slot, found.slot + found.count).map((word) => layout.value!.signed(word));
}
