/** Runs in this page: the engine as WebAssembly on the weights that the page carries. */

import { Refused, found, same, type Job, type Source } from "../source";
import type { Broken, Damage, Look, Offer, Result, Seen, Spot, Status } from "../types";
import { PlainEngine, broken, mostSteps } from "./broken";
import { compile, opened } from "./compiler/compiler";
import { NotCompiled } from "./compiler/tables";
import { bytes, unpacked, type ProgramData, type SiteData } from "./data";
import { Engine, FastEngine, LIFTED, NATIVE, type Decoder } from "./engine";
import { Lens } from "./lens";
import { MOST, Tape } from "./tape";
import { View } from "./view";

/** Steps of a run that nobody plays: on the weights, and by lifted code. */
const STEPS = 20_000_000;
const FAST_STEPS = 2_000_000_000;
/** Milliseconds that a slice of a run takes, and that a program waits for a key. */
const SLICE = 12;
export const PACE = 150;
const RUNNING = "still running";

/** The data of an exported page, if this is one. */
export async function carried(): Promise<SiteData | null> {
  const packed = (globalThis as { TRANSPUTER_SITE?: string }).TRANSPUTER_SITE;
  return packed ? (JSON.parse(await unpacked(packed)) as SiteData) : null;
}

/** A run: the job that it does, its program and its tokens. */
interface Running {
  job: Job;
  program: ProgramData;
  tape: Tape;
  view: View;
  began: number;
  limit: number;
  /** The step up to which lifted code went, if it did not cover the next one. */
  handed?: number;
  /** Of a run on broken weights: what is broken, and the healthy run. */
  broken?: Damage & { title: string; first: number | null };
}

export class Local implements Source {
  readonly live = true;
  readonly local = true;
  /** Bytes that were typed while a program is played. */
  readonly keys: number[] = [];
  private readonly lens: Lens;
  private current: Running | null = null;
  /** The last run on healthy weights that came to an end. */
  private healthy: { running: Running; outcome: string } | null = null;
  private status: Status = { run: 0, kind: null, phase: "none", watched: 0 };
  private heard: (status: Status) => void = () => undefined;
  private cancelled = false;
  private begun = 0;
  private compiled: Promise<WebAssembly.Module> | null = null;

  constructor(private readonly site: SiteData) {
    this.lens = new Lens(site.model);
  }

  async offer(): Promise<Offer> {
    return {
      machines: [
        {
          name: "trace",
          doc: "a decoder that appends one token per instruction, in this page",
          engines: this.site.programs.some((one) => one.fast) ? [NATIVE, LIFTED] : [NATIVE],
          languages: { ...this.site.compiler.languages, wasm: "WebAssembly, binary" },
          takes: ["invoke", "args", "stdin"],
          missing: "",
          breaks: true,
        },
      ],
      examples: this.site.programs.map((one) => one.example),
      limits: {},
      tasks: {},
      cannot_learn: "this page runs programs; learning needs the studio itself: transputer studio",
    };
  }

  async run(job: Job): Promise<Status> {
    const healthy = job.broken ? this.healthyRun(job) : null;
    const run = (this.begun += 1);
    await this.cancel();
    let program: ProgramData;
    try {
      program = healthy?.running.program ?? (await this.program(job));
    } catch (error) {
      if (!(error instanceof NotCompiled)) throw error;
      if (run < this.begun) return this.status;
      this.current = null;
      return (this.status = { run, kind: "run", phase: "failed", machine: "trace", watched: 0, problems: error.problems });
    }
    const tape = new Tape(this.site, program);
    const running: Running = { job, program, tape, view: new View(this.site, this.lens, tape), began: 0, limit: STEPS };
    const engine = healthy ? this.damaged(running, job.broken!, healthy.running) : await this.engine(running);
    if (run < this.begun) return this.status; // another run was asked for meanwhile
    const prompt = program.rows ?? bytes(program.prompt);
    engine.append(prompt);
    tape.add(prompt, false);
    this.current = running;
    this.cancelled = false;
    this.status = { run, kind: "run", phase: "running", machine: "trace", steps: 0, watched: 0 };
    running.began = performance.now();
    setTimeout(() => void this.pump(engine, running)); // after the answer
    return this.status;
  }

