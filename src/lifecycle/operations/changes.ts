import * as z from "zod";
import { ChangedShape, changedOut } from "../../engine/operations/reads.ts";
import { changedFields } from "../../engine/operations/shapes.ts";
import { AppError } from "../../kernel/errors.ts";
import { flagField, idField, questionBeforeStop, stopFields } from "../../kernel/fields.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { readPauseExposure, readSaleExposure } from "../../limits/operations/exposed-reads.ts";
import { parseAccountKey } from "../../model/account.ts";
import { byOf } from "../../model/events.ts";
import { NO_EXPOSURE } from "../../model/proposal.ts";
import { ID_EXAMPLE, type Strategy } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { ReadableStrategy } from "../reading.ts";
import { describeStopResult, SummaryShape, summaryOf } from "../result.ts";
import { previewPause, previewResume, previewStop, readSale } from "./change-preview.ts";
import { type AfterPasses, changeableById, passesFor, reasonForDelay, strategyById } from "./find.ts";

const CHANGES = { effect: "trade", access: "token" } as const;
const idShape = () => ({ id: idField("Invalid request").describe("Strategy id") });
const cancelOrders = () => flagField("Invalid request", "cancelOrders");

/** Whether its orders are canceled, on the command line with its opposite. */
const ORDER_FLAGS = { opposites: { cancelOrders: "keep-orders" }, positional: ["id"] };

const pauseStrategy: Operation = operation({
  ...CHANGES,
  name: "pause_strategy",
  summary: "Pause a strategy: nothing new is placed until you resume it",
  failure: "Internal error",
  http: { route: "POST /strategies/:id/pause", from: "body" },
  cli: {
    ...ORDER_FLAGS,
    path: "pause",
    verb: "pause",
    examples: [`edgemaker pause ${ID_EXAMPLE}`, `edgemaker pause ${ID_EXAMPLE} --cancel-orders`],
  },
  input: () =>
    z.object({
      ...idShape(),
      cancelOrders: cancelOrders()
        .optional()
        .describe(
          "Cancel its open orders (default: a grid leaves them open, any other strategy cancels them)",
        ),
    }),
  output: ChangedShape,
  async prepare(deps, { id, cancelOrders }, call) {
    const before = await changeableById(deps, id);
    const { kind, strategy } = before;
    const keepOrders = cancelOrders === undefined ? kind.onPause === "keep" : !cancelOrders;
    return {
      preview: async () => previewPause(before, !keepOrders),
      strategies: [id],
      exposure: () => readPauseExposure(deps, kind, strategy),
      async act() {
        await deps.store.setPaused(id, { keepOrders }, byOf(call));
        const after = await passesFor(deps, strategy, ({ openOrders }) => keepOrders || openOrders === 0);
        return changedOut(after.view, pauseText(after), after.view.strategy.wants === "pause");
      },
    };
  },
});

const resumeStrategy: Operation = operation({
  ...CHANGES,
  name: "resume_strategy",
  summary: "Resume a strategy that is paused or in error",
  failure: "Internal error",
  http: { route: "POST /strategies/:id/resume", from: "body" },
  cli: {
    path: "resume",
    verb: "resume",
    positional: ["id"],
    steps: true,
    examples: [`edgemaker resume ${ID_EXAMPLE}`],
  },
  mcp: { steps: true },
  input: () => z.object(idShape()),
  output: ChangedShape,
  async prepare(deps, { id }, call) {
    const before = await changeableById(deps, id);
    const { kind, strategy } = before;
    return {
      async preview() {
        if (!canResume(strategy))
          throw new AppError("Conflict", `${notPaused(id)}; nothing was done`, {
            fields: { next: "Do not resume it. Call get_strategy for what it does." },
          });
        return previewResume(before, kind.describeUse(strategy), await deps.store.killed());
      },
      strategies: [id],
      exposure: () => kind.readExposure(deps, strategy),
      async act() {
        await deps.store.setPaused(id, null, byOf(call));
        const after = await passesFor(deps, strategy, () => true);
        const { text, isRunning } = resumeText(after);
        return changedOut(after.view, isRunning && !canResume(strategy) ? notPaused(id) : text, isRunning);
      },
    };
  },
});

