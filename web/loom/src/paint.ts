/** Painters: from the words of globals to pictures. */

export interface Easel {
  g: CanvasRenderingContext2D;
  width: number;
  height: number;
  colour: (name: string) => string;
  /** The words of a global, signed; none if the program has no such global. */
  read: (name: string) => number[];
  /** The same as it was shown before. */
  was: (name: string) => number[];
  shows: string;
  tints: string[];
}

export type Painter = (easel: Easel) => void;

/** An array as bars; what was just written is lit. */
export const bars: Painter = ({ g, width, height, colour, read, was, shows }) => {
  const [values, old] = [read(shows), was(shows)];
  if (!values.length) return;
  const low = Math.min(0, ...values);
  const high = Math.max(1, ...values);
  const each = (width - 32) / values.length;
  const unit = (height - 44) / (high - low);
  const base = 16 + high * unit;
  const gap = Math.min(6, each / 5);
  g.font = "600 11px ui-monospace, monospace";
  g.textAlign = "center";
  values.forEach((value, i) => {
    const tall = Math.max(2, Math.abs(value) * unit);
    const changed = old.length > 0 && old[i] !== value;
    g.fillStyle = changed ? colour("amber") : colour(value < 0 ? "rose" : "indigo");
    g.beginPath();
    g.roundRect(16 + i * each + gap / 2, value < 0 ? base : base - tall, each - gap, tall, Math.min(4, each / 4));
    g.fill();
    if (each < 15) return;
    g.fillStyle = colour(changed ? "amber" : "soft");
    g.fillText(String(value), 16 + (i + 0.5) * each, height - 8);
  });
};

/** A square in the middle of the canvas. */
function square({ width, height }: Easel): { side: number; left: number; top: number } {
  const side = Math.min(width, height) - 16;
  return { side, left: (width - side) / 2, top: (height - side) / 2 };
}

/** A board of cells, each in the colour of its word. */
export const grid: Painter = (easel) => {
  const { g, colour, read, shows, tints } = easel;
  const cells = read(shows);
  const count = Math.round(Math.sqrt(cells.length));
  if (!count) return;
  const { side, left, top } = square(easel);
  const each = side / count;
  cells.forEach((value, i) => {
    const [x, y] = [left + (i % count) * each, top + Math.floor(i / count) * each];
    g.fillStyle = colour(tints[value] ?? "violet");
    g.beginPath();
    g.roundRect(x + 1.5, y + 1.5, each - 3, each - 3, tints[value] === "rose" ? each / 2 : 6);
    g.fill();
  });
  scores(easel, left + side + 18, top + 6);
};

/** Scores beside a board. */
function scores({ g, width, colour, read }: Easel, x: number, y: number): void {
  if (x > width - 70) return;
  g.textAlign = "left";
  g.textBaseline = "top";
  for (const name of ["score", "health"]) {
    const [value] = read(name);
    if (value === undefined) continue;
    y = label(g, colour, name, String(value), x, y);
  }
  const [alive] = read("alive");
  if (alive !== 0) return;
  g.font = "650 15px ui-sans-serif, system-ui";
  g.fillStyle = colour("red");
  g.fillText("game over", x, y + 4);
  g.font = "12px ui-sans-serif, system-ui";
  g.fillStyle = colour("soft");
  g.fillText("R begins again", x, y + 24);
}

function label(g: CanvasRenderingContext2D, colour: Easel["colour"], name: string, value: string, x: number, y: number): number {
  g.font = "11px ui-sans-serif, system-ui";
  g.fillStyle = colour("soft");
  g.fillText(name, x, y);
  g.font = "650 26px ui-sans-serif, system-ui";
  g.fillStyle = colour("ink");
  g.fillText(value, x, y + 14);
  return y + 54;
}

