/** Places missing orders as far as funds and limits allow. */
import { draftOf } from "../../engine/decide/intents.ts";
import { delayedLoss } from "../../engine/decide/loss.ts";
import { isUnclear, strangerError, venueError, withNotices } from "../../engine/decide/troubles.ts";
import { cancellable } from "../../engine/decide/turn.ts";
import {
  type Desk,
  delayedRefusal,
  keepEqual,
  placeOrder,
  type Supply,
  supplyBefore,
} from "../../engine/position/place.ts";
import type { Tolerance } from "../../engine/position/tolerance.ts";
import type { Market, Quote } from "../../model/market.ts";
import { leastAmount } from "../../model/minimum.ts";
import type { Order } from "../../model/order.ts";
import { takes } from "../../model/own-orders.ts";
import { isSameRefusal, type Refusal, type SlotState } from "../../model/strategy.ts";
import type { Drafted, StrategyContext } from "../../ports/kind.ts";
import type { DeclaredState, DeclaredStrategy } from "../state.ts";
import type { Arranged } from "./arrange.ts";
import type { NamedWish } from "./ask.ts";

export interface Placement {
  readonly context: StrategyContext;
  readonly market: Market;
  readonly priced: Quote;
  readonly arranged: Arranged;
  readonly tolerance: Tolerance;
  readonly memory: DeclaredState["memory"];
}

export function placeDeclared(
  strategy: DeclaredStrategy,
  live: readonly Order[],
  placing: Placement,
): Partial<Drafted<DeclaredStrategy>> {
  const { context, arranged, priced } = placing;
  const supply = supplyAfter(strategy, live, placing);
  const cancels = cancellable(arranged.misplaced);
  const waits = cancels.length > 0 || supply.short || live.some(isUnclear);
  const state = stateAfter(strategy.state, supply, placing);
  const next: DeclaredStrategy = {
    ...strategy,
    state,
    status: "running",
    phase: waits || supply.intents.length > 0 ? "placing" : "active",
    lastError:
      strangerError(context) ??
      venueError(state.refused) ??
      (supply.short ? context.slow : null) ??
      delayedLoss(priced, context.bounds),
  };
  return {
    strategy: withNotices(next, []),
    intents: supply.intents.map((intent) =>
      draftOf(strategy, intent, { window: context.window, at: priced.at }),
    ),
    cancels,
    funds: context.funds && supply.funds,
    priced,
    placing: supply.intents.length > 0 && !waits,
    short: supply.short,
  };
}

function supplyAfter(strategy: DeclaredStrategy, live: readonly Order[], placing: Placement): Supply {
  const { context, market, priced, arranged, tolerance } = placing;
  const refused = arranged.waiting.map((slot) => delayedRefusal(slot, strategy));
  const before: Supply = { ...supplyBefore(arranged.slots, context), refused };
  if (arranged.lacking.length === 0) return before;
  // Without balances nothing is placed. The kill switch prevents their read, which is not a lack of calls.
  if (!context.funds) return { ...before, refused: strategy.state.refused, short: !context.killed };
  const inventory = {};
  const desk: Desk = { strategy, inventory, leastShare: tolerance.amount, live, market, priced, context };
  let supply = before;
  for (const { wish, slot } of arranged.lacking) {
    const refusal = refusedByMarket(wish, slot, desk);
    supply = refusal
      ? { ...supply, refused: [...supply.refused, refusal] }
      : placeOrder(wish, slot, desk, supply);
  }
  return supply;
}

function refusedByMarket(wish: NamedWish, { index }: SlotState, desk: Desk): Refusal | undefined {
  const { market, priced, strategy } = desk;
  const { postOnly = true } = strategy.config;
  if (wish.amount < leastAmount(market, wish.price))
    return { slot: index, reason: "below_minimum", detail: `${wish.id} is below the exchange's minimum` };
  return postOnly && takes(wish, priced)
    ? {
        slot: index,
        reason: "would_take",
        detail: `${wish.id} would be a taker order, which this strategy does not allow`,
      }
    : undefined;
}

/** Returns the same object if nothing changed, so a pass without changes writes nothing. */
function stateAfter(before: DeclaredState, supply: Supply, { arranged, memory }: Placement): DeclaredState {
  const after: DeclaredState = {
    ...before,
    slots: keepEqual(before.slots, supply.slots, (a, b) => a === b),
    ids: keepEqual(before.ids, arranged.ids, (a, b) => a === b),
    refused: keepEqual(before.refused, supply.refused, isSameRefusal),
    memory,
    fills: before.fills.length === 0 ? before.fills : [],
    fault: null,
  };
  const isSame = (["slots", "ids", "refused", "memory", "fills", "fault"] as const).every(
    (part) => before[part] === after[part],
  );
  return isSame ? before : after;
}
