/** WebAssembly to flat core code: structured control becomes absolute jumps, as `lower/flatten.py` does it. */

import { typeText, type FuncType, type Instr, type WasmFunction, type WasmModule } from "./binary";
import { ELSEWHERE, refuse, type CompilerTables, type CoreFunction, type CoreInstr, type CoreModule } from "./tables";

interface Block {
  kind: string;
  type: FuncType;
  /** Operands below it. */
  height: number;
  live: boolean;
  start: number;
  /** Jumps to patch with its end, and with its `else`. */
  waiting: number[];
  otherwise: number | null;
}

/** Operands and results of instructions whose types depend on their immediates. */
const EFFECTS: Record<string, [number, number]> = {
  drop: [1, 0], select: [3, 1], select_t: [3, 1], "local.get": [0, 1], "local.set": [1, 0], "local.tee": [1, 1],
  "global.get": [0, 1], "global.set": [1, 0], "table.get": [1, 1], "table.set": [2, 0], "ref.null": [0, 1], "ref.is_null": [1, 1],
};
const RENAMED: Record<string, string> = { select_t: "select" };
const BLOCKS = ["block", "loop", "if"];
const ENDING = ["br", "br_table", "return", "unreachable"];

export function flatten(tables: CompilerTables, module: WasmModule): CoreModule {
  const lacking = new Set(tables.lowered);
  const refused = new Set(module.functions.flatMap((f) => f.body.map((i) => i.name)).filter((name) => lacking.has(name)));
  if (refused.size) refuse(`this page does not compile ${[...refused].sort().join(", ")}; ${ELSEWHERE}`);
  const shared = new Shared(tables, module);
  const code: CoreInstr[] = [];
  const functions = module.functions.map((one, i) => new Flattener(shared, code, one, module.imports.length + i).flatten());
  return {
    code,
    imported: module.imports.map((one) => one.name),
    functions,
    types: module.types.map(typeText),
    memories: module.memories,
    tables: module.tables,
    globals: shared.globals,
    elements: module.elements.map(({ table, offset, init }) => ({
      table,
      start: Number(shared.constant(offset)),
      references: init.map((one) => shared.constant(one)),
    })),
    data: module.data.map(({ memory, offset, bytes }) => ({ memory, start: Number(shared.constant(offset)), bytes })),
    exports: module.exports,
    untyped: false,
  };
}

/** What the functions of a module share. */
class Shared {
  readonly effects: Map<string, [number, number]>;
  readonly types: FuncType[];
  readonly devices = new Map<number, string>();
  readonly globals: bigint[] = [];

  constructor(readonly tables: CompilerTables, readonly module: WasmModule) {
    const sides = (sig: string) => sig.split(":").map((one) => one.length) as [number, number];
    this.effects = new Map(tables.wasm.map(([, name, , sig]) => [name, EFFECTS[name] ?? sides(sig)]));
    this.types = [...module.imports, ...module.functions].map((one) => one.type);
    module.imports.forEach(({ name, type }, index) => {
      const known = tables.prologue.functions[name];
      if (known?.type !== typeText(type)) refuse(`the module imports transputer.${name} with the type ${typeText(type)}, which does not exist`);
      const device = tables.devices.find(([one]) => one === name);
      if (device) this.devices.set(index, device[2]);
    });
    for (const init of module.globals) this.globals.push(this.constant(init));
  }

  name(index: number): string {
    const exported = [...this.module.exports].find(([, one]) => one === index)?.[0];
    return this.module.names.get(index) || exported || String(index);
  }

  /** The value of a constant expression. */
  constant(body: Instr[]): bigint {
    const stack: bigint[] = [];
    for (const { name, args } of body) {
      const [type, operation] = name.split(".") as [string, string];
      if (operation === "const") stack.push(args[0]!);
      else if (name === "global.get") stack.push(this.globals[Number(args[0])]!);
      else if (name === "ref.func") stack.push(this.address(Number(args[0])) + 1n);
      else if (name === "ref.null") stack.push(0n);
      else if (["add", "sub", "mul"].includes(operation)) {
        const [b, a] = [stack.pop()!, stack.pop()!];
        const value = operation === "add" ? a + b : operation === "sub" ? a - b : a * b;
        stack.push(BigInt.asUintN(type === "i64" ? 64 : 32, value));
      }
    }
    return stack[0] ?? 0n;
  }

