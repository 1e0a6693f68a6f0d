/** The program's text: an editor with the current line, and mistakes where they are. */

import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { warm } from "./compiler";
import { currentLine, problems, source } from "./store";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.typeName, tags.standard(tags.typeName)], color: "var(--code-type)" },
  { tag: [tags.number, tags.character], color: "var(--code-number)" },
  { tag: [tags.string], color: "var(--code-string)" },
  { tag: [tags.comment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.processingInstruction, tags.meta], color: "var(--code-meta)" },
]);

const setHere = StateEffect.define<number>();
const here = StateField.define<DecorationSet>({
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

function diagnostics({ doc }: EditorState): Diagnostic[] {
  return problems.value
    .filter((one) => one.line >= 1 && one.line <= doc.lines)
    .map(({ line, column, width, message }) => {
      const { from, to } = doc.line(line);
      const at = Math.min(from + Math.max(0, column - 1), Math.max(from, to - 1));
      return { from: at, to: Math.min(to, at + Math.max(1, width)), severity: "error", message };
    });
}

function reveal(view: EditorView, line: number, y: "nearest" | "center"): void {
  if (line < 1 || line > view.state.doc.lines) return;
  const at = view.state.doc.line(line).from;
  view.dispatch({ effects: EditorView.scrollIntoView(at, { y, yMargin: 40 }) });
}

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: source.value,
        extensions: [
          lineNumbers(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
          indentUnit.of("    "), cpp(), syntaxHighlighting(colours), here,
          EditorView.contentAttributes.of({ "aria-label": "Program in C" }),
          keymap.of([
            { key: "Escape", run: (v) => (v.contentDOM.blur(), true) },
            { key: "Mod-Enter", run: () => true }, // the page's own
            ...defaultKeymap, ...historyKeymap, indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.state.doc.toString() === source.value) return;
            source.value = update.state.doc.toString();
            warm();
          }),
        ],
      }),
    });
    const ends = [
      effect(() => {
        const text = source.value;
        if (text === view.state.doc.toString()) return;
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
        view.scrollDOM.scrollTop = 0;
      }),
      effect(() => {
        view.dispatch({ effects: setHere.of(currentLine.value) });
        reveal(view, currentLine.value, "nearest");
      }),
      effect(() => {
        view.dispatch(setDiagnostics(view.state, diagnostics(view.state)));
        reveal(view, problems.value[0]?.line ?? 0, "center");
      }),
    ];
    return () => {
      ends.forEach((end) => end());
      view.destroy();
    };
  }, []);
  return <div class="editor" ref={host} />;
}
