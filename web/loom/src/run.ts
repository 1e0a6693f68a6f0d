/** Steps: one, or as many as a second should have. */

import { attempt, build, reset, settle, show, study } from "./desk";
import { takeKey } from "./pad";
import type { Session } from "./session";
import { demo, picture, program, running, seen, session, speed, stale, stepRate, tickRate } from "./store";

/** Milliseconds of a frame that are for steps: at least, and at most where frames take long. */
const BUDGET = [11, 40] as const;
/** Milliseconds between two looks at a fast run, and at its layers. */
const GLANCE = 100;
const STUDY = 1000;
/** Steps in a second from which on a run is fast: a look at every frame would be most of the work. */
const FAST = 64;

/** One step on. */
export async function step(): Promise<void> {
  if (running.value || (stale.value && !(await build()))) return;
  await attempt(async (one) => {
    if (one.halted && !begun(one)) return;
    await one.run(1, Infinity);
    await settle(one);
  });
}

/** Begin main again where that is wanted. */
function begun(one: Session): boolean {
  if (!tickRate.value || one.trap) return false;
  one.tick(takeKey());
  return true;
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
  new Run(session.value!).begin();
}

/** Compile, and run what comes of it. */
export async function buildAndPlay(): Promise<void> {
  if (await build()) await play();
}

/** Begin again, and go on running where it ran. */
export async function again(): Promise<void> {
  const ran = running.value;
  await reset();
  if (ran) await play();
}

/** A click on the screen: another word in a cell of the array that it draws. */
export function paint(index: number): void {
  const { shows, paint: values } = demo.value;
  const found = program.value?.symbols.find((one) => one.name === shows);
  if (!values || !found) return;
  void attempt(async (one) => {
    one.write(found.name, index, ((one.words[found.slot + index] ?? 0) + 1) % values);
    await settle(one);
  });
}

/** A run from when it is begun to when it pauses or ends, frame by frame. */
class Run {
  private last = performance.now();
  private due = 1;
  /** When the next tick may begin. */
  private tick = this.last + (tickRate.value ? 1000 / tickRate.value : 0);
  private glanced = 0;
  private studied = 0;
  private measured: { at: number; steps: number; ticks: number };

  constructor(private readonly session: Session) {
    this.measured = { at: this.last, steps: session.steps, ticks: session.ticks };
  }

  begin(): void {
    requestAnimationFrame((now) => void this.frame(now));
  }

  private get current(): boolean {
    return running.value && session.value === this.session;
  }

  private async frame(now: number): Promise<void> {
    if (!this.current) return;
    await attempt(async () => this.advance(now));
    if (this.current) this.begin();
    else if (session.value === this.session) await attempt(settle);
  }

  /** As many steps as are due, in the time that a frame has. */
  private async advance(now: number): Promise<void> {
    const one = this.session;
    const end = performance.now() + Math.min(Math.max(now - this.last, BUDGET[0]), BUDGET[1]);
    this.due = this.dueBy(now);
    this.last = now;
    let drawn = false;
    while (this.due >= 1) {
      if (one.halted) {
        if (!drawn) picture.value = one.words;
        drawn = true;
        if (!this.goesOn(now)) break;
      }
      this.due -= await one.run(Math.floor(Math.min(this.due, 1e6)), end - performance.now());
      if (performance.now() >= end) break;
    }
    await this.look(now);
    this.measure(now);
  }

  /** How many steps there should be by now; never more than those of a second. */
  private dueBy(now: number): number {
    if (stepRate.value === Infinity) return Infinity;
    const more = (stepRate.value * Math.max(0, now - this.last)) / 1000;
    return Math.min(this.due + more, stepRate.value);
  }

  /** At the end of main: whether it begins again now. Ends the run where it never will. */
  private goesOn(now: number): boolean {
    if (now < this.tick) return false;
    if (!begun(this.session)) {
      running.value = false;
      return false;
    }
    const each = 1000 / tickRate.value;
    this.tick = Math.max(this.tick, now - each) + each;
    return true;
  }

  private async look(now: number): Promise<void> {
    const one = this.session;
    const fast = stepRate.value > FAST;
    const moved = one.steps !== seen.value?.steps || one.ticks !== seen.value?.ticks;
    if (moved && (!fast || now - this.glanced >= GLANCE)) {
      this.glanced = now;
      show(one, !tickRate.value);
    }
    if (now - this.studied >= (fast ? STUDY : GLANCE)) {
      this.studied = now;
      await study(one);
    }
  }

  private measure(now: number): void {
    const { steps, ticks } = this.session;
    const seconds = (now - this.measured.at) / 1000;
    if (seconds < 0.5) return;
    speed.value = { steps: (steps - this.measured.steps) / seconds, ticks: (ticks - this.measured.ticks) / seconds };
    this.measured = { at: now, steps, ticks };
  }
}