  address(index: number): bigint {
    const { functions, first } = this.tables.prologue;
    const imported = this.module.imports[index];
    return BigInt(imported ? functions[imported.name]!.address : first.func + index - this.module.imports.length);
  }
}

/** Appends the core code of one function. */
class Flattener {
  private readonly blocks: Block[];
  private height = 0;
  private peak = 0;
  private dead = false;
  private instr!: Instr;

  constructor(
    private readonly shared: Shared,
    private readonly code: CoreInstr[],
    private readonly source: WasmFunction,
    private readonly index: number,
  ) {
    this.blocks = [{ kind: "func", type: source.type, height: 0, live: true, start: 0, waiting: [], otherwise: null }];
  }

  flatten(): CoreFunction {
    const { source } = this;
    const first = this.code.length;
    this.instr = source.body[0]!;
    for (const local of readBeforeWritten(source, this.deadBefore())) this.emit("local.zero", [local], true);
    for (const instr of source.body) {
      this.instr = instr;
      if (BLOCKS.includes(instr.name)) this.enter(instr);
      else if (instr.name === "else") this.otherwise();
      else if (instr.name === "end") this.end();
      else if (!this.dead && instr.name !== "nop") this.plain(instr);
    }
    this.thread(first);
    return {
      name: this.shared.name(this.index),
      type: typeText(source.type),
      params: source.type.params.length,
      results: source.type.results.length,
      entry: first,
      locals: source.locals,
      frame: source.locals + this.peak,
    };
  }

  /** Whether each instruction is unreachable. */
  private deadBefore(): boolean[] {
    const open: boolean[] = [];
    let dead = false;
    return this.source.body.map(({ name }) => {
      const here = dead;
      if (BLOCKS.includes(name)) open.push(dead);
      else if (name === "else") dead = open.at(-1)!;
      else if (name === "end") dead = open.pop() ?? false;
      else if (ENDING.includes(name)) dead = true;
      return here;
    });
  }

  private emit(name: string, args: (number | bigint)[] = [], implied = false): number {
    const { limits } = this.shared.tables;
    if (this.code.length >= limits.code) refuse(`the program has more than ${limits.code} instructions, which is the limit`);
    const written = `${this.shared.name(this.index)}: ${this.instr.name}`;
    return this.code.push({ name, args: args.map(BigInt), implied, written, line: this.instr.line }) - 1;
  }

  private move(pops: number, pushes: number): void {
    this.height += pushes - pops;
    this.peak = Math.max(this.peak, this.height);
  }

  private patch(places: number[]): void {
    for (const at of places) this.code[at]!.args[0] = BigInt(this.code.length);
  }

  private enter({ name, type }: Instr): void {
    const live = !this.dead;
    if (name === "if" && live) this.move(1, 0);
    const height = this.height - type!.params.length;
    const block: Block = { kind: name, type: type!, height, live, start: this.code.length, waiting: [], otherwise: null };
    this.blocks.push(block);
    if (name === "if" && live) block.otherwise = this.emit("jump_unless", [0]);
  }

  private otherwise(): void {
    const block = this.blocks.at(-1)!;
    if (!block.live) return;
    if (!this.dead) block.waiting.push(this.emit("jump", [0], true));
    if (block.otherwise !== null) this.patch([block.otherwise]);
    block.otherwise = null;
    this.dead = false;
    this.height = block.height + block.type.params.length;
  }

  private end(): void {
    const block = this.blocks.pop()!;
    if (!block.live) return;
    if (block.otherwise !== null) block.waiting.push(block.otherwise);
    this.patch(block.waiting);
    if (!this.blocks.length && (!this.dead || block.waiting.length)) this.emit("return", [this.source.type.results.length], true);
    this.dead = false;
    this.height = block.height;
    this.move(0, block.type.results.length);
  }

