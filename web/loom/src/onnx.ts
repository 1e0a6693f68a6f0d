/** The ONNX file of one step, run by ONNX Runtime: dense, with a true softmax. */

import type { InferenceSession, Tensor } from "onnxruntime-web";
import { bytes, load, type Config, type State } from "./machine";
import type { Engine } from "./native";

type Runtime = typeof import("onnxruntime-web");
export type Backend = "wasm" | "webgpu";

async function runtime(backend: Backend): Promise<Runtime> {
  const found =
    backend === "webgpu" ? await import("onnxruntime-web/webgpu") : await import("onnxruntime-web/wasm");
  found.env.wasm.numThreads = 1; // more would need a page that is isolated from others
  return found as unknown as Runtime;
}

const sessions = new Map<string, Promise<InferenceSession>>();

function session(ort: Runtime, config: Config, backend: Backend): Promise<InferenceSession> {
  const name = `${backend} ${config.file}`;
  let found = sessions.get(name);
  if (!found) {
    found = load(`${config.file}.onnx`, bytes).then((file) =>
      // Warnings only say which small operations stay on the CPU; level 3 reports errors.
      ort.InferenceSession.create(new Uint8Array(file), { executionProviders: [backend], logSeverityLevel: 3 }),
    );
    found.catch(() => sessions.delete(name));
    sessions.set(name, found);
  }
  return found;
}

export class Onnx implements Engine {
  private stopped = false;

  private constructor(
    private readonly ort: Runtime,
    private readonly session: InferenceSession,
    private readonly config: Config,
    private held: State,
  ) {}

  static async open(config: Config, state: State, backend: Backend): Promise<Onnx> {
    const ort = await runtime(backend);
    return new Onnx(ort, await session(ort, config, backend), config, state.slice());
  }

  get state(): State {
    return this.held.slice();
  }

  get halted(): boolean {
    return this.stopped;
  }

  get written(): number {
    return this.held[this.config.rows.indexOf("output")]!;
  }

  async run(limit: number): Promise<number> {
    for (let made = 0; made < limit; made++) {
      if (this.stopped) return made;
      await this.step();
      if (this.written) return made + 1;
    }
    return limit;
  }

  private async step(): Promise<void> {
    const { columns, exact, rows } = this.config;
    const numbers = new (exact === "float32" ? Float32Array : Float64Array)(this.held.length);
    for (let j = 0; j < columns; j++)
      for (let r = 0; r < rows.length; r++) numbers[r * columns + j] = this.held[j * rows.length + r]!;
    const given = new this.ort.Tensor(exact, numbers as Float32Array, [rows.length, columns]);
    const { next, halted } = (await this.session.run({ state: given })) as { next: Tensor; halted: Tensor };
    const after = next.data as Float32Array | Float64Array;
    for (let j = 0; j < columns; j++)
      for (let r = 0; r < rows.length; r++) this.held[j * rows.length + r] = whole(after[r * columns + j]!);
    this.stopped = Boolean((halted.data as Uint8Array)[0]);
  }

  read(form: State, column: number): number {
    return form.reduce((sum, weight, row) => sum + weight * this.held[column * form.length + row]!, 0);
  }

  put(column: number, values: State): void {
    this.held.set(values, column * this.config.rows.length);
    if (column === 0) this.stopped = false;
  }
}

/** Every number of a state is whole; a device on which one is not cannot be trusted with the rest. */
function whole(value: number): number {
  if (!Number.isInteger(value)) throw new Error(`this device is not exact: it computed ${value}, which is not a whole number`);
  return value;
}
