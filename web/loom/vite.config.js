import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";
import { licences } from "../shared/licences.js";

const here = import.meta.dirname;
const out = join(here, "../../build/pages/loom");
/** What Pyodide loads by itself, from a folder that it is told. */
const python = ["pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

export default defineConfig({
  root: here,
  base: "./",
  worker: { format: "es" },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { external: [/^node:/] },
  },
  plugins: [
    {
      name: "beside the bundle",
      closeBundle() {
        mkdirSync(join(out, "pyodide"), { recursive: true });
        for (const file of python) cpSync(join(here, "../node_modules/pyodide", file), join(out, "pyodide", file));
        writeFileSync(join(out, "licences.txt"), licences("loom"));
      },
    },
  ],
});
