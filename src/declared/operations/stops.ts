import { stepUntil } from "../../engine/pass/step-until.ts";
import { max, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { StopWish } from "../../kernel/stop-flags.ts";
import {
  readPositionExposure,
  readPositionPause,
  readPositionSale,
} from "../../limits/operations/position-reads.ts";
import type { By } from "../../model/events.ts";
import { type Preview, TRADES_NOTHING } from "../../model/proposal.ts";
import { byOf, type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { strategyIdInput, strategyStopInput } from "../schema/input.ts";
import { ChangedDeclaredShape } from "../schema/shapes.ts";
import type { DeclaredStrategy } from "../state.ts";
import { type DeclaredView, declaredView } from "./running.ts";

const CHANGES = { effect: "trade", access: "token", output: ChangedDeclaredShape } as const;

/** Returns the strategy's base as text. */
const inventory = ({ symbol, state }: DeclaredStrategy): string =>
  `${text(state.base)} ${splitPair(symbol).base}`;

function stopPreview(strategy: DeclaredStrategy, sellBase: boolean): Preview {
  const base = inventory(strategy);
  return {
    what: `stop ${strategy.id}, canceling its orders${sellBase ? `, and sell ${base} below the market` : ""}`,
    cost: sellBase ? `${base} are sold` : "nothing is sold or bought",
    worstCase: sellBase
      ? "it sells at up to 10 % below the mid price, even into a thin order book"
      : `${base} stay in the account`,
    limits: [],
  };
}

function pausePreview(strategy: DeclaredStrategy, isPaused: boolean): Preview {
  const { id, symbol, config, state } = strategy;
  const quote = `${text(max(ZERO, config.budget.quote + state.ledger.quote))} ${splitPair(symbol).quote}`;
  return {
    what: isPaused
      ? `pause ${id}: cancel its orders until you resume it`
      : `resume ${id}: place its orders again`,
    cost: isPaused ? "nothing is sold or bought" : `up to ${inventory(strategy)} and ${quote} are used`,
    worstCase: isPaused ? "the base stays, and loses value with the price" : "the same as at the start",
    limits: [],
  };
}

const changedDeclared = (
  { strategy: { id, status, phase } }: DeclaredView,
  message: string,
  success = true,
) => ({
  ...{ success, id, status, phase, message },
});

const stopStrategy = operation({
  ...CHANGES,
  name: "stop_strategy",
  lane: "urgent",
  summary: "Stop one of your own strategies and cancel its orders",
  failure: "Cancel failed",
  http: { route: "DELETE /strategy/declared", from: "body" },
  cli: {
    path: "strategy stop",
    positional: ["id"],
    examples: ["edgemaker strategy stop two-sided-kraken-BTC-USDT-1767225600000"],
  },
  input: strategyStopInput,
  async prepare(deps, { id, ...flags }, call) {
    const { strategy } = await declaredView(deps, id);
    const { sellBase } = flags;
    return {
      preview: async () => stopPreview(strategy, sellBase),
      strategies: [id],
      exposure: sellBase ? () => readPositionSale(deps, strategy) : TRADES_NOTHING,
      act: () => stopByHand(deps, strategy, { keepOrders: false, ...flags }, byOf(call)),
    };
  },
});

async function stopByHand(deps: Deps, { id, status }: DeclaredStrategy, how: StopWish, by: By) {
  if (status !== "stopped") await deps.store.setWants(id, "stop", how, by);
  const isOver = ({ strategy }: DeclaredView) => strategy.status === "stopped";
  const { view, why } = await stepUntil(deps, () => declaredView(deps, id), isOver);
  return changedDeclared(
    view,
    isOver(view)
      ? `${id} is stopped and has no orders left`
      : `${id} is stopping: ${view.openOrders} of its orders could still be open${why}; the next passes finish the stop`,
  );
}

/** Returns a strategy that can still be changed. Throws otherwise. */
async function changeableStrategy(deps: Deps, id: string): Promise<DeclaredStrategy> {
  const { strategy } = await declaredView(deps, id);
  const { status, wants } = strategy;
  if (status !== "stopped" && wants !== "stop") return strategy;
  throw new AppError(
    "Conflict",
    `${id} ${status === "stopped" ? "is stopped" : "is stopping"}; start it again`,
  );
}

const pauseOperation = (isPaused: boolean) =>
  operation({
    ...CHANGES,
    name: isPaused ? "pause_strategy" : "resume_strategy",
    summary: isPaused
      ? "Pause one of your own strategies: cancel its orders until you resume it"
      : "Resume one of your own strategies that is paused or in error",
    failure: "Internal error",
    http: {
      route: isPaused ? "POST /strategy/declared/:id/pause" : "POST /strategy/declared/:id/resume",
      from: "body",
    },
    cli: {
      path: isPaused ? "strategy pause" : "strategy resume",
      positional: ["id"],
      ...(isPaused ? {} : { steps: true }),
    },
    input: strategyIdInput,
    async prepare(deps, { id }, call) {
      const strategy = await changeableStrategy(deps, id);
      return {
        preview: async () => pausePreview(strategy, isPaused),
        strategies: [id],
        exposure: () => (isPaused ? readPositionPause(deps, strategy) : readPositionExposure(deps, strategy)),
        act: () => pauseByHand(deps, id, isPaused, byOf(call)),
      };
    },
  });

async function pauseByHand(deps: Deps, id: string, isPaused: boolean, by: By) {
  await deps.store.setPaused(id, isPaused, by);
  const isDone = ({ openOrders }: DeclaredView) => isPaused && openOrders === 0;
  const { view, why } = await stepUntil(deps, () => declaredView(deps, id), isDone);
  if (isPaused) return changedDeclared(view, `${id} is paused: its orders are canceled${why}`);
  const { state, resumes } = view.strategy;
  const fails = state.fault?.resumes === resumes ? state.fault : null;
  const message = `${id} is resumed${why}`;
  return changedDeclared(
    view,
    fails ? `${message}; it fails again: ${fails.message}` : message,
    fails === null,
  );
}

export const declaredStops: readonly Operation[] = [
  stopStrategy,
  pauseOperation(true),
  pauseOperation(false),
];
