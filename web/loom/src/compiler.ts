/** Asking the compiler, which works beside the page. */

import type { Problem, Program } from "./machine";

type Made = Program | { problems: Problem[] };
type Waiting = { done: (made: Made) => void; fail: (error: Error) => void };

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let asked = 0;
let broken: Error | undefined;

interface Answer {
  ready?: boolean;
  id?: number;
  made?: string;
  failed?: string;
}

function hear({ data }: MessageEvent<Answer>): void {
  if (data.id === undefined) {
    if (data.failed) {
      broken = new Error(`the compiler does not start: ${data.failed}`);
      for (const one of waiting.values()) one.fail(broken);
      waiting.clear();
    }
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
    if (broken) return fail(broken);
    const id = ++asked;
    waiting.set(id, { done, fail });
    warm().postMessage({ id, text, bits, configs });
  });
}
