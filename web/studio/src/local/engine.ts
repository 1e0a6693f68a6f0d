/** Engines compiled to WebAssembly: tokens in, tokens out. */

import { bytes, type SiteData } from "./data";

/** What a call of an engine has decoded. */
export interface Decoded {
  /** All tokens, a byte per part; with `skipped` only those that the host must see, and the last one. */
  rows: Uint8Array;
  /** Whether the last token has a status. */
  stopped: boolean;
  skipped?: { steps: number; instructions: number };
  /** Whether the engine cannot take the next step. */
  stuck?: boolean;
}

export interface Decoder {
  readonly name: string;
  /** Add tokens of the host, a byte per part. */
  append(rows: Uint8Array): void;
  /** Decode up to `limit` tokens, or up to one with a status. Only without `recorded`, tokens may be skipped. */
  run(limit: number, recorded: boolean): Decoded;
  /** The word at an address of the stack, where tokens may have been skipped. */
  word?(at: number): bigint;
}

export const NATIVE = "native, as WebAssembly";
export const LIFTED = "lifted, as WebAssembly";

interface Library {
  memory: WebAssembly.Memory;
  transputer_open(image: number, part_bytes: bigint, keep: bigint, large: bigint): number;
  transputer_append(session: number, tokens: number, count: bigint): bigint;
  transputer_run(
    session: number, limit: bigint, watch: number, stops: bigint, masks: number, into: number, effort: bigint, stopped: number,
  ): bigint;
}

const PAGE = 1 << 16;
/** Tokens that one call decodes at most, and keys that it compares at most. */
const SLICE = 1 << 13;
const EFFORT = 1n << 22n;
/** Room in front of a block for its size. */
const HEAD = 16;

/** Memory in blocks of powers of two; what is freed is used again. */
class Heap {
  private readonly free = new Map<number, number[]>();
  private end: number;

  constructor(private readonly memory: WebAssembly.Memory) {
    this.end = memory.buffer.byteLength;
  }

  take(size: number): number {
    const whole = 2 ** Math.ceil(Math.log2(Math.max(64, size + HEAD)));
    const old = this.free.get(whole)?.pop();
    if (old !== undefined) return old;
    const at = this.end + HEAD;
    const more = this.end + whole - this.memory.buffer.byteLength;
    if (more > 0) {
      try {
        this.memory.grow(Math.ceil(more / PAGE) + 64);
      } catch {
        return 0;
      }
    }
    this.end += whole;
    new Uint32Array(this.memory.buffer)[(at - HEAD) / 4] = whole;
    return at;
  }

  give(at: number): void {
    if (!at) return;
    const whole = this.size(at);
    this.free.set(whole, [...(this.free.get(whole) ?? []), at]);
  }

  again(at: number, size: number): number {
    if (at && size + HEAD <= this.size(at)) return at;
    const next = this.take(size);
    if (at && next) {
      new Uint8Array(this.memory.buffer).copyWithin(next, at, at + this.size(at) - HEAD);
      this.give(at);
    }
    return next;
  }

  private size(at: number): number {
    return new Uint32Array(this.memory.buffer)[(at - HEAD) / 4]!;
  }
}

export class Engine implements Decoder {
  readonly name = NATIVE;
  private readonly library: Library;
  private readonly heap: Heap;
  private readonly session: number;
  private readonly watch: number;
  private readonly masks: number;
  private readonly buffer: number;
  private readonly stopped: number;
  private readonly parts: number;

  constructor(module: WebAssembly.Module, site: SiteData) {
    let heap: Heap | undefined;
    const env = {
      realloc: (at: number, size: number) => heap!.again(at, size),
      free: (at: number) => heap!.give(at),
    };
    const instance = new WebAssembly.Instance(module, { env });
    this.library = instance.exports as unknown as Library;
    this.heap = heap = new Heap(this.library.memory);
    const image = this.put(bytes(site.image));
    this.parts = site.model.parts.length;
    const status = site.model.parts.findIndex((part) => part.name.startsWith("status"));
    const masks = new Uint8Array(site.model.parts[status]!.size).fill(1, 1);
    this.watch = this.put(new Uint8Array(new BigInt64Array([BigInt(status), 0n]).buffer));
    this.masks = this.put(masks);
    this.buffer = this.room(2 * this.parts * SLICE);
    this.stopped = this.room(8);
    this.session = this.library.transputer_open(image, BigInt(site.part_bytes), 0n, 0n);
    if (!this.session) throw new Error("no memory for a session");
  }

