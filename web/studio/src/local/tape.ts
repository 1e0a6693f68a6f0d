/** The tokens of a run, and the state that they say. */

import type { ProgramData, SiteData } from "./data";

/** Tokens that are recorded; a longer run goes on without them. */
export const MOST = 2_000_000;
/** Words of the stack that may be results. */
const RESULTS = 1024;

export interface Token {
  pc: number;
  sp: number;
  fp: number;
  depth: number;
  phase: number;
  space: number;
  at: number;
  value: bigint;
  status: number;
}

export interface OpenCall {
  function: [number, string, number] | null;
  pc: number;
  fp: number;
  sp: number;
  depth: number;
}

/** A word of a space, and the position of the token that wrote it. */
export interface Word {
  index: number;
  value: bigint;
  token: number | null;
}

export class Tape {
  readonly width: number;
  /** Decoded tokens, also those that are not recorded. */
  steps = 0;
  /** Instructions of the program as written. */
  instructions = 0;
  length = 0;
  /** Whether all tokens were recorded. */
  complete = true;
  rows = new Uint8Array(1 << 16);
  readonly output: number[] = [];
  private readonly host: number[] = [];
  private readonly outputs: number[] = [];
  private readonly offsets = new Map<string, [number, number]>();
  private last: Token | null = null;
  /** Words of the stack that tokens wrote which are not recorded. */
  private readonly late = new Map<number, bigint>();
  private index: { position: number; words: Map<number, number> } | null = null;

  constructor(readonly site: SiteData, readonly program: ProgramData) {
    let at = 0;
    for (const [name, count] of site.layout) {
      this.offsets.set(name, [at, count]);
      at += count;
    }
    this.width = at;
  }

  private field(rows: Uint8Array, row: number, name: string): number {
    const [offset, count] = this.offsets.get(name)!;
    let value = 0;
    for (let i = count - 1; i >= 0; i--) value = value * 256 + rows[row * this.width + offset + i]!;
    return value;
  }

  read(rows: Uint8Array, row: number): Token {
    const [offset, count] = this.offsets.get("value")!;
    let value = 0n;
    for (let i = count - 1; i >= 0; i--) value = value * 256n + BigInt(rows[row * this.width + offset + i]!);
    const number = (name: string) => this.field(rows, row, name);
    return {
      pc: number("pc"), sp: number("sp"), fp: number("fp"), depth: number("depth"), phase: number("phase"),
      space: number("space"), at: number("at"), value, status: number("status"),
    };
  }

  /** The token at a position that was recorded. */
  token(position: number): Token {
    return this.read(this.rows, position);
  }

  get now(): Token {
    return this.last!;
  }

  /** The bytes of a token like another one. */
  answer(like: number | null, change: { status: number; value: bigint }): Uint8Array {
    const row = like === null ? this.lastRow.slice() : this.rows.slice(like * this.width, (like + 1) * this.width);
    row[this.offsets.get("status")![0]] = change.status;
    const [offset, count] = this.offsets.get("value")!;
    for (let i = 0; i < count; i++) row[offset + i] = Number((change.value >> BigInt(8 * i)) & 255n);
    return row;
  }

  private lastRow = new Uint8Array(0);

  /** Add tokens: of the host, or decoded. */
  add(rows: Uint8Array, decoded: boolean): void {
    const count = rows.length / this.width;
    if (!count) return;
    const room = Math.max(0, Math.min(count, MOST - this.length));
    this.complete &&= room === count;
    while (this.rows.length < (this.length + room) * this.width) {
      const more = new Uint8Array(this.rows.length * 2);
      more.set(this.rows);
      this.rows = more;
    }
    this.rows.set(rows.subarray(0, room * this.width), this.length * this.width);
    for (let i = 0; i < count; i++) {
      if (decoded) this.note(rows, i, i < room);
      else if (i < room) this.host.push(this.length + i);
    }
    if (decoded) this.steps += count;
    this.length += room;
    this.end(rows, count - 1);
  }

  /** Count steps whose tokens are not there, but for those that the host must see and the last one. */
  skip(rows: Uint8Array, steps: number, instructions: number): void {
    const last = rows.length / this.width - 1;
    for (let i = 0; i < last; i++) this.print(rows, i);
    this.complete &&= !steps;
    this.steps += steps;
    this.instructions += instructions;
    this.end(rows, last);
  }

  private end(rows: Uint8Array, row: number): void {
    this.lastRow = rows.slice(row * this.width, (row + 1) * this.width);
    this.last = this.read(this.lastRow, 0);
    this.index = null;
  }

