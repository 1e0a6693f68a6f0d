import { render } from "preact";
import { App } from "./app";
import { begin } from "./desk";
import { listen } from "./keys";
import { layers, note, seen, session, speed } from "./store";
import "../../studio/src/style.css";
import "./style.css";

/** For scripts: what the page holds. */
declare global {
  interface Window {
    loom: { layers: typeof layers; seen: typeof seen; session: typeof session; speed: typeof speed };
  }
}
window.loom = { layers, seen, session, speed };

const app = document.getElementById("app")!;
app.replaceChildren();
render(<App />, app);
listen();
begin().catch((error: Error) => (note.value = `the page does not load: ${error.message}`));