const stopStrategy: Operation = operation({
  ...CHANGES,
  name: "stop_strategy",
  summary: "Stop a strategy and cancel its orders",
  lane: "urgent",
  failure: "Cancel failed",
  http: { route: "POST /strategies/:id/stop", alias: "DELETE /strategy/grid", from: "body" },
  cli: {
    ...ORDER_FLAGS,
    path: "stop",
    verb: "stop",
    view: stopView,
    final: { shows: "get_strategy", question: questionBeforeStop },
    examples: [`edgemaker stop ${ID_EXAMPLE}`, `edgemaker stop ${ID_EXAMPLE} --sell-base`],
  },
  input: () =>
    z
      .object({
        ...idShape(),
        cancelOrders: cancelOrders().default(true).describe("false leaves the open orders on the exchange"),
        ...stopFields(),
      })
      .refine(({ cancelOrders, sellBase }) => cancelOrders || !sellBase, {
        path: ["sellBase"],
        error: "Invalid request: sellBase needs cancelOrders: orders that stay open lock the base",
      }),
  output: StoppedShape,
  async prepare(deps, { id, cancelOrders, ...flags }, call) {
    const { sellBase } = flags;
    const before = await strategyById(deps, id);
    const { kind, strategy } = before;
    return {
      preview: async () =>
        previewStop(before, {
          cancelOrders,
          sale: sellBase ? await readSale(deps, before) : undefined,
          killed: sellBase && (await deps.store.killed()),
        }),
      strategies: [id],
      exposure: sellBase ? () => readSaleExposure(deps, kind, strategy) : NO_EXPOSURE,
      async act() {
        const isOver = (view: ReadableStrategy) => view.strategy.status === "stopped";
        if (!isOver(before))
          await deps.store.setWants(id, "stop", { keepOrders: !cancelOrders, ...flags }, byOf(call));
        const { view, pass } = isOver(before)
          ? { view: before, pass: undefined }
          : await passesFor(deps, strategy, isOver);
        const now = deps.marketTime(parseAccountKey(strategy.account), view.now);
        const left = cancelOrders ? undefined : await deps.store.releasedOrdersOf(id);
        return {
          ...changedOut(view, describeStopResult(deps, view, pass)),
          summary: summaryOf(view, now, left),
        };
      },
    };
  },
});

/** Returns the verbs that change a running strategy of any kind. */
export const changeOperations: readonly Operation[] = [pauseStrategy, resumeStrategy, stopStrategy];

function StoppedShape() {
  return z.object({ success: z.boolean(), ...changedFields(), summary: SummaryShape() });
}

function stopView(answer: unknown) {
  const { id, message, summary } = answer as z.output<ReturnType<typeof StoppedShape>>;
  return { strategy: id, message, ...(summary.openOrders ? { openOrders: summary.openOrders } : {}) };
}

function pauseText(after: AfterPasses): string {
  const { strategy, openOrders } = after.view;
  const { id, wants, keepOrders, config } = strategy;
  const delay = reasonForDelay(after);
  if (wants === "stop") return `${id} is stopping${delay}`;
  if (wants === "run") return `${id} is running: it was resumed${delay}`;
  const orders = keepOrders
    ? `its ${countWithVerb(openOrders, "open order", "stays", "stay")}`
    : openOrders === 0
      ? "its orders are canceled"
      : `${openOrders} of its orders could still be open, and the next passes cancel them`;
  const { stopLossPrice, takeProfitPrice, trailingStop, endsAt } = config;
  const isWatched = [stopLossPrice, takeProfitPrice, trailingStop].some((one) => one !== undefined);
  const prices = isWatched ? "; its stop and take-profit prices are not watched" : "";
  const time = endsAt === undefined ? "" : "; it does not end at its time";
  return `${id} is paused: nothing new is placed, and ${orders}${prices}${time}${delay}`;
}

const notPaused = (id: string): string => `${id} is not paused`;

/** Returns whether a person, an error or a loss has paused the strategy, so a resume changes something. */
const canResume = ({ wants, status, phase, lastError, state }: Strategy): boolean =>
  wants !== "run" ||
  status === "error" ||
  phase === "paused" ||
  lastError !== null ||
  (state.halted ?? null) !== null;

/** Describes a resume; after a pass, the strategy can still be in error or paused. */
function resumeText(after: AfterPasses): { readonly text: string; readonly isRunning: boolean } {
  const { id, status, phase, wants, lastError, state } = after.view.strategy;
  const hasPassed = after.pass?.outcome === "stepped" || after.pass?.outcome === "short";
  if (wants !== "run") return { text: pauseText(after), isRunning: false };
  if (hasPassed && status === "error")
    return { text: `${id} is in error again: ${lastError}`, isRunning: false };
  if (hasPassed && phase === "paused") {
    const why = state.halted ?? lastError ?? after.pass?.message;
    return { text: `${id} stays paused${why ? `: ${why}` : ""}`, isRunning: false };
  }
  return { text: `${id} is resumed${reasonForDelay(after)}`, isRunning: true };
}
