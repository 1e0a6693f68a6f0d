import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const out = join(here, "../../build/loom");
/** What Pyodide loads by itself, from a folder that it is told. */
const python = ["pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

/** The licences of what the site is made of, in full where a package has them in full. */
function licences() {
  const { packages } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
  const kept = Object.entries(packages).filter(([path, one]) => path && !one.dev);
  const texts = kept.map(([path, { license, version }]) => {
    const file = readdirSync(join(here, path)).find((name) => /^licen[cs]e/i.test(name));
    const text = file ? readFileSync(join(here, path, file), "utf8").trim() : "";
    return `${path.replace(/^node_modules\//, "")} ${version}: ${license}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

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
        for (const file of python) cpSync(join(here, "node_modules/pyodide", file), join(out, "pyodide", file));
        writeFileSync(join(out, "licences.txt"), licences());
      },
    },
  ],
});