  private before: { pc: number; phase: number } = { pc: 0, phase: 0 };

  private note(rows: Uint8Array, row: number, recorded: boolean): void {
    const before = row ? this.before : this.last!;
    if (before.phase === 0 && !this.program.implied[before.pc]) this.instructions++;
    this.before = { pc: this.field(rows, row, "pc"), phase: this.field(rows, row, "phase") };
    if (this.print(rows, row) && recorded) this.outputs.push(this.length + row);
    if (!recorded && this.field(rows, row, "space") === this.site.spaces.SLOT) {
      const at = this.field(rows, row, "at");
      if (at < RESULTS) this.late.set(at, this.read(rows, row).value);
    }
  }

  /** Add what a token writes to the output, if it does. */
  private print(rows: Uint8Array, row: number): boolean {
    if (this.field(rows, row, "space") !== this.site.spaces.OUTPUT) return false;
    this.output.push(rows[row * this.width + this.offsets.get("value")![0]]!);
    return true;
  }

  /** A word of the stack at the end. */
  left(at: number): bigint {
    return this.late.get(at) ?? this.word(this.site.spaces.SLOT!, at, this.length - 1).value;
  }

  /** SHA-256 of all decoded tokens, as `transputer run --json` gives it; null if they are not all there. */
  async digest(): Promise<string | null> {
    if (!this.complete || !globalThis.crypto?.subtle) return null;
    const rows = new Uint8Array(this.recorded * this.width);
    let [from, to] = [0, 0];
    for (const at of [...this.host, this.length]) {
      rows.set(this.rows.subarray(from * this.width, at * this.width), to);
      to += (at - from) * this.width;
      from = at + 1;
    }
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", rows));
    return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // Steps: decoded tokens, counted from 1

  /** Steps that were recorded. */
  get recorded(): number {
    return this.length - this.host.length;
  }

  stepAt(position: number): number {
    return position + 1 - count(this.host, position);
  }

  position(step: number): number {
    let position = step - 1;
    for (const at of this.host) {
      if (at > position) break;
      position++;
    }
    return position;
  }

  /** The step that decoded a token; null for the host's. */
  stepOf(position: number): number | null {
    const step = this.stepAt(position);
    return step >= 1 && this.position(step) === position ? step : null;
  }

  outputBefore(position: number): number[] {
    return this.output.slice(0, count(this.outputs, position));
  }

  // States

  /** The latest write of every address up to a position: its row, by space and address (of calls: depth). */
  private writes(position: number): Map<number, number> {
    if (this.index?.position !== position) {
      const from = this.index && this.index.position < position ? this.index : { position: -1, words: new Map<number, number>() };
      const frame = this.site.spaces.FRAME;
      for (let row = from.position + 1; row <= position; row++) {
        const space = this.field(this.rows, row, "space");
        if (space) from.words.set(space * 2 ** 32 + this.field(this.rows, row, space === frame ? "depth" : "at"), row);
      }
      this.index = { position, words: from.words };
    }
    return this.index.words;
  }

  word(space: number, index: number, position: number): Word {
    const row = this.writes(position).get(space * 2 ** 32 + index);
    return row === undefined ? { index, value: 0n, token: null } : { index, value: this.token(row).value, token: row };
  }

  /** The addresses of a space that were ever written, in order. */
  written(space: number, position: number): number[] {
    const first = space * 2 ** 32;
    const keys = [...this.writes(position).keys()].filter((key) => key >= first && key < first + 2 ** 32);
    return keys.map((key) => key - first).sort((a, b) => a - b);
  }

  function(pc: number): [number, string, number] | null {
    return this.program.functions.filter(([entry]) => entry <= pc).at(-1) ?? null;
  }

  calls(position: number): OpenCall[] {
    const now = this.token(position);
    const calls: OpenCall[] = [];
    let { pc, fp, sp } = now;
    for (let depth = now.depth; depth >= 0 && calls.length < 64; depth--) {
      calls.push({ function: this.function(pc), pc, fp, sp, depth });
      const row = this.writes(position).get(this.site.spaces.FRAME! * 2 ** 32 + depth);
      if (row === undefined || depth === 0) break;
      const frame = this.token(row);
      [pc, fp, sp] = [Number(frame.value), frame.at, fp];
    }
    return calls;
  }
}

/** How many of some ascending numbers are at most `most`. */
function count(numbers: number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
