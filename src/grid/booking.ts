import { addFee } from "../engine/reconcile/reconcile.ts";
import { type Decimal, div, max, mul, mulDiv, ONE, roundToStep, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import { lotsFor, type Market, meetsMinimum } from "../model/market.ts";
import type { Fill, Order } from "../model/order.ts";
import type { Accounts, Profit } from "../model/strategy.ts";
import type { GridConfig } from "./state/config.ts";
import { type Lot, takeLots, totalBase, totalCost, withLot } from "./state/lots.ts";
import type { GridState, GridStrategy, Ledger, Slot } from "./state/state.ts";

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
    feesEstimated: state.ledger.feesEstimated || fill.fees.some(({ isEstimated }) => isEstimated),
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
export const flattened = (slot: Slot): Slot =>
  slot.sold === ZERO ? slot : { ...slot, base: unsoldBase(slot), cost: costOf(slot), sold: ZERO };

/**
 * Books the end of an order after its last fill. A completely filled order switches its slot to the other side; a
 * sell of bought base completes a cycle, if it is not a part.
 */
export function bookEnd(
  state: GridState,
  order: Pick<Order, "side" | "slot" | "amount" | "booked">,
): GridState {
  const complete = order.booked >= order.amount;
  if (!complete) return state;
  const slot = state.slots.find((slot) => slot.index === order.slot);
  const isPart = order.side === "sell" && slot?.isPart === true;
  const cycle = slot !== undefined && order.side === "sell" && !slot.first && !isPart;
  const ledger = {
    ...state.ledger,
    filledOrders: state.ledger.filledOrders + 1,
    cycles: state.ledger.cycles + (cycle ? 1 : 0),
  };
  return {
    ...state,
    ledger,
    slots: state.slots.map((one) => (one === slot && !isPart ? flipped(one, order.side) : one)),
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

/** Moves the base of these slots to the idle lots; its cost moves with it. */
export function releaseInventory(state: GridState, isGiven: (slot: Slot) => boolean): GridState {
  const given = state.slots.filter(
    (slot) => isGiven(slot) && (unsoldBase(slot) !== ZERO || slot.cost !== ZERO),
  );
  if (given.length === 0) return state;
  const idle = given.reduce((lots, slot) => withLot(lots, lotOf(slot)), state.idle);
  return { ...state, idle, slots: state.slots.map((slot) => (given.includes(slot) ? emptied(slot) : slot)) };
}

export function emptied(slot: Slot): Slot {
  const { sellAt: _sellAt, lacksSince: _lacksSince, ...rest } = slot;
  return { ...rest, bought: ZERO, base: ZERO, cost: ZERO, sold: ZERO, first: false };
}

/** Returns the lowest price, in whole ticks, at which a sale covers the cost of the base and the fee. */
const payingPrice = ({ base, cost }: { base: Decimal; cost: Decimal }, market: Market): Decimal =>
  roundToStep(div(cost, mul(base, ONE - max(market.maker, market.taker), "down"), "up"), market.tick, "up");

/**
 * Gives idle base to an empty slot, cheapest lots first, if there is enough for a whole order. The slot sells it at
 * its upper price, or at a higher price that covers the cost if losses are not allowed.
 */
export function draw(state: GridState, slot: Slot, config: GridConfig, market: Market): GridState {
  const amount = lotsFor(market, slot.size, slot.upper);
  if (
    unsoldBase(slot) !== ZERO ||
    amount > totalBase(state.idle) ||
    !meetsMinimum(market, slot.upper, amount)
  )
    return state;
  const { drawn, rest } = takeLots(state.idle, amount);
  const sellAt = config.allowLoss ? slot.upper : max(slot.upper, payingPrice(drawn, market));
  const filled: Slot = {
    ...emptied(slot),
    side: "sell",
    base: drawn.base,
    cost: drawn.cost,
    first: drawn.first,
    ...(sellAt > slot.upper ? { sellAt } : {}),
  };
  return { ...state, idle: rest, slots: state.slots.map((one) => (one === slot ? filled : one)) };
}

/** Gives idle base to all empty selling slots, lowest first. */
export const drawAll = (state: GridState, config: GridConfig, market: Market): GridState =>
  state.slots
    .filter(({ side }) => side === "sell")
    .sort((a, b) => (a.upper < b.upper ? -1 : 1))
    .reduce((now, { index }) => {
      const slot = now.slots.find((slot) => slot.index === index);
      return slot ? draw(now, slot, config, market) : now;
    }, state);

/**
 * Computes P&L. Equity is quote plus base·mark minus fees in third assets, and only fills change it; the total is its
 * change since the start.
 */
export function profitOf(state: GridState, mark: Decimal): Profit {
  const { ledger } = state;
  const [position, cost] = [gridPosition(state), costInAll(state)];
  const total = ledger.quote + mul(position, mark, "half") - ledger.firstCost - ledger.feesValue;
  return {
    realized: ledger.realized,
    unrealized: total - ledger.realized,
    total,
    position,
    cost,
    averageCost: position > ZERO ? div(cost, position, "half") : null,
    breakEvenPrice:
      position > ZERO ? div(ledger.firstCost + ledger.feesValue - ledger.quote, position, "up") : null,
  };
}

/** Returns P&L and totals. Without an observed price, the mark is the start price. */
export function gridAccounts(
  { symbol, state }: Pick<GridStrategy, "symbol" | "state">,
  mark: Decimal = state.startPrice,
): Accounts {
  const { fees, feesValue, cycles, filledOrders } = state.ledger;
  const { base, quote } = splitPair(symbol);
  const [inBase = ZERO, inQuote = ZERO] = [fees[base], fees[quote]];
  return {
    ...profitOf(state, mark),
    fees: inQuote + mul(inBase, mark, "up") + feesValue,
    cycles,
    filledOrders,
  };
}

/** Returns the base change from fills by the slots' books; first base was not a fill. */
export const movedBase = (state: GridState): Decimal => gridPosition(state) - state.ledger.firstBase;

/** Returns the change per asset from fills by the slots' and cash books. */
export function movedByBooks(state: GridState, symbol: Pair): Readonly<Record<string, Decimal>> {
  const { base, quote } = splitPair(symbol);
  const { ledger } = state;
  return { ...ledger.cash, [base]: movedBase(state), [quote]: ledger.quote };
}

/** Returns the quote that fills have spent, minus what they have returned, before fees. */
export const spentOf = ({ quote, fees }: Pick<Ledger, "quote" | "fees">, asset: string): Decimal =>
  -quote - (fees[asset] ?? ZERO);

/** How a grid's books are read. */
export const gridBooks = {
  holdings: (state: GridState) => ({ base: gridPosition(state), cost: costInAll(state) }),
  movedByBooks,
  accounts: gridAccounts,
};
