import { withMoved } from "../engine/decide/advance.ts";
import { bookEnd, bookFill, unsoldBase } from "../grid/booking.ts";
import { type GridState, type GridStrategy, type Ledger, NO_LEDGER, type Slot } from "../grid/state/state.ts";
import { type Decimal, mul, roundToStep, ZERO } from "../kernel/decimal.ts";
import { clientOrderId, parseClientOrderId, strategyTag } from "../kernel/ids.ts";
import type { Pair } from "../kernel/pair.ts";
import { crossing } from "../market/matching.ts";
import { lotsFor, type Market } from "../model/market.ts";
import type { Fill } from "../model/order.ts";
import { cornersOf, type Jumps } from "./jump.ts";
import { fillPricesOf, type Rules, type Ticks } from "./ticks.ts";

/** Changes from one fill of a slot, as floats: for statistics, never for booking. */
interface Move {
  readonly amount: Decimal;
  readonly cash: number;
  readonly base: number;
}

export interface ReplayedSlot {
  readonly slot: Slot;
  /** Ledger of its fills. */
  readonly ledger: Ledger;
  /** Its fills in order; from `period` on, the last two repeat. */
  readonly moves: readonly Move[];
}

/** Returns the changes of a slot's k-th fill. */
export const moveAt = ({ moves }: ReplayedSlot, k: number): Move => {
  const { length } = moves;
  return (k < length ? moves[k] : moves[length - 2 + ((k - length) % 2)]) as Move;
};

/**
 * Returns a slot after a number of complete fills, booked with the real functions. When a cycle leaves the slot in
 * the same state as the previous one, all following cycles do too: they are counted and multiplied.
 */
export function replaySlot(first: GridState, index: number, count: number, market: Market): ReplayedSlot {
  const slots = first.slots.filter((slot) => slot.index === index);
  let state: GridState = { ...first, slots, ledger: NO_LEDGER };
  const moves: Move[] = [];
  let before: GridState | undefined;
  for (let done = 0; done < count; done++) {
    state = filled(state, index, market, moves);
    if (moves.length % 2 !== 0) continue;
    if (before && isSameReplay(before, state)) {
      const cycles = Math.floor((count - done - 1) / 2);
      state = repeated(before, state, cycles);
      done += 2 * cycles;
      if (done + 1 < count) state = filled(state, index, market, []);
      break;
    }
    before = state;
  }
  const slot = state.slots[0] as Slot;
  return { slot, ledger: state.ledger, moves };
}

function filled(before: GridState, index: number, market: Market, moves: Move[]): GridState {
  const slot = before.slots[0] as Slot;
  const { side } = slot;
  const price = side === "buy" ? slot.lower : (slot.sellAt ?? slot.upper);
  const amount =
    side === "buy"
      ? roundToStep(lotsFor(market, slot.size, slot.lower) - slot.bought, market.lot, "down")
      : roundToStep(unsoldBase(slot), market.lot, "down");
  const notional = mul(price, amount, "half");
  const inBase = side === "buy" && market.buyFeeIn === "base";
  const fee = mul(inBase ? amount : notional, market.maker, "up");
  const fees = fee === ZERO ? [] : [{ asset: inBase ? market.base : market.quote, amount: fee }];
  const symbol: Pair = market.symbol;
  const executed = { symbol, side, amount, notional, fees };
  const booked = withMoved(bookFill(before, symbol, executed, index), executed);
  const after = bookEnd(booked, { side, slot: index, amount, booked: amount });
  const base = unsoldBase(after.slots[0] as Slot) - unsoldBase(slot);
  moves.push({
    amount,
    cash: Number(after.ledger.quote - before.ledger.quote) / 1e18,
    base: Number(base) / 1e18,
  });
  return after;
}

function isSameReplay(before: GridState, after: GridState): boolean {
  const [a, b] = [before.slots[0] as Slot, after.slots[0] as Slot];
  return (
    a.side === b.side &&
    a.first === b.first &&
    a.bought === b.bought &&
    a.base === b.base &&
    a.cost === b.cost &&
    a.sold === b.sold
  );
}

/** Applies the difference between two states `times` more. */
function repeated(before: GridState, after: GridState, times: number): GridState {
  const [a, b] = [before.slots[0] as Slot, after.slots[0] as Slot];
  const count = BigInt(times);
  const more = repeatedLedger(before.ledger, after.ledger, count);
  return {
    ...after,
    ledger: more,
    slots: [{ ...b, cycles: b.cycles + times * (b.cycles - a.cycles) }],
  };
}

function repeatedLedger(before: Ledger, after: Ledger, count: bigint): Ledger {
  const on = (a: Decimal, b: Decimal): Decimal => b + (b - a) * count;
  const each = (a: Ledger["fees"], b: Ledger["fees"]) =>
    Object.fromEntries(Object.entries(b).map(([asset, amount]) => [asset, on(a[asset] as Decimal, amount)]));
  const times = Number(count);
  return {
    ...after,
    quote: on(before.quote, after.quote),
    realized: on(before.realized, after.realized),
    fees: each(before.fees, after.fees),
    moved: each(before.moved, after.moved),
    filledOrders: after.filledOrders + times * (after.filledOrders - before.filledOrders),
    cycles: after.cycles + times * (after.cycles - before.cycles),
  };
}

