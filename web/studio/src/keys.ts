/** What keys do; the list is the help. */

import { help } from "../../shared/help";
import { command, obey, plain, toEditor, type Binding } from "../../shared/keys";
import { cancel, currentLine, go, going, move, page, run, steps, toggleBreak } from "./store";
import { play } from "./transport";

export const BINDINGS: Binding[] = [
  { keys: "Ctrl Enter", doc: "run the program", on: command("enter"), act: run, always: true },
  { keys: "F9", doc: "breakpoint on this line (in the editor)", on: () => false, act: () => undefined },
  { keys: "F10", doc: "next line", on: plain("f10"), act: () => move("next"), always: true },
  { keys: "F11", doc: "one step", on: plain("f11"), act: () => move("step"), always: true },
  { keys: "Space", doc: "play, pause", on: plain(" "), act: play },
  { keys: "→", doc: "one step on", on: plain("arrowright"), act: () => move("step") },
  { keys: "←", doc: "one step back", on: plain("arrowleft"), act: () => move("back") },
  { keys: "N", doc: "next line, calls passed over", on: plain("n"), act: () => move("next") },
  { keys: "P", doc: "previous line", on: plain("p"), act: () => move("previous") },
  { keys: "O", doc: "out of this function", on: plain("o"), act: () => move("out") },
  { keys: "C", doc: "continue to a breakpoint or the end", on: plain("c"), act: () => move("continue") },
  { keys: "R", doc: "back to a breakpoint or the beginning", on: plain("r"), act: () => move("reverse") },
  { keys: "B", doc: "breakpoint on the current line", on: plain("b"), act: () => currentLine.value && toggleBreak(currentLine.value) },
  { keys: "G", doc: "jump to a step", on: plain("g"), act: () => document.querySelector<HTMLInputElement>("#jump")?.select() },
  { keys: "Home", doc: "to the beginning", on: plain("home"), act: () => go(1) },
  { keys: "End", doc: "to the end", on: plain("end"), act: () => go(steps.value + 1) },
  toEditor,
  { keys: "Escape", doc: "stop a run, close this list", on: plain("escape"), act: () => (help.value ? (help.value = false) : going.value && cancel()) },
  { keys: "?", doc: "this list", on: plain("?"), act: () => (help.value = !help.value) },
];

export function listen(): void {
  window.addEventListener("keydown", (event) => {
    if (page.value === "debug") obey(BINDINGS, event);
  });
}
