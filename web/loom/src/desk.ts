/** What is on the desk: an example or a program of one's own, compiled, at its beginning. */

import { batch } from "@preact/signals";
import { compile } from "./compiler";
import { DEMOS, type Demo } from "./demos";
import { load, type Offer } from "./machine";
import { weights } from "./native";
import { Probe } from "./probe";
import { Session } from "./session";
import {
  INT_BITS, before, bits, compiled, demo, engine, examples, layers, note, offer, picture, problems, program, running, seen, session,
  source, speed, stepRate, tickRate, widthChosen, working, type Examples,
} from "./store";

let probe: { of: Session; probe: Probe } | null = null;

/** Load what the site has, and put the example of the address on the desk. */
export async function begin(): Promise<void> {
  const read = (answer: Response) => answer.json();
  const [found, all] = await Promise.all([load<Offer>("machine.json", read), load<Examples>("programs.json", read)]);
  offer.value = found;
  examples.value = all;
  const named = DEMOS.find((one) => one.file === `${location.hash.slice(1)}.c`);
  await choose(named ?? DEMOS[0]!);
}

/** Put an example on the desk; its program is there already. */
export async function choose(one: Demo): Promise<void> {
  const held = examples.value[one.file]!;
  batch(() => {
    demo.value = one;
    source.value = compiled.value = held.text;
    bits.value = held.bits;
    widthChosen.value = false;
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
  const example = examples.value[demo.value.file];
  if (!widthChosen.value) bits.value = text === example?.text ? example.bits : INT_BITS;
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

/** Back to the beginning. */
export async function reset(): Promise<void> {
  running.value = false;
  note.value = "";
  working.value = engine.value === "native" ? "" : "loading ONNX Runtime";
  try {
    const opened = await Session.open(offer.value!, program.value!, engine.value);
    batch(() => {
      session.value = opened;
      seen.value = null;
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

let queue: Promise<void> = Promise.resolve();

/** Do something with the run on the desk, after all that was asked for before. */
export function attempt(action: (one: Session) => Promise<void>): Promise<void> {
  queue = queue.then(async () => {
    try {
      note.value = "";
      await action(session.value!);
    } catch (error) {
      running.value = false;
      note.value = message(error);
    }
  });
  return queue;
}

/** Put on show what a run holds now; its picture, too, at the end of main or where that is said. */
export function show(one: Session, whole: boolean): void {
  if (session.value !== one) return;
  const found = one.seen;
  batch(() => {
    before.value = seen.value?.words ?? [];
    seen.value = found;
    if (whole || found.halted) picture.value = found.words;
  });
}

/** Work out what the layers do in the next step of what is on show. */
export async function study(one: Session): Promise<void> {
  if (session.value !== one) return;
  if (probe?.of !== one) probe = { of: one, probe: new Probe(one.config, await weights(one.config), one.start) };
  const { halted, state } = seen.value!;
  layers.value = halted ? [] : [state, ...probe.probe.look(state)];
}

/** Everything as it is now. */
export async function settle(one: Session): Promise<void> {
  show(one, true);
  await study(one);
}