  /** The engine that a job asks for. */
  private async engine(running: Running): Promise<Decoder> {
    const { job, program } = running;
    if (job.engine !== LIFTED) return this.weights();
    if (!program.fast) throw new Refused(`lifted code comes with exported programs only; choose the engine "${NATIVE}" for this one`, 0);
    running.limit = FAST_STEPS;
    return new FastEngine(await WebAssembly.compile(bytes(program.fast)), this.site.model.parts.length);
  }

  private async weights(): Promise<Decoder> {
    this.compiled ??= WebAssembly.compile(bytes(this.site.engine));
    return new Engine(await this.compiled, this.site);
  }

  /** The healthy run of a job whose weights are to be broken. */
  private healthyRun(job: Job) {
    const before = this.healthy?.running.job;
    const key = ({ source, invoke, args, stdin, played }: Job) => JSON.stringify([source, invoke, args, stdin, played ?? false]);
    if (!before || key(before) !== key(job)) throw new Refused("run the program on healthy weights first, to its end", 0);
    return this.healthy!;
  }

  /** An engine with a part of the weights broken. */
  private damaged(running: Running, damage: Damage, healthy: Running): Decoder {
    const found = broken(this.site.model, damage);
    if (!found) throw new Refused(`there is no head and no group of neurons ${damage.part}`, 0);
    const lens = new Lens(found.model);
    running.view = new View(this.site, lens, running.tape);
    running.broken = { ...damage, title: found.title, first: null };
    running.limit = mostSteps(healthy.tape.steps);
    const status = this.site.model.parts.findIndex((part) => part.name.startsWith("status"));
    return new PlainEngine(lens, this.site.model.parts.length, status);
  }

  /** The program of a job: compiled ahead, or now. */
  async program(job: Job): Promise<ProgramData> {
    return this.site.programs.find((one) => same(one.example, { ...job, stdin: one.example.stdin })) ?? compile(this.site, job);
  }

  /** What the editor shows of a file. */
  readonly opened = opened;

  get loom(): boolean {
    return this.site.loom;
  }

  private tell(change: Partial<Status>): void {
    this.status = { ...this.status, ...change };
    this.heard(this.status);
  }

  /** Run in slices, so that the page stays alive. */
  private async pump(engine: Decoder, running: Running): Promise<void> {
    const { job, tape } = running;
    const left = () => (job.played ? Infinity : running.limit - tape.steps);
    const input = [...new TextEncoder().encode(job.stdin)];
    const { INPUT } = this.site.statuses as { INPUT: number };
    let stopped = "";
    try {
      for (let said = 0; ; ) {
        const end = performance.now() + SLICE;
        while (performance.now() < end && !stopped) {
          const { rows, stopped: ended, skipped, stuck } = engine.run(left(), tape.length < MOST);
          if (skipped) tape.skip(rows, skipped.steps, skipped.instructions);
          else tape.add(rows, true);
          if (left() <= 0) {
            const at = running.limit.toLocaleString("en-US");
            stopped = running.broken ? `${RUNNING} after ${at} steps` : `stopped at the step limit, ${at}`;
          }
          if (stuck && !stopped) engine = await this.handOver(running);
          if (!ended) continue;
          if (tape.now.status !== INPUT) return this.finish(engine, running, "");
          const typed = job.played ? await this.key() : (input.shift() ?? -1);
          if (this.cancelled || running !== this.current) break;
          const answer = tape.answer(null, { status: 0, value: BigInt.asUintN(32, BigInt(typed)) });
          engine.append(answer);
          tape.add(answer, false);
          if (job.played) break;
        }
        if (running !== this.current) return;
        if (this.cancelled) stopped = "cancelled";
        if (stopped) return this.finish(engine, running, stopped);
        if (performance.now() - said > 100) {
          said = performance.now();
          const broken = running.broken && { broken: this.compared(running, RUNNING) };
          this.tell({ phase: "running", steps: tape.recorded, output: tape.output.length, ...broken });
        }
        await new Promise((resolve) => setTimeout(resolve));
      }
    } catch (error) {
      if (running === this.current) this.tell({ phase: "failed", problems: [{ message: error instanceof Error ? error.message : String(error) }] });
    }
  }

