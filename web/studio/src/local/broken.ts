/** Weights broken on purpose, as `debugger/damage.py` does it; and a run on them, one forward pass at a time. */

import type { Damage } from "../types";
import type { ModelData, Nonzeros } from "./data";
import type { Decoded, Decoder } from "./engine";
import { Inexact, Lens } from "./lens";

/** A broken program may loop: it gets this many times the healthy run's steps, and more steps; but at most so many. */
const [TIMES, MORE, LIMIT] = [2, 2_000, 20_000];
/** Milliseconds of a slice. */
const SLICE = 10;

export const DONE = { zero: "zeroed", negate: "negated" };

export function mostSteps(healthy: number): number {
  return Math.min(LIMIT, Math.max(TIMES * healthy, healthy + MORE));
}

/** The model with everything that a part adds to the residual stream zeroed or negated; null if there is no such part. */
export function broken(model: ModelData, { part, how }: Damage): { model: ModelData; title: string } | null {
  const heads = model.hints.heads.filter((hint) => hint.name === part);
  const groups = model.hints.neurons.filter((hint) => hint.group === part);
  if (!heads.length && !groups.length) return null;
  const factor = how === "zero" ? 0 : -1;
  const layers = model.layers.map((layer, number) => {
    const own = heads.filter((hint) => hint.layer === number).map((hint) => hint.head);
    const mine = heads.length ? [] : groups.filter((hint) => hint.layer === number);
    const hit = (neuron: number) => mine.some(({ first, count }) => neuron >= first && neuron < first + count);
    return {
      ...layer,
      heads: layer.heads.map((head, h) => (own.includes(h) ? { ...head, output: scaled(head.output, factor, () => true) } : head)),
      out: mine.length ? scaled(layer.out, factor, hit) : layer.out,
    };
  });
  return { model: { ...model, layers }, title: `${heads.length ? "head" : "neurons"} ${part} ${DONE[how]}` };
}

function scaled([rows, columns, row, column, value]: Nonzeros, factor: number, hit: (column: number) => boolean): Nonzeros {
  return [rows, columns, row, column, value.map((weight, i) => (hit(column[i]!) ? factor * weight + 0 : weight))];
}

/** Decodes from the weights themselves, without what was derived from them. */
export class PlainEngine implements Decoder {
  readonly name = "plain weights, in JavaScript";
  private rows = new Uint8Array(1 << 16);
  private length = 0;

  constructor(private readonly lens: Lens, private readonly parts: number, private readonly status: number) {}

  append(rows: Uint8Array): void {
    while (this.rows.length < this.length + rows.length) {
      const more = new Uint8Array(2 * this.rows.length);
      more.set(this.rows);
      this.rows = more;
    }
    this.rows.set(rows, this.length);
    this.length += rows.length;
  }

  run(limit: number): Decoded {
    const [first, end] = [this.length, performance.now() + SLICE];
    let stopped = false;
    for (let i = 0; i < limit && !stopped && performance.now() < end; i++) {
      const token = this.next();
      this.append(token);
      stopped = token[this.status] !== 0;
    }
    return { rows: this.rows.slice(first, this.length), stopped };
  }

  private next(): Uint8Array {
    try {
      return this.lens.next(this.rows, this.length / this.parts - 1);
    } catch (error) {
      if (error instanceof Inexact) throw new Error("the broken weights leave the range in which sums are exact: 2^53");
      throw error;
    }
  }
}
