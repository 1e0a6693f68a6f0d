import { createHash } from "node:crypto";
import { cpSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vite";
import { licences } from "../shared/licences.js";

const here = import.meta.dirname;
const out = join(here, "../../src/transputer/studio/static");
const web = join(here, "..");
const own = [
  "package.json", "package-lock.json", "tsconfig.json", "shared",
  "studio/package.json", "studio/tsconfig.json", "studio/vite.config.js", "studio/src", "studio/public",
];

function files(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

/** A hash of all sources: a test compares it with what is there. */
function sources() {
  const names = own.flatMap((name) => files(join(web, name))).map((f) => relative(web, f));
  const hash = createHash("sha256");
  for (const name of names.sort()) {
    hash.update(`${name}\0`);
    hash.update(readFileSync(join(web, name)));
    hash.update("\0");
  }
  return hash.digest("hex");
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
    chunkSizeWarningLimit: 600,
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
        writeFileSync(join(out, "licences.txt"), licences("studio"));
        cpSync(join(web, "node_modules/wabt/index.js"), join(out, "wabt.js")); // not committed: exported pages load it
      },
    },
  ],
});
