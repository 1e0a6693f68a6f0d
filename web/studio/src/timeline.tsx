/** The tokens around a step, and an arc for each head that its instruction uses. */

import { Arc } from "./arc";
import { answered, everyHead, explained, go, language, look, shownMachine, status } from "./store";
import { brief, number } from "./text";
import type { Read, Step, Token } from "./types";

const WIDTH = 560;
const ARCS = 112;
const CHIP = 32;
const GAP = 6;
const FAR = 46;
const HEIGHT = 238;
/** Room for the mark between tokens far away and near. */
const BREAK = 24;
/** Room for the names of what stands first. */
const LEFT = 26;
const BASE = ARCS + 12;

interface Placed extends Token {
  x: number;
  far: boolean;
}

/** As many tokens around the step as there is room for; others that heads found come first, apart. */
export function placed(tokens: Token[], current: number, wanted: ReadonlySet<number>): Placed[] {
  const after = tokens.filter((t) => t.position > current).slice(0, 2);
  let near: Token[] = [];
  let far: Token[] = [];
  for (let apart = 0; ; apart = far.length) {
    const room = WIDTH - 16 - (apart ? LEFT : 0) - apart * (FAR + GAP) - (apart ? BREAK : 0);
    const first = current + after.length + 1 - Math.max(2 + after.length, Math.floor((room + GAP) / (CHIP + GAP)));
    near = tokens.filter((t) => t.position >= first && t.position <= current + after.length);
    far = tokens.filter((t) => t.position < first && wanted.has(t.position));
    if (far.length <= apart) break;
  }
  let x = far.length ? 8 + LEFT : 8;
  const made: Placed[] = far.map((t) => {
    const one = { ...t, x, far: true };
    x += FAR + GAP;
    return one;
  });
  x = Math.max(x + (far.length ? BREAK : 0), WIDTH - 8 - near.length * (CHIP + GAP) + GAP);
  for (const t of near) {
    made.push({ ...t, x, far: false });
    x += CHIP + GAP;
  }
  return made;
}

function middle(token: Placed): number {
  return token.x + (token.far ? FAR : CHIP) / 2;
}

/** From one token to another, higher the more heads there are. */
function across(read: Read, from: Placed, to: Placed, rank: number, of: number) {
  const a = middle(to);
  const b = middle(from);
  const most = Math.min(ARCS - 12, 44 + of * 16 + Math.abs(b - a) * 0.08);
  const reach = of < 2 ? Math.min(ARCS - 30, 30 + Math.abs(b - a) * 0.2) : 32 + ((most - 32) * rank) / (of - 1);
  const top = BASE - reach * 1.33;
  const path = `M ${b} ${BASE - 4} C ${b} ${top}, ${a} ${top}, ${a} ${BASE - 7}`;
  return { read, path, tip: { x: a, y: BASE }, label: { x: (a + b) / 2, y: BASE - reach - 3 } };
}

/** From a token to itself. */
function around(read: Read, at: Placed, rank: number) {
  const x = middle(at);
  const rise = 32 + rank * 12;
  const path = `M ${x + 6} ${BASE - 3} c 14 -${rise}, -26 -${rise}, -11 -3`;
  return { read, path, tip: { x: x - 5, y: BASE }, label: { x, y: BASE - 34 - rank * 14 } };
}

