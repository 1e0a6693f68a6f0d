/** The list of keys, over the page. */

import type { ComponentChildren } from "preact";
import { signal } from "@preact/signals";
import type { Binding } from "./keys";

export const help = signal(false);

export function Help({ bindings, children }: { bindings: Binding[]; children?: ComponentChildren }) {
  if (!help.value) return null;
  return (
    <div class="help" role="dialog" aria-label="Keys" onClick={() => (help.value = false)}>
      <div>
        <h2>Keys</h2>
        <dl>
          {bindings.map((one) => (
            <div key={one.keys}>
              <dt>
                {one.keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{one.doc}</dd>
            </div>
          ))}
        </dl>
        {children}
      </div>
    </div>
  );
}

export function HelpButton() {
  return (
    <button class="round" title="Keys (?)" aria-label="Keys" onClick={() => (help.value = !help.value)}>
      ?
    </button>
  );
}
