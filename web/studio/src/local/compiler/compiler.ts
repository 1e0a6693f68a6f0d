/** The page's own compiler: assembly, WAT and binary modules to the machine's prompt. */

import type { Job } from "../../source";
import { bytes, type ProgramData, type SiteData } from "../data";
import { assemble } from "./assembly";
import { Decoder, typeText, type WasmModule } from "./binary";
import { flatten } from "./flatten";
import { setLines } from "./lines";
import { PromptCompiler } from "./prompt";
import { ELSEWHERE, NotCompiled, refuse, type CompilerTables, type CoreModule } from "./tables";

/** What of the npm package `wabt` is used; the page loads it when it is needed. */
interface Wabt {
  parseWat(name: string, text: string, features: Record<string, boolean>): WabtModule;
  readWasm(data: Uint8Array, options: { readDebugNames: boolean }): WabtModule;
}

interface WabtModule {
  generateNames(): void;
  applyNames(): void;
  validate(features: Record<string, boolean>): void;
  toBinary(options: { write_debug_names: boolean }): { buffer: Uint8Array<ArrayBuffer> };
  toText(options: { foldExprs: boolean; inlineExport: boolean }): string;
  destroy(): void;
}

/** Features that the parser is to know, so that they are refused by their names. */
const FEATURES = { exceptions: true, tail_call: true, extended_const: true };
/** The first bytes of a module. */
const MAGIC = [0, 0x61, 0x73, 0x6d];
const MESSAGE = /^\S*?:(\d+):(\d+): error: (.*)$/gm;

const C =
  "C is compiled by clang, which a page cannot carry: pip install transputer, then transputer run FILE.c, or transputer export FILE.c --to site -o DIR for a page like this one";
const NO_PARSER = "this page was exported without the parser of WebAssembly's text format; choose Assembly, open a .wasm file, or ";

let parser: Promise<Wabt> | null = null;

function wabt(): Promise<Wabt> {
  parser ??= new Promise<void>((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: "wabt.js", onload: () => resolve(), onerror: reject });
    document.head.append(script);
  }).then(() => (globalThis as unknown as { WabtModule: () => Promise<Wabt> }).WabtModule());
  return parser.catch(() => {
    parser = null;
    return refuse(`${NO_PARSER}${ELSEWHERE.replace("runs it", "reads it")}`);
  });
}

/** The program of a job; throws `NotCompiled` with every problem of its text. */
export async function compile(site: SiteData, job: Job): Promise<ProgramData> {
  try {
    return await compiled(site, job);
  } catch (error) {
    const advice = error instanceof NotCompiled ? otherLanguage(site, job) : "";
    if (advice) refuse(advice);
    throw error;
  }
}

async function compiled(site: SiteData, job: Job): Promise<ProgramData> {
  const tables = site.compiler;
  const title = `program.${job.language}`;
  const example = { group: "", title, machine: job.machine, language: job.language, source: job.source, invoke: job.invoke, args: job.args, stdin: job.stdin };
  if (job.language === "asm") {
    if (job.invoke && job.invoke !== tables.main) refuse("an assembly program has no functions to invoke");
    const types = job.args.map(() => "i32");
    const core = assemble(tables, job.source, types.length);
    return new PromptCompiler(site, core).program(tables.main, [], encoded(tables.main, types, job.args), example, false);
  }
  if (job.language === "c") refuse(cRefused(site));
  const module = await read(tables, job);
  const core = flatten(tables, module);
  const name = job.invoke || entry(core);
  const index = core.exports.get(name) ?? refuse(`no exported func '${name}'; available: ${[...core.exports.keys()].join(", ") || "none"}`);
  const type = [...module.imports, ...module.functions][index]!.type;
  const none = name === "main" && !job.args.length && typeText({ params: type.params, results: [] }) === "(i32 i32)->()";
  const args = encoded(name, type.params, none ? ["0", "0"] : job.args);
  const exits = !job.invoke && name === "main";
  return new PromptCompiler(site, core).program(name, type.results, args, example, exits);
}

/** The function to run if none is named. */
function entry(core: CoreModule): string {
  const names = [...core.exports.keys()];
  const name = ["_start", "main"].find((one) => core.exports.has(one));
  if (name) return name;
  if (!names.length) refuse('the module exports no function; write (func (export "main") …)');
  return refuse(`no _start or main to run; name one with --invoke: ${names.slice(0, 20).join(", ")}`);
}

