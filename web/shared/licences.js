import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const web = join(import.meta.dirname, "..");

/** The places in node_modules of all that a page is made of, by name. */
function needed(packages, page) {
  const found = new Set();
  const open = Object.keys(packages[page].dependencies);
  for (const name of open) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...Object.keys(packages[`node_modules/${name}`].dependencies ?? {}));
  }
  return [...found].sort();
}

/** The licences of what a page is made of, in full where a package has them in full. */
export function licences(page) {
  const { packages } = JSON.parse(readFileSync(join(web, "package-lock.json"), "utf8"));
  const texts = needed(packages, page).map((name) => {
    const folder = join(web, "node_modules", name);
    const { license, version } = packages[`node_modules/${name}`];
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version}: ${license}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
