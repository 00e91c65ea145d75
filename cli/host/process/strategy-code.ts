/** Runs a strategy's bundle without network, clock or randomness except those that it is given. */
import { SourceMap, type SourceMapPayload } from "node:module";
import { basename } from "node:path";
import { createContext, Script } from "node:vm";
import { defineStrategy, Money, z } from "../../../src/own/package.ts";
import { createStrategyConsole } from "../../../src/own/pass/log.ts";
import { NO_CLOCK, NO_RANDOM } from "../../../src/own/script.ts";
import type { AnyStrategyDefinition, LoadedFrom } from "../../../src/ports/definition.ts";

export interface BundledStrategy {
  /** Path relative to the current folder. */
  readonly file: string;
  /** Paths of the user's files in it. */
  readonly files: readonly string[];
  readonly code: string;
  /** Source map as JSON text. */
  readonly map: string;
  /** File and line of its function. */
  readonly source: string;
}

/** Time limit of a call in milliseconds, far above what a terminating function needs. */
export const MAX_CALL_MS = 2000;

/**
 * Removes or blocks what a function must not use, so a strategy behaves the same in a backtest and live. Typed arrays
 * are outside the memory limit. What runs later than a call could hold the next one.
 */
const PRELUDE = new Script(`"use strict";
Math.random = () => { throw new Error(${JSON.stringify(NO_RANDOM)}); };
globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) throw new Error(${JSON.stringify(NO_CLOCK)});
    super(...given);
  }
  static now() { throw new Error(${JSON.stringify(NO_CLOCK)}); }
};
for (const name of Object.getOwnPropertyNames(globalThis))
  if (/Array$|^(DataView|SharedArrayBuffer|ArrayBuffer|Atomics|WebAssembly|WeakRef|FinalizationRegistry)$/.test(name) && name !== "Array")
    delete globalThis[name];`);

/** Returns the names of what a strategy's code finds without an import. */
export function strategyGlobals(): ReadonlySet<string> {
  const context = createContext({ console });
  PRELUDE.runInContext(context);
  return new Set(new Script("Object.getOwnPropertyNames(globalThis)").runInContext(context) as string[]);
}

/** Runs a bundle and returns its strategy. Throws an Error with file and line. */
export function runStrategy(bundle: BundledStrategy): AnyStrategyDefinition {
  const { exported, guard, takeLog } = runBundle(bundle);
  const definition = exported as AnyStrategyDefinition | undefined;
  if (typeof definition?.orders !== "function")
    throw new Error(`${bundle.file}:1: export the strategy: export default defineStrategy({ … })`);
  return { ...defineStrategy(definition), source: bundle.source, locate: locateIn(bundle), guard, takeLog };
}

/** Runs work with a time limit. A nested call is already under its caller's limit. */
export type Guard = <T>(work: () => T, maxMillis?: number) => T;

function runBundle(bundle: BundledStrategy) {
  // The callbacks of its promises run before a call returns, under the same time limit.
  const { console, takeLog } = createStrategyConsole();
  const context = createContext({ console }, { microtaskMode: "afterEvaluate" });
  PRELUDE.runInContext(context);
  const call = new Script("__call()");
  let depth = 0;
  const guard: Guard = (work, maxMillis = MAX_CALL_MS) => {
    if (depth > 0) return work();
    let result: { readonly value: ReturnType<typeof work> } | undefined;
    context.__call = () => {
      result = { value: work() };
    };
    depth++;
    try {
      call.runInContext(context, { timeout: maxMillis });
    } catch (error) {
      throw isTimeout(error) ? new Error(`it ran for more than ${maxMillis} ms, and was ended`) : error;
    } finally {
      depth--;
    }
    return (result as { readonly value: ReturnType<typeof work> }).value;
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
  return { exported: module.exports.default, guard, takeLog };
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
    return line === undefined ? undefined : originalPlace(bundle, Number(line), Number(column));
  };
}

function originalPlace({ file, map }: BundledStrategy, line: number, column: number): string | undefined {
  const found = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(line - 1, column - 1);
  if (!("originalSource" in found) || found.originalSource === undefined) return undefined;
  const name = basename(found.originalSource) === basename(file) ? file : found.originalSource;
  return `${name}:${found.originalLine + 1}`;
}
