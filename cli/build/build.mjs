import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asFunction, loadBundle } from "./code-cache.cjs";
import { begunAt, dist, pointer, root, SOURCES } from "./current.cjs";

export { currentBundle } from "./current.cjs";

const HOUR = 3_600_000;

const BUILDERS = [
  "package.json",
  ...[
    "aliases.mjs",
    "build.mjs",
    "ccxt-parts.mjs",
    "code-cache.cjs",
    "current.cjs",
    "page.mjs",
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

/** What few commands load, and only when they use it: files of their own beside the bundle. */
const APART = { nodemailer: "nodemailer", "open-telemetry": "cli/host/open-telemetry.ts" };
const BESIDE = {
  name: "beside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^nodemailer$|\/open-telemetry\.ts$/ }, ({ path, kind }) =>
      kind === "dynamic-import"
        ? { path: `./${path.replace(/^\.\/|\.ts$/g, "")}.cjs`, external: true }
        : undefined,
    ),
};

/**
 * Builds into a folder of its own: a command that runs from an older bundle still finds what lies beside it.
 * Returns the files that the bundle is made of.
 */
export async function build() {
  const startedAt = new Date();
  const esbuild = await import("esbuild");
  const { ALIASES } = await import("./aliases.mjs");
  const { SLIM_CCXT } = await import("./slim-ccxt.mjs");
  const { copySwaggerUi } = await import("./swagger-ui.mjs");
  const { buildPage } = await import("./page.mjs");
  mkdirSync(dist, { recursive: true });
  const name = `cli-${startedAt.getTime()}-${process.pid}`;
  const { metafile } = await esbuild.build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: { main: "cli/command-line.ts", help: "cli/terminal/root-help.ts", ...APART },
    outdir: join(dist, name),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    // A form of which what V8 has compiled can be kept: see code-cache.cjs.
    format: "cjs",
    supported: { "dynamic-import": false },
    platform: "node",
    target: "node20",
    // All of minifying but shorter names: ccxt reads names of classes, and keeping them beside shorter ones takes time at each start.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "error",
    // Native code.
    external: ["libsql"],
    alias: ALIASES,
    plugins: [ENGLISH, SLIM_CCXT, BESIDE],
    define: { "import.meta.url": "__bundleUrl" },
    banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  const main = join(dist, name, "main.cjs");
  writeFileSync(main, asFunction(readFileSync(main, "latin1")), "latin1");
  const { rootTold } = loadBundle(main);
  writeFileSync(join(dist, name, "help.json"), JSON.stringify(rootTold()));
  copySwaggerUi(join(dist, name, "swagger-ui"));
  const pageSources = await buildPage(root, join(dist, name, "page"));
  const made = [...Object.keys(metafile.inputs), ...pageSources];
  writeFileSync(join(dist, name, SOURCES), [...new Set([...BUILDERS, ...ownAmong(made)])].join("\n"));
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
