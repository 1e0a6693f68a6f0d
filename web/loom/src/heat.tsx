/** The state matrix as a map: rows down, columns across, column 0 in front and wide. */

import { useEffect, useRef } from "preact/hooks";
import { effect, signal } from "@preact/signals";
import type { Layout, State } from "./machine";
import { LAYERS } from "./layers";
import { slotName } from "./listing";
import { theme } from "../../shared/theme";
import { hovered, layers, layout, program, seen } from "./store";

/** A colour as a pixel of a little-endian machine has it. */
const pixel = (red: number, green: number, blue: number) => (255 << 24) | (blue << 16) | (green << 8) | red;
const PALETTE = {
  dark: { zero: pixel(24, 28, 39), low: pixel(58, 68, 148), high: pixel(245, 180, 84), far: pixel(255, 236, 200), lit: pixel(255, 111, 125) },
  light: { zero: pixel(240, 238, 232), low: pixel(158, 168, 232), high: pixel(206, 128, 18), far: pixel(92, 50, 0), lit: pixel(207, 47, 69) },
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
  const { zero, low, high, far, lit } = PALETTE[theme.value];
  const across = to - from;
  if (canvas.width !== across || canvas.height !== rows.length) [canvas.width, canvas.height] = [across, rows.length];
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(across, rows.length);
  const pixels = new Int32Array(image.data.buffer);
  for (let y = 0; y < rows.length; y++) {
    const row = rows[y]!;
    if (row < 0) continue;
    for (let x = 0, at = from * held.width + row; x < across; x++, at += held.width) {
      const value = state[at]!;
      const changed = old !== null && old[at] !== value;
      pixels[y * across + x] = changed ? lit : value === 0 ? zero : value === -1 ? low : value === 1 ? high : far;
    }
  }
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
