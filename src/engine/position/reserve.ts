import { max, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { lockedBy, NO_RESERVE, type Reserve } from "../../model/reserve.ts";
import type { PositionStrategy } from "./state.ts";

/** Returns the part of the budget, after its fills, that no order has locked; either side can use all of it. */
export function positionReserve(
  strategy: PositionStrategy,
  orders: readonly Order[],
  market: Market,
): Reserve {
  const { state, config, status, wants } = strategy;
  if (status === "stopped") return NO_RESERVE;
  const locked = lockedBy(strategy, orders, market);
  const base = max(ZERO, state.base + notYetGiven(strategy) - locked.base);
  // An exiting strategy buys nothing more.
  if (wants === "stop" || state.exit) return { base, quote: ZERO, locked };
  return { base, quote: max(ZERO, config.budget.quote + state.ledger.quote - locked.quote), locked };
}

/** Returns the account's base that it takes at its start. */
const notYetGiven = ({ phase, config, state }: PositionStrategy) =>
  phase === "starting" ? max(ZERO, config.budget.base - state.first.base) : ZERO;