  /** The weights, at the same token, where lifted code does not cover the next step. */
  private async handOver(running: Running): Promise<Decoder> {
    const { tape } = running;
    const step = (tape.steps + 1).toLocaleString("en-US");
    if (!tape.complete) throw new Error(`lifted code does not cover step ${step}; choose the engine "${NATIVE}"`);
    const weights = await this.weights();
    weights.append(tape.rows.subarray(0, tape.length * tape.width));
    running.handed = tape.steps;
    running.limit = STEPS;
    return weights;
  }

  /** The next key, or 0 if none comes in time. */
  private key(): Promise<number> {
    const began = performance.now();
    return new Promise((resolve) => {
      const ask = () => {
        const late = performance.now() - began >= PACE;
        if (late || this.cancelled) resolve(this.keys.shift() ?? 0);
        else setTimeout(ask, 10);
      };
      ask();
    });
  }

  /** What was written so far; the page shows it while a program is played. */
  get screen(): number[] {
    return this.current?.tape.output ?? [];
  }

  get steps(): number {
    return this.current?.tape.steps ?? 0;
  }

  /** What takes the steps. */
  get means(): string {
    return this.current?.job.engine === LIFTED ? "steps by lifted code" : "forward passes of the transformer";
  }

  private finish(engine: Decoder, running: Running, stopped: string): void {
    const { program, tape, view } = running;
    const seconds = (performance.now() - running.began) / 1000;
    const cut = tape.complete ? "" : `recorded up to step ${tape.recorded.toLocaleString("en-US")}`;
    const unknown = stopped ? "" : this.unknown(tape);
    const result = stopped || unknown ? null : this.result(engine, running, seconds);
    const text = result ? (result.results as string[]) : [];
    const outcome = outcomeOf(result, text, stopped || unknown, tape.steps);
    if (!running.broken && result) this.healthy = { running, outcome };
    this.tell({
      phase: "done",
      steps: tape.recorded,
      output: tape.output.length,
      seconds,
      stopped: stopped || unknown,
      message: cut,
      result,
      text,
      about: { edits: 0 },
      code: {
        functions: program.functions.map(([pc, name]) => ({ name, pc })),
        stops: [...new Set(program.lines.flatMap((line) => (line && line[0] === program.example.title ? [line[1]] : [])))],
        memory: program.memory !== null,
        first_memory: view.firstMemory(),
      },
      ...(running.broken && { broken: this.compared(running, outcome) }),
    });
    if (result) void this.hashed(running, result);
  }

  /** Add the hash of all tokens to the result of a run. */
  private async hashed(running: Running, result: Result): Promise<void> {
    const trace_sha256 = await running.tape.digest();
    if (trace_sha256 && running === this.current) this.tell({ result: { ...result, trace_sha256 } });
  }

  /** What a broken model asks for that no host can do. */
  private unknown({ now }: Tape): string {
    const { DONE, EXIT, TRAPS } = this.site.statuses as Record<string, number>;
    const known = now.status === DONE || now.status === EXIT || this.site.traps[now.status - TRAPS!] !== undefined;
    return known ? "" : `ended with status ${now.status}, which means nothing`;
  }

