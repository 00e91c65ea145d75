/** Finds and bundles the files of users' strategies. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildFailure, Message } from "esbuild";
import { messageOf } from "../../src/kernel/errors.ts";
import type { AnyStrategyDefinition } from "../../src/ports/definition.ts";
import { watchFiles } from "./file-hashes.ts";
import { type BundledStrategy, runStrategy } from "./process/strategy-code.ts";
import { type StrategyProcesses, strategyProcesses } from "./process/strategy-processes.ts";

export interface LoadedStrategies {
  readonly definitions: readonly AnyStrategyDefinition[];
  /** Files that could not be loaded, and why, with file and line. */
  readonly failures: readonly { readonly file: string; readonly message: string }[];
}

const loaded = new Map<string, LoadedStrategies>();

/** Returns the strategies in the folder, which a process reads once. Their files run in this process and in others. */
export function strategiesIn(folder: string): LoadedStrategies {
  const known = loaded.get(resolve(folder)) ?? loadStrategies(folder, strategyProcesses());
  loaded.set(resolve(folder), known);
  return known;
}

/** Does the same for a server: no file runs in this process, so none can stop it. */
export async function describedStrategies(folder: string): Promise<LoadedStrategies> {
  const processes = strategyProcesses();
  if (!processes) return strategiesIn(folder);
  const definitions: AnyStrategyDefinition[] = [];
  const failures: { file: string; message: string }[] = [];
  for (const file of strategyFiles(folder)) {
    try {
      const bundle = bundleStrategy(file);
      // Before the code runs, which takes time.
      const fileHashes = watchFiles(bundle.files);
      definitions.push(unlike(definitions, { ...(await processes.describe(bundle)), fileHashes }));
    } catch (error) {
      failures.push({ file, message: messageOf(error) });
    }
  }
  const known = { definitions, failures: [...failures, ...misplacedFiles(folder)] };
  loaded.set(resolve(folder), known);
  return known;
}

/** Returns the strategies that this process has read; undefined if its command runs none. */
export const loadedStrategies = (folder: string): LoadedStrategies | undefined => loaded.get(resolve(folder));

export function loadStrategies(folder: string, processes?: StrategyProcesses): LoadedStrategies {
  const definitions: AnyStrategyDefinition[] = [];
  const failures: { file: string; message: string }[] = [];
  for (const file of strategyFiles(folder)) {
    try {
      const bundle = bundleStrategy(file);
      const fileHashes = watchFiles(bundle.files);
      const ask = processes && { ask: processes.askOf(bundle) };
      definitions.push(unlike(definitions, { ...runStrategy(bundle), ...ask, fileHashes }));
    } catch (error) {
      failures.push({ file, message: messageOf(error) });
    }
  }
  return { definitions, failures: [...failures, ...misplacedFiles(folder)] };
}

/** Returns a definition. Throws an Error if another one has its name. */
function unlike(others: readonly AnyStrategyDefinition[], definition: AnyStrategyDefinition) {
  const twin = others.find(({ name }) => name === definition.name);
  if (!twin) return definition;
  throw new Error(`${definition.source}: ${definition.name} is the name of ${twin.source} too`);
}

/** Loads a file. Throws an Error with file and line, or if another user could have written it. */
export const loadStrategy = (file: string): AnyStrategyDefinition => runStrategy(bundleStrategy(file));

/** Not bundled: esbuild is a separate program, and only strategies need it. A package contains a copy beside the bundle. */
const requireHere = createRequire(import.meta.url);
const PACKED_ESBUILD = new URL("../esbuild/lib/main.js", import.meta.url);

const loadEsbuild = (): typeof import("esbuild") =>
  requireHere(existsSync(PACKED_ESBUILD) ? fileURLToPath(PACKED_ESBUILD) : "esbuild");

const IS_TEST = /\.(test|spec)\.ts$/;
const IS_SCRIPT = /(?<!\.d)\.[cm]?[jt]sx?$/;

/** Returns the TypeScript files of the folder that import `edgemaker`, without tests. */
export function strategyFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !IS_TEST.test(name))
    .map((name) => join(folder, name))
    .filter((file) => /from\s+["']edgemaker["']/.test(readFileSync(file, "utf8")))
    .sort();
}

/** Returns strategies in subfolders or of other file types, which are not loaded. */
function misplacedFiles(folder: string): LoadedStrategies["failures"] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.sort().flatMap((name) => {
    const isLoaded = basename(name) === name && name.endsWith(".ts");
    if (isLoaded || name.includes("node_modules") || !IS_SCRIPT.test(name) || IS_TEST.test(name)) return [];
    const file = join(folder, name);
    if (!/\bdefineStrategy\s*\(/.test(readFileSync(file, "utf8"))) return [];
    const message = `${relative(process.cwd(), file)} is not loaded: put it into ${folder} itself, with a name that ends in .ts`;
    return [{ file, message }];
  });
}

/** Bundles a file to one script with a source map. Throws an Error with file, line and column of a mistake. */
export function bundleStrategy(path: string, syntax?: Syntax): BundledStrategy {
  const file = relative(process.cwd(), path);
  const { code, map, files } = bundled(path, syntax);
  for (const bundledFile of files) refuseForeign(bundledFile);
  const lines = readFileSync(path, "utf8").split("\n");
  const line = Math.max(
    0,
    lines.findIndex((text) => /^\s*(async\s+)?orders\s*[(:]/.test(text)),
  );
  return { file, files, code, map, source: `${file}:${line + 1}` };
}

/** Throws an Error if another user owns or can write the file or its folder, or can replace a folder above. */
export function refuseForeign(file: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  for (let path = resolve(file), level = 0; ; path = dirname(path), level++) {
    const { uid, gid, mode } = statSync(path);
    const isSticky = (mode & 0o1000) !== 0 && level > 0;
    // Many systems give each user a group of the same number, and let it write.
    const isGroupOpen = (mode & 0o020) !== 0 && gid !== user && gid !== 0 && level < 2;
    const why =
      uid !== user && uid !== 0
        ? `user ${uid} owns ${path}`
        : !isSticky && ((mode & 0o002) !== 0 || isGroupOpen)
          ? `other users can write ${path}`
          : undefined;
    if (why !== undefined)
      throw new Error(
        `${relative(process.cwd(), file)} is not run, because ${why}; use a file and folders that only you can write`,
      );
    if (path === dirname(path)) return;
  }
}

interface BundleResult {
  readonly code: string;
  readonly map: string;
  /** Paths of the user's files in it. */
  readonly files: readonly string[];
}

type Syntax = Readonly<Record<string, boolean>>;

function bundled(path: string, supported: Syntax = {}): BundleResult {
  const { buildSync } = loadEsbuild();
  try {
    const { outputFiles, metafile } = buildSync({
      entryPoints: [path],
      bundle: true,
      write: false,
      outdir: "out",
      format: "cjs",
      platform: "neutral",
      target: "es2022",
      supported,
      mainFields: ["module", "main"],
      external: ["edgemaker"],
      sourcemap: "external",
      metafile: true,
      logLevel: "silent",
    });
    const textOf = (end: string) =>
      outputFiles.find((outputFile) => outputFile.path.endsWith(end))?.text ?? "";
    return { code: textOf(".js"), map: textOf(".js.map"), files: Object.keys(metafile.inputs) };
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>;
    throw new Error(errors.length > 0 ? errors.map(mistakeText).join("\n") : String(error));
  }
}

const mistakeText = ({ text, location }: Message): string =>
  location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
