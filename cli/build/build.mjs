import { cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { ALIASES } from "./aliases.mjs";
import { begunAt, dist, pointer, root, SOURCES } from "./current.cjs";
import { newSchema } from "./new-schema.mjs";
import { buildPage } from "./page.mjs";

const COMMAND_LINE = "cli/command-line.ts";
const HOUR = 3_600_000;
/** Two files of this package make the page at /docs. An install without development packages has no such page. */
const SWAGGER_UI = join(root, "node_modules/swagger-ui-dist");
const BUILDERS = [
  "package.json",
  ...readdirSync(join(root, "cli/build"))
    .sort()
    .map((name) => `cli/build/${name}`),
];

/**
 * Builds into a new folder, so running commands of an older bundle keep their files. Returns the source files of the
 * bundle.
 */
export async function build() {
  const name = `cli-${Date.now()}-${process.pid}`;
  const folder = join(dist, name);
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      main: COMMAND_LINE,
      "calculation-thread": "cli/host/process/calculation-thread.ts",
      "strategy-runner": "cli/host/process/strategy-runner.ts",
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22.15",
    alias: ALIASES,
    // Names stay, because stack traces in the log show them.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "error",
    metafile: true,
    plugins: [loadedTogether],
    // For CommonJS packages, which require Node's built-in modules.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module";const require=__createRequire(import.meta.url);',
    },
  });
  if (existsSync(SWAGGER_UI))
    for (const file of ["swagger-ui.css", "swagger-ui-bundle.js"])
      cpSync(join(SWAGGER_UI, file), join(folder, "swagger-ui", file));
  const inputs = [...Object.keys(metafile.inputs), ...(await buildPage(root, join(folder, "page")))];
  const sources = inputs.filter((input) => /^(src|cli)\//.test(input));
  const schema = newSchema();
  writeFileSync(join(folder, "schema.json"), JSON.stringify(schema));
  const migrations = schema.names.map((name) => `drizzle/${name}`);
  writeFileSync(
    join(folder, SOURCES),
    [...new Set([...BUILDERS, ...sources, "drizzle", ...migrations])].join("\n"),
  );
  writeFileSync(`${pointer}-${name}`, name);
  renameSync(`${pointer}-${name}`, pointer);
  removeOld(name);
  return inputs;
}

/**
 * Puts what every command loads in one file. esbuild splits by the entries that reach a module, and counts each
 * `import()` as one, although the command line is loaded before; so each of them reaches all of the command line.
 */
const loadedTogether = {
  name: "loaded-together",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import" ? { path: inRoot(join(resolveDir, path)), namespace: "late" } : undefined,
    );
    onLoad({ filter: /./, namespace: "late" }, ({ path }) => ({
      contents: `import "./${COMMAND_LINE}"; export * from "./${path}";`,
      resolveDir: root,
    }));
  },
};

/** Names of chunks contain a hash of this path, so it is the same in every checkout. */
const inRoot = (path) => relative(root, path).replaceAll("\\", "/");

function removeOld(current) {
  for (const name of readdirSync(dist)) {
    if (name !== current && begunAt(name) < Date.now() - HOUR)
      rmSync(join(dist, name), { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