export function Timeline() {
  const shown = look.value;
  if (!shown) return null;
  const reads = shown.step.reads.filter((r) => everyHead.value || r.used);
  const wanted = new Set(reads.map((r) => r.token));
  const tokens = placed(shown.tokens.tokens, shown.tokens.current, wanted);
  const here = tokens.find((t) => t.position === shown.tokens.current - 1);
  const made = tokens.find((t) => t.position === shown.tokens.current);
  const firstNear = tokens.find((t) => !t.far);
  const byToken = new Map(tokens.map((t) => [t.position, t]));
  const drawn = reads
    .flatMap((read) => {
      const to = byToken.get(read.token);
      return to && to !== here ? [{ read, to }] : [];
    })
    .sort((a, b) => b.to.x - a.to.x);
  return (
    <svg
      class="timeline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Attention of step ${shown.step.step}: ${reads.map((r) => r.words).join(" ")}`}
    >
      {firstNear && tokens[0]?.far && (
        <g class="gap">
          <line x1={firstNear.x - 17} x2={firstNear.x - 17} y1={BASE - 6} y2={BASE + CHIP + 6} />
          <line x1={firstNear.x - 12} x2={firstNear.x - 12} y1={BASE - 6} y2={BASE + CHIP + 6} />
        </g>
      )}
      {tokens.map((token) => {
        const now = token.position === shown.tokens.current - 1;
        const next = token === made;
        const width = token.far ? FAR : CHIP;
        const kinds = `chip ${token.kind} ${now ? "now" : ""} ${next ? "next" : ""} ${
          token.position > shown.tokens.current ? "later" : ""
        } ${wanted.has(token.position) ? "found" : ""}`;
        return (
          <g
            key={token.position}
            class={kinds}
            data-position={token.position}
            transform={`translate(${token.x} ${BASE})`}
            onMouseEnter={() =>
              (explained.value =
                `Token ${number(token.position)}` +
                (token.step ? `, decoded in step ${number(token.step)}` : ", part of the prompt") +
                (token.label ? ` by ${token.label}` : "") +
                `: ${token.says || "only a new state"}.`)
            }
            onClick={() => token.step && go(token.step + 1)}
          >
            <rect width={width} height={CHIP} rx={7} />
            <text class="value" x={width / 2} y={CHIP / 2 + 4} text-anchor="middle">
              {token.short ? token.short : token.kind === "sentinel" ? "∅" : token.far && token.kind === "code" ? "code" : brief(token.says) || (token.kind === "state" ? "·" : token.kind.slice(0, 5))}
            </text>
            <text class="name" transform={`translate(${width / 2 + 3} ${CHIP + 14}) rotate(-48)`} text-anchor="end">
              {(token.label || token.kind).slice(0, 15)}
            </text>
          </g>
        );
      })}
      {here && drawn.map(({ read, to }, rank) => <Arc key={read.head} {...across(read, here, to, rank, drawn.length)} />)}
      {here &&
        reads
          .filter((read) => read.token === here.position)
          .map((read, rank) => <Arc key={read.head} {...around(read, here, rank)} />)}
    </svg>
  );
}

/** How the run came to its end. */
function ending(step: Step): string {
  const { result, stopped } = status.value;
  const passes = shownMachine.value === "soft" ? "steps" : "forward passes";
  const made = `${number(step.step - 1)} ${passes}`;
  if (stopped) return `After ${made}: ${stopped}.`;
  if (!result) return "";
  const answer = answered();
  const how = result.trap ? `a trap ended it: ${result.trap}` : answer ? `the answer is ${answer}` : `it ended with exit code ${result.exit_code}`;
  return `${made} for ${number(result.instructions)} instructions, and ${how}. Go back with the keys below.`;
}

function summed(step: Step): string {
  if (step.ended) return ending(step);
  const { file } = step.line ?? {};
  const begins = shownMachine.value === "trace" && step.step === 1 && !file?.startsWith("program.");
  if (begins && language.value === "c") {
    return "The run begins before your program: what calls main comes first. Next line (N) goes to your first line.";
  }
  if (step.sentence) return step.sentence;
  if (!step.reads.length) return `One step of the hard path: ${step.instruction}. Point at a place or a chance.`;
  const used = step.reads.filter((r) => r.used).length;
  return `One forward pass: ${used} of ${step.reads.length} heads matter to ${step.instruction}. Point at an arc, a ${UNITS[shownMachine.value] ?? "token"} or a field.`;
}

const UNITS: Record<string, string> = { trace: "token", loom: "column" };

/** What is under the pointer, in words; the step itself where nothing is. */
export function Explain() {
  const step = look.value?.step;
  const said = explained.value;
  return (
    <p class="explain" aria-live="polite">
      {said || (step ? summed(step) : "")}
    </p>
  );
}
