/** The columns of a looped model around a step: code above, memory below, and whom column 0 meets. */

import { Arc } from "./arc";
import { everyHead, explained, look, shownMachine } from "./store";
import { headPill, slotName } from "./text";
import type { Look, Read, Token } from "./types";

const WIDTH = 560;
const HEIGHT = 238;
const CODE = { y: 10, width: 56, height: 28, gap: 4 };
const SLOT = { y: 172, width: 36, height: 28, gap: 4 };
const WORK = { y: 88, width: 128, height: 32 };
const MOST_CODE = 9;
const MOST_SLOTS = 13;
const MIDDLE = WIDTH / 2;
/** Between the ends of two arcs at one column. */
const APART = 13;

interface Placed {
  token: Token;
  x: number;
  y: number;
  width: number;
  height: number;
}

function row(tokens: Token[], at: typeof CODE): Placed[] {
  const whole = tokens.length * (at.width + at.gap) - at.gap;
  return tokens.map((token, i) => ({
    token,
    x: MIDDLE - whole / 2 + i * (at.width + at.gap),
    y: at.y,
    width: at.width,
    height: at.height,
  }));
}

/** As many as there is room for: those that heads met, and then those next to them. */
function chosen(tokens: Token[], wanted: ReadonlySet<number>, most: number): Token[] {
  const near = (token: Token) => Math.min(...[...wanted].map((at) => Math.abs(at - token.position)), 1e9);
  const kept = [...tokens].sort((a, b) => near(a) - near(b) || a.position - b.position).slice(0, most);
  return kept.sort((a, b) => a.position - b.position);
}

interface Drawn {
  read: Read;
  to: Placed;
  /** Where the arc ends: those of one column stand apart. */
  x: number;
  label: { x: number; y: number };
}

/** Labels on levels of their own where they would lie on each other. */
function labelled(pairs: { read: Read; to: Placed }[]): Drawn[] {
  const taken: { level: number; below: boolean; from: number; to: number }[] = [];
  return pairs.map(({ read, to }) => {
    const x = to.x + to.width / 2;
    const half = headPill(read.head) / 2 + 2;
    const below = to.y > WORK.y;
    let level = 0;
    while (taken.some((t) => t.level === level && t.below === below && t.from < x + half && t.to > x - half)) level += 1;
    taken.push({ level, below, from: x - half, to: x + half });
    const y = below ? to.y - 15 - level * 16 : to.y + to.height + 15 + level * 16;
    const beside = pairs.filter((one) => one.to === to);
    const apart = (beside.findIndex((one) => one.read === read) - (beside.length - 1) / 2) * APART;
    return { read, to, x: x + apart, label: { x: x + apart, y } };
  });
}

function Meeting({ read, to, x, label }: Drawn) {
  const below = to.y > WORK.y;
  const start = below ? WORK.y + WORK.height : WORK.y;
  const end = below ? to.y : to.y + to.height;
  const bend = (start + end) / 2;
  const path = `M ${MIDDLE + (x - MIDDLE) * 0.12} ${start} C ${MIDDLE + (x - MIDDLE) * 0.3} ${bend}, ${x} ${bend}, ${x} ${end}`;
  return <Arc read={read} path={path} tip={{ x, y: end, up: !below }} label={label} />;
}

function told({ position, label, says, kind }: Token): string {
  if (shownMachine.value === "loom") return `Column ${position}, ${label}: ${says}.`;
  return kind === "slot" ? `Register ${label} holds ${says}.` : `An instruction: ${says}.`;
}

function Chip({ placed, now, found }: { placed: Placed; now: boolean; found: boolean }) {
  const { token, x, y, width, height } = placed;
  const slot = token.kind === "slot";
  return (
    <g
      class={`chip ${token.kind} ${now ? "now" : ""} ${found ? "found" : ""}`}
      data-position={token.position}
      transform={`translate(${x} ${y})`}
      onMouseEnter={() => (explained.value = told(token))}
    >
      <rect width={width} height={height} rx={7} />
      <text class="value" x={width / 2} y={height / 2 + 4} text-anchor="middle">
        {(token.short ?? "").slice(0, slot ? 5 : 7)}
      </text>
      {slot && (
        <text class="name" x={width / 2} y={height + 13} text-anchor="middle">
          {slotName(token.label, 6)}
        </text>
      )}
    </g>
  );
}

/** Registers of the soft machine, as slots: behind all columns, which it has none of. */
function registers({ state, tokens }: Look): Token[] {
  const behind = Math.max(0, ...tokens.tokens.map((token) => token.position)) + 1;
  return (state.variables ?? []).slice(0, MOST_SLOTS).map(({ name, value }, i) => ({
    position: behind + i,
    kind: "slot",
    step: null,
    label: name,
    says: value,
    short: value,
  }));
}

export function Columns() {
  const shown = look.value;
  if (!shown) return null;
  const looped = shownMachine.value === "loom";
  const reads = shown.step.reads.filter((r) => (everyHead.value ? r.token > 0 : r.used));
  const wanted = new Set(reads.map((r) => r.token));
  const tokens = shown.tokens.tokens;
  const code = chosen(tokens.filter((t) => t.kind === "code"), new Set([shown.tokens.current]), MOST_CODE);
  const slots = looped ? chosen(tokens.filter((t) => t.kind === "slot"), wanted, MOST_SLOTS) : registers(shown);
  const placed = [...row(code, CODE), ...row(slots, SLOT)];
  const byColumn = new Map(placed.map((p) => [p.token.position, p]));
  const drawn = labelled(
    reads.flatMap((read) => {
      const to = byColumn.get(read.token);
      return to ? [{ read, to }] : [];
    }),
  );
  return (
    <svg
      class="timeline columns"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Step ${shown.step.step}: ${reads.map((r) => r.words).join(" ")}`}
    >
      {placed.map((p) => (
        <Chip
          key={p.token.position}
          placed={p}
          now={p.token.position === shown.tokens.current && !shown.step.ended}
          found={wanted.has(p.token.position)}
        />
      ))}
      {looped && (
        <g
          class="chip work"
          transform={`translate(${MIDDLE - WORK.width / 2} ${WORK.y})`}
          onMouseEnter={() => (explained.value = "Column 0 does the work: it meets other columns, and its rows are the machine's registers.")}
        >
          <rect width={WORK.width} height={WORK.height} rx={8} />
          <text class="value" x={WORK.width / 2} y={WORK.height / 2 + 4} text-anchor="middle">
            column 0
          </text>
        </g>
      )}
      {drawn.map((one) => (
        <Meeting key={one.read.head} {...one} />
      ))}
    </svg>
  );
}
