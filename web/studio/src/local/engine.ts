/** The native engine, compiled to WebAssembly: tokens in, tokens out. */

import { bytes, type SiteData } from "./data";

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

export class Engine {
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

  /** Add tokens of the host, a byte per part. */
  append(rows: Uint8Array): void {
    for (let first = 0; first < rows.length; first += SLICE * this.parts) {
      const some = rows.subarray(first, first + SLICE * this.parts);
      new Uint16Array(this.library.memory.buffer, this.buffer, some.length).set(some);
      const count = some.length / this.parts;
      const done = Number(this.library.transputer_append(this.session, this.buffer, BigInt(count)));
      if (done !== count) throw new Error(problem(done));
    }
  }

  /** Decode up to `limit` tokens, or up to one with a status; return them, a byte per part. */
  run(limit: number): { rows: Uint8Array; stopped: boolean } {
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
