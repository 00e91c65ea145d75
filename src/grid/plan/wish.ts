import { type Decimal, min, snap, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Capital, Funds, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Quote, Side } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import { takes } from "../../model/own-orders.ts";
import type { Refusal } from "../../model/strategy.ts";
import type { Timing } from "../../ports/venue.ts";
import { baseHeld } from "../ledger/booking.ts";
import type { GridConfig } from "../state/config.ts";
import type { Slot } from "../state/state.ts";

/** What a plan may know of the world. */
export interface View {
  readonly market: Market;
  readonly quote: Quote;
  /** Protocol time. */
  readonly now: Millis;
  /** Slots of this generation whose order is not settled. */
  readonly busy: ReadonlySet<number>;
  /** Slots of which the venue has not said whether it took their order. */
  readonly unclear?: readonly Refusal[];
  /** Every order of the account that rests, or may rest, on the symbol. */
  readonly resting: readonly Resting[];
  /** Undefined when the balances are not known: then nothing is refused for them. */
  readonly funds: Funds | undefined;
  readonly killed: boolean;
  /** The venue may know orders that the store does not: nothing is placed until that is settled. */
  readonly held: boolean;
  /** How many orders this pass may still place. */
  readonly limit: number;
  /** Price confidence; undefined where nobody asks for it. */
  readonly confidence?: Decimal | undefined;
  readonly config: Pick<GridConfig, "confidence" | "maxPosition" | "safetyReserve" | "postOnly">;
  /** What limits are shares of; undefined when the balances are not known. */
  readonly capital?: Capital | undefined;
  /** Undefined where no order is held to limits. */
  readonly bounds?: Bounds | undefined;
  /** Quote that the grid's bound leaves to further buys; undefined of a grid without one. */
  readonly room?: Decimal | undefined;
  /** Left out where nothing is tried again. */
  readonly backoff?: Timing["backoff"];
}

export type Wish = { readonly side: Side; readonly price: Decimal; readonly amount: Decimal };

/** Where a slot's sell rests. */
export const sellPrice = ({ upper, sellAt }: Slot): Decimal => sellAt ?? upper;

const sellable = ({ lot }: Market, slot: Slot): Decimal => snap(baseHeld(slot), lot, "down");

/** Base that the cycle's buy still lacks, in whole lots. */
const missing = (market: Market, slot: Slot): Decimal =>
  snap(lotsFor(market, slot.size, slot.lower) - slot.bought, market.lot, "down");

/**
 * The side on which the slot can act. A part-filled order that was cancelled is completed: what is
 * missing is bought, or what is held is sold, if that meets the minimum. A selling slot that never
 * had base becomes a buying one as soon as its lower price is below the market.
 */
export function turn(slot: Slot, market: Market, mid: Decimal): Slot {
  const sells = meetsMinimum(market, sellPrice(slot), sellable(market, slot));
  if (slot.side === "buy") {
    const stuck = slot.bought > ZERO && !meetsMinimum(market, slot.lower, missing(market, slot));
    return stuck && sells ? { ...slot, side: "sell" } : slot;
  }
  if (sells) return slot;
  if (baseHeld(slot) === ZERO && slot.bought === ZERO)
    return slot.lower < mid ? { ...slot, side: "buy" } : slot;
  const lacking = { ...slot, bought: min(baseHeld(slot), lotsFor(market, slot.size, slot.lower)) };
  return meetsMinimum(market, slot.lower, missing(market, lacking)) ? { ...lacking, side: "buy" } : slot;
}

export function wishOf(slot: Slot, market: Market): Wish | undefined {
  const wish: Wish =
    slot.side === "buy"
      ? { side: "buy", price: slot.lower, amount: missing(market, slot) }
      : { side: "sell", price: sellPrice(slot), amount: sellable(market, slot) };
  return meetsMinimum(market, wish.price, wish.amount) ? wish : undefined;
}

/**
 * At its level, or where that would take at the nearest price that rests: better for the grid than the level. Once the
 * level rests too, the order goes back there (see outdated.ts).
 */
export function atRest(wish: Wish | undefined, { config, market, quote }: View): Wish | undefined {
  if (!wish || config.postOnly === false || !takes(wish, quote)) return wish;
  const price = wish.side === "buy" ? quote.bid : quote.ask;
  return price > ZERO && meetsMinimum(market, price, wish.amount) ? { ...wish, price } : wish;
}
