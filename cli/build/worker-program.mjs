// Builds what `edgemaker deploy` uploads from a project: the Worker without its strategies, and its settings.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { ALIASES } from "./aliases.mjs";
import { root } from "./current.cjs";

/** The Worker imports the strategies of a project from a file beside it. */
const strategiesBeside = {
  name: "strategies",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^edgemaker-strategies$/ }, () => ({ path: "./strategies.mjs", external: true })),
};

/** Writes the program into a folder. Returns its source files. */
export async function buildWorkerProgram(folder) {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["src/worker.ts"],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
    external: ["node:*", "cloudflare:*", ...builtinModules],
    alias: ALIASES,
    plugins: [strategiesBeside],
    minify: true,
    legalComments: "none",
    logLevel: "error",
    metafile: true,
  });
  cpSync(join(root, "deploy/_headers"), join(folder, "_headers"));
  writeFileSync(
    join(folder, "wrangler.toml"),
    projectSettings(readFileSync(join(root, "wrangler.toml"), "utf8")),
  );
  return Object.keys(metafile.inputs);
}

/** Returns the settings for a project: it has the built program, and nothing to build. */
const projectSettings = (text) =>
  text
    .replace(/^main = .*$/m, 'main = ".edgemaker/worker.js"')
    .replace(/^directory = .*$/m, 'directory = ".edgemaker/assets"')
    // A section ends with an empty line.
    .replace(/(?:^#[^\n]*\n)*^\[(?:alias|build)\]\n(?:[^\n]+\n)*\n/gm, "");