  /** A run on broken weights beside the healthy one. */
  private compared({ broken, tape }: Running, outcome: string): Broken {
    const { running, outcome: healthy } = this.healthy!;
    broken!.first ??= firstDifference(running.tape, tape, outcome !== RUNNING);
    return { ...broken!, healthy, broken: outcome };
  }

  private result(engine: Decoder, running: Running, seconds: number): Result {
    const { program, tape, handed } = running;
    const now = tape.now;
    const { statuses, traps } = this.site;
    const trap = traps[now.status - statuses.TRAPS!] ?? null;
    const types = program.untyped ? Array.from({ length: now.sp }, () => "i32") : program.results;
    const word = (i: number) => (tape.complete ? undefined : engine.word?.(i)) ?? tape.left(i);
    const exit = now.status === statuses.EXIT ? Number(now.value) : program.exits ? Number(BigInt.asIntN(32, word(0))) : 0;
    const none = trap !== null || now.status === statuses.EXIT || program.exits;
    return {
      results: none ? [] : types.map((type, i) => printed(word(i), type)),
      exit_code: trap ? 134 : exit & 0xff,
      trap,
      steps: tape.steps,
      instructions: tape.instructions,
      seconds,
      machine: "trace",
      engine: handed === undefined ? engine.name : `lifted up to step ${handed.toLocaleString("en-US")}, then ${engine.name}`,
    };
  }

  async cancel(): Promise<Status> {
    this.cancelled = true;
    await new Promise((resolve) => setTimeout(resolve, SLICE));
    return this.status;
  }

  async look(step: number, address: number): Promise<Look> {
    if (!this.current) throw new Refused("run the program first", 0);
    const { tape, view, broken } = this.current;
    const shown = view.look(Math.min(step, tape.recorded + 1), address);
    return broken ? { ...shown, beside: this.beside(step) } : shown;
  }

  /** The same step of the healthy run. */
  private beside(step: number) {
    const { tape, view } = this.healthy!.running;
    const at = Math.min(step, tape.recorded + 1);
    const { ended, instruction, writes } = view.step(at);
    return { step: at, ended, instruction, writes, output: view.outputAt(at) };
  }

  async search(step: number, how: string, breaks: Spot[]): Promise<{ step: number; stopped_at: string | null }> {
    const { tape, view } = this.current!;
    return found(tape.recorded + 1, (at) => view.place(at), step, how, breaks);
  }

  learn(): Promise<Status> {
    return Promise.reject(new Refused("learning needs the studio itself: transputer studio", 0));
  }

  async learned(): Promise<Seen[]> {
    return [];
  }

  listen(heard: (status: Status) => void, connected: (yes: boolean) => void): void {
    this.heard = heard;
    connected(true);
  }
}

/** The first step whose token differs; null if all are equal, or if one has not `ended` before any differs. */
function firstDifference(one: Tape, two: Tape, ended: boolean): number | null {
  const size = Math.min(one.length, two.length) * one.width;
  for (let i = 0; i < size; i++) {
    if (one.rows[i] !== two.rows[i]) return one.stepAt(Math.floor(i / one.width)); // all before it is the same in both
  }
  return !ended || one.steps === two.steps ? null : Math.min(one.recorded, two.recorded) + 1;
}

/** What a run came to, as `runtime/broken.py` says it. */
function outcomeOf(result: Result | null, text: string[], stopped: string, steps: number): string {
  if (!result) return stopped;
  const value = result.trap ? `trap: ${result.trap}` : text.join(" ") || `exit code ${result.exit_code}`;
  return `${value} after ${steps.toLocaleString("en-US")} steps`;
}

/** A result as the command line prints it. */
function printed(bits: bigint, type: string): string {
  if (type === "i64") return String(BigInt.asIntN(64, bits));
  const data = new DataView(new ArrayBuffer(8));
  data.setBigUint64(0, bits, true);
  if (type === "f64") return String(data.getFloat64(0, true));
  if (type === "f32") return String(data.getFloat32(0, true));
  return String(BigInt.asIntN(32, bits));
}
