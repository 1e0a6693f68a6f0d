/** Dark or light: what was chosen last, and first what the browser prefers. */

import { effect, signal } from "@preact/signals";

type Theme = "dark" | "light";

function initial(): Theme {
  const kept = localStorage.getItem("theme");
  if (kept === "dark" || kept === "light") return kept;
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

export const theme = signal<Theme>(initial());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem("theme", theme.value);
});

export function ThemeButton() {
  return (
    <button
      class="round"
      title="Dark or light"
      aria-label="Dark or light"
      onClick={() => (theme.value = theme.value === "dark" ? "light" : "dark")}
    >
      {theme.value === "dark" ? "☾" : "☀"}
    </button>
  );
}
