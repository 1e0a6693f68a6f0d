/** What keys do; the list is the help. */

import { keyed, released } from "./pad";
import { again, buildAndPlay, play, step } from "./run";
import { help, running, takesKeys } from "./store";

interface Binding {
  keys: string;
  doc: string;
  on: (event: KeyboardEvent) => boolean;
  act: () => void;
  /** Also while typing. */
  always?: boolean;
}

const plain = (key: string) => (e: KeyboardEvent) => e.key.toLowerCase() === key && !e.ctrlKey && !e.metaKey && !e.altKey;

export const BINDINGS: Binding[] = [
  { keys: "Ctrl Enter", doc: "compile and run", on: (e) => e.key === "Enter" && (e.ctrlKey || e.metaKey), act: () => void buildAndPlay(), always: true },
  { keys: "P", doc: "run, pause", on: plain("p"), act: () => void play() },
  { keys: "Space", doc: "the same, unless the program takes keys", on: plain(" "), act: () => void play() },
  { keys: "→", doc: "one step, while it pauses", on: plain("arrowright"), act: () => void step() },
  { keys: "F11", doc: "one step, also while typing", on: plain("f11"), act: () => void step(), always: true },
  { keys: "R", doc: "back to the beginning", on: plain("r"), act: () => void again() },
  { keys: "E", doc: "to the editor (Escape leaves it)", on: plain("e"), act: () => document.querySelector<HTMLElement>(".cm-content")?.focus() },
  { keys: "?", doc: "this list", on: plain("?"), act: () => (help.value = !help.value) },
  { keys: "Escape", doc: "pause, close this list", on: plain("escape"), act: () => (help.value ? (help.value = false) : running.value && void play()) },
];

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName));

export function listen(): void {
  window.addEventListener("keydown", (event) => {
    const free = !typing(event.target);
    if (free && running.value && takesKeys.value && !event.ctrlKey && !event.metaKey && keyed(event.key, true)) {
      event.preventDefault();
      return;
    }
    const found = BINDINGS.find((b) => b.on(event));
    if (!found || (!found.always && !free)) return;
    if (event.key === " " && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    found.act();
  });
  window.addEventListener("keyup", (event) => keyed(event.key, false));
  window.addEventListener("blur", released);
}
