/** Loads users' strategies without network, clock or randomness except those that they are given. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire, SourceMap, type SourceMapPayload } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import type { BuildFailure, Message } from "esbuild";
import { messageOf } from "../../src/kernel/errors.ts";
import { defineStrategy, Money, z } from "../../src/own/package.ts";
import type { AnyStrategyDefinition, LoadedFrom } from "../../src/ports/definition.ts";

export interface LoadedStrategies {
  readonly definitions: readonly AnyStrategyDefinition[];
  /** Files that could not be loaded, and why, with file and line. */
  readonly failures: readonly { readonly file: string; readonly message: string }[];
}

/** Time limit of a call in milliseconds, far above what a terminating function needs. */
const MAX_CALL_MS = 2000;

/**
 * Removes or blocks what a function must not use, so a strategy behaves the same in a backtest and live. This is not
 * a security boundary.
 */
const PRELUDE = new Script(`"use strict";
Math.random = () => { throw new Error("Math.random is absent: use the random() that orders() is given"); };
globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) throw new Error("the clock is absent: use the now that orders() is given");
    super(...given);
  }
  static now() { throw new Error("the clock is absent: use the now that orders() is given"); }
};`);

const loaded = new Map<string, LoadedStrategies>();

/** Returns the strategies in the folder, which a process reads once. */
export function strategiesIn(folder: string): LoadedStrategies {
  const known = loaded.get(resolve(folder)) ?? loadStrategies(folder);
  loaded.set(resolve(folder), known);
  return known;
}

/** Returns the strategies that this process has read; undefined if its command runs none. */
export const loadedStrategies = (folder: string): LoadedStrategies | undefined => loaded.get(resolve(folder));

export function loadStrategies(folder: string): LoadedStrategies {
  const definitions: AnyStrategyDefinition[] = [];
  const failures: { file: string; message: string }[] = [];
  for (const file of strategyFiles(folder)) {
    try {
      const definition = loadStrategy(file);
      const twin = definitions.find(({ name }) => name === definition.name);
      if (twin) throw new Error(`${definition.source}: ${definition.name} is the name of ${twin.source} too`);
      definitions.push(definition);
    } catch (error) {
      failures.push({ file, message: messageOf(error) });
    }
  }
  return { definitions, failures: [...failures, ...misplacedFiles(folder)] };
}

/** Loads a file. Throws an Error with file and line, or if another user could have written it. */
export function loadStrategy(file: string): AnyStrategyDefinition {
  const bundle = bundleStrategy(file);
  const { exported, guard } = runBundle(bundle);
  const definition = exported as AnyStrategyDefinition | undefined;
  if (typeof definition?.orders !== "function")
    throw new Error(`${bundle.file}:1: export the strategy: export default defineStrategy({ … })`);
  return {
    ...defineStrategy(definition),
    source: functionLine(bundle),
    locate: locateIn(bundle),
    guard,
  };
}

/** Returns the file and line of its function. */
export const functionLine = (bundle: BundledStrategy): string =>
  bundle.lineOf(/^\s*(async\s+)?orders\s*[(:]/);

function runBundle(bundle: BundledStrategy) {
  const context = createContext({});
  PRELUDE.runInContext(context);
  const call = new Script("__call()");
  let depth = 0;
  // A nested call is already under its caller's time limit.
  const guard = <T>(work: () => T): T => {
    if (depth > 0) return work();
    let result: { readonly value: T } | undefined;
    context.__call = () => {
      result = { value: work() };
    };
    depth++;
    try {
      call.runInContext(context, { timeout: MAX_CALL_MS });
    } catch (error) {
      throw isTimeout(error) ? new Error(`it ran for more than ${MAX_CALL_MS} ms, and was ended`) : error;
    } finally {
      depth--;
    }
    return (result as { readonly value: T }).value;
  };
  const module: { exports: { default?: unknown } } = { exports: {} };
  const script = new Script(`(function (require, module, exports) {${bundle.code}\n})`, {
    filename: scriptName(bundle),
  });
  try {
    guard(() => script.runInContext(context)(requireStrategy, module, module.exports));
  } catch (error) {
    const at = locateIn(bundle)(error) ?? `${bundle.file}:1`;
    throw new Error(`${at}: ${(error as Error | undefined)?.message ?? error}`);
  }
  return { exported: module.exports.default, guard };
}

const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

function requireStrategy(name: string): unknown {
  if (name === "edgemaker") return { defineStrategy, Money, z };
  throw new Error(
    `import only "edgemaker" and your own files: ${JSON.stringify(name)} is not available here`,
  );
}

const scriptName = ({ file }: BundledStrategy): string => `strategy:${file}`;

/** Returns the first stack frame in the user's file, which may have called the code that threw. */
function locateIn(bundle: BundledStrategy): LoadedFrom["locate"] {
  const pattern = new RegExp(`${scriptName(bundle).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}:(\\d+):(\\d+)`);
  return (error) => {
    const [, line, column] = pattern.exec(String((error as { stack?: unknown } | undefined)?.stack)) ?? [];
    return line === undefined ? undefined : bundle.original(Number(line), Number(column));
  };
}

/** Not bundled: esbuild is a separate program, and only strategies need it. A package contains a copy beside the bundle. */
const requireHere = createRequire(import.meta.url);
const PACKED_ESBUILD = new URL("../esbuild/lib/main.js", import.meta.url);

const loadEsbuild = (): typeof import("esbuild") =>
  requireHere(existsSync(PACKED_ESBUILD) ? fileURLToPath(PACKED_ESBUILD) : "esbuild");

interface BundledStrategy {
  /** Path relative to the strategies folder. */
  readonly file: string;
  readonly code: string;
  /** Returns the file and line of a position in the code; undefined if the position is in no file. */
  readonly original: (line: number, column: number) => string | undefined;
  /** Returns the first line of the file that matches. */
  readonly lineOf: (pattern: RegExp) => string;
}

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
export function bundleStrategy(path: string): BundledStrategy {
  const file = relative(process.cwd(), path);
  const { code, map, files } = bundled(path);
  for (const bundledFile of files) refuseForeign(bundledFile);
  const lines = new SourceMap(JSON.parse(map) as SourceMapPayload);
  return {
    file,
    code,
    original(line, column) {
      const found = lines.findEntry(line - 1, column - 1);
      if (!("originalSource" in found) || found.originalSource === undefined) return undefined;
      const name = basename(found.originalSource) === basename(path) ? file : found.originalSource;
      return `${name}:${found.originalLine + 1}`;
    },
    lineOf(pattern) {
      const texts = readFileSync(path, "utf8").split("\n");
      return `${file}:${
        Math.max(
          0,
          texts.findIndex((text) => pattern.test(text)),
        ) + 1
      }`;
    },
  };
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

function bundled(path: string): BundleResult {
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
