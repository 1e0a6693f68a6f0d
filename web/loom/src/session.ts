/** A run of a program: an engine that holds its state, and what the host does between steps. */

import { Layout, emptyState, type Config, type Offer, type Program, type State } from "./machine";
import { Native, weights, type Engine } from "./native";
import { Onnx } from "./onnx";

export const ENGINES = {
  native: "the weights, in C (wasm)",
  wasm: "the ONNX file (wasm)",
  webgpu: "the ONNX file (WebGPU)",
} as const;
export type EngineName = keyof typeof ENGINES;

/** The global that a host writes before every tick. */
export const KEY = "key";

/** A run as it is at one moment. */
export interface Seen {
  state: State;
  words: number[];
  place: number;
  steps: number;
  ticks: number;
  output: string;
  halted: boolean;
  trap: string;
}

export class Session {
  steps = 0;
  ticks = 1;
  private bytes: number[] = [];
  /** The form 2 w - (2^bits - 1) of a word. */
  private readonly word: State;

  private constructor(
    readonly program: Program,
    readonly layout: Layout,
    readonly start: State,
    readonly engine: Engine,
  ) {
    this.word = layout.form("memory");
  }

  /** A program before its first step. */
  static async open(offer: Offer, program: Program, name: EngineName): Promise<Session> {
    const config = offer.configs[program.config]!;
    const layout = new Layout(config);
    const start = layout.initial(await emptyState(config), program);
    return new Session(program, layout, start, await engine(config, start, name));
  }

  get config(): Config {
    return this.layout.config;
  }

  get halted(): boolean {
    return this.engine.halted;
  }

  /** Steps until the program halts, at most so many, for at most so long; how many there were. */
  async run(limit: number, milliseconds: number): Promise<number> {
    const end = performance.now() + milliseconds;
    const native = this.engine instanceof Native;
    let made = 0;
    while (made < limit && !this.halted) {
      const asked = native ? Math.min(limit - made, 64) : 1;
      const found = this.engine.run(asked);
      const done = typeof found === "number" ? found : await found;
      made += done;
      this.steps += done;
      this.hear();
      if (performance.now() >= end) break;
    }
    return made;
  }

  /** What the last step put out: the engine stops after one that does. */
  private hear(): void {
    const written = this.engine.written;
    if (!written) return;
    const byte = this.read(0) & 255;
    for (let i = 0; i < written; i++) this.bytes.push(byte);
  }

  /** The word of a slot, unsigned. */
  private read(slot: number): number {
    const form = this.engine.read(this.word, this.config.scratch + slot);
    return this.layout.unsigned((form + 2 ** this.config.bits - 1) / 2);
  }

  /** The words of all slots, which is quicker to have than the whole state. */
  get words(): number[] {
    return Array.from({ length: this.config.memory }, (_, slot) => this.read(slot));
  }

  /** Begin main once more; memory stays as it is but for what the host says. */
  tick(key: number): void {
    this.write(KEY, 0, key);
    this.engine.put(0, this.start.subarray(0, this.layout.width));
    this.ticks++;
  }

  /** Write a word of a global, between two steps. Programs that have no such global are left alone. */
  write(name: string, index: number, word: number): void {
    const found = this.program.symbols.find((one) => one.name === name);
    if (!found || index >= found.count) return;
    const column = this.config.scratch + found.slot + index;
    const values = this.start.slice(column * this.layout.width, (column + 1) * this.layout.width);
    this.layout.put(values, 0, "memory", this.layout.unsigned(word));
    this.engine.put(column, values);
  }

  get seen(): Seen {
    const state = this.engine.state;
    return {
      state,
      words: this.layout.words(state),
      place: this.layout.place(state),
      steps: this.steps,
      ticks: this.ticks,
      output: new TextDecoder().decode(new Uint8Array(this.bytes)),
      halted: this.halted,
      trap: this.trap,
    };
  }

  /** How the program failed, if it did. */
  get trap(): string {
    const has = (flag: string) => this.engine.read(this.layout.form(flag), 0) > 0;
    if (has("invalid")) return "invalid instruction";
    if (!has("outside")) return "";
    const words = this.words;
    const word = (name: string) => words[this.program.symbols.find((one) => one.name === name)?.slot ?? -1];
    const cause = this.program.causes[word("__trap") ?? 0];
    if (cause) return cause;
    return (word("__stack_pointer") ?? 0) >= words.length ? "call stack exhausted" : "out of bounds memory access";
  }
}

async function engine(config: Config, start: State, name: EngineName): Promise<Engine> {
  return name === "native" ? new Native(config, await weights(config), start) : Onnx.open(config, start, name);
}