/** A sudoku; numbers that were given are plain, those tried are coloured. */
export const sudoku: Painter = (easel) => {
  const { g, colour, read, was, shows } = easel;
  const [cells, old, empty] = [read(shows), was(shows), new Set(read("empty"))];
  if (cells.length !== 81) return;
  const { side, left, top } = square(easel);
  const each = side / 9;
  g.textAlign = "center";
  g.textBaseline = "middle";
  cells.forEach((value, i) => {
    const [x, y] = [left + (i % 9) * each, top + Math.floor(i / 9) * each];
    const box = Math.floor((i % 9) / 3) + Math.floor(i / 27);
    g.fillStyle = old.length && old[i] !== value ? colour("here") : box % 2 ? colour("panel") : colour("raised");
    g.fillRect(x, y, each, each);
    if (!value) return;
    const tried = empty.has(i) && i > 0;
    g.fillStyle = tried ? colour("teal") : colour("ink");
    g.font = `${tried ? 500 : 700} ${Math.round(each * 0.56)}px ui-sans-serif, system-ui`;
    g.fillText(String(value), x + each / 2, y + each / 2 + 1);
  });
  g.strokeStyle = colour("line");
  for (let i = 0; i <= 9; i++) {
    g.lineWidth = i % 3 ? 1 : 2;
    g.beginPath();
    g.moveTo(left + i * each, top);
    g.lineTo(left + i * each, top + side);
    g.moveTo(left, top + i * each);
    g.lineTo(left + side, top + i * each);
    g.stroke();
  }
  g.textBaseline = "alphabetic";
};

/** The greatest height that the raycaster's program gives: what is one step away. */
const NEAREST = 48;

/** What the raycaster's rays met, column by column, and the map that they were cast in. */
export const rays: Painter = (easel) => {
  const { g, width, height, colour, read } = easel;
  const [wall, sprite] = [read("wall"), read("sprite")];
  if (!wall.length) return;
  const view = Math.min(width - 170, height * 1.9);
  const left = (width - view - 150) / 2;
  const each = view / wall.length;
  const tall = (h: number) => Math.min(height, (h / NEAREST) * height * 4.4);
  const sky = g.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, "#1b2440");
  sky.addColorStop(0.5, "#0d1122");
  sky.addColorStop(0.5, "#17130f");
  sky.addColorStop(1, "#4a3b2a");
  g.save();
  g.beginPath();
  g.roundRect(left, 4, view, height - 8, 8);
  g.clip();
  g.fillStyle = sky;
  g.fillRect(left, 0, view, height);
  walls(g, wall, left, each, height, tall);
  enemies(g, sprite, left, each, height, tall);
  const [health, mid] = [read("health")[0] ?? 1, left + view / 2];
  g.strokeStyle = "rgb(255 255 255 / 0.7)";
  g.lineWidth = 1.5;
  g.beginPath();
  for (const [dx, dy] of [[-9, 0], [4, 0], [0, -9], [0, 4]] as const) {
    g.moveTo(mid + dx, height / 2 + dy);
    g.lineTo(mid + dx + (dy ? 0 : 5), height / 2 + dy + (dx ? 0 : 5));
  }
  g.stroke();
  if (health <= 0) {
    g.fillStyle = "rgb(120 0 20 / 0.55)";
    g.fillRect(left, 0, view, height);
    g.fillStyle = "#fff";
    g.font = "700 30px ui-sans-serif, system-ui";
    g.textAlign = "center";
    g.fillText("You are dead. R begins again.", mid, height / 2 - 24);
  }
  g.restore();
  chart(easel, left + view + 20, 10, 118);
  g.textAlign = "left";
  g.textBaseline = "top";
  label(g, colour, "health", String(Math.max(0, health)), left + view + 20, 138);
  label(g, colour, "shot", `${read("score")[0] ?? 0} of 3`, left + view + 76, 138);
  g.textBaseline = "alphabetic";
};

