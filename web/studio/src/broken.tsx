/** Break it yourself: a head or neurons zeroed or negated, and the run beside the healthy one. */

import { chosen, explained, go, going, live, look, picked, run, stale, status } from "./store";
import { number } from "./text";

/** A group of neurons that fires in a layer. */
export function PartChip({ name, layer, count }: { name: string; layer: number; count: number }) {
  const words = `${count} ${count === 1 ? "neuron" : "neurons"} of ${name} fire in layer ${layer} and reach the next token. Click to break them.`;
  return (
    <button
      class="neurons"
      onMouseEnter={() => (explained.value = words)}
      onFocus={() => (explained.value = words)}
      onClick={() => (picked.value = { part: name, title: `neurons of ${name}, in all layers`, step: null })}
    >
      <b>{name}</b> ×{count}
    </button>
  );
}

/** What can be done to the part that was clicked. */
export function Breaker() {
  const part = picked.value;
  const breaks = live.value && (chosen.value?.breaks ?? false);
  if (!part) return null;
  return (
    <div class="breaker" role="group" aria-label="Break it">
      <b>{part.title}</b>
      {breaks && (
        <>
          <button disabled={going.value || stale.value} onClick={() => run({ part: part.part, how: "zero" })}>
            Zero it
          </button>
          <button disabled={going.value || stale.value} onClick={() => run({ part: part.part, how: "negate" })}>
            Negate it
          </button>
        </>
      )}
      {part.step && <button onClick={() => go(part.step! + 1)}>Go to its token</button>}
      <button class="close" aria-label="Close" onClick={() => (picked.value = null)}>
        ×
      </button>
    </div>
  );
}

/** The two runs side by side. */
export function Compared() {
  const broken = status.value.broken;
  const shown = look.value;
  if (!broken || !shown) return null;
  const beside = shown.beside;
  const differs = beside && (beside.writes !== shown.step.writes || beside.instruction !== shown.step.instruction);
  return (
    <section class="compared" aria-label="Broken and healthy run">
      <header>
        <b>{broken.title}</b>
        <span>
          {broken.first === null
            ? going.value ? "no step differs so far" : "no step differs: this run does not use it"
            : `the first step that differs is ${number(broken.first)}`}
        </span>
        {broken.first !== null && <button onClick={() => go(broken.first!)}>Show it</button>}
        <button class="primary" onClick={() => run()}>
          Mend it
        </button>
      </header>
      <table>
        <thead>
          <tr>
            <th />
            <th>this step</th>
            <th>outcome</th>
          </tr>
        </thead>
        <tbody>
          <tr class="healthy">
            <th>healthy</th>
            <td>
              <code>{beside ? (beside.ended ? "ended" : `${beside.instruction} → ${beside.writes || "nothing"}`) : ""}</code>
            </td>
            <td>{broken.healthy}</td>
          </tr>
          <tr class={differs ? "broken differs" : "broken"}>
            <th>broken</th>
            <td>
              <code>{shown.step.ended ? "ended" : `${shown.step.instruction} → ${shown.step.writes || "nothing"}`}</code>
            </td>
            <td>{broken.broken}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}
