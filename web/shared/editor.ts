/** What the editors of the pages have in common: colours, the line that runs, and scrolling to a line. */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: "var(--code-keyword)" },
    { tag: [tags.typeName, tags.standard(tags.typeName)], color: "var(--code-type)" },
    { tag: [tags.number, tags.bool, tags.character], color: "var(--code-number)" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
    { tag: [tags.comment], color: "var(--code-comment)", fontStyle: "italic" },
    { tag: [tags.function(tags.variableName), tags.labelName], color: "var(--code-function)" },
    { tag: [tags.processingInstruction, tags.meta], color: "var(--code-meta)" },
  ]),
);

const setHere = StateEffect.define<number>();

/** Marks the line that runs. */
export const here = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(held, change) {
    const set = change.effects.find((one) => one.is(setHere));
    if (!set) return held.map(change.changes);
    const { doc } = change.state;
    if (set.value < 1 || set.value > doc.lines) return Decoration.none;
    return Decoration.set([Decoration.line({ class: "cm-here" }).range(doc.line(set.value).from)]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Scroll to a line, if the text has it. */
export function reveal(view: EditorView, line: number, y: "nearest" | "center"): void {
  if (line < 1 || line > view.state.doc.lines) return;
  const at = view.state.doc.line(line).from;
  view.dispatch({ effects: EditorView.scrollIntoView(at, { y, yMargin: 50 }) });
}

/** Mark a line as the one that runs, and show it. */
export function point(view: EditorView, line: number): void {
  view.dispatch({ effects: setHere.of(line) });
  reveal(view, line, "nearest");
}

/** Show another text, from its beginning. */
export function show(view: EditorView, text: string): void {
  if (text === view.state.doc.toString()) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  view.scrollDOM.scrollTop = 0;
}
