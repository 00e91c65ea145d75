import { type Decimal, mulDiv, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import type { Fill, Order } from "../records.ts";
import { addFee } from "./fills.ts";
import type { GridState, Ledger, Slot } from "./state.ts";

/** Base that a slot holds now. */
export const held = ({ base, sold }: Slot): Decimal => base - sold;

/**
 * What the held base cost, in quote. A sell takes cost × sold/base, rounded once from the sum of all
 * its parts, so that splitting a fill changes nothing. What was sold without having been bought took none.
 */
export const costOf = ({ base, cost, sold }: Slot): Decimal =>
  sold === ZERO || base <= ZERO ? cost : cost - mulDiv(cost, { times: sold, over: base }, "half");

/** Moves slot and ledger by one fill, its fees included. */
export function bookFill(
  state: GridState,
  symbol: Pair,
  fill: Pick<Fill, "side" | "amount" | "notional" | "fees">,
  index: number,
): GridState {
  const slot = state.slots.find((one) => one.index === index);
  if (!slot) return state;
  const { base, quote } = splitPair(symbol);
  const feeIn = (asset: string) =>
    fill.fees.reduce((total, fee) => (fee.asset === asset ? total + fee.amount : total), ZERO);
  const booked =
    fill.side === "buy"
      ? bought(slot, {
          amount: fill.amount,
          received: fill.amount - feeIn(base),
          paid: fill.notional + feeIn(quote),
        })
      : sold(slot, { given: fill.amount + feeIn(base), proceeds: fill.notional - feeIn(quote) });
  const ledger: Ledger = {
    ...state.ledger,
    quote: state.ledger.quote + booked.quote,
    realized: state.ledger.realized + booked.realized,
    fees: fill.fees.reduce(addFee, state.ledger.fees),
  };
  return { ...state, ledger, slots: state.slots.map((one) => (one === slot ? booked.slot : one)) };
}

interface Booked {
  readonly slot: Slot;
  readonly quote: Decimal;
  readonly realized: Decimal;
}

function bought(
  slot: Slot,
  { amount, received, paid }: { amount: Decimal; received: Decimal; paid: Decimal },
): Booked {
  const flat = flattened(slot);
  return {
    slot: { ...flat, bought: flat.bought + amount, base: flat.base + received, cost: flat.cost + paid },
    quote: -paid,
    realized: ZERO,
  };
}

function sold(slot: Slot, { given, proceeds }: { given: Decimal; proceeds: Decimal }): Booked {
  const after = { ...slot, sold: slot.sold + given };
  return { slot: after, quote: proceeds, realized: proceeds - (costOf(slot) - costOf(after)) };
}

/** The slot with what it has sold taken out of base and cost. */
const flattened = (slot: Slot): Slot =>
  slot.sold === ZERO ? slot : { ...slot, base: held(slot), cost: costOf(slot), sold: ZERO };

/** After an order's last fill: a complete one flips its slot; a sell of what was bought completes a cycle. */
export function bookEnd(
  state: GridState,
  order: Pick<Order, "side" | "slot" | "amount" | "booked">,
): GridState {
  const complete = order.booked >= order.amount;
  const slot = state.slots.find((one) => one.index === order.slot);
  if (!slot || !complete) return state;
  const cycle = order.side === "sell" && !slot.first;
  const flipped: Slot =
    order.side === "buy"
      ? { ...slot, side: "sell" }
      : { ...flattened(slot), side: "buy", bought: ZERO, first: false };
  const ledger = {
    ...state.ledger,
    filledOrders: state.ledger.filledOrders + 1,
    cycles: state.ledger.cycles + (cycle ? 1 : 0),
  };
  return { ...state, ledger, slots: state.slots.map((one) => (one === slot ? flipped : one)) };
}
