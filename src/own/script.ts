/** Runs strategies' scripts on a platform without contexts and without a time limit for one call. */
import { Money } from "../kernel/money.ts";
import type { AnyStrategyDefinition } from "../ports/definition.ts";
import type { StrategyScript } from "./deployed.ts";
import * as edgemaker from "./package.ts";
import { createStrategyConsole } from "./pass/log.ts";

/** Parameters of a script: a value each for the first ones, and `undefined` for the others. */
export const SCRIPT_SCOPE = [
  "require",
  "module",
  "exports",
  "__step",
  "Date",
  "Math",
  "globalThis",
  "fetch",
  "console",
  "self",
  "WebSocket",
  "EventSource",
  "caches",
  "crypto",
  "performance",
  "process",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "scheduler",
  "navigator",
  "Request",
] as const;

/** Number of loop steps and function calls in one call, far more than a function that ends needs. */
export const MAX_LOOP_STEPS = 5_000_000;

/** Loads a script. Throws an Error with file and line if it exports no strategy. */
export function loadScript({ source, run }: StrategyScript): AnyStrategyDefinition {
  let [steps, depth] = [0, 0];
  /** What ended a callback of its promises, after a call: the next call fails with it. */
  let late: Error | undefined;
  const step = (): true => {
    steps++;
    if (steps <= MAX_LOOP_STEPS) return true;
    const error = new Error(`its loops ran more than ${MAX_LOOP_STEPS} times in one call, and it was ended`);
    if (depth === 0) late ??= error;
    throw error;
  };
  // A nested call counts with its caller.
  const guard = <T>(work: () => T): T => {
    if (depth === 0) steps = 0;
    const error = late;
    late = undefined;
    if (error) throw error;
    depth++;
    try {
      return work();
    } finally {
      depth--;
    }
  };
  const module: { exports: { default?: unknown } } = { exports: {} };
  const { console, takeLog } = createStrategyConsole();
  const { exports } = module;
  const given = [
    requireInScript,
    module,
    exports,
    step,
    AbsentClock,
    mathWithoutRandom(),
    {},
    noNetwork,
    console,
  ];
  guard(() => run(...given));
  const definition = module.exports.default as AnyStrategyDefinition | undefined;
  if (typeof definition?.orders !== "function") throw new Error(`${source}: it exports no strategy`);
  return { ...edgemaker.defineStrategy(definition), source, guard, takeLog };
}

function requireInScript(name: string): unknown {
  if (name === "edgemaker") return { defineStrategy: edgemaker.defineStrategy, Money, z: edgemaker.z };
  throw new Error(`${JSON.stringify(name)} is not available to a strategy`);
}

function noNetwork(): never {
  throw new Error("the network is absent: a strategy uses only what orders() is given");
}

export const NO_CLOCK = "the clock is absent: use the now that orders() is given";

// biome-ignore lint/style/noRestrictedGlobals: this one has no clock.
export class AbsentClock extends Date {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) throw new Error(NO_CLOCK);
    super(...(given as [string]));
  }

  static override now(): never {
    throw new Error(NO_CLOCK);
  }
}

export const NO_RANDOM = "Math.random is absent: use the random() that orders() is given";

const mathWithoutRandom = (): Math =>
  Object.create(Math, {
    random: {
      value: () => {
        throw new Error(NO_RANDOM);
      },
    },
  });
