/** WebAssembly modules, read from their binary form. The browser has validated them before. */

import { ELSEWHERE, refuse, type CompilerTables, type Limits } from "./tables";

export interface FuncType {
  params: string[];
  results: string[];
}

export interface Instr {
  name: string;
  args: bigint[];
  /** The type of a block. */
  type?: FuncType;
  line: number;
}

export interface WasmFunction {
  type: FuncType;
  locals: number;
  body: Instr[];
}

export interface WasmModule {
  types: FuncType[];
  imports: { module: string; name: string; type: FuncType }[];
  functions: WasmFunction[];
  tables: Limits[];
  memories: Limits[];
  globals: Instr[][];
  exports: Map<string, number>;
  elements: { table: number; offset: Instr[]; init: Instr[][] }[];
  data: { memory: number; offset: Instr[]; bytes: Uint8Array }[];
  names: Map<number, string>;
}

const TYPES: Record<number, string> = { 0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x70: "funcref", 0x6f: "externref" };
const PREFIX = 0xfc;
const VECTORS = 0xfd;
/** The type of a block without parameters and results. */
const EMPTY = 0x40;
/** Bit of an alignment: the index of a memory follows. */
const HAS_MEMORY = 64;
const MAX_PAGES = 65536;

export const typeText = (type: FuncType) => `(${type.params.join(" ")})->(${type.results.join(" ")})`;

class Reader {
  at = 0;

  constructor(private readonly data: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.data.length;
  }

  byte(): number {
    return this.data[this.at++]!;
  }

  peek(): number {
    return this.data[this.at]!;
  }

  take(count: number): Uint8Array {
    return this.data.subarray(this.at, (this.at += count));
  }

  /** A number in LEB128. */
  unsigned(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  signed(bits: number): bigint {
    const start = this.at;
    const value = this.unsigned();
    return BigInt.asIntN(Math.min(bits, 7 * (this.at - start)), value);
  }

  u32(): number {
    return Number(this.unsigned());
  }

  vector<T>(item: () => T): T[] {
    return Array.from({ length: this.u32() }, item);
  }

  text(): string {
    return new TextDecoder().decode(this.take(this.u32()));
  }

  bits(count: number): bigint {
    return this.take(count).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }
}

export class Decoder {
  private readonly rows: Map<number, { name: string; imm: string[] }>;
  private readonly reader: Reader;
  private readonly module: WasmModule = {
    types: [], imports: [], functions: [], tables: [], memories: [], globals: [], exports: new Map(), elements: [], data: [], names: new Map(),
  };

  constructor(tables: CompilerTables, data: Uint8Array) {
    this.rows = new Map(tables.wasm.map(([code, name, imm]) => [code, { name, imm }]));
    this.reader = new Reader(data);
  }

  decode(): WasmModule {
    const { reader: r, module } = this;
    let indices: number[] = [];
    r.take(8); // magic and version
    while (!r.done) {
      const section = r.byte();
      const end = r.u32() + r.at;
      if (section === 0) this.custom(end);
      if (section === 1) module.types = r.vector(() => this.functionType());
      if (section === 2) module.imports = r.vector(() => this.imported());
      if (section === 3) indices = r.vector(() => r.u32());
      if (section === 4) module.tables = r.vector(() => this.table());
      if (section === 5) module.memories = r.vector(() => this.limits(MAX_PAGES));
      if (section === 6) module.globals = r.vector(() => (this.valueType(), r.byte(), this.expression()));
      if (section === 7) r.vector(() => this.exported());
      if (section === 8) refuse(`this page runs one function, and the module has a start function too; ${ELSEWHERE}`);
      if (section === 9) r.vector(() => this.element());
      if (section === 10) module.functions = r.vector(() => this.code(module.types[indices.shift()!]!));
      if (section === 11) r.vector(() => this.segment());
      if (section === 13) refuse(`the module has exceptions, which this page does not compile; ${ELSEWHERE}`);
      r.at = end;
    }
    return module;
  }

  private valueType(): string {
    const byte = this.reader.byte();
    return TYPES[byte] ?? refuse(`the module has a type (0x${byte.toString(16)}) that this page does not compile; ${ELSEWHERE}`);
  }

  private functionType(): FuncType {
    const form = this.reader.byte();
    if (form !== 0x60) refuse(`the module has recursive types or garbage collection, which this page does not compile; ${ELSEWHERE}`);
    return { params: this.reader.vector(() => this.valueType()), results: this.reader.vector(() => this.valueType()) };
  }

  private limits(most: number): Limits {
    const flag = this.reader.byte();
    if (flag > 1) refuse(`the module has a shared or 64-bit memory, which this page does not compile; ${ELSEWHERE}`);
    const least = this.reader.u32();
    return { least, most: flag ? this.reader.u32() : most };
  }