/** Columns of walls; where neighbours are about as high, they are one slanted wall. */
function walls(g: CanvasRenderingContext2D, wall: number[], left: number, each: number, height: number, tall: (h: number) => number): void {
  const edge = (i: number, j: number) => {
    const [here, there] = [wall[i]!, wall[j] ?? wall[i]!];
    return tall(Math.abs(here - there) <= 1 + here / 4 ? (here + there) / 2 : here) / 2;
  };
  wall.forEach((h, i) => {
    const [a, b, x] = [edge(i, i - 1), edge(i, i + 1), left + i * each];
    const light = Math.min(1, 0.2 + (h / NEAREST) * 4);
    g.fillStyle = `hsl(232 26% ${Math.round((i % 2 ? 58 : 60) * light)}%)`;
    g.beginPath();
    g.moveTo(x, height / 2 - a);
    g.lineTo(x + each + 0.5, height / 2 - b);
    g.lineTo(x + each + 0.5, height / 2 + b);
    g.lineTo(x, height / 2 + a);
    g.fill();
    g.strokeStyle = `hsl(232 40% ${Math.round(40 * light)}%)`;
    g.lineWidth = 1;
    for (const part of [-0.5, 0, 0.5]) {
      g.beginPath();
      g.moveTo(x, height / 2 + a * part);
      g.lineTo(x + each + 0.5, height / 2 + b * part);
      g.stroke();
    }
  });
}

/** Neighbouring columns with a sprite are one enemy: a body, a head, two eyes. */
function enemies(g: CanvasRenderingContext2D, sprite: number[], left: number, each: number, height: number, tall: (h: number) => number): void {
  for (let i = 0; i < sprite.length; i++) {
    if (!sprite[i]) continue;
    let end = i;
    while (end + 1 < sprite.length && sprite[end + 1]! && Math.abs(sprite[end + 1]! - sprite[i]!) <= 3) end++;
    const size = tall(Math.max(...sprite.slice(i, end + 1))) * 0.8;
    const wide = Math.min((end - i + 1) * each, size * 0.8);
    const mid = left + ((i + end + 1) / 2) * each;
    const foot = height / 2 + size * 0.58;
    const top = foot - size;
    g.fillStyle = "#b3263f";
    g.beginPath();
    g.roundRect(mid - wide / 2, top + size * 0.3, wide, size * 0.7, wide / 5);
    g.fill();
    g.fillStyle = "#e04a5f";
    g.beginPath();
    g.ellipse(mid, top + size * 0.22, wide * 0.36, size * 0.22, 0, 0, 7);
    g.fill();
    g.fillStyle = "#ffe9a8";
    for (const dx of [-0.14, 0.14]) {
      g.beginPath();
      g.ellipse(mid + dx * wide, top + size * 0.2, Math.max(1.5, wide * 0.06), Math.max(1.5, size * 0.045), 0, 0, 7);
      g.fill();
    }
    i = end;
  }
}

/** The map from above, with the player and where it looks. */
function chart({ g, colour, read }: Easel, left: number, top: number, side: number): void {
  const [cells, px, py, angle] = [read("map"), read("px")[0] ?? 0, read("py")[0] ?? 0, read("angle")[0] ?? 0];
  const each = side / 8;
  cells.forEach((value, i) => {
    g.fillStyle = [colour("raised"), colour("faint"), colour("rose")][value] ?? colour("raised");
    g.fillRect(left + (i % 8) * each, top + Math.floor(i / 8) * each, each - 1, each - 1);
  });
  const [x, y] = [left + (px / 16) * each, top + (py / 16) * each];
  const turn = (angle / 32) * 2 * Math.PI;
  g.fillStyle = colour("amber");
  g.strokeStyle = colour("amber");
  g.lineWidth = 2;
  g.beginPath();
  g.arc(x, y, 3.5, 0, 7);
  g.fill();
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x + Math.cos(turn) * 14, y + Math.sin(turn) * 14);
  g.stroke();
}
