/** One forward pass from the weights: what each head attended to, and the fields of each layer. */

import type { HeadHint, ModelData, Nonzeros } from "./data";

/** A sparse matrix. */
class Matrix {
  constructor(readonly data: Nonzeros) {}

  get rows(): number {
    return this.data[0];
  }

  times(x: Float64Array): Float64Array {
    const [count, , rows, columns, values] = this.data;
    const y = new Float64Array(count);
    for (let i = 0; i < rows.length; i++) y[rows[i]!]! += values[i]! * x[columns[i]!]!;
    return y;
  }

  /** The largest sum of absolute products of a row. */
  load(x: Float64Array): number {
    const [count, , rows, columns, values] = this.data;
    const y = new Float64Array(count);
    for (let i = 0; i < rows.length; i++) y[rows[i]!]! += Math.abs(values[i]! * x[columns[i]!]!);
    return y.reduce((most, sum) => Math.max(most, sum), 0);
  }

  each(visit: (row: number, column: number, value: number) => void): void {
    const [, , rows, columns, values] = this.data;
    for (let i = 0; i < rows.length; i++) visit(rows[i]!, columns[i]!, values[i]!);
  }
}

/** A linear form of tokens: a constant, a slope per position, and a table per part. */
class Linear {
  private readonly constant: Float64Array;
  private readonly slope: Float64Array;
  private readonly tables: { part: number; table: Float64Array; size: number; touched: number[] }[] = [];

  constructor(model: Model, private readonly matrix: Matrix) {
    this.constant = matrix.times(model.bias);
    this.slope = matrix.times(model.position);
    const by = new Map<number, [number, number][]>();
    matrix.each((row, lane, value) => by.set(lane, [...(by.get(lane) ?? []), [row, value]]));
    model.data.embeddings.forEach((data, part) => {
      const table = new Float64Array(data[0] * matrix.rows);
      const touched = new Set<number>();
      new Matrix(data).each((value, lane, weight) => {
        for (const [row, factor] of by.get(lane) ?? []) {
          table[value * matrix.rows + row]! += weight * factor;
          touched.add(row);
        }
      });
      if (touched.size) this.tables.push({ part, table, size: data[0], touched: [...touched] });
    });
  }

  at(tokens: Uint8Array, parts: number, position: number): Float64Array {
    const y = this.constant.map((c, row) => c + this.slope[row]! * position);
    for (const { part, table } of this.tables) {
      const value = tokens[position * parts + part]!;
      for (let row = 0; row < y.length; row++) y[row]! += table[value * y.length + row]!;
    }
    return y;
  }

  /** The largest sum of absolute products of a query with a token among the first ones. */
  load(query: Float64Array, count: number): number {
    let sum = 0;
    for (let row = 0; row < query.length; row++) {
      this.largest[row] ??= this.tables.reduce((most, { table, size }) => {
        let high = 0;
        for (let value = 0; value < size; value++) high = Math.max(high, Math.abs(table[value * query.length + row]!));
        return most + high;
      }, Math.abs(this.constant[row]!));
      sum += Math.abs(query[row]!) * (this.largest[row]! + Math.abs(this.slope[row]!) * count);
    }
    return sum;
  }

  private readonly largest: number[] = [];

  /** The largest product with a query among the first tokens, the latest of equals; and the second largest. */
  best(query: Float64Array, tokens: Uint8Array, parts: number, count: number): { position: number; score: number; second: number } {
    const rows = this.matrix.rows;
    const dot = (values: Float64Array, from: number, among: number[]) => {
      let sum = 0;
      for (let i = 0; i < among.length; i++) sum += values[from + among[i]!]! * query[among[i]!]!;
      return sum;
    };
    const asked = [...query.keys()].filter((row) => query[row]);
    const constant = dot(this.constant, 0, asked);
    const slope = dot(this.slope, 0, asked);
    const tables = this.tables.flatMap(({ part, table, size, touched }) => {
      const among = touched.filter((row) => query[row]);
      if (!among.length) return [];
      const scores = new Float64Array(size);
      for (let value = 0; value < size; value++) scores[value] = dot(table, value * rows, among);
      return [{ part, scores }];
    });
    let [position, score, second] = [0, -Infinity, -Infinity];
    for (let at = 0; at < count; at++) {
      let sum = constant + slope * at;
      for (let t = 0; t < tables.length; t++) sum += tables[t]!.scores[tokens[at * parts + tables[t]!.part]!]!;
      if (sum >= score) [position, score, second] = [at, sum, score];
      else if (sum > second) second = sum;
    }
    return { position, score, second };
  }
}

