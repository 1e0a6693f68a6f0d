/** What keys do; the list is the help. */

import { help } from "../../shared/help";
import { command, obey, plain, toEditor, typing, type Binding } from "../../shared/keys";
import { keyed, released } from "./pad";
import { again, buildAndPlay, play, step } from "./run";
import { running, takesKeys } from "./store";

export const BINDINGS: Binding[] = [
  { keys: "Ctrl Enter", doc: "compile and run", on: command("enter"), act: () => void buildAndPlay(), always: true },
  { keys: "P", doc: "run, pause", on: plain("p"), act: () => void play() },
  { keys: "Space", doc: "the same, unless the program takes keys", on: plain(" "), act: () => void play() },
  { keys: "→", doc: "one step, while paused", on: plain("arrowright"), act: () => void step() },
  { keys: "F11", doc: "one step, also while typing", on: plain("f11"), act: () => void step(), always: true },
  { keys: "R", doc: "back to the start", on: plain("r"), act: () => void again() },
  toEditor,
  { keys: "?", doc: "this list", on: plain("?"), act: () => (help.value = !help.value) },
  { keys: "Escape", doc: "pause, close this list", on: plain("escape"), act: () => (help.value ? (help.value = false) : running.value && void play()) },
];

export function listen(): void {
  window.addEventListener("keydown", (event) => {
    if (!typing(event.target) && running.value && takesKeys.value && !event.ctrlKey && !event.metaKey && keyed(event.key, true)) {
      event.preventDefault();
      return;
    }
    obey(BINDINGS, event);
  });
  window.addEventListener("keyup", (event) => keyed(event.key, false));
  window.addEventListener("blur", released);
}
