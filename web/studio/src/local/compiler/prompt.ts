/** Core code to the machine's prompt, as docs/encoding.md says. */

import { bytes, type ProgramData, type SiteData } from "../data";
import { refuse, type CompilerTables, type CoreFunction, type CoreInstr, type CoreModule } from "./tables";

type Parts = Record<string, number | bigint>;

export class PromptCompiler {
  private readonly rows: Uint8Array[] = [];
  private readonly tables: CompilerTables;
  private readonly types: string[];
  private readonly base: number;

  constructor(private readonly site: SiteData, private readonly module: CoreModule) {
    this.tables = site.compiler;
    this.types = [...this.tables.prologue.types];
    this.base = this.tables.prologue.listing.length;
  }

  /** The program as the page runs it; `args` are the bits of the arguments. */
  program(name: string, types: string[], args: bigint[], example: ProgramData["example"], exits: boolean): ProgramData {
    const { prologue, uses } = this.tables;
    const index = this.module.exports.get(name)! - this.module.imported.length;
    const code = this.module.code.map((instr) => this.relocated(instr));
    const missing = [...new Set(code.map((one) => one.name).filter((one) => !(one in uses)))];
    if (missing.length) refuse(`the trace machine does not have ${missing.join(", ")}`);
    this.load(code);
    this.invoke(this.module.functions[index] ?? refuse(`${name} is an imported function; choose one of the program`), args);
    const earlier = <T>(one: T): T[] => Array.from({ length: this.base }, () => one);
    const own = this.module.functions.map((f): [number, string, number] => [f.entry + this.base, f.name, f.locals]);
    const devices = Object.entries(prologue.functions).map(([one, f]): [number, string, number] => [f.entry, one, f.locals]);
    return {
      example,
      prompt: "",
      rows: joined([bytes(prologue.prompt), ...this.rows]),
      listing: [...prologue.listing, ...code.map((one) => [one.name, ...one.args].join(" "))],
      written: [...earlier(""), ...code.map((one) => one.written)],
      implied: [...earlier(1), ...code.map((one) => (one.implied ? 1 : 0))],
      uses,
      names: [...prologue.names, ...code.map((one) => one.name)],
      lines: [...earlier(null), ...code.map((one): [string, number] | null => (one.line ? [example.title, one.line] : null))],
      functions: [...devices, ...own].sort((a, b) => a[0] - b[0]),
      spaces: Object.fromEntries([
        ...this.module.memories.map((_, i) => [this.memory(i), "memory"]),
        ...this.module.tables.map((_, i) => [this.table(i), "table"]),
      ]),
      memory: this.module.memories.length ? this.memory(0) : null,
      untyped: this.module.untyped,
      results: exits ? [] : types,
      exits,
    };
  }

  private memory(index: number): number {
    return this.site.spaces.FIRST! + index;
  }

  private table(index: number): number {
    return this.memory(this.module.memories.length + index);
  }

  private signature(text: string): number {
    if (!this.types.includes(text)) this.types.push(text);
    return this.types.indexOf(text);
  }

  private address(index: number): number {
    const { first, functions } = this.tables.prologue;
    const imported = this.module.imported[index];
    return imported === undefined ? first.func + index - this.module.imported.length : functions[imported]!.address;
  }

  /** An instruction with the addresses of this session in its immediates. */
  private relocated(instr: CoreInstr): CoreInstr {
    const { first } = this.tables.prologue;
    const args = instr.args.map((arg, i) => {
      const kind = this.tables.kinds[instr.name]?.[i];
      if (kind === "pc") return arg + BigInt(this.base);
      if (kind === "func") return BigInt(this.address(Number(arg)));
      if (kind === "type") return BigInt(this.signature(this.module.types[Number(arg)]!));
      return kind === "global" || kind === "memory" || kind === "table" ? arg + BigInt(first[kind]) : arg;
    });
    return { ...instr, args };
  }

  private append(parts: Parts): void {
    const row = new Uint8Array(this.site.model.parts.length);
    let at = 0;
    for (const [name, count] of this.site.layout) {
      const value = BigInt.asUintN(8 * count, BigInt(parts[name] ?? 0));
      for (let i = 0; i < count; i++) row[at++] = Number((value >> BigInt(8 * i)) & 255n);
    }
    this.rows.push(row);
  }

