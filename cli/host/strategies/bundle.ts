/** Bundles each file of a strategies folder to one script with esbuild, with a source map. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire, SourceMap, type SourceMapPayload } from "node:module";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildFailure, Message } from "esbuild";

/** Not bundled: esbuild is a separate program, and only strategies need it. A package contains a copy beside the bundle. */
const requireHere = createRequire(import.meta.url);
const PACKED_ESBUILD = new URL("../esbuild/lib/main.js", import.meta.url);

const loadEsbuild = (): typeof import("esbuild") =>
  requireHere(existsSync(PACKED_ESBUILD) ? fileURLToPath(PACKED_ESBUILD) : "esbuild");

export interface BundledStrategy {
  /** Path relative to the strategies folder. */
  readonly file: string;
  readonly code: string;
  /** Returns the file and line of a position in the code; undefined if the position is in no file. */
  readonly original: (line: number, column: number) => string | undefined;
  /** Returns the first line of the file that matches. */
  readonly lineOf: (pattern: RegExp) => string;
}

const IS_TEST = /\.(test|spec)\.ts$/;

/** Returns the TypeScript files of the folder that import `edgemaker`, without tests. */
export function strategyFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !IS_TEST.test(name))
    .map((name) => join(folder, name))
    .filter((file) => /from\s+["']edgemaker["']/.test(readFileSync(file, "utf8")))
    .sort();
}

/** Bundles a file. Throws an Error with file, line and column of a mistake. */
export function bundleStrategy(path: string): BundledStrategy {
  const file = relative(process.cwd(), path);
  const { code, map } = bundled(path);
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

function bundled(path: string): { readonly code: string; readonly map: string } {
  const { buildSync } = loadEsbuild();
  try {
    const { outputFiles } = buildSync({
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
      logLevel: "silent",
    });
    const textOf = (end: string) =>
      outputFiles.find((outputFile) => outputFile.path.endsWith(end))?.text ?? "";
    return { code: textOf(".js"), map: textOf(".js.map") };
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>;
    throw new Error(errors.length > 0 ? errors.map(mistakeText).join("\n") : String(error));
  }
}

const mistakeText = ({ text, location }: Message): string =>
  location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
