/** Runs strategies of a test under the rules of the server: forbidden globals fail, and errors have file and line. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { definedAt } from "../../src/own/define.ts";
import { AbsentClock, NO_RANDOM, SCRIPT_SCOPE } from "../../src/own/script.ts";
import type { AnyStrategyDefinition } from "../../src/ports/definition.ts";
import { strategyGlobals } from "../host/process/strategy-code.ts";

/** Number of calls of strategies' code under way. */
let depth = 0;
/** Number of tests under way, and how to end what they forbid. */
let tests = 0;
let allowAgain = () => {};

/** Returns the definition with errors and globals as on a server. Use it between `forbid` and what that returns. */
export const asOnServer = (definition: AnyStrategyDefinition): AnyStrategyDefinition => {
  const places = new WeakMap<object, string>();
  const place = fileAndLineOf(definedAt.get(definition));
  return {
    ...definition,
    ...(place === undefined ? {} : { source: place }),
    locate: (error) => (hasStack(error) ? places.get(error) : undefined),
    guard(work) {
      depth++;
      try {
        return work();
      } catch (error) {
        // The same frames are below this call, so they are the test's and not the strategy's.
        const found = fileAndLineOf(error, new Set(framesOf(new Error())));
        if (found !== undefined && hasStack(error)) places.set(error, found);
        throw error;
      } finally {
        depth--;
      }
    },
  };
};

const hasStack = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Forbids during strategies' calls what the server lacks, and returns how to end this. */
export function forbid(): () => void {
  if (tests++ === 0) allowAgain = replaceGlobals();
  return () => {
    if (--tests === 0) allowAgain();
  };
}

function replaceGlobals(): () => void {
  const replaced = forbiddenNames().map((name) =>
    replace(globalThis, name, (value) => {
      if (depth > 0 && isStrategys(new Error())) throw new ReferenceError(`${name} is not defined`);
      return value;
    }),
  );
  const clock = replace(globalThis, "Date", (value) => (depth > 0 ? AbsentClock : value));
  const random = replace(Math, "random", (value) => (depth > 0 ? withoutRandom : value));
  return () => {
    for (const restore of [...replaced, clock, random]) restore();
  };
}

const withoutRandom = (): never => {
  throw new Error(NO_RANDOM);
};

/** A test runner adds enumerable names, which are none of Node's. */
function forbiddenNames(): readonly string[] {
  const onServer = strategyGlobals();
  const known: readonly string[] = [...SCRIPT_SCOPE, "structuredClone", "atob", "btoa"];
  return Object.entries(Object.getOwnPropertyDescriptors(globalThis))
    .filter(
      ([name, one]) => !onServer.has(name) && one.configurable && (known.includes(name) || !one.enumerable),
    )
    .map(([name]) => name);
}

/** Reads a property through a function. Returns how to restore it, which keeps a newer value. */
function replace(owner: object, name: string, read: (value: unknown) => unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
  let value: unknown = Reflect.get(owner, name);
  const get = () => read(value);
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: before.enumerable ?? false,
    get,
    set(next) {
      value = next;
    },
  });
  return () => {
    if (Object.getOwnPropertyDescriptor(owner, name)?.get !== get) return;
    Object.defineProperty(owner, name, "value" in before ? { ...before, value } : before);
  };
}

/** Folders of edgemaker's own code: the sources of a checkout, or the built files of a package. */
const OWN_FOLDERS = ["../../src/", "../"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

interface Frame {
  readonly file: string;
  readonly line: string;
}

const FRAME = /(?:^|[\s(])((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()]*?):(\d+):\d+\)?$/;

/** Returns the frames that have a file, as texts. */
const framesOf = (error: unknown): readonly string[] =>
  String((error as { stack?: unknown } | undefined)?.stack)
    .split("\n")
    .filter((text) => FRAME.test(text) || text.includes("(node:"));

const parseFrame = (text: string): Frame | undefined => {
  const [, path = "", line = ""] = FRAME.exec(text) ?? [];
  if (path === "") return undefined;
  return { file: path.startsWith("file:") ? fileURLToPath(path) : path, line };
};

const isTests = (frame: Frame | undefined): frame is Frame =>
  frame !== undefined &&
  !frame.file.includes("node_modules") &&
  !OWN_FOLDERS.some((folder) => frame.file.startsWith(folder));

/** Returns whether the strategy's own code read a global, and not a library's that it called. */
const isStrategys = (error: Error): boolean => {
  const [, , reader = ""] = framesOf(error);
  return isTests(parseFrame(reader));
};

/** Returns file and line of the first frame that is neither edgemaker's nor a library's, nor one of `others`. */
function fileAndLineOf(error: unknown, others: ReadonlySet<string> = new Set()): string | undefined {
  const frames = framesOf(error).filter((text) => !others.has(text));
  const found = frames.map(parseFrame).find(isTests);
  return found && `${relative(process.cwd(), found.file)}:${found.line}`;
}
