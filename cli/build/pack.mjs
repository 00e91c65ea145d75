// Builds, and packs what runs: node cli/build/pack.mjs [folder [signature]]. Bundled packages are not installed again; no script runs at install.
// The same commit gives the same bytes. `signature` is a file with the Ed25519 signature of its manifest, in base64.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "./build.mjs";
import { root } from "./current.cjs";
import { buildLibrary, LIBRARY_EXPORTS } from "./library.mjs";
import { commitOf, filesOf, SIGNATURE, writeManifest } from "./manifest.mjs";
import { writeDocuments } from "./packed-documents.mjs";
import { buildWorkerProgram } from "./worker-program.mjs";

/** Name of the bundle's folder in the package: in a checkout, it contains the time. */
const PROGRAM = "program";

const target = resolve(process.argv[2] ?? ".");
const stage = mkdtempSync(join(tmpdir(), "edgemaker-pack-"));
const { name, version, description, license, type, mcpName, engines, bin, files, dependencies } =
  manifestOf(root);

const sources = await build();
try {
  const bundle = readFileSync(join(root, "dist/current"), "utf8");
  const programs = files.filter((file) => file.startsWith("cli/"));
  const migrations = readdirSync(join(root, "drizzle")).filter((file) => file.endsWith(".sql"));
  const guides = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  for (const file of [
    "LICENSE",
    "CHANGELOG.md",
    "SECURITY.md",
    ...programs,
    ...migrations.map((file) => `drizzle/${file}`),
    ...guides.map((file) => `docs/${file}`),
    "examples",
  ])
    cpSync(join(root, file), join(stage, file), { recursive: true });
  cpSync(join(root, "dist", bundle), join(stage, "dist", PROGRAM), { recursive: true });
  writeFileSync(join(stage, "dist/current"), PROGRAM);
  writeDocuments(stage, version);
  await buildLibrary(join(stage, "dist/library"));
  const worker = await buildWorkerProgram(join(stage, "dist/worker-program"));
  // Its install script only checks the program that the platform's package contains.
  const esbuild = manifestOf(join(root, "node_modules/esbuild"));
  cpSync(join(root, "node_modules/esbuild/lib/main.js"), join(stage, "dist/esbuild/lib/main.js"));
  writeFileSync(join(stage, "dist/esbuild/package.json"), JSON.stringify({ type: "commonjs" }));
  const copied = ["swagger-ui-dist/index.js", "esbuild/lib/main.js"].map((file) => `node_modules/${file}`);
  writeFileSync(join(stage, "THIRD-PARTY.txt"), licencesOf([...sources, ...worker, ...copied]));
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    mcpName,
    engines,
    bin,
    exports: LIBRARY_EXPORTS,
    dependencies: { libsql: dependencies.libsql, zod: dependencies.zod },
    optionalDependencies: esbuild.optionalDependencies,
  };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const commit = commitOf(root) ?? "unknown";
  writeManifest(stage, { name, version, commit });
  if (process.argv[3]) cpSync(resolve(process.argv[3]), join(stage, SIGNATURE));
  // npm packs the mode, which depends on the user's mask.
  for (const file of filesOf(stage))
    chmodSync(join(stage, file), file.startsWith("cli/edgemaker") ? 0o755 : 0o644);
  mkdirSync(target, { recursive: true });
  execFileSync("npm", ["pack", "--pack-destination", target], {
    cwd: stage,
    stdio: ["ignore", "inherit", "ignore"],
  });
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Returns the licenses of the packages that files come from: the texts, each below the name of its package. */
function licencesOf(files) {
  const folders = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  const parts = [...new Set(folders.filter(Boolean))].sort().map((folder) => {
    const { name, version, license } = manifestOf(join(root, folder));
    const texts = readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
      .map((entry) => readFileSync(join(root, folder, entry.name), "utf8").trim());
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
  });
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
