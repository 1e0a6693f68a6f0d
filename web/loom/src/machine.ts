/** The configurations of the machine, and what is where in their states. */

export interface Config {
  file: string;
  bits: number;
  columns: number;
  scratch: number;
  memory: number;
  /** Bits of the numbers with which the native engine is exact. */
  number: 32 | 64;
  exact: "float32" | "float64";
  rows: string[];
  weights: number;
  nonzeros: number;
  heads: number[];
}

export interface Instruction {
  name: string;
  operands: [string, number][];
  line: number;
  columns: [number, number, number];
}

export interface Sign {
  name: string;
  slot: number;
  count: number;
}

export interface Program {
  config: string;
  code: Instruction[];
  memory: number[];
  symbols: Sign[];
  /** Slots that are only read. */
  constants: number[];
  /** The slot of main's value. */
  result: number;
  /** Names of traps by the word of the symbol `__trap`. */
  causes: Record<string, string>;
}

export interface Problem {
  line: number;
  column: number;
  width: number;
  message: string;
}

export interface Offer {
  configs: Record<string, Config>;
  operations: Record<string, string>;
}

/** A state, column by column. */
export type State = Int32Array;

/** What is where in the states of a configuration. */
export class Layout {
  readonly width: number;
  /** Rows of a field, the lowest bit first. */
  readonly fields = new Map<string, number[]>();
  readonly start: number;

  constructor(readonly config: Config) {
    this.width = config.rows.length;
    this.start = config.scratch + config.memory;
    config.rows.forEach((name, row) => {
      const [field, bit] = name.split(".") as [string, string | undefined];
      const held = this.fields.get(field) ?? [];
      held[Number(bit ?? 0)] = row;
      this.fields.set(field, held);
    });
  }

  field(name: string): number[] {
    return this.fields.get(name)!;
  }

  /** The values of a field in a column, the lowest bit first. */
  values(state: State, column: number, field: string): number[] {
    return this.field(field).map((row) => state[column * this.width + row]!);
  }

  /** The unsigned number of a field whose bits are -1 and 1. */
  read(state: State, column: number, field: string): number {
    return bipolar(this.values(state, column, field)) ?? 0;
  }

  /** The weights of a field's rows: 1, 2, 4 and so on. */
  form(field: string): State {
    const form = new Int32Array(this.width);
    this.field(field).forEach((row, bit) => (form[row] = 2 ** bit));
    return form;
  }

  /** Put a number into a field of a column. */
  put(state: State, column: number, field: string, number: number): void {
    this.field(field).forEach((row, bit) => {
      state[column * this.width + row] = Math.floor(number / 2 ** bit) % 2 ? 1 : -1;
    });
  }

  /** The words of all memory slots, unsigned. */
  words(state: State): number[] {
    return Array.from({ length: this.config.memory }, (_, slot) => this.read(state, this.config.scratch + slot, "memory"));
  }

  signed(word: number): number {
    return word >= 2 ** (this.config.bits - 1) ? word - 2 ** this.config.bits : word;
  }

  unsigned(word: number): number {
    const all = 2 ** this.config.bits;
    return ((word % all) + all) % all;
  }

  /** The place in the code, -1 where the machine has halted. */
  place(state: State): number {
    const pc = this.read(state, 0, "pc");
    return pc ? pc - this.start : -1;
  }

  /** The state before the first step of a program, from that of the program without instructions. */
  initial(empty: State, program: Program): State {
    const state = empty.slice();
    program.code.forEach((one, at) => {
      one.columns.forEach((number, i) => this.put(state, this.start + at, `command_${"abc"[i]}`, number));
    });
    program.memory.forEach((word, slot) => this.put(state, this.config.scratch + slot, "memory", this.unsigned(word)));
    return state;
  }
}

/** The number that bits of -1 and 1 are, the lowest first; null for anything else. */
export function bipolar(bits: number[]): number | null {
  let number = 0;
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] !== 1 && bits[i] !== -1) return null;
    if (bits[i] === 1) number += 2 ** i;
  }
  return number;
}

const once = new Map<string, Promise<unknown>>();

/** A file of the site, asked for once. */
export function load<T>(name: string, read: (answer: Response) => Promise<T>): Promise<T> {
  let found = once.get(name) as Promise<T> | undefined;
  if (!found) {
    found = fetch(new URL(`data/${name}`, document.baseURI)).then((answer) => {
      if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
      return read(answer);
    });
    found.catch(() => once.delete(name));
    once.set(name, found);
  }
  return found;
}

export const bytes = (answer: Response) => answer.arrayBuffer();

/** The state of the program without instructions. */
export async function emptyState(config: Config): Promise<State> {
  return Int32Array.from(new Int16Array(await load(`${config.file}.state`, bytes)));
}
