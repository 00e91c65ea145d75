import { movementsOf } from "../../engine/reconcile/fills.ts";
import { type Decimal, max, min, mul, sum, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor } from "../../model/minimum.ts";
import type { FoundOrder } from "../../ports/kind.ts";
import { costInAll, gridPosition, unsoldBase } from "../ledger/booking.ts";
import { releaseInventory } from "../ledger/draw.ts";
import { takeLots, totalBase, withLot } from "../state/lots.ts";
import type { GridState, Slot } from "../state/state.ts";

/**
 * Returns the slots between neighboring levels at a market price. A slot buys if its lower price is strictly below
 * the market, otherwise it sells; selling slots are empty until they get base.
 */
export const layOut = (levels: readonly Decimal[], size: Decimal, market: Decimal): Slot[] =>
  levels.slice(1).map((upper, index) => {
    const lower = levels[index] as Decimal;
    return {
      index,
      lower,
      upper,
      size,
      side: lower < market ? "buy" : "sell",
      bought: ZERO,
      base: ZERO,
      cost: ZERO,
      sold: ZERO,
      first: false,
      cycles: 0,
      retryAt: 0,
    };
  });

/** Returns the amount in base of a slot's first order. */
export const firstAmount = (market: Market, { side, lower, upper, size }: Slot): Decimal =>
  lotsFor(market, size, side === "buy" ? lower : upper);

// True before its first pass only if the database was restored to that moment.
const hasTraded = ({ base, cost, sold }: Slot): boolean => base !== ZERO || cost !== ZERO || sold !== ZERO;

/** Returns the base that all selling slots of a starting grid need. */
export const targetBase = ({ slots }: GridState, market: Market): Decimal =>
  sum(slots.filter(({ side }) => side === "sell").map((slot) => firstAmount(market, slot)));

/**
 * Gives free base of the account to selling slots, lowest first, in whole orders, booked at the start price. From
 * then on it belongs to the strategy.
 */
export function giveFirstBase(state: GridState, market: Market, free: Decimal): GridState {
  let left = free;
  const slots = state.slots.map((slot) => {
    const amount = firstAmount(market, slot);
    if (slot.side === "buy" || hasTraded(slot) || amount > left || amount === ZERO) return slot;
    left -= amount;
    return { ...slot, base: amount, cost: mul(amount, state.startPrice, "half"), first: true };
  });
  return withFirst({ ...state, slots }, state);
}

/**
 * Returns base that a restored database does not know: what a starting grid's sell, found on the exchange, has sold
 * or offers beyond its slot's base. The grid bought it and no slot has it, and it exceeds the first base.
 */
export function forgottenBase(state: GridState, { order, fills, ended }: FoundOrder): GridState {
  const { base } = splitPair(order.symbol);
  const moved = fills
    .flatMap((fill) => movementsOf(order.symbol, fill))
    .reduce((total, { asset, amount }) => (asset === base ? total - amount : total), ZERO);
  const needed = ended ? moved : max(moved, order.amount);
  if (order.generation !== state.generation) return withIdleFor(state, needed);
  const slot = state.slots.find(({ index }) => index === order.slot);
  const lacks = slot ? needed - unsoldBase(slot) : ZERO;
  if (!slot || lacks <= ZERO) return state;
  const { drawn, rest: idle } = takeLots(state.idle, min(lacks, max(ZERO, totalBase(state.idle))));
  const own = lacks - drawn.base;
  const cost = slot.cost + drawn.cost + mul(own, state.startPrice, "half");
  const first = slot.first || drawn.first || own > ZERO;
  const given = { ...slot, base: slot.base + lacks, cost, first };
  const slots = state.slots.map((one) => (one === slot ? given : one));
  return withFirst({ ...state, slots, idle }, state);
}

/**
 * Returns the base that an order of another layout needs as idle base, because its trades are booked there. Base that
 * the slots bought before was moved to that layout; only what is lacking then was the account's, at the start price.
 */
function withIdleFor(before: GridState, needed: Decimal): GridState {
  const idleOf = ({ idle }: GridState) => max(ZERO, totalBase(idle));
  if (needed <= idleOf(before)) return before;
  const state = releaseInventory(before, () => true);
  const base = needed - idleOf(state);
  if (base <= ZERO) return state;
  const cost = mul(base, state.startPrice, "half");
  return withFirst({ ...state, idle: withLot(state.idle, { base, cost, first: true }) }, state);
}

/** Adds base that slots or the idle base got to the ledger. */
function withFirst(state: GridState, before: GridState): GridState {
  const { ledger } = state;
  const firstBase = ledger.firstBase + gridPosition(state) - gridPosition(before);
  const firstCost = ledger.firstCost + costInAll(state) - costInAll(before);
  return { ...state, ledger: { ...ledger, firstBase, firstCost } };
}