async function read(tables: CompilerTables, job: Job): Promise<WasmModule> {
  const binary = job.language === "wat" ? await fromText(job.source) : fromBase64(job.source);
  try {
    await WebAssembly.compile(binary);
  } catch (error) {
    refuse(String(error instanceof Error ? error.message : error).replace(/^WebAssembly\.compile\(\): /, ""));
  }
  const module = new Decoder(tables, binary).decode();
  if (module.exports.has("_initialize")) refuse(`this page runs one function, and the module has _initialize too; ${ELSEWHERE}`);
  if (job.language === "wat") setLines(job.source, module, new Set(tables.wasm.map(([, name]) => name)));
  return module;
}

async function fromText(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const { parseWat } = await wabt();
  try {
    const module = parseWat("program.wat", text, FEATURES);
    try {
      module.validate(FEATURES);
      return module.toBinary({ write_debug_names: true }).buffer.slice();
    } finally {
      module.destroy();
    }
  } catch (error) {
    const problems = [...String(error).matchAll(MESSAGE)].map(([, line, column, message]) => ({
      message: message!, line: Number(line), column: Number(column),
    }));
    throw new NotCompiled(problems.length ? problems : [{ message: String(error) }]);
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const data = /^[A-Za-z0-9+/=\s]*$/.test(text) && text.replace(/\s/g, "").length % 4 === 0 ? bytes(text) : new Uint8Array();
  if (!MAGIC.every((byte, i) => data[i] === byte)) refuse("this is no WebAssembly module; open a .wasm file, or paste one in base64");
  return data;
}

/** A file for the editor: a binary module as text if the parser is there, else in base64. */
export async function opened(file: File): Promise<{ language: string; source: string }> {
  const language = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "";
  if (language !== "wasm") return { language, source: await file.text() };
  const data = new Uint8Array(await file.arrayBuffer());
  try {
    const { readWasm } = await wabt();
    const module = readWasm(data, { readDebugNames: true });
    module.generateNames();
    module.applyNames();
    return { language: "wat", source: module.toText({ foldExprs: false, inlineExport: true }) };
  } catch {
    return { language, source: btoa(data.reduce((text, byte) => text + String.fromCharCode(byte), "")) };
  }
}

/** A sentence if a text looks like another language than the one that is chosen. */
function otherLanguage(site: SiteData, { source, language }: Job): string {
  const { looks, languages } = site.compiler;
  const name = Object.entries(looks).find(([, pattern]) => new RegExp(pattern, "m").test(source))?.[0] ?? "";
  if (!name || name === languages[language]) return "";
  if (name === languages.c) return cRefused(site);
  if (Object.values(languages).includes(name)) return `this looks like ${name}; choose ${name} as the language`;
  return `this looks like ${name}; compile it to WebAssembly and open the .wasm file`;
}

/** Where C is compiled, and which C programs this page has. */
function cRefused({ programs }: SiteData): string {
  const titles = programs.map(({ example }) => example).filter(({ language }) => language === "c").map(({ title }) => title);
  return titles.length ? `${C}. Compiled ahead, with their arguments: ${titles.join(", ")}` : C;
}

/** The bits of the arguments of a call. */
function encoded(name: string, types: string[], args: string[]): bigint[] {
  if (args.length !== types.length) refuse(`${name} takes ${types.length} arguments (${types.join(" ") || "none"}), ${args.length} given`);
  return types.map((type, i) => value(args[i]!, type));
}

function value(text: string, type: string): bigint {
  const word = text.replaceAll("_", "");
  const data = new DataView(new ArrayBuffer(8));
  if (type === "f32" || type === "f64") {
    const number = /^[+-]?inf(inity)?$/i.test(word) ? Number(`${word.replace(/inf.*/i, "")}Infinity`) : Number(word);
    if (Number.isNaN(number) && !/^[+-]?nan$/i.test(word)) refuse(`argument '${text}' is not an ${type}: write a number`);
    if (type === "f32") data.setFloat32(0, number, true);
    else data.setFloat64(0, number, true);
    return data.getBigUint64(0, true);
  }
  if (type !== "i32" && type !== "i64") return word === "null" ? 0n : refuse(`argument '${text}' is not a ${type}: write null`);
  if (!/^[+-]?(0x[0-9a-f]+|[0-9]+)$/i.test(word)) refuse(`argument '${text}' is not an ${type}: write a whole number`);
  const bits = type === "i64" ? 64 : 32;
  const number = word.startsWith("-") ? -BigInt(word.slice(1)) : BigInt(word.replace("+", ""));
  if (number < -(1n << BigInt(bits - 1)) || number >= 1n << BigInt(bits)) refuse(`${text} does not fit an ${type}`);
  return BigInt.asUintN(bits, number);
}
