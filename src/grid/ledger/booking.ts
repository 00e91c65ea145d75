import { addFee } from "../../engine/reconcile/fills.ts";
import { type Decimal, mulDiv, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Fill } from "../../model/fill.ts";
import type { Order } from "../../model/order.ts";
import { type Lot, takeLots, totalBase, totalCost, withLot } from "../state/lots.ts";
import type { GridState, Ledger, Slot } from "../state/state.ts";

/** Returns the current base of a slot. */
export const unsoldBase = ({ base, sold }: Slot): Decimal => base - sold;

/**
 * Returns the cost of the position's base, in quote. A sell takes cost × sold/base, rounded once from the sum of all
 * its parts, so splitting a fill changes nothing. Base that was sold without being bought has no cost.
 */
export const costOf = ({ base, cost, sold }: Slot): Decimal =>
  sold === ZERO || base <= ZERO ? cost : cost - mulDiv(cost, { times: sold, over: base }, "half");

/** Updates the slot and the ledger with one fill and its fees. */
export function bookFill(
  state: GridState,
  symbol: Pair,
  fill: Pick<Fill, "side" | "amount" | "notional" | "fees">,
  index: number,
): GridState {
  const { base, quote } = splitPair(symbol);
  const feeIn = (asset: string) =>
    fill.fees.reduce((total, fee) => (fee.asset === asset ? total + fee.amount : total), ZERO);
  const moved: FillMove =
    fill.side === "buy"
      ? { amount: fill.amount, base: fill.amount - feeIn(base), quote: -(fill.notional + feeIn(quote)) }
      : { amount: fill.amount, base: -(fill.amount + feeIn(base)), quote: fill.notional - feeIn(quote) };
  const thirds = fill.fees.filter(({ asset }) => asset !== base && asset !== quote);
  const worth = thirds.reduce((total, { value = ZERO }) => total + value, ZERO);
  const slot = state.slots.find((slot) => slot.index === index);
  const booked = slot ? inSlot(slot, moved) : inIdle(state.idle, moved);
  const ledger: Ledger = {
    ...state.ledger,
    quote: state.ledger.quote + moved.quote,
    realized: state.ledger.realized + booked.realized - worth,
    fees: fill.fees.reduce(addFee, state.ledger.fees),
    cash: thirds.map(({ asset, amount }) => ({ asset, amount: -amount })).reduce(addFee, state.ledger.cash),
    feesValue: state.ledger.feesValue + worth,
    feesEstimated: state.ledger.feesEstimated || thirds.some(({ isEstimated }) => isEstimated),
  };
  const slots = booked.slot
    ? state.slots.map((one) => (one === slot ? (booked.slot as Slot) : one))
    : state.slots;
  return { ...state, ledger, slots, idle: booked.idle ?? state.idle };
}

/** Balance changes of a fill including fees, and the executed amount. */
interface FillMove {
  readonly amount: Decimal;
  readonly base: Decimal;
  readonly quote: Decimal;
}

interface Booked {
  readonly slot?: Slot;
  readonly idle?: readonly Lot[];
  readonly realized: Decimal;
}

function inSlot(slot: Slot, { amount, base, quote }: FillMove): Booked {
  if (base >= ZERO) {
    const flat = flattened(slot);
    return {
      slot: { ...flat, bought: flat.bought + amount, base: flat.base + base, cost: flat.cost - quote },
      realized: ZERO,
    };
  }
  const after = { ...slot, sold: slot.sold - base };
  return { slot: after, realized: quote - (costOf(slot) - costOf(after)) };
}

// Orders of an exit or a first buy, or whose slot was removed.
function inIdle(lots: readonly Lot[], { base, quote }: FillMove): Booked {
  if (base >= ZERO) return { idle: withLot(lots, { base, cost: -quote, first: false }), realized: ZERO };
  const { drawn, rest } = takeLots(lots, -base);
  return { idle: rest, realized: quote - drawn.cost };
}

/** Removes the sold base and its cost from a slot. */
const flattened = (slot: Slot): Slot =>
  slot.sold === ZERO ? slot : { ...slot, base: unsoldBase(slot), cost: costOf(slot), sold: ZERO };

/**
 * Books the end of an order after its last fill. A completely filled order switches its slot to the other side; a
 * sell of bought base completes a cycle.
 */
export function bookEnd(
  state: GridState,
  order: Pick<Order, "side" | "slot" | "amount" | "booked">,
): GridState {
  const complete = order.booked >= order.amount;
  if (!complete) return state;
  const slot = state.slots.find((slot) => slot.index === order.slot);
  const cycle = slot !== undefined && order.side === "sell" && !slot.first;
  const ledger = {
    ...state.ledger,
    filledOrders: state.ledger.filledOrders + 1,
    cycles: state.ledger.cycles + (cycle ? 1 : 0),
  };
  return {
    ...state,
    ledger,
    slots: state.slots.map((one) => (one === slot ? flipped(one, order.side) : one)),
  };
}

function flipped(slot: Slot, side: "buy" | "sell"): Slot {
  if (side === "buy") return { ...slot, side: "sell" };
  const { sellAt: _, ...rest } = flattened(slot);
  const cycles = slot.cycles + (slot.first ? 0 : 1);
  return { ...rest, side: "buy", bought: ZERO, first: false, cycles };
}

/** Returns all base of a strategy, and its cost. */
export const gridPosition = ({ slots, idle }: Pick<GridState, "slots" | "idle">): Decimal =>
  slots.reduce((total, slot) => total + unsoldBase(slot), totalBase(idle));
export const costInAll = ({ slots, idle }: Pick<GridState, "slots" | "idle">): Decimal =>
  slots.reduce((total, slot) => total + costOf(slot), totalCost(idle));

/** Returns a slot's base as a lot. */
export const lotOf = (slot: Slot): Lot => ({ base: unsoldBase(slot), cost: costOf(slot), first: slot.first });
