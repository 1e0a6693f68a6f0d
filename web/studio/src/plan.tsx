/** What became of a question: its plan, and the program of the plan with the line that runs. */

import { useEffect, useRef } from "preact/hooks";
import { look, planLine, stale, status } from "./store";

export function Plan() {
  const about = stale.value ? undefined : status.value.about;
  const here = useRef<HTMLLIElement>(null);
  const line = planLine.value;
  useEffect(() => here.current?.scrollIntoView({ block: "nearest" }), [line]);
  const text = about?.wat?.trimEnd().split("\n") ?? [];
  const ended = look.value?.step.ended;
  return (
    <section class="plan" aria-label="Plan">
      {about?.plan ? (
        <>
          <p>
            <small>plan</small> <code class="line">{about.plan}</code>
          </p>
          <p class="quiet">
            by {about.planner}
            {about.confidence ? `, ${Math.round(100 * about.confidence)} % sure` : ""}
            {ended && about.answer ? (
              <>
                ; answer <b class="answer">{about.answer}</b>
              </>
            ) : null}
            {ended && about.reason ? `; ${about.reason}` : null}
          </p>
          <ol class="wat">
            {text.map((one, i) => (
              <li key={i} ref={i + 1 === line ? here : undefined} class={i + 1 === line ? "here" : ""}>
                {one}
              </li>
            ))}
          </ol>
        </>
      ) : (
        <p class="quiet">Ask in a sentence. It becomes a plan, the plan a program, and the weights run that.</p>
      )}
    </section>
  );
}
