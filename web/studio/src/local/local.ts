/** Runs in this page: the engine as WebAssembly on the weights that the page carries. */

import { Refused, found, same, type Job, type Source } from "../source";
import type { Look, Offer, Result, Seen, Spot, Status } from "../types";
import { bytes, unpacked, type ProgramData, type SiteData } from "./data";
import { Engine } from "./engine";
import { Lens } from "./lens";
import { MOST, Tape } from "./tape";
import { View } from "./view";

/** Steps of a run that nobody plays. */
const STEPS = 20_000_000;
/** Milliseconds that a slice of a run takes, and that a program waits for a key. */
const SLICE = 12;
export const PACE = 150;

/** The data of an exported page, if this is one. */
export async function carried(): Promise<SiteData | null> {
  const packed = (globalThis as { TRANSPUTER_SITE?: string }).TRANSPUTER_SITE;
  return packed ? (JSON.parse(await unpacked(packed)) as SiteData) : null;
}

export class Local implements Source {
  readonly live = true;
  readonly local = true;
  /** Bytes that were typed while a program is played. */
  readonly keys: number[] = [];
  private readonly lens: Lens;
  private tape: Tape | null = null;
  private view: View | null = null;
  private status: Status = { run: 0, kind: null, phase: "none", watched: 0 };
  private heard: (status: Status) => void = () => undefined;
  private cancelled = false;
  private compiled: Promise<WebAssembly.Module> | null = null;

  constructor(private readonly site: SiteData) {
    this.lens = new Lens(site);
  }

  async offer(): Promise<Offer> {
    const names = this.site.programs.map((one) => one.example.language);
    return {
      machines: [
        {
          name: "trace",
          doc: "a decoder that appends one token per instruction, in this page",
          engines: ["native, as WebAssembly"],
          languages: Object.fromEntries(names.map((one) => [one, one.toUpperCase()])),
          takes: ["invoke", "args", "stdin"],
          missing: "",
        },
      ],
      examples: this.site.programs.map((one) => one.example),
      limits: {},
      tasks: {},
      cannot_learn: "this page runs programs; learning needs the studio itself: transputer studio",
    };
  }

  async run(job: Job): Promise<Status> {
    const program = this.site.programs.find((one) => same(one.example, { ...job, stdin: one.example.stdin }));
    if (!program) {
      throw new Refused(
        "this page carries a program that was compiled ahead, with its arguments; to compile another one: pip install transputer, then transputer export FILE --to site -o DIR",
        0,
      );
    }
    await this.cancel();
    this.compiled ??= WebAssembly.compile(bytes(this.site.engine));
    const engine = new Engine(await this.compiled, this.site);
    const tape = (this.tape = new Tape(this.site, program));
    this.view = new View(this.site, this.lens, tape);
    const prompt = bytes(program.prompt);
    engine.append(prompt);
    tape.add(prompt, false);
    this.cancelled = false;
    this.status = { run: this.status.run + 1, kind: "run", phase: "running", machine: "trace", steps: 0, watched: 0 };
    setTimeout(() => void this.pump(engine, tape, program, job, performance.now())); // after the answer
    return this.status;
  }

  private tell(change: Partial<Status>): void {
    this.status = { ...this.status, ...change };
    this.heard(this.status);
  }

  /** Run in slices, so that the page stays alive. */
  private async pump(engine: Engine, tape: Tape, program: ProgramData, job: Job, began: number): Promise<void> {
    const input = [...new TextEncoder().encode(job.stdin)];
    const { INPUT } = this.site.statuses as { INPUT: number };
    let stopped = "";
    try {
      for (let said = 0; ; ) {
        const end = performance.now() + SLICE;
        while (performance.now() < end && !stopped) {
          const { rows, stopped: ended } = engine.run(1 << 13);
          tape.add(rows, true);
          if (tape.steps >= STEPS && !job.played) stopped = `stopped at the step limit, ${STEPS.toLocaleString("en-US")}`;
          if (!ended) continue;
          if (tape.now.status !== INPUT) return this.finish(tape, program, "", performance.now() - began);
          const typed = job.played ? await this.key() : (input.shift() ?? -1);
          if (this.cancelled || tape !== this.tape) break;
          const answer = tape.answer(null, { status: 0, value: BigInt.asUintN(32, BigInt(typed)) });
          engine.append(answer);
          tape.add(answer, false);
          if (job.played) break;
        }
        if (tape !== this.tape) return;
        if (this.cancelled) stopped = "cancelled";
        if (stopped) return this.finish(tape, program, stopped, performance.now() - began);
        if (performance.now() - said > 100) {
          said = performance.now();
          this.tell({ phase: "running", steps: tape.recorded, output: tape.output.length });
        }
        await new Promise((resolve) => setTimeout(resolve));
      }
    } catch (error) {
      this.tell({ phase: "failed", problems: [{ message: String(error) }] });
    }
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
    return this.tape?.output ?? [];
  }

  get forwards(): number {
    return this.tape?.steps ?? 0;
  }

  private finish(tape: Tape, program: ProgramData, stopped: string, milliseconds: number): void {
    const cut = tape.steps > tape.recorded ? `recorded up to step ${tape.recorded.toLocaleString("en-US")}` : "";
    const result = stopped ? null : this.result(tape, program, milliseconds / 1000);
    this.tell({
      phase: "done",
      steps: tape.recorded,
      output: tape.output.length,
      seconds: milliseconds / 1000,
      stopped: stopped || cut,
      result,
      text: result ? (result.results as string[]) : [],
      about: { edits: 0 },
      code: {
        functions: program.functions.map(([pc, name]) => ({ name, pc })),
        stops: [...new Set(program.lines.flatMap((line) => (line && line[0] === program.example.title ? [line[1]] : [])))],
        memory: program.memory !== null,
        first_memory: this.view!.firstMemory(),
      },
    });
  }

  private result(tape: Tape, program: ProgramData, seconds: number): Result {
    const now = tape.now;
    const { statuses, traps, spaces } = this.site;
    const trap = traps[now.status - statuses.TRAPS!] ?? null;
    const types = program.untyped ? Array.from({ length: now.sp }, () => "i32") : program.results;
    const position = Math.min(tape.length, MOST) - 1;
    const word = (i: number) => tape.word(spaces.SLOT!, i, position).value;
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
      engine: "native, as WebAssembly",
    };
  }

  async cancel(): Promise<Status> {
    this.cancelled = true;
    await new Promise((resolve) => setTimeout(resolve, SLICE));
    return this.status;
  }

  async look(step: number, address: number): Promise<Look> {
    if (!this.view || !this.tape) throw new Refused("run the program first", 0);
    return this.view.look(Math.min(step, this.tape.recorded + 1), address);
  }

  async search(step: number, how: string, breaks: Spot[]): Promise<{ step: number; stopped_at: string | null }> {
    return found(this.tape!.recorded + 1, (at) => this.view!.place(at), step, how, breaks);
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

/** A result as the command line prints it. */
function printed(bits: bigint, type: string): string {
  if (type === "i64") return String(BigInt.asIntN(64, bits));
  const data = new DataView(new ArrayBuffer(8));
  data.setBigUint64(0, bits, true);
  if (type === "f64") return String(data.getFloat64(0, true));
  if (type === "f32") return String(data.getFloat32(0, true));
  return String(BigInt.asIntN(32, bits));
}