  private table(): Limits {
    if (this.reader.peek() === 0x40) refuse(`the module has a table with an initial value, which this page does not compile; ${ELSEWHERE}`);
    this.valueType();
    return this.limits(2 ** 32 - 1);
  }

  private imported(): { module: string; name: string; type: FuncType } {
    const [module, name, kind] = [this.reader.text(), this.reader.text(), this.reader.byte()];
    if (module.startsWith("wasi")) {
      refuse(`the module imports ${module}.${name}; WASI is linked by the command line, not by this page: ${ELSEWHERE}`);
    }
    if (kind !== 0 || module !== "transputer") {
      refuse(`the module imports ${module}.${name}; this page has only the functions read, write, put and exit of the module transputer`);
    }
    return { module, name, type: this.module.types[this.reader.u32()]! };
  }

  private exported(): void {
    const [name, kind, index] = [this.reader.text(), this.reader.byte(), this.reader.u32()];
    if (kind === 0) this.module.exports.set(name, index);
  }

  private element(): void {
    const flags = this.reader.u32();
    const [passive, explicit, expressions] = [flags & 1, flags & 2, flags & 4];
    const table = !passive && explicit ? this.reader.u32() : 0;
    const offset = passive ? [] : this.expression();
    if (passive || explicit) this.reader.byte();
    const bare = () => [{ name: "ref.func", args: [this.reader.unsigned()], line: 0 }];
    const init = this.reader.vector(expressions ? () => this.expression() : bare);
    if (!passive) this.module.elements.push({ table, offset, init });
  }

  private segment(): void {
    const flags = this.reader.u32();
    const memory = flags === 2 ? this.reader.u32() : 0;
    const offset = flags === 1 ? [] : this.expression();
    const bytes = this.reader.take(this.reader.u32());
    if (flags !== 1) this.module.data.push({ memory, offset, bytes });
  }

  private code(type: FuncType): WasmFunction {
    this.reader.u32(); // size
    const locals = this.reader.vector(() => [this.reader.u32(), this.valueType()] as const);
    return { type, locals: locals.reduce((sum, [count]) => sum + count, type.params.length), body: this.expression() };
  }

  private custom(end: number): void {
    if (this.reader.text() !== "name") return;
    while (this.reader.at < end) {
      const kind = this.reader.byte();
      const next = this.reader.u32() + this.reader.at;
      if (kind === 1) this.reader.vector(() => this.module.names.set(this.reader.u32(), this.reader.text()));
      this.reader.at = next;
    }
  }

  /** Instructions up to and including the matching `end`. */
  private expression(): Instr[] {
    const body: Instr[] = [];
    for (let depth = 1; depth; ) {
      const instr = this.instruction();
      body.push(instr);
      if (instr.type) depth++;
      if (instr.name === "end") depth--;
    }
    return body;
  }

  private instruction(): Instr {
    let code = this.reader.byte();
    if (code === PREFIX) code = (code << 8) | this.reader.u32();
    if (code === VECTORS) refuse(`the module has vector instructions (SIMD), which this page does not compile; compile it with -mno-simd128`);
    const row = this.rows.get(code);
    if (!row) return refuse(`the module has an instruction (0x${code.toString(16)}) of WebAssembly 3.0 that this page does not compile; ${ELSEWHERE}`);
    const instr: Instr = { name: row.name, args: [], line: 0 };
    for (const kind of row.imm) this.immediate(kind, instr);
    return instr;
  }

  private immediate(kind: string, instr: Instr): void {
    const r = this.reader;
    if (kind === "blocktype") instr.type = this.blockType();
    else if (kind === "labels") instr.args.push(...r.vector(() => r.unsigned()), r.unsigned());
    else if (kind === "valtypes") r.vector(() => this.valueType());
    else if (kind === "reftype") r.unsigned();
    else if (kind === "i32") instr.args.push(BigInt.asUintN(32, r.signed(32)));
    else if (kind === "i64") instr.args.push(BigInt.asUintN(64, r.signed(64)));
    else if (kind === "f32") instr.args.push(r.bits(4));
    else if (kind === "f64") instr.args.push(r.bits(8));
    else if (kind === "memarg") {
      const memory = r.u32() & HAS_MEMORY ? r.unsigned() : 0n;
      instr.args.push(r.unsigned(), memory);
    } else instr.args.push(r.unsigned());
  }

  private blockType(): FuncType {
    const first = this.reader.peek();
    if (first === EMPTY) return this.reader.byte(), { params: [], results: [] };
    if ((first & 0xc0) === EMPTY) return { params: [], results: [this.valueType()] }; // a negative number
    return this.module.types[Number(this.reader.signed(33))]!;
  }
}
