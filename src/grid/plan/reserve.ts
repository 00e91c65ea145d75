import { type Decimal, max, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { lockedBy, NO_RESERVE, type Reserve } from "../../model/reserve.ts";
import { quoteFee } from "../ladder/fees.ts";
import { followed } from "../ladder/followed.ts";
import { targetBase } from "../ladder/layout.ts";
import { costInAll, gridPosition, unsoldBase } from "../ledger/booking.ts";
import type { GridConfig, GridState, GridStrategy, Slot } from "../state/state.ts";
import { sellPrice } from "./wish.ts";

/**
 * Returns the free quote and base without which a slot of the grid would have to wait: for its buy, for the buy after
 * its sell, or for the base of its sell, including fees. Balances that its orders lock are not free, and not counted.
 */
export function reserveOf(strategy: GridStrategy, orders: readonly Order[], market: Market): Reserve {
  const { state, status, wants, config } = strategy;
  if (status === "stopped") return NO_RESERVE;
  const { maxPosition, safetyReserve } = config;
  const shares = { maxPosition, safetyReserve };
  const locked = lockedBy(strategy, orders, market);
  const base = max(ZERO, gridPosition(state) + unbegun(strategy, market) - locked.base);
  // An exiting grid sells its base, and buys nothing more.
  if (wants === "stop" || state.exit) return { quote: ZERO, base, locked, ...shares };
  return { quote: max(ZERO, runningQuote(strategy, market) - locked.quote), base, locked, ...shares };
}

/** Returns the account's base that a grid takes when it starts. */
const unbegun = ({ phase, config, state }: GridStrategy, market: Market): Decimal =>
  phase === "starting" && config.useOwnBase !== false ? targetBase(state, market) : ZERO;

/** Returns the quote that keeps every slot funded, including what its orders lock. */
export function runningQuote(
  { config, state }: { readonly config: GridConfig; readonly state: Pick<GridState, "slots" | "idle"> },
  market: Market,
): Decimal {
  const fees = ONE + quoteFee(market);
  const whole = ({ size }: Pick<Slot, "size">) => mul(size, fees, "up");
  // After a rebuild any of its slots can buy, and its base belongs to none of them.
  if (config.centered) return sum(state.slots.map(whole));
  const now = sum(state.slots.map((slot) => max(ZERO, whole(slot) - broughtBy(slot, market))));
  if (!config.trail) return now;
  const all = [...state.slots, ...followed({ config, state, market })];
  return max(now, sum(all.map(whole)) - costInAll(state));
}

/** Returns what a slot has spent in this cycle, or what its sell will bring. */
function broughtBy(slot: Slot, market: Market): Decimal {
  if (slot.side === "buy") return mul(slot.bought, slot.lower, "down");
  const fee = max(market.maker, market.taker);
  return mul(mul(unsoldBase(slot), sellPrice(slot), "down"), ONE - fee, "down");
}
