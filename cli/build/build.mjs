import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
/** Names the folder of the newest bundle; replaced by renaming, so that it is always one or the other. */
const pointer = join(dist, "current");
const HOUR = 3_600_000;

/** The bundle's file, built when there is none or a source is newer. */
export async function currentBundle() {
  if (existsSync(join(root, "src")) && isStale()) await build();
  return join(dist, readFileSync(pointer, "utf8"), "main.cjs");
}

/** The help of the whole command line, from beside the bundle: to load all of that would take as long as a command. */
export function builtHelp(bundle) {
  const require = createRequire(bundle);
  return require("./help.cjs").rootHelp(require("./help.json"));
}

/** A new file is part of it only once one that is changes. */
function isStale() {
  if (!existsSync(pointer)) return true;
  const name = readFileSync(pointer, "utf8");
  const begun = begunAt(name);
  const sources = join(dist, name, SOURCES);
  if (!existsSync(sources)) return true;
  return readFileSync(sources, "utf8")
    .split("\n")
    .some((name) => !(statSync(root + name, { throwIfNoEntry: false })?.mtimeMs <= begun));
}

/** Beside a bundle, what of this folder's own it was made of, a line each. */
const SOURCES = "sources.txt";
const BUILDERS = [
  "package.json",
  ...["aliases", "build", "ccxt-parts", "page", "slim-ccxt"].map((name) => `cli/build/${name}.mjs`),
];
/** When the build of a folder of this name began. */
const begunAt = (name) => Number(/^cli-(\d+)-/.exec(name)?.[1]);
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
    // A form of which what V8 has compiled can be kept: see code-cache.mjs.
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
  const { rootTold } = createRequire(import.meta.url)(join(dist, name, "main.cjs"));
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
