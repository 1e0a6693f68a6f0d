/** Asking the compiler, which works beside the page. */

import type { Problem, Program } from "./machine";

type Made = Program | { problems: Problem[] };
type Waiting = { done: (made: Made) => void; fail: (error: Error) => void };

/** Milliseconds after which a source is given up: most take one second, the first also Python's start. */
const PATIENCE = 120_000;

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let asked = 0;

interface Answer {
  ready?: boolean;
  id?: number;
  made?: string;
  failed?: string;
}

/** End the compiler; the next source starts it again. */
function giveUp(reason: Error): void {
  worker?.terminate();
  worker = undefined;
  for (const one of waiting.values()) one.fail(reason);
  waiting.clear();
}

function hear({ data }: MessageEvent<Answer>): void {
  if (data.id === undefined) {
    if (data.failed) giveUp(new Error(`the compiler does not start: ${data.failed}`));
    return;
  }
  const one = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.made !== undefined) one?.done(JSON.parse(data.made) as Made);
  else one?.fail(new Error(data.failed));
}

/** Let Python start, before it is needed. */
export function warm(): Worker {
  if (!worker) {
    worker = new Worker(new URL("./compiler.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = hear;
    worker.postMessage({ base: document.baseURI });
  }
  return worker;
}

/** The program of a source, or what is wrong with it. */
export function compile(text: string, bits: number, configs: string[]): Promise<Made> {
  return new Promise((done, fail) => {
    const id = ++asked;
    waiting.set(id, { done, fail });
    setTimeout(() => waiting.has(id) && giveUp(new Error("the compiler took more than two minutes")), PATIENCE);
    warm().postMessage({ id, text, bits, configs });
  });
}
