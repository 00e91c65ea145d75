/** Entry of the calculation thread: it processes one message after another. */
import { parentPort } from "node:worker_threads";
import { CALCULATIONS } from "../../../src/backtest/operations/calculations.ts";
import { finish } from "../../../src/backtest/run/begin.ts";
import { AppError, messageOf } from "../../../src/kernel/errors.ts";
import type { CalculationOutcome, CalculationRequest } from "./calculations.ts";

type Calculation = Extract<CalculationRequest, { readonly name: string }>;

let lists: Record<string, unknown[]> = {};

function calculationOutcome({ name, job, maxMillis }: Calculation): CalculationOutcome {
  const until = performance.now() + maxMillis;
  const begin = CALCULATIONS[name as keyof typeof CALCULATIONS];
  try {
    const work: Generator<unknown, unknown> = begin(
      { ...job, lists } as never,
      () => performance.now() > until,
    );
    return { answer: finish(work) };
  } catch (error) {
    if (!(error instanceof AppError)) return { failed: messageOf(error) };
    const { label, message, extras } = error;
    return { refused: { label, message, fields: extras.fields } };
  } finally {
    lists = {};
  }
}

parentPort?.on("message", (request: CalculationRequest) => {
  if ("name" in request) return void parentPort?.postMessage(calculationOutcome(request));
  lists[request.list] = [...(lists[request.list] ?? []), ...request.rows];
});
