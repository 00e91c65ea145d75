import * as z from "zod";
import { max, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { idField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import { questionBeforeStop, type StopFlags, type StopWish, stopFields } from "../../kernel/stop-flags.ts";
import { type By, byOf, type Caller } from "../../model/events.ts";
import { type Preview, TRADES_NOTHING } from "../../model/proposal.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { stepUntil } from "../pass/step-until.ts";
import type { PositionStrategy } from "../position/state.ts";
import type { PositionKind } from "./position-kind.ts";
import { changedFields } from "./shapes.ts";
import { viewNamed } from "./views.ts";

export const ChangedShape = lazy(() => z.object({ success: z.boolean(), ...changedFields() }));

export const changedOut = (
  { strategy: { id, status, phase } }: StrategyView,
  message: string,
  success = true,
) => ({ success, id, status, phase, message });

/** Returns a strategy that a user can still change. Throws AppError otherwise. */
export function changeable<V extends StrategyView>(view: V, again: string): V {
  const { id, status, wants } = view.strategy;
  if (status !== "stopped" && wants !== "stop") return view;
  throw new AppError("Conflict", `${id} ${status === "stopped" ? "is stopped" : "is stopping"}${again}`);
}

export const idInput = lazy(() => z.object({ id: idField("Invalid request").describe("Strategy id") }));

export const CHANGES_STRATEGY = { effect: "trade", access: "token", output: ChangedShape } as const;

const baseText = ({ symbol, state }: PositionStrategy): string =>
  `${text(state.base)} ${splitPair(symbol).base}`;

function stopPreview(strategy: PositionStrategy, sellBase: boolean): Preview {
  const base = baseText(strategy);
  return {
    what: `stop ${strategy.id}, canceling its orders${sellBase ? `, and sell ${base} below the market` : ""}`,
    cost: sellBase ? `${base} are sold` : "nothing is sold or bought",
    worstCase: sellBase
      ? "it sells at up to 10 % below the mid price, even into a thin order book"
      : `${base} stay in the account`,
    limits: [],
  };
}

/** Returns the parts of the operation that stops a strategy. */
export const stopParts = <S extends PositionStrategy>(kind: PositionKind<S>) =>
  ({
    ...CHANGES_STRATEGY,
    name: `stop_${kind.group}`,
    lane: "urgent",
    summary: kind.summaries.stop,
    failure: "Cancel failed",
    http: { route: `DELETE /strategy/${kind.name}`, from: "body" },
    cli: {
      path: `${kind.group} stop`,
      positional: ["id"],
      final: {
        shows: `get_${kind.group}_status`,
        question: questionBeforeStop(kind.group === "quote" ? "quotes" : kind.group),
      },
      examples: [`edgemaker ${kind.group} stop ${kind.example}`],
    },
    input: () => idInput().extend(stopFields()),
    async prepare(deps: Deps, { id, ...flags }: { readonly id: string } & StopFlags, call: Caller) {
      const { strategy } = await viewNamed(deps, kind, id);
      const { sellBase } = flags;
      return {
        preview: async () => stopPreview(strategy, sellBase),
        strategies: [id],
        exposure: sellBase ? () => kind.exposures.sale(deps, strategy) : TRADES_NOTHING,
        act: () => stopByUser(deps, kind, strategy, { how: { keepOrders: false, ...flags }, by: byOf(call) }),
      };
    },
  }) as const;

async function stopByUser<S extends PositionStrategy>(
  deps: Deps,
  kind: PositionKind<S>,
  { id, status }: S,
  { how, by }: { readonly how: StopWish; readonly by: By },
) {
  if (status !== "stopped") await deps.store.setWants(id, "stop", how, by);
  const isOver = ({ strategy }: StrategyView) => strategy.status === "stopped";
  const { view, why } = await stepUntil(deps, () => viewNamed(deps, kind, id), isOver);
  return changedOut(
    view,
    isOver(view)
      ? `${id} is stopped and has no orders left`
      : `${id} is stopping: ${view.openOrders} of its orders could still be open${why}; the next passes finish the stop`,
  );
}

function pausePreview<S extends PositionStrategy>(
  { resumes }: PositionKind<S>,
  strategy: S,
  isPaused: boolean,
): Preview {
  const { id, symbol, config, state } = strategy;
  const quote = `${text(max(ZERO, config.budget.quote + state.ledger.quote))} ${splitPair(symbol).quote}`;
  return {
    what: isPaused ? `pause ${id}: cancel its orders until you resume it` : `resume ${id}: ${resumes.what}`,
    cost: isPaused ? "nothing is sold or bought" : `up to ${baseText(strategy)} and ${quote} ${resumes.uses}`,
    worstCase: isPaused ? "the base stays, and loses value with the price" : "the same as at the start",
    limits: [],
  };
}

/** Returns the parts of the operation that pauses or resumes a strategy. */
export function pauseParts<S extends PositionStrategy>(kind: PositionKind<S>, isPaused: boolean) {
  const verb = isPaused ? "pause" : "resume";
  return {
    ...CHANGES_STRATEGY,
    name: `${verb}_${kind.group}`,
    summary: kind.summaries[verb],
    failure: "Internal error",
    http: { route: `POST /strategy/${kind.name}/:id/${verb}`, from: "body" },
    cli: { path: `${kind.group} ${verb}`, positional: ["id"], ...(isPaused ? {} : { steps: true }) },
    input: idInput,
    async prepare(deps: Deps, { id }: { readonly id: string }, call: Caller) {
      const { strategy } = changeable(await viewNamed(deps, kind, id), kind.again);
      return {
        preview: async () => pausePreview(kind, strategy, isPaused),
        strategies: [id],
        exposure: () => kind.exposures[verb](deps, strategy),
        async act() {
          await deps.store.setPaused(id, isPaused, byOf(call));
          const isDone = ({ openOrders }: StrategyView) => isPaused && openOrders === 0;
          const { view, why } = await stepUntil(deps, () => viewNamed(deps, kind, id), isDone);
          const isFaulty = view.strategy.status === "error";
          if (isPaused) return changedOut(view, `${id} is paused: its orders are canceled${why}`, !isFaulty);
          const failure = kind.failure?.(view);
          const message = `${id} is resumed${why}${failure === undefined ? "" : `; it fails again: ${failure}`}`;
          return changedOut(view, message, !isFaulty && failure === undefined);
        },
      };
    },
  } as const;
}
