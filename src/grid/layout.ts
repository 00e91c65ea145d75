import { type Decimal, mul, ZERO } from "../kernel/decimal.ts";
import type { Market } from "../ports.ts";
import { lotsFor } from "./minimum.ts";
import type { GridState, Slot } from "./state.ts";

/**
 * The slots between neighbouring levels at a market price. A slot buys when its lower price is
 * strictly below the market, else it sells; selling slots hold nothing until first base is given.
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
      sequence: 0,
      bought: ZERO,
      base: ZERO,
      cost: ZERO,
      sold: ZERO,
      first: false,
      cycles: 0,
      retryAt: 0,
    };
  });

/** What a slot's first order of its side amounts to, in base. */
export const firstAmount = (market: Market, { side, lower, upper, size }: Slot): Decimal =>
  lotsFor(market, size, side === "buy" ? lower : upper);

// Before its first pass only where the database was restored to that moment.
const hasTraded = ({ base, cost, sold }: Slot): boolean => base !== ZERO || cost !== ZERO || sold !== ZERO;

/**
 * Gives the account's own free base to selling slots, lowest first, whole orders only, booked at the
 * start price. What it takes belongs to the strategy from then on.
 */
export function giveFirstBase(state: GridState, market: Market, free: Decimal): GridState {
  let left = free;
  const slots = state.slots.map((slot) => {
    const amount = firstAmount(market, slot);
    if (slot.side === "buy" || hasTraded(slot) || amount > left || amount === ZERO) return slot;
    left -= amount;
    return { ...slot, base: amount, cost: mul(amount, state.startPrice, "half"), first: true };
  });
  const given = slots.filter(({ first }) => first);
  const ledger = {
    ...state.ledger,
    firstBase: given.reduce((total, { base }) => total + base, ZERO),
    firstCost: given.reduce((total, { cost }) => total + cost, ZERO),
  };
  return { ...state, slots, ledger };
}
