/** Small things about text. */

export const number = (value: number) => value.toLocaleString("en-US");

export const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/** What fits a chip: what a token wrote. */
export function brief(says: string): string {
  const written = /= (-?\d+)$/.exec(says)?.[1];
  if (written === undefined) return /^output (\d+)/.exec(says)?.[1] ?? "";
  const signed = Number(written) > 0x7fffffff ? Number(written) - 2 ** 32 : Number(written);
  const text = String(signed);
  return text.length <= 5 ? text : `${text.slice(0, 4)}…`;
}

/** What a slot is called, short enough for a chip: names without their function, elements by index. */
export function slotName(label: string, most: number): string {
  const short = label
    .split(" or ")
    .map((one) => one.split(".").at(-1)!.replace(/^slot /, ""))
    .join("/");
  const index = /\[\d+\]$/.exec(short)?.[0] ?? "";
  const base = short.slice(0, short.length - index.length);
  const room = most - index.length;
  return base.length > room ? `${base.slice(0, Math.max(1, room - 1))}…${index}` : short;
}

/** Each head keeps its colour everywhere. */
export const HEADS: Record<string, string> = {
  instruction: "var(--indigo)",
  T: "var(--teal)",
  S: "var(--amber)",
  R: "var(--rose)",
  X: "var(--cyan)",
  P: "var(--violet)",
  Q: "var(--plum)",
  F: "var(--lime)",
  "open call": "var(--sky)",
  "stack limits": "var(--grey)",
  pc: "var(--indigo)",
  a: "var(--rose)",
  b: "var(--teal)",
  c: "var(--amber)",
  pointer: "var(--violet)",
  start: "var(--cyan)",
  search: "var(--lime)",
  "write b": "var(--sky)",
  "write c": "var(--plum)",
};

/** How wide the pill with a head's name is. */
export const headPill = (head: string) => head.length * 6.8 + 12;

/** A language model's heads have numbers for names: layer and head. */
export const headColour = (head: string) => HEADS[head] ?? (/^\d/.test(head) ? "var(--lime)" : "var(--grey)");

/** What heads are for, in a line. */
export const ABOUT: Record<string, string> = {
  instruction: "fetches the instruction at pc",
  T: "reads the top of the stack",
  S: "reads the second operand",
  R: "reads a local, a global or a third operand",
  X: "reads a table, a size or a second level",
  P: "reads the memory word at the address",
  Q: "reads the word after it, where an access straddles two",
  F: "reads what an indirect call needs",
  "open call": "reads where the open call returns to",
  "stack limits": "reads how deep the stack may grow",
  pc: "meets the column that the program counter names: the instruction",
  a: "meets the column a: its word is what SUBLEQ takes away",
  b: "meets the column b: its word comes to column 0",
  c: "meets the column c: its word comes to column 0",
  pointer: "meets the slot that the word of c points to",
  start: "tells all slots where FIND begins",
  search: "meets the first slot that FIND wants",
  "write b": "meets the column b: it takes the result",
  "write c": "meets the column c: it takes the second word",
};

/** What fields of the trace machine's residual stream are, where the name does not say it. */
const FIELDS: Record<string, string> = {
  pc: "the place of the instruction to execute",
  sp: "the next free slot of the stack",
  fp: "the slot where the function's locals begin",
  depth: "how many calls are open inside the first",
  frame: "1 for the token of a call, else -1",
  space: "which of the spaces the token writes to",
  at: "the address that the token writes to",
  value: "what the token writes",
  position: "the token's place in the sequence",
  top: "the slot of the top of the stack",
  second: "the slot below the top of the stack",
  U: "the slot, local or global that the instruction names",
  taken: "whether it jumps",
  "types agree": "whether an indirect call finds the type that it wants",
};

const FAMILIES: [RegExp, (match: RegExpExecArray) => string][] = [
  [/^next (.+)$/, ([, part]) => `the token that comes out will say it as its ${part}`],
  [/^new sp$/, () => "the next free slot after this instruction"],
  [/^instruction\.(.+)$/, ([, what]) => `the fetched instruction says it about itself (${what})`],
  [/^([A-Z])\.value$/, ([, head]) => `what head ${head} read`],
  [/^(greater|less) ([us])$/, ([, , kind]) => `part of comparing the operands ${kind === "s" ? "with" : "without"} signs; comparisons use it`],
  [/^product\b/, () => "products of bytes; multiplication uses them"],
  [/^and\b/, () => "bits that both operands have; bitwise instructions use them"],
  [/^shift \d+$/, () => "part of how far to shift; shifts use it"],
  [/^borrow \d+$/, () => "part of a subtraction; division uses it"],
];

/** A field in words, if there are any for it. */
export function fieldWords(name: string): string {
  if (FIELDS[name]) return FIELDS[name];
  for (const [pattern, words] of FAMILIES) {
    const match = pattern.exec(name);
    if (match) return words(match);
  }
  return "";
}
