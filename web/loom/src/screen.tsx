/** The program's screen: what its globals are, drawn. */

import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { OWN } from "./demos";
import { bars, grid, rays, sudoku, type Painter } from "./paint";
import { paint } from "./run";
import { theme } from "../../shared/theme";
import { before, demo, global, layout, own, picture, program, seen, stale, tickRate, view } from "./store";

const PAINTERS: Record<string, Painter> = { bars, grid, rays, sudoku };

/** The canvas in the pixels of the display, and its size in those of the page. */
function fit(canvas: HTMLCanvasElement): { g: CanvasRenderingContext2D; width: number; height: number } {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const g = canvas.getContext("2d")!;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
}

/** Colours of the page, by name. */
function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

function draw(canvas: HTMLCanvasElement): void {
  const { g, width, height } = fit(canvas);
  const words = picture.value;
  const read = (name: string) => global(name, words);
  const was = (name: string) => global(name, before.value);
  PAINTERS[view.value]?.({ g, width, height, colour: colours(), read, was, shows: demo.value.shows ?? "", tints: demo.value.tints ?? [] });
}

/** The cell of a square board under the mouse. */
function cell(event: MouseEvent): number {
  const canvas = event.currentTarget as HTMLCanvasElement;
  const side = Math.min(canvas.clientWidth, canvas.clientHeight);
  const count = Math.round(Math.sqrt(global(demo.value.shows ?? "", picture.value).length));
  const x = Math.floor(((event.offsetX - (canvas.clientWidth - side) / 2) / side) * count);
  const y = Math.floor(((event.offsetY - (canvas.clientHeight - side) / 2) / side) * count);
  return x < 0 || y < 0 || x >= count || y >= count ? -1 : y * count + x;
}

function Told() {
  const now = seen.value;
  const result = layout.value && now ? layout.value.signed(now.words[program.value!.result]!) : undefined;
  if (!now?.halted) return null;
  if (now.trap) return <p class="end trap">trap: {now.trap}</p>;
  return tickRate.value || result === undefined ? null : <p class="end">returned {result}</p>;
}

function Text() {
  const now = seen.value;
  return (
    <div class="text">
      <pre>{now?.output || <span class="quiet">no output yet</span>}</pre>
    </div>
  );
}

export function Screen() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = view.value !== "text";
  useEffect(() => {
    if (!drawn) return;
    const again = () => canvas.current && draw(canvas.current);
    const watch = new ResizeObserver(again);
    watch.observe(canvas.current!);
    const end = effect(() => {
      theme.value;
      again();
    });
    return () => (watch.disconnect(), end());
  }, [drawn]);
  const click = (event: MouseEvent) => {
    const at = cell(event);
    if (at >= 0) paint(at);
  };
  return (
    <section class="panel screen" aria-label="Screen">
      <header>
        <h2>{own.value ? OWN.title : demo.value.title}</h2>
        <span class="hint">{stale.value ? "edited: Run compiles it" : own.value ? OWN.hint : demo.value.hint}</span>
      </header>
      <div class="stage">
        {drawn ? <canvas ref={canvas} onClick={click} class={demo.value.paint ? "paintable" : ""} aria-label={demo.value.title} /> : <Text />}
        <Told />
      </div>
    </section>
  );
}
