/** The state matrix as a map: rows down, columns across, column 0 in front and wide. */

import { useEffect, useRef } from "preact/hooks";
import { effect, signal } from "@preact/signals";
import type { Layout, State } from "./machine";
import { LAYERS } from "./layers";
import { slotName } from "./listing";
import { hovered, layers, layout, program, seen, theme } from "./store";

type Colour = [number, number, number];
const PALETTE: Record<string, { zero: Colour; low: Colour; high: Colour; far: Colour; lit: Colour }> = {
  dark: { zero: [24, 28, 39], low: [58, 68, 148], high: [245, 180, 84], far: [255, 236, 200], lit: [255, 111, 125] },
  light: { zero: [240, 238, 232], low: [158, 168, 232], high: [206, 128, 18], far: [92, 50, 0], lit: [207, 47, 69] },
};

/** Fields that stand together in the map. */
const GROUPS: [string, string[]][] = [
  ["program", ["command_a", "command_b", "command_c"]],
  ["memory", ["memory"]],
  ["subtraction", ["subtrahend", "minuend"]],
  ["instruction", ["a", "b", "c"]],
  ["pc", ["pc"]],
  ["position", ["position"]],
  ["buffers", ["second", "left", "right", "needle", "target"]],
  ["tag", ["tag"]],
  ["flags", ["indicator", "one", "slot", "order", "find", "reach", "flag", "output", "invalid", "outside"]],
];

/** Lines between two groups. */
const GAP = 2;

/** Rows in the order in which they are drawn (-1: none), and where each group begins. */
function order(held: Layout): { rows: number[]; marks: { name: string; at: number; count: number }[] } {
  const rows: number[] = [];
  const marks = GROUPS.map(([name, fields]) => {
    if (rows.length) rows.push(...Array<number>(GAP).fill(-1));
    const at = rows.length;
    for (const field of fields) rows.push(...held.field(field).toReversed());
    return { name, at, count: rows.length - at };
  });
  return { rows, marks };
}

function draw(canvas: HTMLCanvasElement, held: Layout, state: State, old: State | null, from: number, to: number): void {
  const { rows } = order(held);
  const { zero, low, high, far, lit } = PALETTE[theme.value]!;
  canvas.width = to - from;
  canvas.height = rows.length;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(to - from, rows.length);
  for (let column = from; column < to; column++)
    rows.forEach((row, y) => {
      if (row < 0) return;
      const at = column * held.width + row;
      const value = state[at]!;
      const changed = old && old[at] !== value;
      const colour = changed ? lit : value === 0 ? zero : value === -1 ? low : value === 1 ? high : far;
      const pixel = 4 * (y * (to - from) + column - from);
      image.data[pixel] = colour[0];
      image.data[pixel + 1] = colour[1];
      image.data[pixel + 2] = colour[2];
      image.data[pixel + 3] = 255;
    });
  context.putImageData(image, 0, 0);
}

const pointed = signal("");

/** What is under the mouse. */
function point(event: MouseEvent, held: Layout, first: boolean): void {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const { rows } = order(held);
  const row = rows[Math.floor(((event.clientY - box.top) / box.height) * rows.length)];
  const across = Math.floor(((event.clientX - box.left) / box.width) * (held.config.columns - 1)) + 1;
  const column = first ? 0 : across;
  if (row === undefined || row < 0 || !shown) return;
  const slot = column - held.config.scratch;
  const name = slot >= 0 && slot < held.config.memory ? slotName(program.value?.symbols ?? [], slot) || `slot ${slot}` : "";
  const place = column - held.start;
  const what = name || (place >= 0 ? `instruction ${place}` : column ? "scratchpad" : "where the machine works");
  pointed.value = `column ${column} (${what}), ${held.config.rows[row]}: ${shown[column * held.width + row]}`;
}

let shown: State | null = null;
let last: { of: Layout; state: State } | null = null;

export function Heat() {
  const first = useRef<HTMLCanvasElement>(null);
  const rest = useRef<HTMLCanvasElement>(null);
  useEffect(
    () =>
      effect(() => {
        const [held, now, at] = [layout.value, seen.value, hovered.value];
        theme.value;
        if (!held || !now) return;
        const inside = at === null ? undefined : layers.value[at + 1];
        const state = inside ?? now.state;
        const earlier = inside ? layers.value[at!]! : last?.of === held ? last.state : null;
        shown = state;
        draw(first.current!, held, state, earlier, 0, 1);
        draw(rest.current!, held, state, earlier, 1, held.config.columns);
        if (!inside) last = { of: held, state: now.state };
      }),
    [],
  );
  const held = layout.value;
  const { marks, rows } = held ? order(held) : { marks: [], rows: [] };
  const parts: [string, number][] = held
    ? [["scratch", held.config.scratch - 1], ["memory", held.config.memory], ["program", held.config.columns - held.start]]
    : [];
  const at = hovered.value;
  return (
    <section class="panel heat" aria-label="State">
      <header>
        <h2>State</h2>
        <span class="quiet">{held ? `${held.width} rows × ${held.config.columns} columns` : ""}</span>
        <span class="told">{pointed.value || (at === null ? "" : `after layer ${at + 1}, ${LAYERS[at]![0]}`)}</span>
        <span class="legend">
          <i class="minus" /> −1 <i class="none" /> 0 <i class="one" /> 1 <i class="lit" /> changed
        </span>
      </header>
      <div class="map" onMouseLeave={() => (pointed.value = "")}>
        <div class="marks" aria-hidden="true">
          {marks.map((one) => (
            <span key={one.name} style={{ top: `${(100 * one.at) / rows.length}%`, height: `${(100 * one.count) / rows.length}%` }}>
              {one.name}
            </span>
          ))}
        </div>
        <canvas class="first" ref={first} onMouseMove={(e) => held && point(e, held, true)} />
        <canvas class="rest" ref={rest} onMouseMove={(e) => held && point(e, held, false)} />
        <div class="parts" aria-hidden="true">
          {parts.map(([name, count]) => (
            <span key={name} style={{ flexGrow: count }}>
              {name}
            </span>
          ))}
        </div>
      </div>
    </section>
  );
}
