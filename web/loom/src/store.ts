/** What the page knows. */

import { computed, signal } from "@preact/signals";
import { OWN, type Demo, type View } from "./demos";
import type { Offer, Problem, Program, State } from "./machine";
import { KEY, type EngineName, type Seen, type Session } from "./session";

/** Steps in a second; the last as many as there can be. */
export const STEP_RATES = [1, 4, 16, 64, 256, 1024, 8192, Infinity];
/** Runs of main in a second; the first means once. */
export const TICK_RATES = [0, 1, 2, 4, 10, 20, Infinity];

export type Examples = Record<string, Program & { text: string; bits: number }>;

/** Bits of an int unless an example or the user says otherwise. */
export const INT_BITS = 32;

export const offer = signal<Offer | null>(null);
export const examples = signal<Examples>({});
export const demo = signal<Demo>(OWN);
export const source = signal("");
export const bits = signal(INT_BITS);
/** Whether the user chose the width for what is in the editor. */
export const widthChosen = signal(false);
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

export const layout = computed(() => session.value?.layout ?? null);
export const stale = computed(() => source.value !== compiled.value);
/** Whether the program is the example that was chosen, as it came. */
export const own = computed(() => compiled.value !== (examples.value[demo.value.file]?.text ?? ""));
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

/** The words of a global as the screen shows them, signed. */
export function global(name: string, words: number[]): number[] {
  const found = program.value?.symbols.find((one) => one.name === name);
  if (!found || !layout.value) return [];
  return words.slice(found.slot, found.slot + found.count).map((word) => layout.value!.signed(word));
}
