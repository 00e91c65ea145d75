import { type Decimal, min, snap, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Capital, Funds, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Quote, Side } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import { takes } from "../../model/own-orders.ts";
import type { Refusal } from "../../model/strategy.ts";
import type { Timing } from "../../ports/venue.ts";
import { unsoldBase } from "../ledger/booking.ts";
import type { GridConfig } from "../state/config.ts";
import type { Slot } from "../state/state.ts";

/** Data that a plan can use. */
export interface View {
  readonly market: Market;
  readonly quote: Quote;
  /** Protocol time. */
  readonly now: Millis;
  /** Slots of this generation with an unsettled order. */
  readonly busy: ReadonlySet<number>;
  /** Slots whose order the exchange has not confirmed. */
  readonly unclear?: readonly Refusal[];
  /** Every order of the account on the symbol that is open or can be open. */
  readonly resting: readonly Resting[];
  /** Undefined if the balances are unknown; then no order is refused for lack of funds. */
  readonly funds: Funds | undefined;
  readonly killed: boolean;
  /** Whether the exchange may have orders without a row; nothing is placed until they are resolved. */
  readonly isRecovering: boolean;
  /** Number of orders that this pass can still place. */
  readonly limit: number;
  /** Price confidence; undefined if no grid uses it. */
  readonly confidence?: Decimal | undefined;
  readonly config: Pick<GridConfig, "confidence" | "maxPosition" | "safetyReserve" | "postOnly">;
  /** Basis of capital limits; undefined if the balances are unknown. */
  readonly capital?: Capital | undefined;
  /** Undefined if no limits apply to orders. */
  readonly bounds?: Bounds | undefined;
  /** Quote that the grid's limit leaves for further buys; undefined without a limit. */
  readonly room?: Decimal | undefined;
  /** Absent if nothing is retried. */
  readonly backoff?: Timing["backoff"];
}

export type Wish = { readonly side: Side; readonly price: Decimal; readonly amount: Decimal };

/** Returns the price of a slot's sell. */
export const sellPrice = ({ upper, sellAt }: Slot): Decimal => sellAt ?? upper;

const sellable = ({ lot }: Market, slot: Slot): Decimal => snap(unsoldBase(slot), lot, "down");

/** Returns the base that the cycle's buy still lacks, in whole lots. */
const missing = (market: Market, slot: Slot): Decimal =>
  snap(lotsFor(market, slot.size, slot.lower) - slot.bought, market.lot, "down");

/**
 * Returns the side on which the slot can act. After a canceled partial fill it buys the missing amount or sells its
 * base, if that meets the minimum. A selling slot that never had base becomes a buying slot when its lower price is
 * below the market.
 */
export function turn(slot: Slot, market: Market, mid: Decimal): Slot {
  const sells = meetsMinimum(market, sellPrice(slot), sellable(market, slot));
  if (slot.side === "buy") {
    const stuck = slot.bought > ZERO && !meetsMinimum(market, slot.lower, missing(market, slot));
    return stuck && sells ? { ...slot, side: "sell" } : slot;
  }
  if (sells) return slot;
  if (unsoldBase(slot) === ZERO && slot.bought === ZERO)
    return slot.lower < mid ? { ...slot, side: "buy" } : slot;
  const lacking = { ...slot, bought: min(unsoldBase(slot), lotsFor(market, slot.size, slot.lower)) };
  return meetsMinimum(market, slot.lower, missing(market, lacking)) ? { ...lacking, side: "buy" } : slot;
}

/** Returns the nearest price that the market accepts and that is no worse: its tick can be wider than at the start. */
export const priceAtTick = ({ side, price }: Pick<Wish, "side" | "price">, { tick }: Pick<Market, "tick">) =>
  snap(price, tick, side === "buy" ? "down" : "up");

export function wishOf(slot: Slot, market: Market): Wish | undefined {
  const ideal: Wish =
    slot.side === "buy"
      ? { side: "buy", price: slot.lower, amount: missing(market, slot) }
      : { side: "sell", price: sellPrice(slot), amount: sellable(market, slot) };
  const wish = { ...ideal, price: priceAtTick(ideal, market) };
  return meetsMinimum(market, wish.price, wish.amount) ? wish : undefined;
}

/**
 * Prices an order at its level, or at the nearest price where it would be a maker order; that is better for the grid
 * than the level. When the level itself allows a maker order, the order moves back (see outdated.ts).
 */
export function atRest(wish: Wish | undefined, { config, market, quote }: View): Wish | undefined {
  if (!wish || config.postOnly === false || !takes(wish, quote)) return wish;
  const price = wish.side === "buy" ? quote.bid : quote.ask;
  return price > ZERO && meetsMinimum(market, price, wish.amount) ? { ...wish, price } : wish;
}
