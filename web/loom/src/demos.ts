/** Which examples the page shows how. */

export type View = "bars" | "grid" | "sudoku" | "rays" | "text";

export interface Demo {
  file: string;
  title: string;
  group: string;
  hint: string;
  view: View;
  /** The array that is drawn. */
  shows?: string;
  /** Colours of a board's cells, by their words from 0 on. */
  tints?: string[];
  /** Runs of main in a second; none: main runs once. */
  ticks?: number;
  /** Steps in a second; none: as many as there can be. */
  steps?: number;
  /** Cells that a click changes to one of these in turn. */
  paint?: number;
}

const game = "Play";
const watch = "Watch";
const more = "More";

export const DEMOS: Demo[] = [
  { file: "snake.c", title: "Snake", group: game, view: "grid", shows: "board", tints: ["raised", "teal", "rose"], ticks: 4, hint: "Arrow keys or WASD steer. Eat, and do not bite yourself." },
  { file: "raycaster.c", title: "Raycaster", group: game, view: "rays", ticks: 10, hint: "↑ ↓ walk, ← → turn, Space fires. Three enemies hunt you." },
  { file: "shell.c", title: "Sorting: Shell", group: watch, view: "bars", shows: "a", steps: 1024, hint: "32 numbers; an element that a step just wrote is lit." },
  { file: "bubble.c", title: "Sorting: bubble", group: watch, view: "bars", shows: "a", steps: 64, hint: "The shortest: 20 instructions." },
  { file: "quicksort.c", title: "Sorting: quicksort", group: watch, view: "bars", shows: "a", steps: 64, hint: "It calls itself; its frames lie in memory." },
  { file: "insertion.c", title: "Sorting: insertion", group: watch, view: "bars", shows: "a", steps: 64, hint: "Insert one element after the other." },
  { file: "selection.c", title: "Sorting: selection", group: watch, view: "bars", shows: "a", steps: 64, hint: "Select the smallest of the rest, again and again." },
  { file: "sudoku.c", title: "Sudoku", group: watch, view: "sudoku", shows: "board", hint: "Backtracking: 4,380,867 forward passes to the solution." },
  { file: "life.c", title: "Life", group: watch, view: "grid", shows: "board", tints: ["raised", "lime"], ticks: 4, paint: 2, hint: "A glider on a torus. Click cells to toggle them." },
  { file: "flood.c", title: "Flood fill", group: watch, view: "grid", shows: "picture", tints: ["raised", "faint", "sky"], steps: 256, paint: 2, hint: "From the corner, with a stack. Click to build walls." },
  { file: "hello.c", title: "Hello, world", group: more, view: "text", steps: 64, hint: "putchar is a write to slot 0." },
  { file: "gcd.c", title: "Greatest common divisor", group: more, view: "text", steps: 16, hint: "The answer is what main returns." },
  { file: "fibonacci.c", title: "Fibonacci numbers", group: more, view: "bars", shows: "fibonacci", steps: 16, hint: "Each the sum of the two before it." },
  { file: "hanoi.c", title: "Towers of Hanoi", group: more, view: "text", steps: 256, hint: "Recursion on a machine that has no calls." },
  { file: "queens.c", title: "Queens", group: more, view: "text", steps: 8192, hint: "Counts the ways to place them without attack." },
  { file: "sieve.c", title: "Sieve of Eratosthenes", group: more, view: "bars", shows: "composite", steps: 256, hint: "What is left is prime." },
  { file: "collatz.c", title: "Collatz", group: more, view: "text", steps: 64, hint: "Halve, or triple and add one." },
  { file: "matrix.c", title: "Matrix product", group: more, view: "text", steps: 256, hint: "Products are sums of shifted numbers." },
];

/** What a program of one's own looks like. */
export const OWN: Demo = {
  file: "",
  title: "your own program",
  group: "",
  view: "text",
  hint: "int key; is written before every run of main: 0 none, 1 up, 2 right, 3 down, 4 left, 5 space.",
};
