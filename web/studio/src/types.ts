/** The JSON that the server speaks; `api/view*.py` write it. What a machine does not have is missing. */

export interface Line {
  file: string;
  number: number;
}

export interface Read {
  head: string;
  layer: number;
  used: boolean;
  token: number;
  step: number | null;
  asked: string;
  says: string;
  kind: string;
  margin: number | null;
  words: string;
}

export interface Step {
  step: number;
  steps: number;
  ended: boolean;
  token: number;
  pc: number;
  phase: number;
  instruction: string;
  source: string;
  function: string;
  line: Line | null;
  reads: Read[];
  writes: string;
  /** What the step does: heads, neurons, result. */
  sentence?: string;
  kind: string;
}

export interface Slot {
  index: number;
  value: number;
  signed: number;
  token: number | null;
}

export interface Call {
  function: string;
  pc: number;
  depth: number;
  line: Line | null;
}

export interface Variable {
  name: string;
  type: string;
  value: string;
  local: boolean;
}

/** Memory in words: of the loom machine's slots, or the soft machine's. */
export interface Words {
  first: number;
  values: number[];
  names: string[];
  touched: number[];
  bits: number;
  /** How many of them a run can begin with otherwise. */
  editable: number;
}

export interface State {
  step: number;
  registers: Record<string, number | string>;
  variables: Variable[];
  stack?: Slot[];
  locals?: Slot[];
  globals?: Slot[];
  calls?: Call[];
  memory?: { address: number; bytes: string };
  touched?: { address: number; count: number } | null;
  words?: Words;
  output: string;
  output_bytes: number;
}

export interface Tile {
  group: string;
  name: string;
  value: number | string;
  new: boolean;
  /** Whether it has a path to the next token. */
  used?: boolean;
}

export interface Layers {
  step: number;
  layers: { name: string; tiles: Tile[]; more?: boolean; groups?: Record<string, number> }[];
}

export interface Token {
  position: number;
  step: number | null;
  kind: string;
  says: string;
  label: string;
  /** What a column shows of itself. */
  short?: string;
}

export interface Tokens {
  step: number;
  current: number;
  last: number;
  tokens: Token[];
}

export interface Look {
  step: Step;
  state: State;
  tokens: Tokens;
  layers: Layers | null;
  /** Of a run on broken weights: the same step of the healthy run. */
  beside?: Beside;
}

export interface Beside {
  step: number;
  ended: boolean;
  instruction: string;
  writes: string;
  output: string;
}

/** A part of the weights, and what is done to it. */
export interface Damage {
  part: string;
  how: "zero" | "negate";
}

/** A run on broken weights beside the healthy one. */
export interface Broken extends Damage {
  title: string;
  /** The first step whose token differs. */
  first: number | null;
  healthy: string;
  broken: string;
}

export interface Problem {
  message: string;
  line?: number;
  column?: number;
  severity?: string;
}

export interface Result {
  results: unknown[];
  exit_code: number;
  trap: string | null;
  steps: number;
  instructions: number;
  seconds: number;
  machine: string;
  engine: string;
  /** SHA-256 of all decoded tokens. */
  trace_sha256?: string;
}

export interface Learned {
  solved: boolean;
  program: string[];
  length: number;
  minimal: boolean | null;
  evaluations: number;
  seconds: number;
  detail: string;
  proof: { facts: string[] } | null;
}

export interface Code {
  functions: { name: string; pc: number }[];
  stops: number[];
  memory: boolean;
  first_memory: number;
  /** How many bytes of memory a run can begin with otherwise. */
  editable?: number;
  config?: string;
}

/** How the program was made; of a question, its plan and what came of it. */
export interface About {
  edits: number;
  plan?: string;
  planner?: string;
  confidence?: number | null;
  numbers?: string[];
  wat?: string;
  answer?: string | null;
  reason?: string | null;
}

export interface Status {
  run: number;
  kind: string | null;
  phase: "none" | "waiting" | "compiling" | "running" | "learning" | "done" | "failed";
  steps?: number;
  output?: number;
  seconds?: number;
  message?: string;
  stopped?: string;
  problems?: Problem[];
  said?: string;
  result?: Result | null;
  text?: string[];
  machine?: string;
  about?: About;
  code?: Code;
  broken?: Broken;
  watched: number;
  learned?: Learned;
}

export interface Example {
  group: string;
  title: string;
  machine: string;
  language: string;
  source: string;
  invoke: string;
  args: string[];
  stdin: string;
}

export interface Machine {
  name: string;
  doc: string;
  engines: string[];
  languages: Record<string, string>;
  /** What a run takes besides its program. */
  takes: string[];
  /** What to install before it can be used. */
  missing: string;
  /** Whether its weights can be broken here. */
  breaks?: boolean;
}

export interface Offer {
  machines: Machine[];
  examples: Example[];
  limits: Record<string, number>;
  tasks: Record<string, string>;
  cannot_learn: string;
}

export interface Seen {
  wave: number;
  update: number;
  updates: number;
  loss: number;
  losses: number[];
  hard: number;
  selectors: number[][];
  program: string[];
}

export interface Spot {
  line: number;
}

/** A run that was recorded for an exported site. */
export interface Recorded {
  example: Example;
  status: Status;
  looks: Look[];
  /** By step: the line it begins in the program (0: none) and how many calls are open. */
  path: { line: number; depth: number }[];
}
