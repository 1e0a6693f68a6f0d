/** The program's text: an editor with the current line, and mistakes where they are. */

import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { colours, here, point, reveal, show } from "../../shared/editor";
import { warm } from "./compiler";
import { currentLine, problems, source } from "./store";

function diagnostics({ doc }: EditorState): Diagnostic[] {
  return problems.value
    .filter((one) => one.line >= 1 && one.line <= doc.lines)
    .map(({ line, column, width, message }) => {
      const { from, to } = doc.line(line);
      const at = Math.min(from + Math.max(0, column - 1), Math.max(from, to - 1));
      return { from: at, to: Math.min(to, at + Math.max(1, width)), severity: "error", message };
    });
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
          indentUnit.of("    "), cpp(), colours, here,
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
      effect(() => show(view, source.value)),
      effect(() => point(view, currentLine.value)),
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
