import type { GridConfig } from "../grid/state/config.ts";
import type { Slot } from "../grid/state/state.ts";
import { type Decimal, max, mul, ONE, roundToStep, ZERO } from "../kernel/decimal.ts";
import type { Corner } from "../market/matching.ts";
import { lotsFor, type Market, meetsMinimum } from "../model/market.ts";
import type { StrategyOnPaper } from "./paper-account.ts";
import {
  closeAt,
  type Extremes,
  fillPricesOf,
  highAt,
  lowAt,
  nextBar,
  openAt,
  type Rules,
  type TickReach,
  type Ticks,
} from "./ticks.ts";

/** Fills in order, as whole numbers: the bar, and slot, price point and side in one code. */
export interface Jumps {
  readonly count: number;
  readonly bars: Int32Array;
  /** slot position × 8 + price point × 2 + (1 for a sell). */
  readonly codes: Int32Array;
  /** Number of fills of each slot. */
  readonly counts: Int32Array;
  /** Number of slots that have an open order at the end, or switched to buying and wait for the one below them. */
  readonly armed: number;
  readonly turned: number;
  /**
   * First bar after which a slot's buy would have met the open sell of the slot below. When that buy can be placed
   * depends on passes. Undefined if there is none.
   */
  readonly metAt: number | undefined;
}

/**
 * A grid whose slots have complete open orders, or wait for their first buy: two numbers describe its state. Prices
 * in steps of the bars.
 */
export interface LadderState {
  /** By slot, lowest first: prices at which its buy and its sell have filled. */
  readonly buys: Float64Array;
  readonly sells: Float64Array;
  /** Price above which a slot without first base begins to buy. */
  readonly lowers: Float64Array;
  /** Number of slots that buy, from the lowest; the others up to `armed` sell; those above wait. */
  readonly buying: number;
  readonly armed: number;
}

interface Stretch {
  readonly extremes: Extremes;
  readonly from: number;
  /** The bar before which it ends. */
  readonly until: number;
  /** Whether it ends with the first bar that needs passes. */
  readonly isExact?: boolean;
}

/** Maximum number of fills of a slot in one bar: two at each price point. */
const MAX_SLOT_FILLS_PER_BAR = 8;

/** Jumps from one bar that fills an order to the next, in whole numbers. */
export function jump(rungs: LadderState, bars: Ticks, { extremes, from, until, isExact }: Stretch): Jumps {
  const { buys, sells, lowers } = rungs;
  const slots = buys.length;
  const most = MAX_SLOT_FILLS_PER_BAR * slots;
  let [atBars, codes] = [new Int32Array(1024 + most), new Int32Array(1024 + most)];
  let [count, buying, armed, turned] = [0, rungs.buying, rungs.armed, rungs.armed];
  let metAt: number | undefined;
  // The highest buy fills at or below the first; the lowest sell fills, or a slot above begins to buy, from the second.
  let [below, above] = [Infinity, -Infinity];
  for (let bar = from; !isExact || metAt === undefined; bar++) {
    if (bar > from) bar = nextBar(bars, bar, below, above);
    if (bar >= until) break;
    if (count + most > codes.length) [atBars, codes] = [doubled(atBars), doubled(codes)];
    const highFirst = isHighFirst(bars, bar, extremes);
    for (let corner = 0; corner < 4; corner++) {
      const price = cornerPriceAt(bars, bar, corner, highFirst);
      if (price > below && price < above) continue;
      for (; buying > 0 && price <= (buys[buying - 1] as number); count++) {
        buying--;
        atBars[count] = bar;
        codes[count] = 8 * buying + 2 * corner;
      }
      for (; buying < armed && price >= (sells[buying] as number); count++) {
        atBars[count] = bar;
        codes[count] = 8 * buying + 2 * corner + 1;
        buying++;
      }
      while (turned < slots && price > (lowers[turned] as number)) turned++;
      // It must not meet the sell of the slot below, which is open at its price.
      if (buying === armed) buying = armed = turned;
      if (turned > armed) metAt ??= bar;
      below = buying > 0 ? (buys[buying - 1] as number) : -Infinity;
      above = Math.min(
        buying < armed ? (sells[buying] as number) : Infinity,
        turned < slots ? (lowers[turned] as number) + 1 : Infinity,
      );
    }
  }
  return { count, bars: atBars, codes, counts: countsOf(codes, count, slots), armed, turned, metAt };
}

