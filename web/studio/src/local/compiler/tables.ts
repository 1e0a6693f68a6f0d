/** What the compiler of the page works with: the tables of `runtime/trace/page_tables.py`, and core code. */

import type { Problem } from "../../types";

export interface CompilerTables {
  /** Number, name, kinds of immediates and `operands:results` of each instruction. */
  wasm: [number, string, string[], string][];
  /** Instructions that a lowering writes with others. */
  lowered: string[];
  /** Imported functions that are one instruction: name, type, core name. */
  devices: [string, string, string][];
  /** Kinds of immediates, core name and width of a memory access. */
  asm: Record<string, [string[], string | null, number]>;
  ends: string[];
  synonyms: Record<string, string>;
  main: string;
  /** Languages by suffix, and patterns of texts by language. */
  languages: Record<string, string>;
  looks: Record<string, string>;
  /** Kinds of immediates by core name. */
  kinds: Record<string, string[]>;
  opcodes: Record<string, number>;
  aliases: Record<string, string>;
  variants: Record<string, string[]>;
  uses: Record<string, string[]>;
  limits: Record<"code" | "slots" | "kept" | "locals" | "variables" | "stack", number>;
  prologue: {
    prompt: string;
    listing: string[];
    names: string[];
    types: string[];
    first: Record<"func" | "global" | "memory" | "table", number>;
    functions: Record<string, CoreFunction & { address: number }>;
  };
}

export interface CoreInstr {
  name: string;
  args: bigint[];
  /** Whether it was added by lowering. */
  implied: boolean;
  /** The function and the instruction as written. */
  written: string;
  line: number;
}

export interface CoreFunction {
  name: string;
  type: string;
  params: number;
  results: number;
  entry: number;
  locals: number;
  frame: number;
}

export interface Limits {
  least: number;
  most: number;
}

export interface CoreModule {
  code: CoreInstr[];
  /** Imported functions by name; they come first in the index space. */
  imported: string[];
  functions: CoreFunction[];
  types: string[];
  memories: Limits[];
  tables: Limits[];
  globals: bigint[];
  elements: { table: number; start: number; references: bigint[] }[];
  data: { memory: number; start: number; bytes: Uint8Array }[];
  exports: Map<string, number>;
  untyped: boolean;
}

/** A program that is refused, with all that is wrong with it. */
export class NotCompiled extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems[0]!.message);
  }
}

export function refuse(message: string, line = 0, column = 0): never {
  throw new NotCompiled([{ message, line, column }]);
}

/** Where programs that the page cannot compile run. */
export const ELSEWHERE = "pip install transputer runs it, and transputer export FILE --to site -o DIR puts it into a page like this one";
