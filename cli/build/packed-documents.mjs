// Documents of the package: its README, and guides without links to files that only a checkout has.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./current.cjs";

/** Writes the README into a folder, and takes dead links out of each document there: their texts stay. */
export function writeDocuments(folder, version) {
  const readme = readFileSync(join(root, "cli/build/package-readme.md"), "utf8");
  writeFileSync(join(folder, "README.md"), readme.replaceAll("VERSION", version));
  for (const name of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".md"))) {
    const file = join(folder, name);
    const isDead = (target) =>
      !/^(https?:|mailto:|#)/.test(target) && !existsSync(join(dirname(file), target.replace(/#.*/, "")));
    const text = readFileSync(file, "utf8")
      .replaceAll(/<picture>.*?src="([^"]+)".*?<\/picture>\n*/gs, (whole, target) =>
        isDead(target) ? "" : whole,
      )
      .replaceAll(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, label, target) => (isDead(target) ? label : whole));
    writeFileSync(file, text);
  }
}
