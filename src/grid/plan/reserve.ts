import { type Decimal, max, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { Order } from "../../model/order.ts";
import { quoteFee } from "../ladder/fees.ts";
import { followed } from "../ladder/followed.ts";
import { wantedBase } from "../ladder/layout.ts";
import { costInAll, held, heldInAll } from "../ledger/booking.ts";
import type { GridStrategy, Slot } from "../state/state.ts";
import { sellPrice } from "./wish.ts";

/** Of the account's free balances, what a grid still needs. */
export interface Reserve {
  readonly quote: Decimal;
  readonly base: Decimal;
  /** What its resting orders have locked beside it. */
  readonly locked: { readonly quote: Decimal; readonly base: Decimal };
}

const NO_RESERVE: Reserve = { quote: ZERO, base: ZERO, locked: { quote: ZERO, base: ZERO } };

/**
 * Free quote and base without which one of a grid's slots would come to wait: for its buy, for the buy after its sell,
 * or for the base that its sell is to deliver; fees included. What its orders have locked is not free, and not counted.
 */
export function reserveOf(strategy: GridStrategy, orders: readonly Order[], market: Market): Reserve {
  const { state, status, wants } = strategy;
  if (status === "stopped") return NO_RESERVE;
  const resting = orders.filter((order) => order.strategy === strategy.id && hasLocked(order));
  const lockedBy = (side: "buy" | "sell") =>
    sum(
      resting.filter((order) => order.side === side).map((order) => need(market, unfilledPart(order)).amount),
    );
  const locked = { quote: lockedBy("buy"), base: lockedBy("sell") };
  const base = max(ZERO, heldInAll(state) + unbegun(strategy, market) - locked.base);
  // One that is leaving sells what it holds, and buys nothing more.
  if (wants === "stop" || state.exit) return { quote: ZERO, base, locked };
  return { quote: max(ZERO, wantedQuote(strategy, market) - locked.quote), base, locked };
}

const LOCKING: ReadonlySet<string> = new Set(["submitted", "open", "partially_filled"]);
const hasLocked = ({ state }: Order): boolean => LOCKING.has(state);

const unfilledPart = ({ side, price, amount, filled }: Order) => ({ side, price, amount: amount - filled });

/** Own base that a grid takes when it begins. */
const unbegun = ({ phase, config, state }: GridStrategy, market: Market): Decimal =>
  phase === "starting" && config.useOwnBase !== false ? wantedBase(state, market) : ZERO;

function wantedQuote({ config, state }: GridStrategy, market: Market): Decimal {
  const fees = ONE + quoteFee(market);
  const whole = ({ size }: Pick<Slot, "size">) => mul(size, fees, "up");
  // Laid out anew, any of its slots may buy, and what it holds is none of theirs.
  if (config.centered) return sum(state.slots.map(whole));
  const now = sum(state.slots.map((slot) => max(ZERO, whole(slot) - broughtBy(slot, market))));
  if (!config.trail) return now;
  const all = [...state.slots, ...followed({ config, state, market })];
  return max(now, sum(all.map(whole)) - costInAll(state));
}

/** What a slot has spent in this cycle already, or what its sell will bring. */
function broughtBy(slot: Slot, market: Market): Decimal {
  if (slot.side === "buy") return mul(slot.bought, slot.lower, "down");
  const fee = max(market.maker, market.taker);
  return mul(mul(held(slot), sellPrice(slot), "down"), ONE - fee, "down");
}