class Model {
  readonly bias: Float64Array;
  readonly position: Float64Array;

  constructor(readonly data: ModelData) {
    this.bias = dense(data.bias);
    this.position = dense(data.position);
  }
}

function dense(data: Nonzeros): Float64Array {
  const x = new Float64Array(data[1]);
  new Matrix(data).each((_, column, value) => (x[column] = value));
  return x;
}

export interface Lookup {
  layer: number;
  head: number;
  name: string;
  position: number;
  /** Infinite if there was no other token. */
  margin: number;
  copied: Map<string, number>;
  target: Map<string, number>;
}

interface LayerPass {
  before: Float64Array;
  between: Float64Array;
  winners: { position: number; score: number; second: number }[];
  copied: Float64Array[];
  fired: Float64Array;
}

/** A sum that may round: a model that was broken has left the range in which sums are exact. */
export class Inexact extends Error {}
const EXACT = 2 ** 53;

export interface ForwardPass {
  lookups: Lookup[];
  /** Lanes by name, after the embedding and after each layer. */
  fields: Map<string, number>[];
  passes: LayerPass[];
}

export interface Paths {
  heads: Set<string>;
  lanes: Uint8Array[];
  groups: Map<string, number>[];
}

const ERASE = "erase";

export class Lens {
  private readonly model: Model;
  private readonly parts: number;
  /** Of every part and value: lanes and weights. */
  private readonly embeddings: [number, number][][][];
  private readonly layers;
  private readonly hints: Map<string, HeadHint>;
  private readonly erasers: Uint8Array[];
  private readonly outputs: Matrix[];

  constructor(data: ModelData) {
    this.model = new Model(data);
    this.parts = data.parts.length;
    this.embeddings = data.embeddings.map((one) => {
      const rows: [number, number][][] = [];
      new Matrix(one).each((row, lane, weight) => (rows[row] ??= []).push([lane, weight]));
      return rows;
    });
    this.layers = data.layers.map((layer) => ({
      heads: layer.heads.map((head) => ({
        query: new Matrix(head.query),
        key: new Linear(this.model, new Matrix(head.key)),
        value: new Linear(this.model, new Matrix(head.value)),
        output: new Matrix(head.output),
      })),
      gate: new Matrix(layer.gate),
      value: new Matrix(layer.value),
      out: new Matrix(layer.out),
    }));
    this.outputs = data.outputs.map((one) => new Matrix(one));
    this.hints = new Map(data.hints.heads.map((hint) => [`${hint.layer}.${hint.head}`, hint]));
    this.erasers = this.layers.map((layer) => new Uint8Array(layer.gate.rows));
    for (const hint of data.hints.neurons) {
      if (hint.group === ERASE) this.erasers[hint.layer]!.fill(1, hint.first, hint.first + hint.count);
    }
  }

  /** The pass at a position of some tokens. */
  look(tokens: Uint8Array, position: number): ForwardPass {
    const { x, passes } = this.forward(tokens, position);
    const lookups = passes.flatMap(({ before, winners, copied }, number) =>
      this.layers[number]!.heads.map((head, h) => {
        const { position: at, score, second } = winners[h]!;
        return this.lookup(number, h, at, score - second, copied[h]!, head.query.times(before));
      }),
    );
    const streams = [...passes.map(({ before }) => before), x];
    return { lookups, fields: streams.map((stream, i) => this.named(stream, i - 1)), passes };
  }

  private forward(tokens: Uint8Array, position: number): { x: Float64Array; passes: LayerPass[] } {
    let x = this.model.bias.map((b, lane) => b + this.model.position[lane]! * position);
    this.embeddings.forEach((rows, part) => {
      for (const [lane, weight] of rows[tokens[position * this.parts + part]!] ?? []) x[lane]! += weight;
    });
    const passes = this.layers.map((layer) => {
      const before = x;
      const between = x.slice();
      const winners = layer.heads.map((head) => head.key.best(head.query.times(before), tokens, this.parts, position + 1));
      const copied = layer.heads.map((head, h) => head.value.at(tokens, this.parts, winners[h]!.position));
      layer.heads.forEach((head, h) => head.output.times(copied[h]!).forEach((y, lane) => (between[lane]! += y)));
      const gates = layer.gate.times(between);
      const fired = layer.value.times(between).map((value, n) => Math.max(gates[n]!, 0) * value);
      x = layer.out.times(fired).map((y, lane) => y + between[lane]!);
      return { before, between, winners, copied, fired };
    });
    return { x, passes };
  }