  private room(size: number): number {
    const at = this.heap.take(size);
    if (!at) throw new Error("no memory left");
    return at;
  }

  private put(data: Uint8Array): number {
    const at = this.room(data.length);
    new Uint8Array(this.library.memory.buffer).set(data, at);
    return at;
  }

  append(rows: Uint8Array): void {
    for (let first = 0; first < rows.length; first += SLICE * this.parts) {
      const some = rows.subarray(first, first + SLICE * this.parts);
      new Uint16Array(this.library.memory.buffer, this.buffer, some.length).set(some);
      const count = some.length / this.parts;
      const done = Number(this.library.transputer_append(this.session, this.buffer, BigInt(count)));
      if (done !== count) throw new Error(problem(done));
    }
  }

  run(limit: number): Decoded {
    const count = Math.min(limit, SLICE);
    const args = [this.watch, 1n, this.masks, this.buffer, EFFORT, this.stopped] as const;
    const done = Number(this.library.transputer_run(this.session, BigInt(count), ...args));
    if (done < 0) throw new Error(problem(done));
    const rows = Uint8Array.from(new Uint16Array(this.library.memory.buffer, this.buffer, done * this.parts));
    return { rows, stopped: new Int32Array(this.library.memory.buffer, this.stopped, 1)[0] !== 0 };
  }
}

function problem(code: number): string {
  return code === -1 ? "no memory left" : code === -2 ? "the context of the model is full" : `the engine refused (${code})`;
}

interface FastLibrary {
  memory: WebAssembly.Memory;
  fast_open(): void;
  fast_buffer(): number;
  fast_outcome(): number;
  fast_append(count: bigint, late: number): bigint;
  fast_run(limit: bigint, recorded: number): void;
  fast_word(at: bigint): bigint;
}

/** Why lifted code returns: after all steps, after one that stops, with its room for tokens full. */
const [DONE, STOPPED, FULL] = [0, 1, 6];
/** Steps that one call takes where tokens are skipped. */
const LONG = 1 << 17;

/** Lifted code of one program: `exporters/fast.py` compiles it. */
export class FastEngine implements Decoder {
  readonly name = LIFTED;
  private readonly library: FastLibrary;
  private readonly buffer: number;
  private readonly outcome: number;
  private late = 0;
  private stuck = false;

  constructor(module: WebAssembly.Module, private readonly parts: number) {
    this.library = new WebAssembly.Instance(module, {}).exports as unknown as FastLibrary;
    this.library.fast_open();
    this.buffer = this.library.fast_buffer();
    this.outcome = this.library.fast_outcome();
  }

  /** The first call has the prompt. */
  append(rows: Uint8Array): void {
    for (let first = 0; first < rows.length; first += SLICE * this.parts) {
      const some = rows.subarray(first, first + SLICE * this.parts);
      new Uint8Array(this.library.memory.buffer).set(some, this.buffer);
      if (!this.library.fast_append(BigInt(some.length / this.parts), this.late)) this.stuck = true;
    }
    this.late = 1;
  }

  run(limit: number, recorded: boolean): Decoded {
    if (this.stuck) return { rows: new Uint8Array(0), stopped: false, stuck: true };
    this.library.fast_run(BigInt(Math.min(limit, recorded ? SLICE : LONG)), recorded ? 1 : 0);
    const [reason, steps, instructions, count] = [...new BigInt64Array(this.library.memory.buffer, this.outcome, 4)].map(Number) as [
      number, number, number, number,
    ];
    const size = (recorded ? count : count + 1) * this.parts;
    const rows = new Uint8Array(this.library.memory.buffer, this.buffer, size).slice();
    this.stuck = ![DONE, STOPPED, FULL].includes(reason);
    const decoded = { rows, stopped: reason === STOPPED, stuck: this.stuck };
    return recorded ? decoded : { ...decoded, skipped: { steps, instructions } };
  }

  word(at: number): bigint {
    return this.library.fast_word(BigInt(at));
  }
}