/** Returns the open, one extreme, the other or the close. */
const cornerPriceAt = ({ rows }: Ticks, bar: number, corner: number, highFirst: boolean): number =>
  rows[4 * bar + (highFirst && (corner === 1 || corner === 2) ? 3 - corner : corner)] as number;

function countsOf(codes: Int32Array, count: number, slots: number): Int32Array {
  const counts = new Int32Array(slots);
  for (let i = 0; i < count; i++) {
    const slot = (codes[i] as number) >> 3;
    counts[slot] = (counts[slot] as number) + 1;
  }
  return counts;
}

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Returns whether no bar from here on reaches a price at which a pass would act. */
export const isUndisturbed = (bars: Ticks, from: number, wake: TickReach): boolean =>
  nextBar(bars, from, wake.below, wake.above) >= bars.count;

/** Returns a bar as a path: open, one extreme, the other, close, at its start, its thirds and its last millisecond. */
export function cornersOf(
  bars: Ticks,
  bar: number,
  extremes: Extremes,
): readonly [Corner, Corner, Corner, Corner] {
  const { times, spanMillis } = bars.candles;
  const from = times[bar] as number;
  const [open, close] = [openAt(bars, bar), closeAt(bars, bar)];
  const [high, low] = [highAt(bars, bar), lowAt(bars, bar)];
  const highFirst = isHighFirst(bars, bar, extremes);
  return [
    { at: from, ticks: open },
    { at: from + Math.floor(spanMillis / 3), ticks: highFirst ? high : low },
    { at: from + Math.floor((2 * spanMillis) / 3), ticks: highFirst ? low : high },
    { at: from + spanMillis - 1, ticks: close },
  ];
}

export function isHighFirst(bars: Ticks, bar: number, extremes: Extremes): boolean {
  if (extremes !== "nearest") return extremes === "high_first";
  const open = openAt(bars, bar);
  return highAt(bars, bar) - open < open - lowAt(bars, bar);
}

/** A grid that only its own fills can change. */
export interface Ladder {
  /** Lowest first; slots after `armed` never had base, and wait to buy until the price is above them. */
  readonly slots: readonly Slot[];
  readonly rungs: LadderState;
}

/**
 * Returns the grid as a ladder; undefined if more than its fills can change it: a slot that lacks funds, limits of
 * position or reserve, a confidence, passes at intervals, or slots that could run out of quote.
 */
export function ladderOf(
  { strategy, orders }: StrategyOnPaper,
  market: Market,
  { rules, freeQuote, step }: { readonly rules: Rules; readonly freeQuote: Decimal; readonly step: Decimal },
): Ladder | undefined {
  const { config, state } = strategy;
  if (rules.tickInterval !== undefined || strategy.status !== "running") return undefined;
  if (!canSkip("leap", config)) return undefined;
  const busy = new Set(orders.map(({ slot }) => slot));
  const slots = [...state.slots].sort((a, b) => (a.lower < b.lower ? -1 : 1));
  const armed = slots.filter(({ index }) => busy.has(index)).length;
  const buying = slots.filter(({ index, side }) => busy.has(index) && side === "buy").length;
  const isInPlace = (slot: Slot, index: number): boolean =>
    index < armed
      ? busy.has(slot.index) && restsOn(slot, index < buying)
      : !busy.has(slot.index) && waits(slot);
  const isJoined = ({ lower, upper }: Slot, index: number): boolean =>
    upper > ZERO && (index === 0 || slots[index - 1]?.upper === lower);
  if (!slots.every((slot, index) => isInPlace(slot, index) && isJoined(slot, index))) return undefined;
  const lacking = slots.map((slot, index) => lackOf(slot, market, index >= armed));
  if (lacking.some((lack) => lack === undefined)) return undefined;
  if (lacking.reduce<Decimal>((sum, lack) => sum + (lack as Decimal), ZERO) > freeQuote) return undefined;
  const rungs = { ...rungsOf(slots, step, rules), buying, armed };
  return isNarrow(rungs) ? { slots, rungs } : undefined;
}