  /** The token after a position, a byte per part: of every part the first value with the largest output. */
  next(tokens: Uint8Array, position: number): Uint8Array {
    const { x, passes } = this.forward(tokens, position);
    this.check(passes, position);
    return Uint8Array.from(this.outputs, (table) => {
      if (table.load(x) >= EXACT) throw new Inexact();
      const scores = table.times(x);
      return scores.indexOf(scores.reduce((most, score) => Math.max(most, score)));
    });
  }

  private check(passes: LayerPass[], position: number): void {
    passes.forEach(({ before, between, copied, fired }, number) => {
      const { heads, gate, value, out } = this.layers[number]!;
      const loads = heads.flatMap(({ query, key, output }, h) => [
        query.load(before), key.load(query.times(before), position), output.load(copied[h]!),
      ]);
      if (Math.max(...loads, gate.load(between), value.load(between), out.load(fired)) >= EXACT) throw new Inexact();
    });
  }

  private lookup(layer: number, head: number, position: number, margin: number, value: Float64Array, query: Float64Array): Lookup {
    const hint = this.hints.get(`${layer}.${head}`)!;
    const copied = new Map(hint.values.flatMap((name, i) => (value[i] ? [[name, value[i]!] as const] : [])));
    const squares = hint.key.findIndex((name) => name.startsWith("-|"));
    const target = new Map<string, number>();
    if (squares >= 0 && query[squares]! > 0) {
      hint.key.slice(0, squares).forEach((name, i) => target.set(name, Math.trunc(query[i]! / (2 * query[squares]!))));
    }
    return { layer, head, name: hint.name, position, margin, copied, target };
  }

  private named(x: Float64Array, layer: number): Map<string, number> {
    const lanes = new Map<string, number>();
    for (const lane of this.model.data.hints.lanes) {
      if (lane.from <= 2 * layer + 1 && lane.to > layer && x[lane.lane]) lanes.set(lane.name, x[lane.lane]!);
    }
    return lanes;
  }

  /** What has a path to the next token, or to its parts that belong to some fields. */
  paths(forward: ForwardPass, fields: string[] = []): Paths {
    let live = new Uint8Array(this.model.data.width);
    this.model.data.parts.forEach((part, i) => {
      if (fields.length && !fields.includes(part.name.replace(/[0-9]+$/, ""))) return;
      this.outputs[i]!.each((_, lane) => (live[lane] = 1));
    });
    const paths: Paths = { heads: new Set(), lanes: [live], groups: [] };
    for (let number = this.layers.length - 1; number >= 0; number--) {
      const [layer, pass, erasers] = [this.layers[number]!, forward.passes[number]!, this.erasers[number]!];
      const after = live;
      const firing = new Uint8Array(pass.fired.length);
      live = live.slice();
      layer.out.each((lane, neuron) => {
        if (pass.fired[neuron] && after[lane] && !erasers[neuron]) firing[neuron] = 1;
      });
      layer.out.each((lane, neuron) => {
        if (pass.fired[neuron] && erasers[neuron]) live[lane] = 0;
      });
      for (const matrix of [layer.gate, layer.value]) {
        matrix.each((neuron, lane) => {
          if (firing[neuron] && pass.between[lane]) live[lane] = 1;
        });
      }
      paths.groups.unshift(this.firing(number, firing));
      const reached = layer.heads.map((head, h) => ({ head, h, adds: head.output.times(pass.copied[h]!) }));
      for (const { head, h, adds } of reached) {
        if (!adds.some((y, lane) => y && live[lane])) continue;
        paths.heads.add(`${number}.${h}`);
        head.query.each((_, lane) => {
          if (pass.before[lane]) live[lane] = 1;
        });
      }
      paths.lanes.unshift(live);
    }
    return paths;
  }

  private firing(layer: number, firing: Uint8Array): Map<string, number> {
    const groups = new Map<string, number>();
    for (const hint of this.model.data.hints.neurons) {
      if (hint.layer !== layer || hint.group === ERASE) continue;
      const count = firing.subarray(hint.first, hint.first + hint.count).reduce((sum, one) => sum + one, 0);
      if (count) groups.set(hint.group, count);
    }
    return groups;
  }

  /** The names of the lanes with a path, after the embedding and after each layer. */
  liveLanes(paths: Paths): Set<string>[] {
    return paths.lanes.map((mask, i) => {
      const lanes = this.model.data.hints.lanes.filter((lane) => lane.from <= 2 * i - 1 && lane.to > i - 1 && mask[lane.lane]);
      return new Set(lanes.map((lane) => lane.name));
    });
  }
}
