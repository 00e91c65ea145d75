import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { versionOf } from "../../../src/declared/state.ts";
import { readSettings } from "../../host/settings.ts";
import { strategyFiles } from "../../host/strategies/bundle.ts";
import { strategiesIn } from "../../host/strategies/load.ts";
import type { Values } from "../../terminal/arguments.ts";
import { print } from "../../terminal/output.ts";

/** Loads every strategy, and runs the type checker of the current folder if there is one. */
export async function checkStrategies(values: Values): Promise<number> {
  const folder = readSettings(values, process.env).config.strategies;
  const { definitions, failures } = strategiesIn(folder);
  const types = checkTypes(strategyFiles(folder));
  const mistakes = [...failures.map(({ message }) => message), ...(types ?? [])];
  print(values, {
    strategies: definitions.map((definition) => ({
      ...{ name: definition.name, version: versionOf(definition), source: definition.source ?? null },
    })),
    count: definitions.length,
    types:
      types === undefined ? "not checked; to check them, run `npm install --save-dev typescript`" : "checked",
    ...(mistakes.length > 0 ? { mistakes } : {}),
  });
  return mistakes.length > 0 ? 1 : 0;
}

export const COMPILER_OPTIONS = {
  ...{ target: "ES2022", module: "ESNext", moduleResolution: "Bundler", strict: true, skipLibCheck: true },
  allowImportingTsExtensions: true,
};

/** Returns type errors of the files, with file and line; undefined if no type checker is installed. */
function checkTypes(files: readonly string[]): readonly string[] | undefined {
  const compiler = compilerHere();
  if (files.length === 0 || compiler === undefined) return undefined;
  const own = resolve("tsconfig.json");
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-check-"));
  try {
    const settings = {
      ...(existsSync(own) ? { extends: own } : {}),
      compilerOptions: { ...(existsSync(own) ? {} : COMPILER_OPTIONS), noEmit: true, types: [] },
      ...{ files: files.map((file) => resolve(file)), include: [], exclude: [] },
    };
    const config = join(folder, "tsconfig.json");
    writeFileSync(config, JSON.stringify(settings));
    const { stdout, status } = spawnSync(process.execPath, [compiler, "--pretty", "false", "-p", config], {
      encoding: "utf8",
    });
    return status === 0
      ? []
      : stdout
          .trim()
          .split(/\n(?=\S)/)
          .map(briefly);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first line, which names the place, and the last one, which names the cause. */
function briefly(mistake: string): string {
  const [first = "", ...more] = mistake.split("\n").map((line) => line.trim());
  return [first, ...more.slice(-1)].join(" ");
}

function compilerHere(): string | undefined {
  try {
    const manifest = createRequire(resolve("package.json")).resolve("typescript/package.json");
    return join(manifest, "../bin/tsc");
  } catch {
    return undefined;
  }
}
