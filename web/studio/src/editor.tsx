/** The program's text: an editor with breakpoints, the current line and errors in place. */

import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { wast } from "@codemirror/lang-wast";
import { StreamLanguage, bracketMatching, indentOnInput } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState, RangeSet, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  EditorView,
  GutterMarker,
  drawSelection,
  gutter,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { colours, here, point, reveal, show } from "../../shared/editor";
import { breaks, language, problems, shownLine, source, toggleBreak } from "./store";

const assembly = StreamLanguage.define({
  token(stream) {
    if (stream.match(/^[;#].*/)) return "comment";
    if (stream.match(/^[A-Za-z_.][\w.]*:/)) return "labelName";
    if (stream.match(/^-?(0x[0-9a-f]+|\d+)/i)) return "number";
    if (stream.match(/^[A-Za-z_.][\w.]*/)) return "keyword";
    stream.next();
    return null;
  },
});

const languages: Record<string, () => Extension> = {
  c: () => cpp(),
  wat: () => wast(),
  asm: () => assembly,
  loomasm: () => assembly,
  soft: () => assembly,
  words: () => EditorView.lineWrapping,
};

class Dot extends GutterMarker {
  override toDOM() {
    const dot = document.createElement("span");
    dot.className = "dot";
    dot.title = "Breakpoint: click to remove";
    return dot;
  }
}
const dot = new Dot();
const setBreaks = StateEffect.define<ReadonlySet<number>>();
const marks = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(held, change) {
    for (const one of change.effects) {
      if (!one.is(setBreaks)) continue;
      const lines = [...one.value].filter((n) => n >= 1 && n <= change.state.doc.lines).sort((a, b) => a - b);
      return RangeSet.of(lines.map((n) => dot.range(change.state.doc.line(n).from)));
    }
    return held.map(change.changes);
  },
});

function pick(view: EditorView, line: { from: number }): boolean {
  toggleBreak(view.state.doc.lineAt(line.from).number);
  return true;
}

function diagnostics(state: EditorState): Diagnostic[] {
  const placed = problems.value.filter((one) => one.line);
  return placed.map((problem) => {
    const number = Math.min(Math.max(1, problem.line ?? 1), state.doc.lines);
    const line = state.doc.line(number);
    const from = Math.min(line.to, line.from + Math.max(0, (problem.column || 1) - 1));
    const word = /^[\w.]+/.exec(line.text.slice(from - line.from))?.[0].length ?? 1;
    return {
      from: Math.min(from, Math.max(line.from, line.to - 1)),
      to: Math.min(line.to, from + word),
      severity: problem.severity === "warning" ? "warning" : problem.severity === "note" ? "info" : "error",
      message: problem.message,
    };
  });
}

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const mode = new Compartment();
    const view = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: source.value,
        extensions: [
          marks,
          gutter({
            class: "cm-breaks",
            markers: (v) => v.state.field(marks),
            initialSpacer: () => dot,
            domEventHandlers: { mousedown: pick },
          }),
          lineNumbers({ domEventHandlers: { mousedown: pick } }),
          lintGutter(),
          highlightActiveLineGutter(),
          highlightSpecialChars(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          colours,
          here,
          EditorView.contentAttributes.of({ "aria-label": "Program" }),
          keymap.of([
            { key: "F9", run: (v) => pick(v, v.state.selection.main) },
            { key: "Mod-Enter", run: () => true }, // the page's own
            { key: "Escape", run: (v) => (v.contentDOM.blur(), true) },
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          mode.of([]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) source.value = update.state.doc.toString();
          }),
        ],
      }),
    });
    const ends = [
      effect(() => show(view, source.value)),
      effect(() => view.dispatch({ effects: mode.reconfigure(languages[language.value]?.() ?? []) })),
      effect(() => view.dispatch({ effects: setBreaks.of(breaks.value) })),
      effect(() => point(view, shownLine.value)),
      effect(() => {
        view.dispatch(setDiagnostics(view.state, diagnostics(view.state)));
        reveal(view, problems.value.find((one) => one.line)?.line ?? 0, "center");
      }),
    ];
    return () => {
      ends.forEach((end) => end());
      view.destroy();
    };
  }, []);
  return <div class="editor" ref={host} />;
}
