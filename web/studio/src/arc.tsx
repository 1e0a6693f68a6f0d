/** A head's arc: a line that ends at what it found, its name, and its words under the pointer. */

import { explained, go, hovered } from "./store";
import { headColour, headPill } from "./text";
import type { Read } from "./types";

interface Shape {
  read: Read;
  path: string;
  /** Where the tip is, and whether it points up. */
  tip: { x: number; y: number; up?: boolean };
  label: { x: number; y: number };
}

export function Arc({ read, path, tip, label }: Shape) {
  const pill = headPill(read.head);
  const state = hovered.value === read.head ? "lit" : hovered.value ? "dim" : "";
  return (
    <g
      class={`arc ${state}`}
      style={{ color: headColour(read.head) }}
      data-head={read.head}
      data-token={read.token}
      onMouseEnter={() => {
        hovered.value = read.head;
        explained.value = read.words;
      }}
      onMouseLeave={() => (hovered.value = null)}
      onClick={() => read.step && go(read.step)}
    >
      <path class="touch" d={path} />
      <path class="line" d={path} />
      <path class="tip" d={`M ${tip.x} ${tip.y} l -4.5 ${tip.up ? 8.5 : -8.5} h 9 z`} />
      <g transform={`translate(${label.x} ${label.y})`}>
        <rect x={-pill / 2} y={-8} width={pill} height={16} rx={8} />
        <text text-anchor="middle" dy="3.6">
          {read.head}
        </text>
      </g>
    </g>
  );
}
