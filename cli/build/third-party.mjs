import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const IN_PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE = /^(licen[cs]e|copying|notice)/i;

/** Licences of the packages that are in a bundle, as they ask for it: their texts, each below its package's name. */
export function thirdParty(root, files) {
  const folders = new Set(files.map((file) => IN_PACKAGE.exec(file)?.[1]).filter((folder) => folder));
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const texts = readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && LICENCE.test(entry.name))
      .map((entry) => readFileSync(join(root, folder, entry.name), "utf8").trim());
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
  });
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
