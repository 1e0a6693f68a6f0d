import { render } from "preact";
import { App } from "./app";
import { listen } from "./keys";
import { begin, note } from "./store";
import "./style.css";

render(<App />, document.getElementById("app")!);
listen();
begin().catch(() => (note.value = "the studio does not answer; start it again: transputer studio"));
