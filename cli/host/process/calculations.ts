import { once } from "node:events";
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { AppError, type Label } from "../../../src/kernel/errors.ts";
import type { Millis } from "../../../src/kernel/time.ts";
import { type CalculationThread, canceledRequest } from "../../../src/ports/heavy.ts";

type Lists = Readonly<Record<string, readonly unknown[]>>;

/** A calculation, or a part of one of its job's lists, sent before it. */
export type CalculationRequest =
  | { readonly name: string; readonly job: object; readonly maxMillis: Millis }
  | { readonly list: string; readonly rows: readonly unknown[] };

export type CalculationOutcome =
  | { readonly answer: unknown }
  | {
      readonly refused: {
        readonly label: Label;
        readonly message: string;
        readonly fields: AppError["extras"]["fields"];
      };
    }
  | { readonly failed: string };

/** Returns a thread that runs one calculation at a time; undefined if the build has no code for it. */
export const calculationThread = (
  file = fileURLToPath(new URL("calculation-thread.js", import.meta.url)),
): CalculationThread | undefined => (existsSync(file) ? threadOf(file) : undefined);

/** Starts the thread with the first calculation. Canceling ends the thread, and the next calculation starts another. */
function threadOf(file: string): CalculationThread {
  let idle: Worker | undefined;
  return async (name, job, { maxMillis, signal }) => {
    const worker = idle ?? startWorker(file);
    idle = undefined;
    const answered = once(worker, "message", { signal });
    // A failure before the await is thrown at the await.
    answered.catch(() => undefined);
    const send = (request: CalculationRequest) => worker.postMessage(request);
    try {
      const { lists = {}, ...rest } = job as { readonly lists?: Lists };
      for (const { list, rows } of listParts(lists)) {
        send({ list, rows });
        await setImmediate();
      }
      send({ name, job: rest, maxMillis });
      const [outcome] = (await answered) as [CalculationOutcome];
      idle = worker;
      return calculatedAnswer(outcome);
    } catch (error) {
      if (idle !== worker) void worker.terminate();
      throw signal?.aborted ? canceledRequest() : error;
    }
  };
}

/** Number of rows per part, because copying a long list at once would block the process. */
const ROWS_PER_PART = 1000;

function* listParts(lists: Lists) {
  for (const [list, rows] of Object.entries(lists))
    for (let at = 0; at === 0 || at < rows.length; at += ROWS_PER_PART)
      yield { list, rows: rows.slice(at, at + ROWS_PER_PART) };
}

/** Starts a worker that does not keep the process alive. Its failures reach whoever awaits its result. */
function startWorker(file: string): Worker {
  const worker = new Worker(file);
  worker.unref();
  worker.on("error", () => undefined);
  return worker;
}

function calculatedAnswer(outcome: CalculationOutcome): unknown {
  if ("answer" in outcome) return outcome.answer;
  if ("failed" in outcome) throw new Error(outcome.failed);
  const { label, message, fields } = outcome.refused;
  throw new AppError(label, message, fields ? { fields } : {});
}
