import type { Slot } from "../grid/state/state.ts";
import { type Decimal, max, mul, ONE, snap, ZERO } from "../kernel/decimal.ts";
import type { Market } from "../model/market.ts";
import { lotsFor, meetsMinimum } from "../model/minimum.ts";
import type { Account } from "./account.ts";
import type { Extremes, Rules } from "./rules.ts";
import { meetingOf, nextBar, type Reach, type Ticks } from "./ticks.ts";

/** Fills in the order in which they came, in whole numbers: the bar, and the slot, the corner and the side in one. */
export interface Jumps {
  readonly count: number;
  readonly bars: Int32Array;
  /** slot place × 8 + corner × 2 + (1 for a sell). */
  readonly codes: Int32Array;
  /** How often each slot has filled. */
  readonly counts: Int32Array;
}

/** A grid in which every slot rests its whole order: what it is now is one number. */
export interface Ladder {
  /** Lowest first. */
  readonly slots: readonly Slot[];
  /** So many of the lowest slots buy, all others sell. */
  readonly buying: number;
}

/**
 * The grid as a ladder; undefined where more than its own fills may change it: a slot that lacks funds, limits of
 * position or reserve, a confidence, passes at intervals, or slots that could come to lack quote.
 */
export function ladderOf(
  { strategy, orders }: Account,
  market: Market,
  { rules, freeQuote }: { readonly rules: Rules; readonly freeQuote: Decimal },
): Ladder | undefined {
  const { config, state } = strategy;
  if (rules.tickInterval !== undefined || strategy.status !== "running") return undefined;
  const busy = new Set(orders.map(({ slot }) => slot));
  // A selling slot that never had base does nothing until the price that wakes it.
  const isInert = ({ side, base, bought }: Slot) => side === "sell" && base === ZERO && bought === ZERO;
  if (!state.slots.every((slot) => busy.has(slot.index) || isInert(slot))) return undefined;
  if ([config.confidence, config.maxPosition, config.safetyReserve].some((one) => one !== undefined))
    return undefined;
  const slots = state.slots
    .filter(({ index }) => busy.has(index))
    .sort((a, b) => (a.lower < b.lower ? -1 : 1));
  const buying = slots.filter(({ side }) => side === "buy").length;
  const isLadder = slots.every(
    ({ side, sellAt, upper, bought }, i) =>
      side === (i < buying ? "buy" : "sell") &&
      sellAt === undefined &&
      (side === "sell" || bought === ZERO) &&
      (i === 0 || (slots[i - 1] as Slot).upper === (slots[i] as Slot).lower) &&
      upper > ZERO,
  );
  const lacking = slots.map((slot) => lackOf(slot, market));
  if (!isLadder || lacking.some((lack) => lack === undefined)) return undefined;
  return lacking.reduce<Decimal>((sum, lack) => sum + (lack as Decimal), ZERO) <= freeQuote
    ? { slots, buying }
    : undefined;
}

/** Quote that a slot's next buy needs beyond what its first sell brings; undefined where its cycles do not pay. */
function lackOf({ lower, upper, size, side, base, sold }: Slot, market: Market): Decimal | undefined {
  const rate = max(market.maker, market.taker);
  const amount = lotsFor(market, size, lower);
  const notional = mul(lower, amount, "up");
  const needs = market.buyFeeIn === "base" ? notional : mul(notional, ONE + rate, "up");
  const brings = (sells: Decimal) => mul(mul(upper, sells, "down"), ONE - market.maker, "down") - 1n;
  const net = market.buyFeeIn === "base" ? mul(amount, ONE - market.maker, "down") - 1n : amount;
  const least = snap(net, market.lot, "down");
  if (brings(least) < needs || !meetsMinimum(market, upper, least)) return undefined;
  return side === "buy" ? ZERO : max(ZERO, needs - brings(snap(base - sold, market.lot, "down")));
}

/** From one bar that touches an order to the next, in whole numbers, from a bar and its corner on. */
export function jump(
  { slots, buying }: Ladder,
  bars: Ticks,
  { market, rules, from }: { readonly market: Market; readonly rules: Rules; readonly from: number },
): Jumps {
  const meeting = meetingOf(market.tick, rules);
  const buys = Float64Array.from([-Infinity, ...slots.map(({ lower }) => meeting.buy(lower))]);
  const sells = Float64Array.from([...slots.map(({ upper }) => meeting.sell(upper)), Infinity]);
  const counts = new Int32Array(slots.length);
  const { open, high, low, close } = bars;
  const end = low.length;
  let [atBars, codes] = [new Int32Array(1024), new Int32Array(1024)];
  let [count, k] = [0, buying];
  const order = orderOf(rules.extremes);
  for (let bar = from; ; bar++) {
    bar = nextBar(bars, bar, { below: buys[k] as number, above: sells[k] as number });
    if (bar >= end) break;
    const o = open[bar] as number;
    const h = high[bar] as number;
    const l = low[bar] as number;
    const c = close[bar] as number;
    const highFirst = order === 0 ? h - o < o - l : order === 1;
    for (let corner = 0; corner < 4; corner++) {
      const price = corner === 0 ? o : corner === 3 ? c : (corner === 1) === highFirst ? h : l;
      while (price <= (buys[k] as number) || price >= (sells[k] as number)) {
        const isSell = price >= (sells[k] as number);
        const slot = isSell ? k++ : --k;
        if (count === codes.length) [atBars, codes] = [doubled(atBars), doubled(codes)];
        atBars[count] = bar;
        codes[count++] = slot * 8 + corner * 2 + (isSell ? 1 : 0);
        counts[slot] = (counts[slot] as number) + 1;
      }
    }
  }
  return { count, bars: atBars, codes, counts };
}

const orderOf = (extremes: Extremes): number =>
  extremes === "nearest" ? 0 : extremes === "high_first" ? 1 : 2;

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Whether a price at which a pass would do something is never seen from a bar on. */
export const isUndisturbed = (bars: Ticks, from: number, wake: Reach): boolean =>
  nextBar(bars, from, wake) >= bars.low.length;
