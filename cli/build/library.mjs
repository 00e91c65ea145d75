// Builds what a project with its own strategies imports: `edgemaker` and `edgemaker/testing`, with their types.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import * as esbuild from "esbuild";
import { ALIASES } from "./aliases.mjs";
import { root } from "./current.cjs";

/** Entry files, by the name of what they build. */
const ENTRIES = { index: "src/own/package.ts", testing: "cli/testing/package.ts" };

const exportOf = (name) => ({
  types: `./dist/library/types/${ENTRIES[name].replace(/\.ts$/, ".d.ts")}`,
  default: `./dist/library/${name}.js`,
});

export const LIBRARY_EXPORTS = {
  ".": exportOf("index"),
  "./testing": exportOf("testing"),
  "./package.json": "./package.json",
};

/** Builds both entries into a folder. They share their chunks, so that `Money` is one class. */
export async function buildLibrary(folder) {
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22.15",
    external: ["zod"],
    alias: ALIASES,
    mainFields: ["module", "main"],
    logLevel: "error",
  });
  buildTypes(join(folder, "types"));
}

/** Copies the declarations that the entries need, and no others. */
function buildTypes(target) {
  const all = mkdtempSync(join(tmpdir(), "edgemaker-types-"));
  try {
    const config = join(all, "tsconfig.json");
    const files = Object.values(ENTRIES).map((file) => join(root, file));
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      types: [],
      rootDir: root,
      outDir: all,
    };
    const settings = {
      extends: join(root, "tsconfig.json"),
      compilerOptions,
      files,
      include: [],
      exclude: [],
    };
    writeFileSync(config, JSON.stringify(settings));
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config]);
    const copied = new Set();
    for (const entry of Object.values(ENTRIES))
      copyTypes(join(all, declarationOf(entry)), { all, target, copied });
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

const declarationOf = (file) => file.replace(/\.ts$/, ".d.ts");

/** Copies a declaration and each one that it imports. */
function copyTypes(path, { all, target, copied }) {
  if (copied.has(path)) return;
  copied.add(path);
  const text = readFileSync(path, "utf8");
  const destination = join(target, relative(all, path));
  mkdirSync(dirname(destination), { recursive: true });
  cpSync(path, destination);
  for (const [, name] of text.matchAll(/from "(\.[^"]+)"/g))
    copyTypes(resolve(dirname(path), declarationOf(name)), { all, target, copied });
}
