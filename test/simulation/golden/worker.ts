// Makes the lines of seeds in its own thread.
import { parentPort } from "node:worker_threads";
import { type GoldenSet, goldenLine } from "./sets.ts";

Error.stackTraceLimit = 0;

export interface GoldenJob {
  readonly set: GoldenSet;
  readonly seeds: readonly number[];
}

parentPort?.on("message", async ({ set, seeds }: GoldenJob) => {
  const lines: string[] = [];
  for (const seed of seeds) lines.push(await goldenLine(set, seed));
  parentPort?.postMessage(lines);
});