  private load(code: CoreInstr[]): void {
    const { SIZE, GLOBAL, CODE, FUNC } = this.site.spaces as Record<string, number>;
    const { module } = this;
    module.memories.forEach(({ least }, i) => this.append({ space: SIZE!, at: this.memory(i), value: least }));
    module.tables.forEach(({ least }, i) => this.append({ space: SIZE!, at: this.table(i), value: least }));
    module.globals.forEach((value, i) => this.append({ space: GLOBAL!, at: this.tables.prologue.first.global + i, value }));
    code.forEach((_, i) => {
      const [op, parts] = this.encoded(code, i);
      const number = this.tables.opcodes[this.tables.aliases[op] ?? op]!;
      this.append({ space: CODE!, at: this.base + i, op: number, ...parts });
    });
    module.functions.forEach((f, i) => {
      const at = this.address(module.imported.length + i) + 1;
      this.append({ space: FUNC!, at, depth: this.signature(f.type), ...descriptor(f, this.base) });
    });
    if (code.some(({ name }) => name === "call_indirect")) this.append({ space: FUNC! });
    this.segments();
  }

  private segments(): void {
    for (const { table, start, references } of this.module.elements) {
      if (start + references.length > this.module.tables[table]!.least) refuse("a segment lies outside its table: the module traps before it runs");
      references.forEach((value, i) => this.append({ space: this.table(table), at: start + i, value }));
    }
    const memories = this.module.memories.map(() => new Map<number, bigint>());
    for (const { memory, start, bytes: data } of this.module.data) {
      if (start + data.length > this.module.memories[memory]!.least * 65536) refuse("a segment lies outside its memory: the module traps before it runs");
      const old = memories[memory]!;
      const words = new Map<number, bigint>();
      data.forEach((byte, i) => {
        const [word, shift] = [Math.floor((start + i) / 8), BigInt(8 * ((start + i) % 8))];
        const value = words.get(word) ?? old.get(word) ?? 0n;
        words.set(word, (value & ~(255n << shift)) | (BigInt(byte) << shift));
      });
      for (const [at, value] of words) {
        if (value !== (old.get(at) ?? 0n)) this.append({ space: this.memory(memory), at, value });
        old.set(at, value);
      }
    }
  }

  private invoke(f: CoreFunction, args: bigint[]): void {
    const { SLOT, FRAME } = this.site.spaces as Record<string, number>;
    if (f.frame > this.tables.limits.slots) refuse(`${f.name} needs ${f.frame} slots, and there are ${this.tables.limits.slots}`);
    args.forEach((value, at) => this.append({ space: SLOT!, at, value }));
    this.append({ pc: f.entry + this.base, sp: f.locals, space: FRAME! });
  }

  /** The opcode of an instruction, and the fields of its token that its immediates fill. */
  private encoded(code: CoreInstr[], index: number): [string, Parts] {
    const { name, args } = code[index]!;
    const [first = 0n, second = 0n, third = 0n] = args;
    const { first: from } = this.tables.prologue;
    if (name === "br" || name === "br_if") {
      const place = third === 1n ? second : -third - (name === "br_if" ? 1n : 0n);
      return [this.variant(name, third), { pc: first, sp: second + third, fp: place, value: second | (third << 24n) }];
    }
    if (name === "return") return [this.variant(name, first), { sp: first, fp: first === 1n ? 0n : -first, value: first << 24n }];
    if (name === "br_table") {
      const last = index + 1 + Number(first);
      const target = code[last]!;
      return [name, { value: first, pc: target.name === "jump" ? target.args[0]! : this.base + last }];
    }
    if (name === "gosub" && second > this.tables.limits.variables) {
      refuse(`the program has ${second} locals, at most ${this.tables.limits.variables}`);
    }
    const parts: Parts = {};
    this.tables.kinds[name]!.forEach((kind, i) => {
      const arg = args[i]!;
      const memory = this.memory(Number(arg) - from.memory);
      const table = this.table(Number(arg) - from.table);
      if (kind === "pc") parts.pc = arg;
      else if (kind === "local" || kind === "global" || kind === "size") parts.fp = arg;
      else if (kind === "func") Object.assign(parts, name === "call" ? this.callee(Number(arg)) : { value: arg + 1n });
      else if (kind === "memory") Object.assign(parts, { fp: memory }, /^memory\./.test(name) ? {} : { depth: memory });
      else if (kind === "table") Object.assign(parts, { fp: table, depth: table });
      else parts.value = arg; // a constant, an offset, a type
      if (name === "memory.grow") parts.value = this.module.memories[Number(arg) - from.memory]!.most;
    });
    return [name, parts];
  }

  private variant(name: string, keep: bigint): string {
    if (keep > BigInt(this.tables.limits.kept)) refuse(`${name}: ${keep} values to keep, at most ${this.tables.limits.kept}`);
    return this.tables.variants[name]![Math.min(Number(keep), 2)]!;
  }

  private callee(address: number): Parts {
    const { first, functions } = this.tables.prologue;
    const device = Object.values(functions).find((one) => one.address === address);
    return device ? descriptor(device, 0) : descriptor(this.module.functions[address - first.func]!, this.base);
  }
}

function descriptor(f: CoreFunction, base: number): Parts {
  return { pc: f.entry + base, sp: f.locals - f.params, fp: -f.params, value: f.frame - f.params };
}

function joined(rows: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}
