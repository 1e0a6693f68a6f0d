/** What an exported page carries: engine, weights, words and programs. `exporters/site.py` writes it. */

import type { Example } from "../types";
import type { CompilerTables } from "./compiler/tables";

/** Rows, columns, and row, column and value of every nonzero. */
export type Nonzeros = [number, number, number[], number[], number[]];

export interface HeadHint {
  layer: number;
  head: number;
  name: string;
  key: string[];
  values: string[];
}

export interface ModelData {
  parts: { name: string; size: number }[];
  width: number;
  bias: Nonzeros;
  position: Nonzeros;
  embeddings: Nonzeros[];
  outputs: Nonzeros[];
  layers: {
    heads: { query: Nonzeros; key: Nonzeros; value: Nonzeros; output: Nonzeros }[];
    gate: Nonzeros;
    value: Nonzeros;
    out: Nonzeros;
  }[];
  hints: {
    heads: HeadHint[];
    lanes: { name: string; lane: number; from: number; to: number }[];
    neurons: { layer: number; group: string; first: number; count: number }[];
  };
}

export interface ProgramData {
  example: Example;
  prompt: string;
  /** Lifted code of this prompt, as WebAssembly. */
  fast?: string;
  /** The prompt of a program that this page has compiled. */
  rows?: Uint8Array;
  listing: string[];
  written: string[];
  implied: number[];
  uses: Record<string, string[]>;
  names: string[];
  lines: ([string, number] | null)[];
  functions: [number, string, number][];
  spaces: Record<string, string>;
  memory: number | null;
  untyped: boolean;
  results: string[];
  exits: boolean;
}

export interface SiteData {
  engine: string;
  image: string;
  part_bytes: number;
  model: ModelData;
  programs: ProgramData[];
  layout: [string, number][];
  spaces: Record<string, number>;
  statuses: Record<string, number>;
  traps: string[];
  places: Record<string, string>;
  kinds: Record<string, string>;
  word: number;
  fetches: string[];
  bookkeeping: string[];
  groups: Record<string, string[]>;
  compiler: CompilerTables;
  /** Whether the loom machine's page lies beside this one. */
  loom: boolean;
  patterns: Record<"spelled" | "bit" | "byte" | "word" | "in_word" | "operation", string>;
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export async function unpacked(text: string): Promise<string> {
  return new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
