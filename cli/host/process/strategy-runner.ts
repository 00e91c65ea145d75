/**
 * Entry of a process for strategies' code: it reads jobs from its standard input, and writes a line of JSON for each. It
 * ends with its input. No module of the user can reach this process's input and output.
 */
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { deserialize } from "node:v8";
import * as z from "zod";
import type { OwnStrategyJob } from "../../../src/backtest/own-backtest.ts";
import { messageOf } from "../../../src/kernel/errors.ts";
import { comparableText, faultOf } from "../../../src/own/pass/ask.ts";
import { answerCall, type CodeCall } from "../../../src/own/pass/elsewhere.ts";
import { readConfig } from "../../../src/own/schema/shapes.ts";
import { versionOf } from "../../../src/own/state.ts";
import type { AnyStrategyDefinition } from "../../../src/ports/definition.ts";
import { type BundledStrategy, type Guard, runStrategy } from "./strategy-code.ts";
import type { RunnerJob, RunnerLine } from "./strategy-processes.ts";

// It goes to all processes of a terminal. The server decides what it means, and ends its processes.
process.on("SIGHUP", () => undefined);

const loadedDefinitions = new Map<string, AnyStrategyDefinition>();

function definitionOf({ bundle, file }: RunnerJob): AnyStrategyDefinition {
  const known = loadedDefinitions.get(file);
  if (known) return known;
  const definition = runStrategy(bundle as BundledStrategy);
  loadedDefinitions.set(file, definition);
  return definition;
}

const descriptionOf = (definition: AnyStrategyDefinition) => ({
  name: definition.name,
  summary: definition.summary,
  version: versionOf(definition),
  hasUpgrade: definition.upgrade !== undefined,
  tolerance: definition.tolerance && {
    price: definition.tolerance.price?.toString(),
    amount: definition.tolerance.amount?.toString(),
  },
  mayTake: definition.mayTake === true,
  candles: definition.candles,
  reference: definition.reference ?? false,
  config: z.toJSONSchema(definition.config, { io: "input", unrepresentable: "any" }),
});

/** A backtest calls often: its caller ends this process when one call takes too long, so calls show that they begin. */
const ALIVE_EVERY_MS = 200;

/** A backtest checks its own limit between bars. Its caller ends a call that takes too long. */
const MAX_BACKTEST_MS = 2 ** 31 - 1;

async function runBacktestJob(
  definition: AnyStrategyDefinition,
  job: OwnStrategyJob,
  alive: (done: number) => void,
) {
  const { backtestOwnStrategy } = await import("../../../src/backtest/own-backtest.ts");
  let [shown, done] = [0, 0];
  const orders: AnyStrategyDefinition["orders"] = (view) => {
    const now = performance.now();
    if (now - shown > ALIVE_EVERY_MS) {
      shown = now;
      alive(done);
    }
    return definition.orders(view);
  };
  const until = performance.now() + job.maxMillis;
  const work = backtestOwnStrategy({ ...definition, orders }, job, () => performance.now() > until);
  const guard = definition.guard as Guard;
  return guard(() => {
    for (;;) {
      const { done: isDone, value } = work.next();
      if (isDone) return comparableText(value);
      done = value;
    }
  }, MAX_BACKTEST_MS);
}

function jobText(definition: AnyStrategyDefinition, { job, input }: RunnerJob): string {
  const { guard = (work) => work() } = definition;
  return guard(() => {
    if (job === "describe") return comparableText(descriptionOf(definition));
    if (job === "config") return comparableText(readConfig(definition, input as object));
    return comparableText(answerCall(definition, input as CodeCall));
  });
}

/** What failed outside a call: a promise's rejection, or an error in a callback. */
let lateFailure: { readonly error: unknown } | undefined;
for (const event of ["unhandledRejection", "uncaughtException"] as const)
  process.on(event, (error: unknown) => {
    lateFailure = { error };
  });

async function answerJob(request: RunnerJob): Promise<RunnerLine> {
  const { id } = request;
  let definition: AnyStrategyDefinition | undefined;
  try {
    definition = definitionOf(request);
    const alive = (done: number) => writeLine({ id, alive: true, done });
    const text =
      request.job === "backtest"
        ? await runBacktestJob(definition, request.input as OwnStrategyJob, alive)
        : jobText(definition, request);
    // Rejections of its promises are reported before the next turn.
    await setImmediate();
    if (lateFailure) throw lateFailure.error;
    return { id, answer: text };
  } catch (error) {
    return { id, failed: definition ? faultOf(definition, error) : messageOf(error) };
  } finally {
    lateFailure = undefined;
  }
}

function writeLine(line: RunnerLine): void {
  let rest = Buffer.from(`${JSON.stringify(line)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(1);
    }
  }
}

let frameParts: Buffer[] = [];

/** Its caller sends the next job after the answer: what arrives is one frame, in parts. */
process.stdin.on("data", (part: Buffer) => {
  frameParts.push(part);
  const size = frameParts.reduce((sum, { length }) => sum + length, 0);
  if (size < LENGTH_BYTES || size < LENGTH_BYTES + frameLength()) return;
  const frame = Buffer.concat(frameParts);
  frameParts = [];
  void answerJob(deserialize(frame.subarray(LENGTH_BYTES)) as RunnerJob).then(writeLine);
});
const LENGTH_BYTES = 4;
function frameLength(): number {
  const first = frameParts[0] as Buffer;
  if (first.length < LENGTH_BYTES) frameParts = [Buffer.concat(frameParts)];
  return (frameParts[0] as Buffer).readUInt32LE(0);
}
process.stdin.on("end", () => process.exit());
writeLine({ id: 0, alive: true });
