/** The newcomers' tour: four instructions, one forward pass each. */

import { useEffect } from "preact/hooks";
import { effect } from "@preact/signals";
import { go, look, offer, page, run, status, take, tour } from "./store";
import { number } from "./text";
import type { Look, Read } from "./types";

interface Stop {
  title: string;
  at: string;
  step: number;
  text: (shown: Look) => preact.ComponentChildren;
}

const found = (shown: Look, head: string): Read | undefined => shown.step.reads.find((r) => r.head === head);

const STOPS: Stop[] = [
  {
    title: "Four instructions",
    at: ".editor",
    step: 1,
    text: () => (
      <>
        This function adds 7 to its argument: three instructions, and the <code>return</code> that its end stands for. We call it
        with 35. No interpreter is involved: a decoder-only transformer reads these instructions as tokens and decodes{" "}
        <b>one token per instruction</b>.
      </>
    ),
  },
  {
    title: "The sequence is everything",
    at: ".timeline",
    step: 1,
    text: (shown) => (
      <>
        These chips are tokens. The prompt holds the program, a token each, and the argument. The model has no other memory: what it
        knows, it finds by attention. Token {number(shown.tokens.current)} is about to be decoded.
      </>
    ),
  },
  {
    title: "Fetching is attention",
    at: '.arc[data-head="instruction"]',
    step: 1,
    text: (shown) => {
      const read = found(shown, "instruction");
      return (
        <>
          The head <b>instruction</b> asks for the token of the program at <code>pc</code> {shown.step.pc}. {read?.words} The score is
          a parabola in the address: a wrong one loses by a billion, exactly.
        </>
      );
    },
  },
  {
    title: "Step 1 · local.get",
    at: '.arc[data-head="R"]',
    step: 1,
    text: (shown) => (
      <>
        Head <b>R</b> reads the local. {found(shown, "R")?.words} The token that comes out says it on the stack:{" "}
        <code>{shown.step.writes}</code>.
      </>
    ),
  },
  {
    title: "Step 2 · i32.const",
    at: ".layers",
    step: 2,
    text: (shown) => (
      <>
        Nothing to look up: the constant came with the instruction's token. Every row is a layer, every tile a named field of the
        residual stream that it sets. Out comes <code>{shown.step.writes}</code>.
      </>
    ),
  },
  {
    title: "Step 3 · i32.add",
    at: ".timeline",
    step: 3,
    text: (shown) => (
      <>
        Two heads read the two tokens that were just decoded: <b>S</b> finds {found(shown, "S")?.says}, <b>T</b> finds{" "}
        {found(shown, "T")?.says}. Twelve gated neurons add the bytes and their carries: <code>{shown.step.writes}</code>. Exactly, for
        all 2⁶⁴ pairs.
      </>
    ),
  },
  {
    title: "Step 4 · return",
    at: ".side",
    step: 4,
    text: () => (
      <>
        The head <b>open call</b> finds where the call began. On the right is what the program holds, read off the same tokens: stack,
        locals, calls, memory, output.
      </>
    ),
  },
  {
    title: "42",
    at: ".transport",
    step: 5,
    text: () => (
      <>
        Four forward passes, and the answer is in the last token. The same weights run every program. You can go back as well as
        forward, and stop at lines you click.
      </>
    ),
  },
  {
    title: "Break it yourself",
    at: ".layers",
    step: 3,
    text: () => (
      <>
        Is it really the weights? Leave the tour, click head <b>S</b> in layer 1 and zero it: the program runs again, and 35 + 7
        is 7. The page shows the first step that differs, beside the healthy run.
      </>
    ),
  },
];

/** Load the program, run it, begin. */
export async function startTour(): Promise<void> {
  const index = offer.value?.examples.findIndex((one) => one.title === "Four instructions") ?? -1;
  if (index < 0) return;
  page.value = "debug";
  take(index);
  const before = status.value.run;
  await run();
  await until(() => status.value.run !== before && status.value.phase === "done" && look.value !== null);
  await visit(0);
}

function until(test: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const end: { stop?: () => void } = {};
    end.stop = effect(() => {
      if (test()) {
        resolve();
        queueMicrotask(() => end.stop?.());
      }
    });
  });
}

async function visit(index: number): Promise<void> {
  const stop = STOPS[index];
  if (!stop) {
    tour.value = null;
    return;
  }
  await go(stop.step);
  tour.value = index;
}

export function Tour() {
  const index = tour.value;
  const stop = index === null ? undefined : STOPS[index];
  const shown = look.value;
  useEffect(() => {
    const target = stop && document.querySelector(stop.at);
    target?.classList.add("spot");
    return () => target?.classList.remove("spot");
  });
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (tour.value === null) return;
      if (event.key === "Escape") tour.value = null;
      else if (event.key === "ArrowRight") void visit(tour.value + 1);
      else if (event.key === "ArrowLeft" && tour.value > 0) void visit(tour.value - 1);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", keys, true);
    return () => window.removeEventListener("keydown", keys, true);
  }, []);
  if (index === null || !stop || !shown) return null;
  const low = [".timeline", '.arc[data-head="instruction"]', '.arc[data-head="R"]'].includes(stop.at);
  const place = stop.at === ".side" ? "left" : low ? "low" : stop.at === ".layers" ? "high" : "";
  return (
    <div class={`tour ${place}`} role="dialog" aria-label="Tour">
      <header>
        <span>
          {index + 1} of {STOPS.length}
        </span>
        <button class="close" aria-label="Leave the tour" onClick={() => (tour.value = null)}>
          ×
        </button>
      </header>
      <h2>{stop.title}</h2>
      <p>{stop.text(shown)}</p>
      <footer>
        <button disabled={index === 0} onClick={() => visit(index - 1)}>
          Back
        </button>
        <button class="primary" onClick={() => visit(index + 1)}>
          {index + 1 === STOPS.length ? "Explore" : "Next"}
        </button>
      </footer>
    </div>
  );
}
