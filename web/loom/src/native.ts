/** The native engine: the C that runs looped models everywhere else, as WebAssembly. */

import { bytes, load, type Config, type State } from "./machine";

/** Something that makes steps from a state. */
export interface Engine {
  readonly state: State;
  readonly halted: boolean;
  /** How often the last step wrote the output slot. */
  readonly written: number;
  /** Steps until halted or a step puts something out, at most so many. */
  run(limit: number): number | Promise<number>;
  /** A sum of rows of a column, each with its weight. */
  read(form: State, column: number): number;
  /** Other values for a column, between two steps. */
  put(column: number, values: State): void;
}

interface Library {
  memory: WebAssembly.Memory;
  looped_open(image: number, state: number): number;
  looped_halted(engine: number): number;
  looped_run(engine: number, limit: bigint, pause: number): bigint;
  looped_read(engine: number, form: number, column: bigint): bigint;
  looped_state(engine: number, into: number): void;
  looped_put(engine: number, column: bigint, values: number): number;
  looped_busy(engine: number): bigint;
}

const PAGE = 1 << 16;
const WORD = 8;

/** What the engines of a configuration share. */
export interface Weights {
  module: WebAssembly.Module;
  image: Uint8Array;
}

export async function weights(config: Config): Promise<Weights> {
  const module = load(`looped${config.number}.wasm`, async (answer) => WebAssembly.compile(await answer.arrayBuffer()));
  const image = load(`${config.file}.image`, bytes);
  return { module: await module, image: new Uint8Array(await image) };
}

export class Native implements Engine {
  private readonly library: Library;
  private readonly engine: number;
  private readonly buffer: number;
  private readonly pause: number;
  private end: number;

  /** A run from a state; of the model's layers only the first so many, if that is said. */
  constructor(
    private readonly config: Config,
    { module, image }: Weights,
    state: State,
    layers?: number,
  ) {
    this.end = 0;
    const calloc = (count: number, size: number) => this.take(count * size);
    const instance = new WebAssembly.Instance(module, { env: { calloc, free: () => undefined } });
    this.library = instance.exports as unknown as Library;
    this.end = this.library.memory.buffer.byteLength;
    const held = this.take(image.length);
    new Uint8Array(this.library.memory.buffer).set(image, held);
    if (layers !== undefined) this.words(held)[2 * 2] = layers; // rows, columns, layers, as 64-bit words
    this.buffer = this.take(WORD * state.length);
    this.pause = this.take(WORD * config.rows.length);
    this.words(this.pause)[2 * config.rows.indexOf("output")] = 1;
    this.write(state);
    this.engine = this.library.looped_open(held, this.buffer);
    if (!this.engine) throw new Error("no memory for a state of this size");
  }

  /** New memory, all zeros. It goes with the instance: nothing is ever given back. */
  private take(size: number): number {
    const at = this.end;
    this.end += (size + 15) & ~15;
    const more = this.end - this.library.memory.buffer.byteLength;
    if (more > 0) this.library.memory.grow(Math.ceil(more / PAGE) + 16);
    return at;
  }

  /** Memory from there on, as the halves of 64-bit words. */
  private words(at: number): Int32Array {
    return new Int32Array(this.library.memory.buffer, at);
  }

  private write(values: State): void {
    const into = this.words(this.buffer);
    for (let i = 0; i < values.length; i++) {
      into[2 * i] = values[i]!;
      into[2 * i + 1] = values[i]! >> 31;
    }
  }

  get state(): State {
    this.library.looped_state(this.engine, this.buffer);
    const from = this.words(this.buffer);
    const found = new Int32Array(this.config.columns * this.config.rows.length);
    for (let i = 0; i < found.length; i++) found[i] = from[2 * i]!;
    return found;
  }

  get halted(): boolean {
    return this.library.looped_halted(this.engine) !== 0;
  }

  get written(): number {
    return Number(this.library.looped_read(this.engine, this.pause, 0n));
  }

  read(form: State, column: number): number {
    this.write(form);
    return Number(this.library.looped_read(this.engine, this.buffer, BigInt(column)));
  }

  /** How many columns have to be worked out in every step. */
  get busy(): number {
    return Number(this.library.looped_busy(this.engine));
  }

  run(limit: number): number {
    const made = Number(this.library.looped_run(this.engine, BigInt(limit), this.pause));
    if (made < 0) throw new Error("no memory left");
    return made;
  }

  put(column: number, values: State): void {
    this.write(values);
    if (this.library.looped_put(this.engine, BigInt(column), this.buffer) < 0) throw new Error("no memory left");
  }
}