/** Adds two ledgers of different slots. */
export function joinedLedgers(a: Ledger, b: Ledger): Ledger {
  const both = (some: Ledger["fees"], others: Ledger["fees"]) => {
    const sums = { ...some };
    for (const [asset, amount] of Object.entries(others)) sums[asset] = (sums[asset] ?? ZERO) + amount;
    return sums;
  };
  return {
    ...a,
    quote: a.quote + b.quote,
    realized: a.realized + b.realized,
    fees: both(a.fees, b.fees),
    moved: both(a.moved, b.moved),
    filledOrders: a.filledOrders + b.filledOrders,
    cycles: a.cycles + b.cycles,
  };
}

/** The fills of a run. Fills of a jump are counts until a caller reads them. */
export interface FillLog {
  readonly count: number;
  /** Returns the newest fills up to a limit, newest last. */
  readonly newest: (limit: number) => readonly Fill[];
  /** By slot. */
  readonly sides: ReadonlyMap<number, { readonly buys: number; readonly sells: number }>;
}

export function fillLog(fills: readonly Fill[]): FillLog {
  const sides = new Map<number, { buys: number; sells: number }>();
  for (const { clientId, side } of fills) countOn(sides, parseClientOrderId(clientId)?.slot ?? -1, side);
  return { count: fills.length, newest: (limit) => (limit === 0 ? [] : fills.slice(-limit)), sides };
}

function countOn(
  sides: Map<number, { buys: number; sells: number }>,
  slot: number,
  side: Fill["side"],
): void {
  const counted = sides.get(slot) ?? { buys: 0, sells: 0 };
  sides.set(slot, counted);
  if (side === "buy") counted.buys++;
  else counted.sells++;
}

interface Jumped {
  readonly before: readonly Fill[];
  readonly jumps: Jumps;
  readonly slots: readonly Slot[];
  readonly replayed: readonly ReplayedSlot[];
  readonly strategy: GridStrategy;
  readonly bars: Ticks;
  readonly market: Market;
  readonly rules: Rules;
}

/** Returns the fills before a jump and those in it. */
export function jumpedLog(jumped: Jumped): FillLog {
  const { before, jumps, slots } = jumped;
  const log = fillLog(before);
  const sides = new Map(log.sides);
  // A slot's fills alternate, beginning with the side of its open order.
  for (const [place, { index, side }] of slots.entries()) {
    const count = jumps.counts[place] as number;
    const [first, second] = [Math.ceil(count / 2), Math.floor(count / 2)];
    const { buys, sells } = sides.get(index) ?? { buys: 0, sells: 0 };
    const [more, less] = side === "buy" ? [first, second] : [second, first];
    sides.set(index, { buys: buys + more, sells: sells + less });
  }
  return {
    count: before.length + jumps.count,
    newest(limit) {
      const own = fillsOf(jumped, Math.max(0, jumps.count - limit));
      return [...(own.length < limit ? before.slice(-(limit - own.length)) : []), ...own];
    },
    sides,
  };
}

function fillsOf({ jumps, slots, replayed, strategy, bars, market, rules }: Jumped, from: number): Fill[] {
  const done = new Int32Array(slots.length);
  const fillPrices = fillPricesOf(bars.step, rules);
  const fills: Fill[] = [];
  for (let i = 0; i < jumps.count; i++) {
    const code = jumps.codes[i] as number;
    const index = code >> 3;
    const k = done[index] as number;
    done[index] = k + 1;
    const slot = slots[index];
    if (i < from || !slot) continue;
    const isSell = (code & 1) === 1;
    const price = isSell ? slot.upper : slot.lower;
    const { amount } = moveAt(replayed[index] as ReplayedSlot, k);
    const notional = mul(price, amount, "half");
    const inBase = !isSell && market.buyFeeIn === "base";
    const fee = mul(inBase ? amount : notional, market.maker, "up");
    const bar = jumps.bars[i] as number;
    const [left, right] = cornersAround(bars, { bar, corner: (code >> 1) & 3 }, rules.extremes);
    const bound = isSell ? fillPrices.sell(price) : fillPrices.buy(price);
    const isGood = (ticks: number) => (isSell ? ticks >= bound : ticks <= bound);
    const { number, account, symbol, id, state } = strategy;
    const key = { tag: strategyTag(number), generation: state.generation, slot: slot.index };
    fills.push({
      account,
      symbol,
      tradeId: `${bar}-${i}`,
      clientId: clientOrderId({ ...key, serial: state.serial + 1 + i }),
      strategy: id,
      side: isSell ? "sell" : "buy",
      price,
      amount,
      notional,
      fees: fee === ZERO ? [] : [{ asset: inBase ? market.base : market.quote, amount: fee }],
      at: crossing(left as never, right as never, isGood),
      superseded: false,
    });
  }
  return fills.sort((a, b) => a.at - b.at);
}

/** Returns the price path of a fill: from the previous price point to its own. */
function cornersAround(
  bars: Jumped["bars"],
  { bar, corner }: { readonly bar: number; readonly corner: number },
  extremes: Rules["extremes"],
) {
  const corners = cornersOf(bars, bar, extremes);
  const left = corner > 0 ? corners[corner - 1] : cornersOf(bars, bar - 1, extremes)[3];
  return [left, corners[corner]] as const;
}
