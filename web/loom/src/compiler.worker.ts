/** The small C compiler, in Python, beside the page. */

import { loadPyodide, type PyodideAPI } from "pyodide";

interface Asked {
  id: number;
  text: string;
  bits: number;
  configs: string[];
}

/** Python with the compiler's files; `base` is where the site is. */
async function begin(base: string): Promise<PyodideAPI> {
  const python = await loadPyodide({ indexURL: new URL("pyodide/", base).href });
  const answer = await fetch(new URL("data/compiler.zip", base));
  if (!answer.ok) throw new Error(`compiler.zip: ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: "/compiler" });
  python.runPython("import sys; sys.path.insert(0, '/compiler')");
  python.runPython("import json; from transputer.frontends.smallc.loom.plain import plain");
  return python;
}

let python: Promise<PyodideAPI> | undefined;

self.onmessage = async ({ data }: MessageEvent<Asked | { base: string }>) => {
  if ("base" in data) {
    python = begin(data.base);
    python.then(
      () => self.postMessage({ ready: true }),
      (error: unknown) => self.postMessage({ failed: String(error) }),
    );
    return;
  }
  try {
    const held = await python!;
    held.globals.set("asked", JSON.stringify([data.text, data.bits, data.configs]));
    const made = held.runPython("json.dumps(plain(*json.loads(asked)))") as string;
    self.postMessage({ id: data.id, made });
  } catch (error) {
    self.postMessage({ id: data.id, failed: String(error) });
  }
};
