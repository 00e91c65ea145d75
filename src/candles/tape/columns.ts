import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Candles, Column } from "../candles.ts";
import type { TapeBooks } from "./tape.ts";

/** Buffer for one trade that is added to the columns: its price as digits and decimals. */
export interface PrintRow {
  at: Millis;
  digits: number;
  decimals: number;
  /** NaN if unknown. */
  amount: number;
  /** Empty without an id. */
  id: string;
}

/** One level of a book: price and amount. */
export type BookRow = readonly [price: number, amount: number];

const LARGEST_COLUMN_INT = 2 ** 31 - 1;

/** Collects trades in ascending order; each id once. */
export function createPrints(pair: Pair) {
  const [times, digits, decimals, amounts]: [number[], number[], number[], number[]] = [[], [], [], []];
  /** Trades of the newest time, by id. */
  let newest = new Map<string, number>();
  let duplicates = 0;

  const isSamePrint = (index: number, print: PrintRow): boolean =>
    digits[index] === print.digits &&
    decimals[index] === print.decimals &&
    Object.is(amounts[index], print.amount);

  /** Adds a trade; returns why it is invalid. */
  function add(print: PrintRow): string | undefined {
    const last = times.at(-1) ?? -Infinity;
    if (print.at < last) return "it is earlier than the previous trade; trades must be in order of time";
    if (print.at > last && newest.size > 0) newest = new Map();
    const known = print.id === "" ? undefined : newest.get(print.id);
    if (known !== undefined) {
      if (!isSamePrint(known, print)) return `there is another trade with the id ${print.id.slice(0, 40)}`;
      duplicates++;
      return undefined;
    }
    if (print.id !== "") newest.set(print.id, times.length);
    times.push(print.at);
    digits.push(print.digits);
    decimals.push(print.decimals);
    amounts.push(print.amount);
    return undefined;
  }

  function columns(): Candles {
    const scale = decimals.reduce((most, one) => (one > most ? one : most), 0);
    const price = new Float64Array(times.length);
    let highest = 0;
    for (let i = 0; i < price.length; i++) {
      const whole = (digits[i] as number) * 10 ** (scale - (decimals[i] as number));
      price[i] = whole;
      if (whole > highest) highest = whole;
    }
    if (!Number.isSafeInteger(highest))
      throw new RangeError("its prices have more digits than can be stored exactly");
    const close: Column = highest <= LARGEST_COLUMN_INT ? Int32Array.from(price) : price;
    return {
      ...{ pair, spanMillis: 1, from: times[0] ?? 0, scale, times: Float64Array.from(times) },
      ...{ open: close, high: close, low: close, close, volume: Float64Array.from(amounts) },
    };
  }

  return { add, columns, count: () => times.length, duplicates: () => duplicates };
}

/** Collects snapshots in ascending order. */
export function createBooks() {
  const [times, starts, asks]: [number[], number[], number[]] = [[], [], []];
  const [prices, amounts]: [number[], number[]] = [[], []];

  const addLevels = (levels: readonly BookRow[]): void => {
    for (const [price, amount] of levels) {
      prices.push(price);
      amounts.push(amount);
    }
  };

  /** Adds a snapshot; returns why it is invalid. */
  function add(at: Millis, bid: readonly BookRow[], ask: readonly BookRow[]): string | undefined {
    if (at < (times.at(-1) ?? -Infinity))
      return "it is earlier than the previous book; books must be in order of time";
    const [bestBid, bestAsk] = [bid[0]?.[0], ask[0]?.[0]];
    if (bestBid !== undefined && bestAsk !== undefined && bestBid >= bestAsk)
      return "its best bid is not below its best ask";
    if (!isBestFirst(bid, -1) || !isBestFirst(ask, 1)) return "its levels are not best first";
    times.push(at);
    starts.push(prices.length);
    addLevels(bid);
    asks.push(prices.length);
    addLevels(ask);
    return undefined;
  }

  function columns(): TapeBooks | null {
    if (times.length === 0) return null;
    starts.push(prices.length);
    return {
      times: Float64Array.from(times),
      starts: Uint32Array.from(starts),
      asks: Uint32Array.from(asks),
      prices: Float64Array.from(prices),
      amounts: Float64Array.from(amounts),
    };
  }

  return { add, columns };
}

const isBestFirst = (levels: readonly BookRow[], way: 1 | -1): boolean =>
  levels.every(([price], i) => i === 0 || (price - (levels[i - 1] as BookRow)[0]) * way > 0);
