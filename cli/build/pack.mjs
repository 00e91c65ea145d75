// Builds, and packs what runs: node cli/build/pack.mjs [folder]. Bundled packages are not installed again; no script runs at install.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { thirdParty } from "./third-party.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = resolve(process.argv[2] ?? ".");
const stage = mkdtempSync(join(tmpdir(), "edgemaker-pack-"));
const read = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));

const sources = await build();
try {
  const bundle = readFileSync(join(root, "dist/current"), "utf8");
  for (const name of [
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "SECURITY.md",
    "cli/edgemaker.cjs",
    "cli/edgemaker.mjs",
    "cli/build/current.cjs",
  ])
    cpSync(join(root, name), join(stage, name));
  for (const name of ["current", bundle])
    cpSync(join(root, "dist", name), join(stage, "dist", name), { recursive: true });
  for (const name of readdirSync(join(root, "drizzle")).filter((file) => file.endsWith(".sql")))
    cpSync(join(root, "drizzle", name), join(stage, "drizzle", name));
  const copied = "node_modules/swagger-ui-dist/swagger-ui-bundle.js";
  writeFileSync(join(stage, "THIRD-PARTY.txt"), thirdParty(root, [...sources, copied]));
  const { name, version, description, license, type, engines, bin } = read("package.json");
  const needed = { libsql: read("node_modules/libsql/package.json").version };
  const manifest = { name, version, description, license, type, engines, bin, dependencies: needed };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  mkdirSync(target, { recursive: true });
  execFileSync("npm", ["pack", "--pack-destination", target], {
    cwd: stage,
    stdio: ["ignore", "inherit", "ignore"],
  });
} finally {
  rmSync(stage, { recursive: true, force: true });
}
