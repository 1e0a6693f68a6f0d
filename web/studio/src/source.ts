/** Where runs come from: the server, or a recording that was exported. */

import type { Damage, Example, Look, Machine, Offer, Recorded, Seen, Spot, Status } from "./types";

export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export interface Job {
  language: string;
  source: string;
  invoke: string;
  args: string[];
  stdin: string;
  machine: string;
  /** What memory is to begin with, by address. */
  edits: Record<string, number>;
  /** Of C: keep all variables in memory. */
  keep: boolean;
  temperature: number;
  engine: string;
  broken: Damage | null;
  /** Whether keys are typed while it runs. */
  played?: boolean;
}

export interface Source {
  readonly live: boolean;
  offer(): Promise<Offer>;
  run(job: Job): Promise<Status>;
  cancel(): Promise<Status>;
  look(step: number, address: number): Promise<Look>;
  search(step: number, how: string, breaks: Spot[]): Promise<{ step: number; stopped_at: string | null }>;
  learn(task: string, seed: number): Promise<Status>;
  learned(first: number): Promise<Seen[]>;
  listen(heard: (status: Status) => void, connected: (yes: boolean) => void): void;
}

/** A name that nobody else has; the same after the page is loaded again. */
function session(): string {
  const kept = sessionStorage.getItem("session");
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  const made = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  sessionStorage.setItem("session", made);
  return made;
}

export class Server implements Source {
  readonly live = true;
  private readonly name = session();

  private async call<T>(method: string, door: string, body?: object, query = ""): Promise<T> {
    const answer = await fetch(`api/${door}${query}`, {
      method,
      ...(body && { body: JSON.stringify({ session: this.name, ...body }) }),
    });
    const found = await answer.json().catch(() => ({ problem: `the server says ${answer.status}` }));
    if (!answer.ok) throw new Refused(found.problem ?? "the server refused", answer.status);
    return found as T;
  }

  offer = () => this.call<Offer>("GET", "offer");
  run = (job: Job) => this.call<Status>("POST", "run", job);
  cancel = () => this.call<Status>("POST", "cancel", {});
  look = (step: number, address: number) => this.call<Look>("POST", "look", { step, address });
  search = (step: number, how: string, breaks: Spot[]) =>
    this.call<{ step: number; stopped_at: string | null }>("POST", "search", { step, how, breaks });
  learn = (task: string, seed: number) => this.call<Status>("POST", "learn", { task, seed });

  async learned(first: number): Promise<Seen[]> {
    const query = `?session=${encodeURIComponent(this.name)}&first=${first}`;
    return (await this.call<{ watched: Seen[] }>("GET", "learned", undefined, query)).watched;
  }

  listen(heard: (status: Status) => void, connected: (yes: boolean) => void): void {
    const open = () => {
      const events = new EventSource(`api/events?session=${encodeURIComponent(this.name)}`);
      events.onopen = () => connected(true);
      events.onmessage = (event) => heard(JSON.parse(event.data) as Status);
      events.onerror = () => {
        connected(false);
        events.close();
        setTimeout(open, 1000);
      };
    };
    open();
  }
}

const LANGUAGES: Record<string, string> = { c: "C", wat: "WebAssembly", asm: "Assembly", words: "Words", chat: "Conversation" };

/** Answers from what was recorded; what needs a machine is refused. */
export class Recording implements Source {
  readonly live = false;
  private current: Recorded;
  private heard: (status: Status) => void = () => undefined;

  constructor(private readonly runs: Recorded[]) {
    this.current = runs[0]!;
  }

  async offer(): Promise<Offer> {
    const names = [...new Set(this.runs.map((run) => run.example.machine))];
    return {
      machines: names.map((name) => this.machine(name)),
      examples: this.runs.map((run) => run.example),
      limits: {},
      tasks: {},
      cannot_learn: "this is a recording; learning needs the studio itself: transputer studio",
    };
  }

  private machine(name: string): Machine {
    const languages = this.runs.filter((run) => run.example.machine === name).map((run) => run.example.language);
    return {
      name,
      doc: "recorded",
      engines: ["recorded"],
      languages: Object.fromEntries(languages.map((one) => [one, LANGUAGES[one] ?? one])),
      takes: ["invoke", "args", "stdin"],
      missing: "",
    };
  }

  async run(job: Job): Promise<Status> {
    const found = this.runs.find((run) => same(run.example, job));
    if (!found) {
      throw new Refused("this is a recording: it plays what was recorded; install Transputer to run more", 0);
    }
    this.current = found;
    const status = { ...found.status, run: Date.now() };
    setTimeout(() => this.heard(status));
    return status;
  }

  async cancel(): Promise<Status> {
    return this.current.status;
  }

  async look(step: number): Promise<Look> {
    const found = this.current.looks[step - 1];
    if (!found) throw new Refused(`only ${this.current.looks.length} steps were recorded`, 0);
    return found;
  }

  async search(step: number, how: string, breaks: Spot[]): Promise<{ step: number; stopped_at: string | null }> {
    const path = this.current.path;
    return found(path.length, (at) => path[at - 1]!, step, how, breaks);
  }

  learn(): Promise<Status> {
    return Promise.reject(new Refused("learning needs the studio itself", 0));
  }

  async learned(): Promise<Seen[]> {
    return [];
  }

  listen(heard: (status: Status) => void, connected: (yes: boolean) => void): void {
    this.heard = heard;
    connected(true);
  }
}

interface Place {
  line: number;
  depth: number;
}

/** The step that a move leads to, in a run of which the line and the depth of every step are known. */
export function found(
  last: number,
  place: (step: number) => Place,
  step: number,
  how: string,
  breaks: Spot[],
): { step: number; stopped_at: string | null } {
  const ahead = how === "step" || how === "next" || how === "out" || how === "over" || how === "own" || how === "continue";
  if (how === "step" || how === "back") {
    return { step: Math.min(last, Math.max(1, step + (ahead ? 1 : -1))), stopped_at: null };
  }
  const here = place(step);
  const lines = new Set(breaks.map((spot) => spot.line));
  for (let at = step + (ahead ? 1 : -1); at >= 1 && at <= last; at += ahead ? 1 : -1) {
    const { line, depth } = place(at);
    const entered = lines.has(line) && (at < 2 || place(at - 1).line !== line);
    const near = depth < here.depth || (depth === here.depth && line !== here.line);
    const reached =
      ((how === "next" || how === "previous") && line > 0 && near) ||
      (how === "own" && line > 0) ||
      (how === "out" && depth < here.depth) ||
      (how === "over" && depth <= here.depth);
    if (entered) return { step: at, stopped_at: `line ${line}` };
    if (reached) return { step: at, stopped_at: null };
  }
  return { step: ahead ? last : 1, stopped_at: null };
}

export function same(example: Example, job: Job): boolean {
  return (
    example.source === job.source &&
    example.machine === job.machine &&
    !job.broken &&
    Object.keys(job.edits).length === 0 &&
    example.invoke === job.invoke &&
    example.args.join(" ") === job.args.join(" ") &&
    example.stdin === job.stdin
  );
}

/** The recording that an exported site carries (gzip, base64), if this is one. */
export async function recorded(): Promise<Recorded[] | null> {
  const packed = (globalThis as { TRANSPUTER_RUN?: string }).TRANSPUTER_RUN;
  if (!packed) return null;
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as Recorded[];
}