const restsOn = ({ side, sellAt, bought }: Slot, buys: boolean): boolean =>
  side === (buys ? "buy" : "sell") && sellAt === undefined && (side === "sell" || bought === ZERO);

/** Returns whether a selling slot that never had base waits until the price is above its lower price. */
const waits = ({ side, base, bought, sellAt, retryAt }: Slot): boolean =>
  side === "sell" && base === ZERO && bought === ZERO && sellAt === undefined && retryAt === 0;

/** Returns the prices at which slots' orders fill, and at which waiting slots begin to buy. */
export function rungsOf(
  slots: readonly Pick<Slot, "lower" | "upper">[],
  step: Decimal,
  rules: Pick<Rules, "fill" | "spread">,
): Pick<LadderState, "buys" | "sells" | "lowers"> {
  const fillPrices = fillPricesOf(step, rules);
  return {
    buys: Float64Array.from(slots, ({ lower }) => fillPrices.buy(lower)),
    sells: Float64Array.from(slots, ({ upper }) => fillPrices.sell(upper)),
    lowers: Float64Array.from(slots, ({ lower }) => Number(lower / step)),
  };
}

/**
 * Returns whether the spread is narrower than a slot: before a slot begins to buy, the sell two slots below it has
 * filled.
 */
const isNarrow = ({ sells, lowers }: LadderState): boolean =>
  sells.every((sell, index) => index + 2 >= lowers.length || sell <= (lowers[index + 2] as number) + 1);

/**
 * Returns the quote that a slot needs beyond its order and the proceeds of its first sell; undefined if its cycles
 * lose money.
 */
function lackOf(
  { lower, upper, size, side, base, sold }: Slot,
  market: Market,
  hasToBuy: boolean,
): Decimal | undefined {
  const rate = max(market.maker, market.taker);
  const amount = lotsFor(market, size, lower);
  const notional = mul(lower, amount, "up");
  const needs = market.buyFeeIn === "base" ? notional : mul(notional, ONE + rate, "up");
  const brings = (sells: Decimal) => mul(mul(upper, sells, "down"), ONE - market.maker, "down") - 1n;
  const net = market.buyFeeIn === "base" ? mul(amount, ONE - market.maker, "down") - 1n : amount;
  const least = roundToStep(net, market.lot, "down");
  if (brings(least) < needs || !meetsMinimum(market, upper, least)) return undefined;
  if (hasToBuy) return meetsMinimum(market, lower, amount) ? needs : undefined;
  return side === "buy" ? ZERO : max(ZERO, needs - brings(roundToStep(base - sold, market.lot, "down")));
}

/**
 * What a backtest can skip for a grid with an option: passes that cannot change anything (`wake`), or all passes, by
 * counting fills in whole numbers (`leap`). An option that is not listed needs every pass.
 */
type Fast = "leap" | "wake";

const FAST_OPTIONS: { readonly [Option in keyof GridConfig]-?: Fast | undefined } = {
  lowerPrice: "leap",
  upperPrice: "leap",
  gridLevels: "leap",
  orderSize: "leap",
  gridSpacing: "leap",
  spacingModel: "leap",
  isSpaced: "leap",
  // They move or end the whole grid at a known price (`wakeOf`).
  stopLossPrice: "leap",
  takeProfitPrice: "leap",
  stopAtOnce: "leap",
  triggerPrice: "leap",
  trail: "leap",
  centered: "leap",
  // They act at the start, or on one order with a known price.
  allowLoss: "leap",
  useOwnBase: "leap",
  initialBuy: "leap",
  postOnly: "leap",
  // They refuse orders while nothing fills.
  confidence: "wake",
  maxPosition: "wake",
  safetyReserve: "wake",
  // It changes the size of an order only when that order is placed.
  reinvest: "wake",
  trailingStop: undefined,
  maxLoss: undefined,
  endsAt: undefined,
  // Only read at the end.
  onEnd: "leap",
  bound: undefined,
};

/** Returns whether a backtest can skip these passes for a grid with this configuration. */
export const canSkip = (skipped: Fast, config: GridConfig): boolean =>
  Object.entries(config).every(([option, value]) => {
    const most = (FAST_OPTIONS as Readonly<Record<string, Fast | undefined>>)[option];
    return value === undefined || most === "leap" || most === skipped;
  });
