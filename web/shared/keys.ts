/** Keys and what they do: the pages have a list each, and the list is also the help. */

export interface Binding {
  keys: string;
  doc: string;
  on: (event: KeyboardEvent) => boolean;
  act: () => void;
  /** Also while typing. */
  always?: boolean;
}

export const plain = (key: string) => (e: KeyboardEvent) =>
  e.key.toLowerCase() === key && !e.ctrlKey && !e.metaKey && !e.altKey;

export const command = (key: string) => (e: KeyboardEvent) =>
  e.key.toLowerCase() === key && (e.ctrlKey || e.metaKey);

export const toEditor: Binding = {
  keys: "E",
  doc: "to the editor (Escape leaves it)",
  on: plain("e"),
  act: () => document.querySelector<HTMLElement>(".cm-content")?.focus(),
};

/** Whether keys belong to what has the focus. */
export const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) &&
  !(target instanceof HTMLInputElement && ["range", "checkbox"].includes(target.type));

/** Do what a key is bound to, unless it belongs to what has the focus. */
export function obey(bindings: Binding[], event: KeyboardEvent): void {
  const found = bindings.find((one) => one.on(event));
  if (!found || (!found.always && typing(event.target))) return;
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
  event.preventDefault();
  found.act();
}
