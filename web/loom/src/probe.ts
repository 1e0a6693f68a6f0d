/** What each layer does in the next step: engines of the first layers alone, on the same state. */

import type { Config, Layout, State } from "./machine";
import { Native, type Weights } from "./native";

export class Probe {
  private readonly engines: Native[];
  /** What the engines hold: all the same, before a step. */
  private held: State;

  constructor(
    private readonly config: Config,
    weights: Weights,
    state: State,
  ) {
    this.held = state.slice();
    this.engines = config.heads.map((_, layer) => new Native(config, weights, state, layer + 1));
  }

  /** The states after each layer of the step that would be made from a state. */
  look(state: State): State[] {
    const moved = this.differing(this.held, state);
    this.held = state.slice();
    return this.engines.map((engine) => {
      this.bring(engine, moved, state);
      engine.run(1);
      const after = engine.state;
      this.bring(engine, this.differing(after, state), state);
      return after;
    });
  }

  /** The columns in which two states differ. */
  private differing(one: State, other: State): number[] {
    const width = this.config.rows.length;
    const found: number[] = [];
    for (let i = 0; i < one.length; i++) {
      if (one[i] === other[i]) continue;
      const column = Math.floor(i / width);
      found.push(column);
      i = (column + 1) * width - 1;
    }
    return found;
  }

  private bring(engine: Native, columns: number[], state: State): void {
    const width = this.config.rows.length;
    for (const column of columns) engine.put(column, state.subarray(column * width, (column + 1) * width));
  }
}

/** A field that a layer changed in a column, or in several. */
export interface Change {
  field: string;
  column: number;
  columns: number;
  before: number[];
  after: number[];
}

/** What differs between two states, by field; the same field of many columns is told once. */
export function changes(layout: Layout, before: State, after: State): Change[] {
  const found: Change[] = [];
  const several = new Map<string, Change>();
  for (let column = 0; column < layout.config.columns; column++) {
    const at = column * layout.width;
    if (same(before, after, at, layout.width)) continue;
    for (const field of layout.fields.keys()) {
      const [old, now] = [layout.values(before, column, field), layout.values(after, column, field)];
      if (old.every((value, i) => value === now[i])) continue;
      const one = { field, column, columns: 1, before: old, after: now };
      const first = column ? several.get(field) : undefined;
      if (first) first.columns++;
      else found.push(one);
      if (column && !first) several.set(field, one);
    }
  }
  return found;
}

function same(a: State, b: State, at: number, count: number): boolean {
  for (let i = at; i < at + count; i++) if (a[i] !== b[i]) return false;
  return true;
}
