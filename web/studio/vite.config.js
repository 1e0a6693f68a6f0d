import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const out = join(here, "../../src/transputer/studio/static");
const own = ["src", "public", "package.json", "package-lock.json", "tsconfig.json", "vite.config.js"];

function files(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

/** A hash of all sources: a test compares it with what is there. */
function sources() {
  const names = own.flatMap((name) => files(join(here, name))).map((f) => relative(here, f));
  const hash = createHash("sha256");
  for (const name of names.sort()) {
    hash.update(`${name}\0`);
    hash.update(readFileSync(join(here, name)));
    hash.update("\0");
  }
  return hash.digest("hex");
}

/** The licences of what is bundled. */
function licences() {
  const root = join(here, "node_modules");
  const lock = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
  const kept = Object.entries(lock.packages).filter(([path, one]) => path && !one.dev);
  return kept
    .map(([path]) => {
      const name = path.replace(/^node_modules\//, "");
      const file = readdirSync(join(root, name)).find((f) => /^licen[cs]e/i.test(f));
      return `${name}\n\n${file ? readFileSync(join(root, name, file), "utf8").trim() : "MIT"}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

export default defineConfig({
  root: here,
  publicDir: "public",
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      input: join(here, "src/main.tsx"),
      output: { format: "iife", entryFileNames: "app.js", assetFileNames: "app.[ext]" },
    },
  },
  plugins: [
    {
      name: "marks",
      closeBundle() {
        writeFileSync(join(out, "sources.sha256"), `${sources()}\n`);
        writeFileSync(join(out, "licences.txt"), licences());
      },
    },
  ],
});