  private plain(instr: Instr): void {
    const { name, args } = instr;
    const index = Number(args[0] ?? 0);
    if (name === "br") this.branch(index, this.height);
    else if (name === "br_if") {
      this.move(1, 0);
      this.branch(index, this.height, "_if");
    } else if (name === "br_table") {
      this.emit("br_table", [args.length - 1]);
      for (const depth of args) this.branch(Number(depth), this.height - 1, "", true);
    } else if (name === "return") this.emit("return", [this.source.type.results.length]);
    else if (name === "unreachable") this.emit("unreachable");
    else if (name === "call" || name === "call_indirect") this.call(instr);
    else {
      this.emit(RENAMED[name] ?? name, args);
      this.move(...this.shared.effects.get(name)!);
    }
    if (ENDING.includes(name)) this.dead = true;
  }

  private call({ name, args }: Instr): void {
    const { types, devices, module } = this.shared;
    const direct = name === "call";
    const type = direct ? types[Number(args[0])]! : module.types[Number(args[0])]!;
    const device = direct ? devices.get(Number(args[0])) : undefined;
    this.emit(device ?? name, device ? [] : args);
    this.move(type.params.length + (direct ? 0 : 1), type.results.length);
  }

  /** A branch with `height` operands on the stack: a plain jump if no value moves. */
  private branch(depth: number, height: number, suffix = "", implied = false): void {
    const block = this.blocks.at(-1 - depth)!;
    if (block.kind === "func" && !suffix) {
      this.emit("return", [this.source.type.results.length], implied);
      return;
    }
    const keep = block.kind === "loop" ? block.type.params.length : block.type.results.length;
    const moves = height - keep !== block.height;
    const at = this.emit(`${moves ? "br" : "jump"}${suffix}`, moves ? [block.start, this.source.locals + block.height, keep] : [block.start], implied);
    if (block.kind !== "loop") block.waiting.push(at);
  }

  /** A jump to an implied jump or return is that jump or return. */
  private thread(first: number): void {
    for (let at = this.code.length - 1; at >= first; at--) {
      const seen = new Set([at]);
      let instr = this.code[at]!;
      while (instr.name === "jump" && !seen.has(Number(instr.args[0]))) {
        seen.add(Number(instr.args[0]));
        const target = this.code[Number(instr.args[0])]!;
        if (!["jump", "return"].includes(target.name) || !target.implied) break;
        instr = { ...instr, name: target.name, args: target.args };
      }
      this.code[at] = instr;
    }
  }
}

/** The locals, without parameters, that may be read before they are written; as `lower/assignment.py` finds them. */
function readBeforeWritten({ type, body }: WasmFunction, dead: boolean[]): number[] {
  const ALL = -1n;
  const blocks = [{ kind: "func", entry: 0n, joined: ALL }];
  const needed = new Set<number>();
  let assigned = (1n << BigInt(type.params.length)) - 1n;
  body.forEach(({ name, args }, at) => {
    if (dead[at]) assigned = ALL;
    const top = blocks.at(-1)!;
    if (BLOCKS.includes(name)) blocks.push({ kind: name, entry: assigned, joined: ALL });
    else if (name === "else") {
      top.joined &= assigned;
      [top.kind, assigned] = ["else", top.entry];
    } else if (name === "end") {
      blocks.pop();
      assigned &= top.joined & (top.kind === "if" ? top.entry : ALL);
    } else if (["br", "br_if", "br_table"].includes(name)) {
      for (const depth of args) {
        const block = blocks.at(-1 - Number(depth))!;
        if (block.kind !== "loop") block.joined &= assigned;
      }
    } else if (name === "local.get") {
      if (!((assigned >> args[0]!) & 1n)) needed.add(Number(args[0]));
    } else if (name === "local.set" || name === "local.tee") assigned |= 1n << args[0]!;
  });
  return [...needed].sort((a, b) => a - b);
}
