// Runs a range of seeds in a worker and answers what they came to: the entry that mutants are built from too.
import { parentPort, workerData } from "node:worker_threads";
import { simulate } from "./run.ts";

export interface Range {
  readonly from: number;
  readonly count: number;
  readonly ticks: number;
  /** Ends with the first seed that violates an invariant. */
  readonly untilFirst: boolean;
}

export interface Tally {
  readonly seeds: number;
  readonly passes: number;
  readonly orders: number;
  readonly fills: number;
  readonly hash: number;
  readonly failed: readonly { readonly seed: number; readonly what: string }[];
}

const { from, count, ticks, untilFirst } = workerData as Range;
const tally = {
  seeds: 0,
  passes: 0,
  orders: 0,
  fills: 0,
  hash: 0,
  failed: [] as { seed: number; what: string }[],
};
for (let seed = from; seed < from + count; seed++) {
  const { violations, passes, orders, fills, hash } = await simulate({ seed, ticks });
  tally.seeds++;
  tally.passes += passes;
  tally.orders += orders;
  tally.fills += fills;
  tally.hash = (Math.imul(tally.hash, 31) + hash) >>> 0;
  const [first] = violations;
  if (first) tally.failed.push({ seed, what: first.what });
  if (first && untilFirst) break;
}
parentPort?.postMessage(tally satisfies Tally);
