/** The line of each instruction of a text module, read loosely; as `frontends/watlines.py` reads it. */

import type { Instr, WasmModule } from "./binary";

type Item = string | List;

interface List {
  line: number;
  last: number;
  items: { item: Item; line: number }[];
}

const TOKEN = /"(?:\\.|[^"\\])*"|;;[^\n]*|[()]|[^\s()";]+|\s+|./gs;
/** Lists in a function that are not folded instructions. */
const HEADS = ["export", "import", "type", "param", "result", "local"];
const BLOCKS = ["block", "loop", "try_table"];

const head = (list: List) => (typeof list.items[0]?.item === "string" ? list.items[0].item : "");
const lists = (list: List) => list.items.map(({ item }) => item).filter((item): item is List => typeof item !== "string");

function tree(text: string): List {
  const top: List = { line: 1, last: 0, items: [] };
  const stack = [top];
  let line = 1;
  for (const [token] of text.matchAll(TOKEN)) {
    const open = stack.at(-1)!;
    if (token === "(") {
      stack.push({ line, last: 0, items: [] });
      open.items.push({ item: stack.at(-1)!, line });
    } else if (token === ")" && stack.length > 1) stack.pop()!.last = line;
    else if (/^[^\s";]/.test(token)) open.items.push({ item: token, line });
    line += token.split("\n").length - 1;
  }
  return top;
}

/** Set the lines of the instructions of a module; where the text does not give exactly them, they stay unknown. */
export function setLines(text: string, module: WasmModule, known: Set<string>): void {
  const plain = text.replace(/\(;.*?;\)/gs, (comment) => comment.replace(/[^\n]/g, " "));
  const top = tree(plain);
  const only = lists(top);
  const parts = only.length === 1 && head(only[0]!) === "module" ? lists(only[0]!) : only;
  const functions = parts.filter((part) => head(part) === "func" && !lists(part).some((one) => head(one) === "import"));
  if (functions.length !== module.functions.length) return;
  module.functions.forEach(({ body }, i) => {
    const part = functions[i]!;
    const pairs = [...emitted(part.items.slice(1), known), ["end", part.last] as const];
    const names = body.map(({ name }) => name.replace(/_t$/, ""));
    if (names.join(" ") === pairs.map(([name]) => name).join(" ")) body.forEach((instr: Instr, at) => (instr.line = pairs[at]![1]));
  });
}

function* emitted(items: List["items"], known: Set<string>): Generator<readonly [string, number]> {
  for (const { item, line } of items) {
    if (typeof item !== "string") {
      if (!HEADS.includes(head(item))) yield* folded(item, known);
    } else if (known.has(item)) yield [item, line];
  }
}

function* folded(part: List, known: Set<string>): Generator<readonly [string, number]> {
  const [name, rest] = [head(part), part.items.slice(1)];
  const line = part.items[0]?.line ?? part.line;
  const inner = rest.filter(({ item }) => typeof item !== "string");
  if (BLOCKS.includes(name)) {
    yield [name, line];
    yield* emitted(rest, known);
    yield ["end", part.last];
  } else if (name === "if") {
    const arm = ({ item }: { item: Item }) => typeof item !== "string" && ["then", "else"].includes(head(item));
    yield* emitted(inner.filter((one) => !arm(one)), known);
    yield [name, line];
    for (const { item } of inner.filter(arm) as { item: List }[]) {
      if (head(item) === "else") yield ["else", item.items[0]!.line];
      yield* emitted(item.items.slice(1), known);
    }
    yield ["end", part.last];
  } else if (known.has(name)) {
    yield* emitted(inner, known);
    yield [name, line];
  }
}
