import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBundle } from "./code-cache.cjs";
import { begunAt, dist, pointer, root, SOURCES } from "./current.cjs";

export { currentBundle } from "./current.cjs";

const HOUR = 3_600_000;

const BUILDERS = [
  "package.json",
  ...[
    "aliases.mjs",
    "build.mjs",
    "ccxt-parts.mjs",
    "changed.mjs",
    "code-cache.cjs",
    "current.cjs",
    "kept-libsql.mjs",
    "page.mjs",
    "parts.mjs",
    "slim-ccxt.mjs",
  ].map((name) => `cli/build/${name}`),
];
const ownAmong = (inputs) => inputs.filter((name) => /^(src|cli)\//.test(name));

/** zod's messages in 50 languages are half of what every command would load; ours are our own. */
const ENGLISH = {
  name: "english",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    })),
};

/** A library whose modules give names that change later, which parts do not: a file of its own, and only when it is used. */
const BESIDE = {
  name: "beside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/open-telemetry\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./open-telemetry.cjs", external: true } : undefined,
    ),
};

/** What most commands run. */
const USUAL = ["cli/actions/actions.ts"];

/** What both builds have in common. */
const FORM = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  // All of minifying but shorter names: ccxt reads names of classes, and keeping them beside shorter ones takes time at each start.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "error",
};

/**
 * Builds into a folder of its own: a command that runs from an older bundle still finds what lies beside it.
 * Returns the files that the bundle is made of.
 */
export async function build() {
  const startedAt = new Date();
  const esbuild = await import("esbuild");
  const { ALIASES } = await import("./aliases.mjs");
  const { KEPT_LIBSQL } = await import("./kept-libsql.mjs");
  const { partFiles } = await import("./parts.mjs");
  const { SLIM_CCXT } = await import("./slim-ccxt.mjs");
  const { copySwaggerUi } = await import("./swagger-ui.mjs");
  const { buildPage } = await import("./page.mjs");
  mkdirSync(dist, { recursive: true });
  const name = `cli-${startedAt.getTime()}-${process.pid}`;
  const folder = join(dist, name);
  const split = await esbuild.build({
    ...FORM,
    metafile: true,
    write: false,
    entryPoints: { main: "cli/command-line.ts" },
    outdir: folder,
    // What is imported dynamically is a part of its own.
    splitting: true,
    format: "esm",
    alias: ALIASES,
    plugins: [ENGLISH, SLIM_CCXT, BESIDE, KEPT_LIBSQL],
    define: { "import.meta.url": "__bundleUrl" },
  });
  mkdirSync(folder);
  for (const [file, text] of Object.entries(await partFiles(split, "main", USUAL)))
    writeFileSync(join(folder, `${file}.cjs`), text, "latin1");
  const apart = await esbuild.build({
    ...FORM,
    metafile: true,
    entryPoints: {
      help: "cli/terminal/root-help.ts",
      "open-telemetry": "cli/host/open-telemetry.ts",
      "calculation-thread": "cli/host/process/calculation-thread.ts",
    },
    format: "cjs",
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    alias: ALIASES,
    define: { "import.meta.url": "__bundleUrl" },
    banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  const { rootTold, schemaTold } = loadBundle(join(folder, "main.cjs"));
  writeFileSync(join(folder, "help.json"), JSON.stringify(rootTold()));
  writeFileSync(join(folder, "schema.json"), JSON.stringify(await schemaTold()));
  copySwaggerUi(join(folder, "swagger-ui"));
  const pageSources = await buildPage(root, join(folder, "page"));
  const inputs = [split, apart].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const made = [...new Set([...inputs, ...pageSources])];
  writeFileSync(join(folder, SOURCES), [...BUILDERS, ...ownAmong(made)].join("\n"));
  writeFileSync(`${pointer}-${name}`, name);
  renameSync(`${pointer}-${name}`, pointer);
  removeOld(name);
  return made;
}

function removeOld(current) {
  for (const name of readdirSync(dist)) {
    if (name !== current && begunAt(name) < Date.now() - HOUR)
      rmSync(join(dist, name), { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
