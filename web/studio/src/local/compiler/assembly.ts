/** The stack assembly to core code, as `frontends/asm.py` and `lower/asm.py` do it. */

import type { Problem } from "../../types";
import { NotCompiled, type CompilerTables, type CoreInstr, type CoreModule } from "./tables";

interface Token {
  text: string;
  line: number;
  column: number;
}

/** An address in the code, once it is known, and what refers to it. */
interface Spot {
  pc: number | null;
  uses: Token[];
}

interface Block {
  opener: Token;
  name: string;
  target: Spot;
  end: Spot;
  otherwise: Spot | null;
}

interface Line {
  name: string;
  args: (number | Spot)[];
  line: number;
}

const NAME = /^[A-Za-z_.][A-Za-z0-9_.]*$/;
const CHARACTER = /^'(?:\\x[0-9A-Fa-f]{2}|\\.|[^\\'])'$/;
const TOKEN = /[;#].*|'(?:\\x[0-9A-Fa-f]{2}|\\.|[^\\'])'|[A-Za-z_.][A-Za-z0-9_.]*:|[^\s;#]+/g;
const NUMBER = /^[+-]?(?:0[xX][0-9A-Fa-f]+|[0-9]+)$/;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", "0": "\0", "\\": "\\", "'": "'", '"': '"' };
const FORMS = ["BLOCK", "LOOP", "IF", "ELSE", "END", "BR", "BR_IF"];

class StatementError extends Error {
  constructor(readonly token: Token, message: string) {
    super(message);
  }
}

class Assembler {
  readonly code: Line[] = [];
  private readonly labels = new Map<string, Spot>();
  private readonly spots: Spot[] = [];
  private readonly blocks: Block[] = [];
  private readonly problems: Problem[] = [];

  constructor(private readonly tables: CompilerTables) {}

  assemble(text: string): Line[] {
    text.split(/\r\n|\r|\n/).forEach((row, i) => {
      const tokens = [...row.matchAll(TOKEN)].filter((m) => !/^[;#]/.test(m[0]));
      this.row(tokens.map((m) => ({ text: m[0], line: i + 1, column: m.index + 1 })));
    });
    const spots = [...this.labels.values(), ...this.spots];
    const last = this.code.at(-1);
    if (!last || !this.tables.ends.includes(last.name) || spots.some((one) => one.pc === this.code.length)) {
      this.code.push({ name: "HALT", args: [], line: 0 });
    }
    this.unfinished(spots);
    if (this.problems.length) {
      throw new NotCompiled(this.problems.sort((a, b) => a.line! - b.line! || a.column! - b.column!));
    }
    return this.code;
  }

  private note({ line, column }: Token, message: string): void {
    this.problems.push({ message, line, column });
  }

  private row(row: Token[]): void {
    let previous: Token | null = null;
    while (row.length) {
      const token = row.shift()!;
      try {
        this.statement(token, row, previous);
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        this.note(error.token, error.message);
        this.emit(token, "NOP"); // a placeholder, so that absolute targets stay valid
        while (row.length && !this.starts(row[0]!)) row.shift();
      }
      previous = token;
    }
  }

  private starts({ text }: Token): boolean {
    const upper = text.toUpperCase();
    return upper in this.tables.asm || FORMS.includes(upper) || text.endsWith(":");
  }

  private statement(token: Token, row: Token[], previous: Token | null): void {
    const upper = token.text.toUpperCase();
    if (token.text.endsWith(":")) this.define(token);
    else if (FORMS.includes(upper)) this.form(upper, token, row);
    else if (upper in this.tables.asm) {
      this.emit(token, upper, ...this.tables.asm[upper]![0].map((kind) => this.operand(kind, token, row)));
    } else throw new StatementError(token, this.unknown(token, previous));
  }

  private unknown({ text }: Token, previous: Token | null): string {
    if (NUMBER.test(text) || /^[$']/.test(text)) {
      return previous ? `unexpected operand \`${text}\`` : `expected an instruction, found \`${text}\``;
    }
    const upper = text.toUpperCase();
    const bare = upper.replace(/^I32\./, "");
    const other = this.tables.synonyms[upper] ?? (bare in this.tables.asm ? bare : "");
    return `unknown instruction \`${text}\`${other && `; did you mean ${other}?`}`;
  }

  private define(token: Token): void {
    const name = token.text.slice(0, -1);
    if (!NAME.test(name)) {
      throw new StatementError(token, `\`${name}\` cannot be a label; a label has letters, digits, \`_\` and \`.\`, and does not begin with a digit`);
    }
    const spot = this.label(name);
    if (spot.pc !== null) throw new StatementError(token, `label \`${name}\` is defined twice`);
    spot.pc = this.code.length;
  }

  private label(name: string): Spot {
    if (!this.labels.has(name)) this.labels.set(name, { pc: null, uses: [] });
    return this.labels.get(name)!;
  }

  private emit(token: Token, name: string, ...args: (number | Spot)[]): void {
    this.code.push({ name, args, line: token.line });
  }

  private jump(token: Token, spot: Spot): void {
    this.emit(token, "PUSH", 0);
    this.emit(token, "JZ", spot);
  }

  private unfinished(spots: Spot[]): void {
    const last = this.code.length - 1;
    for (const { opener } of this.blocks) this.note(opener, `\`${opener.text}\` is never closed with \`end\``);
    for (const { pc, uses } of spots) {
      for (const use of uses) {
        if (pc === null) {
          this.note(use, this.starts(use) ? `expected a target, found the instruction \`${use.text}\`` : `no label \`${use.text}\``);
        } else if (pc > last) this.note(use, `target ${use.text} is outside the program (0 to ${last})`);
      }
    }
  }

  // Operands

  private take(token: Token, row: Token[], wanted: string): Token {
    if (!row.length || row[0]!.text.endsWith(":")) throw new StatementError(token, `${token.text} needs ${wanted}`);
    return row.shift()!;
  }

  private operand(kind: string, token: Token, row: Token[]): number | Spot {
    if (kind === "pc") return this.place(this.take(token, row, "a label or the number of an instruction"));
    const wanted = kind === "i32" ? "a number" : "the number of a local";
    if (row.length && this.starts(row[0]!)) throw new StatementError(token, `${token.text} needs ${wanted}`);
    const operand = this.take(token, row, wanted);
    if (kind === "i32") return this.value(operand, -(2 ** 31), 2 ** 32 - 1) >>> 0;
    return this.value(operand, 0, this.tables.limits.locals - 1);
  }

  private value(token: Token, low: number, high: number): number {
    const { text } = token;
    let value: number;
    if (CHARACTER.test(text)) value = this.character(token);
    else if (NUMBER.test(text)) value = /^-/.test(text) ? -Number(text.slice(1)) : Number(text.replace(/^\+/, ""));
    else throw new StatementError(token, `expected a number, found \`${text}\``);
    if (value < low || value > high) throw new StatementError(token, `${text} is out of range (${low} to ${high})`);
    return value;
  }

  private character(token: Token): number {
    const body = token.text.slice(1, -1);
    if (body[0] !== "\\") return body.codePointAt(0)!;
    if (body.length === 4) return parseInt(body.slice(2), 16);
    if (!(body.slice(1) in ESCAPES)) {
      throw new StatementError(token, `unknown escape \`${body}\`; use one of ${Object.keys(ESCAPES).join(" ")} or xNN`);
    }
    return ESCAPES[body.slice(1)]!.codePointAt(0)!;
  }

  private place(operand: Token): Spot {
    let spot: Spot;
    if (NAME.test(operand.text)) spot = this.label(operand.text);
    else this.spots.push((spot = { pc: this.value(operand, 0, 2 ** 32 - 1), uses: [] }));
    spot.uses.push(operand);
    return spot;
  }

  // Structured forms

  private form(name: string, token: Token, row: Token[]): void {
    if (["BLOCK", "LOOP", "IF"].includes(name)) this.open(name, token, row);
    else if (name === "BR") this.jump(token, this.destination(token, row));
    else if (name === "BR_IF") this.emit(token, "JNZ", this.destination(token, row));
    else this.close(name, token, row);
  }

  private open(form: string, token: Token, row: Token[]): void {
    const name = row[0]?.text.startsWith("$") ? row.shift()!.text : "";
    const end: Spot = { pc: null, uses: [] };
    const target = form === "LOOP" ? { pc: this.code.length, uses: [] } : end;
    const otherwise: Spot | null = form === "IF" ? { pc: null, uses: [] } : null;
    this.blocks.push({ opener: token, name, target, end, otherwise });
    if (otherwise) this.emit(token, "JZ", otherwise);
  }

  private close(form: string, token: Token, row: Token[]): void {
    const name = row[0]?.text.startsWith("$") ? row.shift()! : null;
    const block = this.blocks.at(-1);
    if (!block) throw new StatementError(token, `\`${token.text}\` without an open block, loop or if`);
    if (name && name.text !== block.name) {
      this.note(name, `\`${token.text} ${name.text}\` does not match the open \`${`${block.opener.text} ${block.name}`.trim()}\``);
    }
    if (form === "ELSE") {
      if (!block.otherwise || block.otherwise.pc !== null) throw new StatementError(token, "`else` without an open `if`");
      this.jump(token, block.end);
      block.otherwise.pc = this.code.length;
      return;
    }
    this.blocks.pop();
    block.end.pc = this.code.length;
    this.spots.push(block.end);
    if (block.otherwise) block.otherwise.pc ??= block.end.pc;
  }

  private destination(token: Token, row: Token[]): Spot {
    const operand = this.take(token, row, "a depth, the $name of a block, or a label");
    if (operand.text.startsWith("$")) {
      const block = this.blocks.findLast((one) => one.name === operand.text);
      if (!block) throw new StatementError(operand, `no open block \`${operand.text}\``);
      return block.target;
    }
    if (!NUMBER.test(operand.text)) return this.place(operand);
    const depth = this.value(operand, 0, 2 ** 32 - 1);
    const block = this.blocks.at(-1 - depth);
    if (!block) throw new StatementError(operand, `depth ${depth} is too large; open blocks here: ${this.blocks.length}`);
    return block.target;
  }
}

/** The core code of a text that takes `count` arguments; throws `NotCompiled` with all problems. */
export function assemble(tables: CompilerTables, text: string, count: number): CoreModule {
  const code = new Assembler(tables).assemble(text).map((line) => ({ ...line, args: line.args.map((arg) => (typeof arg === "number" ? arg : arg.pc!)) }));
  const kind = (name: string) => tables.asm[name]![0][0];
  const used = new Set(code.filter((one) => kind(one.name) === "local").map((one) => one.args[0]!));
  const variables = new Map([...used].sort((a, b) => a - b).map((index, number) => [index, number]));
  const places = [0]; // the new address of each instruction: those without a core form are dropped
  for (const { name } of code) places.push(places.at(-1)! + (tables.asm[name]![1] ? 1 : 0));
  const calls = new Set([0, ...code.filter((one) => one.name === "CALL").map((one) => one.args[0]!)]);
  const prologues: CoreInstr[] = [];
  const entries = new Map<number, number>();
  for (const target of [...calls].sort((a, b) => a - b)) {
    const zeroed = readBeforeWritten(tables, code, target);
    if (!zeroed.length) continue;
    entries.set(target, places.at(-1)! + prologues.length);
    const implied = (name: string, arg: number) => prologues.push({ name, args: [BigInt(arg)], implied: true, written: "", line: 0 });
    for (const index of zeroed) implied("var.zero", variables.get(index)!);
    implied("jump", places[target]!);
  }
  const entry = (pc: number) => entries.get(pc) ?? places[pc]!;
  const args = (name: string, [first]: number[]) => {
    if (name === "CALL") return [entry(first!), variables.size];
    if (kind(name) === "local") return [variables.get(first!)!];
    if (kind(name) === "pc") return [places[first!]!];
    return tables.asm[name]![2] ? [0, 0] : first === undefined ? [] : [first];
  };
  const lowered = code.flatMap(({ name, args: given, line }) => {
    const core = tables.asm[name]![1];
    return core ? [{ name: core, args: args(name, given).map(BigInt), implied: false, written: name, line }] : [];
  });
  const type = `(${Array(count).fill("i32").join(" ")})->()`;
  const main = { name: tables.main, type, params: count, results: 0, entry: entry(0), locals: count, frame: tables.limits.stack };
  return {
    code: [...lowered, ...prologues],
    imported: [],
    functions: [main],
    types: [],
    memories: [{ least: 65536, most: 65536 }],
    tables: [],
    globals: [],
    elements: [],
    data: [],
    exports: new Map([[tables.main, 0]]),
    untyped: true,
  };
}

/** The locals that code entered at `start` may read before it writes them. */
function readBeforeWritten(tables: CompilerTables, code: { name: string; args: number[] }[], start: number): number[] {
  const written = new Map<number, Set<number>>();
  const needed = new Set<number>();
  const todo: [number, Set<number>][] = [[start, new Set()]];
  while (todo.length) {
    let [pc, definite] = todo.pop()!;
    const before = written.get(pc);
    if (before) {
      definite = new Set([...definite].filter((one) => before.has(one)));
      if (definite.size === before.size) continue;
    }
    written.set(pc, definite);
    const { name, args } = code[pc]!;
    if (name === "LOCAL.GET" && !definite.has(args[0]!)) needed.add(args[0]!);
    if (name === "LOCAL.SET" || name === "LOCAL.TEE") definite = new Set([...definite, args[0]!]);
    if (name === "JZ" || name === "JNZ") todo.push([args[0]!, definite]);
    if (!tables.ends.includes(name)) todo.push([pc + 1, definite]);
  }
  return [...needed].sort((a, b) => a - b);
}
