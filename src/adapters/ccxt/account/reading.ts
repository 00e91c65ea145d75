/** What ccxt has made of an answer as our own types. What is not finite, negative or missing is a failed read. */

import { type Decimal, div, fromNumber, mul, ONE, parseDecimal, ZERO } from "../../../kernel/decimal.ts";
import { VenueError } from "../../../kernel/errors.ts";
import { isPair, type Pair, splitPair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { Balance } from "../../../model/account.ts";
import type { Book, BookLevel, Candle, Market, Side, Ticker, Trade } from "../../../model/market.ts";
import type { Fee, OrderStatus } from "../../../model/order.ts";
import type { VenueFill, VenueOrder } from "../../../ports/venue.ts";
import { type Dict, fieldOf, isDict } from "../client/ccxt.ts";
import type { FeeRates } from "../client/keeping.ts";
import type { Quirks } from "../client/quirks.ts";

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Exact text, or the shortest text of a JSON number; undefined for anything else. */
function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string" || !NUMBER.test(value)) return undefined;
  // An exponent is what ccxt writes for what was a JSON number.
  return parseDecimal(value) ?? fromNumber(Number(value));
}

const bad = (what: string): VenueError =>
  new VenueError("unavailable", `the exchange's ${what} cannot be read`);

function readAtLeast(value: unknown, what: string, from: Decimal): Decimal {
  const exact = readDecimal(value, what);
  if (exact < from) throw bad(what);
  return exact;
}

function readDecimal(value: unknown, what: string): Decimal {
  const exact = decimalOf(value);
  if (exact === undefined) throw bad(what);
  return exact;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const positive = (value: unknown, what: string): Decimal => readAtLeast(value, what, 1n);
const natural = (value: unknown, what: string): Decimal => readAtLeast(value, what, ZERO);

function requireText(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") throw bad(what);
  return value;
}

function sideOf(value: unknown): Side {
  if (value !== "buy" && value !== "sell") throw bad("side");
  return value;
}

function readPair(value: unknown): Pair {
  if (typeof value !== "string" || !isPair(value)) throw bad("symbol");
  return value;
}

const isMillis = (value: unknown): value is Millis =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0;

const timeOr = (value: unknown, otherwise: Millis): Millis => (isMillis(value) ? value : otherwise);

function exactTime(value: unknown, what: string): Millis {
  if (!isMillis(value)) throw bad(what);
  return value;
}

export function readMarket(
  market: Dict,
  { buyFeeIn }: Pick<Market, "buyFeeIn">,
  fees: FeeRates | undefined,
): Market {
  const symbol = readPair(market.symbol);
  const { precision, limits, active } = market;
  const amount = fieldOf(limits, "amount");
  const cost = fieldOf(limits, "cost");
  return {
    symbol,
    ...splitPair(symbol),
    tick: positive(fieldOf(precision, "price"), "tick"),
    lot: positive(fieldOf(precision, "amount"), "lot"),
    minAmount: natural(fieldOf(amount, "min") ?? "0", "minimum amount"),
    minNotional: natural(fieldOf(cost, "min") ?? "0", "minimum notional"),
    active: active !== false,
    maker: fees?.maker ?? natural(market.maker, "maker fee"),
    taker: fees?.taker ?? natural(market.taker, "taker fee"),
    buyFeeIn,
  };
}

export const readFeeRates = (told: Dict): FeeRates => ({
  // A maker may be paid instead; planning counts that as no fee.
  maker: decimalOf(told.maker) ?? positive(undefined, "maker fee"),
  taker: natural(told.taker, "taker fee"),
});

export function tickerOf(told: Dict, now: Millis): Ticker {
  const [bid, ask] = [positive(told.bid, "bid"), positive(told.ask, "ask")];
  if (bid > ask) throw bad("quote with a bid above its ask");
  const last = positive(told.last ?? told.close, "last price");
  const baseVolume = natural(told.baseVolume, "volume");
  const quoteVolume = isGiven(told.quoteVolume)
    ? natural(told.quoteVolume, "volume")
    : mul(baseVolume, last, "half");
  return { bid, ask, last, baseVolume, quoteVolume, at: Math.min(timeOr(told.timestamp, now), now) };
}

export function bookOf(told: Dict, limit: number, at: Millis): Book {
  const [bids, asks] = [bookLevelsOf(told.bids, limit), bookLevelsOf(told.asks, limit)];
  return { bids, asks, at: Math.min(timeOr(told.timestamp, at), at) };
}

function bookLevelsOf(levels: unknown, limit: number): BookLevel[] {
  if (!Array.isArray(levels)) throw bad("book");
  return levels.slice(0, limit).map((level: unknown) => {
    const [price, amount] = Array.isArray(level) ? level : [];
    return { price: positive(price, "book"), amount: natural(amount, "book") };
  });
}

export const tradeOf = (told: Dict): Trade => ({
  id: requireText(told.id, "trade id"),
  side: sideOf(told.side),
  price: positive(told.price, "trade price"),
  amount: positive(told.amount, "trade amount"),
  at: exactTime(told.timestamp, "time of a trade"),
});

export function candleOf(row: readonly unknown[]): Candle {
  const [at, open, high, low, close, volume] = row;
  return {
    at: exactTime(Number(at), "time of a candle"),
    open: positive(open, "candle"),
    high: positive(high, "candle"),
    low: positive(low, "candle"),
    close: positive(close, "candle"),
    volume: natural(volume, "candle"),
  };
}

/**
 * The entries of ccxt's balance that are assets: it also carries sums by kind, and the raw answer. What the exchange
 * tells under several names is summed under the one that it is spent as: only the sum has to be more than nothing.
 */
export function balancesOf(told: Dict, { spentAs }: Pick<Quirks, "spentAs">): Balance[] {
  const total = told.total;
  if (!isDict(total)) throw bad("balance");
  const held = new Map<string, { readonly free: Decimal; readonly used: Decimal }>();
  for (const name of Object.keys(total)) {
    const asset = spentAs?.(name) ?? name;
    const { free, used } = held.get(asset) ?? { free: ZERO, used: ZERO };
    const row = told[name];
    held.set(asset, {
      free: free + readDecimal(fieldOf(row, "free"), `balance of ${name}`),
      used: used + natural(fieldOf(row, "used"), `balance of ${name}`),
    });
  }
  return [...held].map(([asset, { free, used }]) => {
    if (free < ZERO) throw bad(`balance of ${asset}`);
    return { asset, free, used };
  });
}

export function venueOrderOf(told: Dict, quirks: Quirks, now: Millis): VenueOrder {
  const sizes = quirks.sizesOf?.(told) ?? told;
  const filled = natural(sizes.filled, "filled amount");
  const type = String(told.type).includes("market") ? "market" : "limit";
  const cost = quirks.notionalOf?.(told) ?? told.cost;
  const notional = filled === ZERO ? ZERO : isGiven(cost) ? natural(cost, "cost of an order") : undefined;
  const limit = decimalOf(told.price) ?? ZERO;
  const amount = natural(sizes.amount ?? sizes.filled, "amount");
  // Of market orders by cost some exchanges tell the cost as the amount.
  if (type === "limit" && (filled > amount || limit < ZERO)) throw bad("inconsistent order");
  return {
    id: requireText(told.id, "order id"),
    clientId: quirks.clientIdOf(told),
    symbol: readPair(told.symbol),
    side: sideOf(told.side),
    type,
    price: type === "limit" ? limit : filled > ZERO && notional ? div(notional, filled, "half") : ZERO,
    amount,
    filled,
    notional,
    fees: filled === ZERO ? [] : quirks.tellsFee?.(told) === false ? undefined : wholeFees(told),
    status: readStatus(quirks.statusOf?.(told) ?? told.status, filled),
    at: timeOr(told.timestamp, now),
  };
}

const ENDED: ReadonlyMap<unknown, OrderStatus> = new Map([
  ["closed", "filled"],
  ["canceled", "canceled"],
  ["expired", "expired"],
  ["rejected", "rejected"],
]);

const readStatus = (word: unknown, filled: Decimal): OrderStatus => {
  if (word === "open") return filled > ZERO ? "partially_filled" : "open";
  return ENDED.get(word) ?? "unknown";
};

/** Undefined unless every fee is told with its asset: unknown is not zero. */
function wholeFees(told: Dict): Fee[] | undefined {
  const list = Array.isArray(told.fees) && told.fees.length > 0 ? told.fees : told.fee ? [told.fee] : [];
  const fees = (list as unknown[]).map((fee) => {
    const [amount, asset] = [decimalOf(fieldOf(fee, "cost")), fieldOf(fee, "currency")];
    return amount === undefined || typeof asset !== "string" ? undefined : { asset, amount };
  });
  if (fees.length === 0 || fees.includes(undefined)) return undefined;
  return fees.filter((fee): fee is Fee => fee !== undefined && fee.amount !== ZERO);
}

/**
 * The cost as it is told. Nothing is a cost too, where price × amount rounds to nothing in the places that it is told
 * in: kraken takes dust for free (infinity-grid#7).
 */
function notionalOf(told: unknown, worth: Decimal): Decimal {
  if (!isGiven(told)) return worth;
  const cost = natural(told, "cost of a fill");
  const places = typeof told === "string" ? (told.split(".")[1]?.length ?? 0) : 0;
  if (cost === ZERO && worth * 2n >= ONE / 10n ** BigInt(places)) throw bad("cost of a fill");
  return cost;
}

export function venueFillOf(told: Dict): VenueFill {
  const [price, amount] = [positive(told.price, "fill price"), positive(told.amount, "fill amount")];
  const fees = wholeFees(told);
  if (!fees) throw bad("fee of a fill");
  return {
    id: requireText(told.id, "trade id"),
    orderId: requireText(told.order, "order id of a fill"),
    symbol: readPair(told.symbol),
    side: sideOf(told.side),
    price,
    amount,
    notional: notionalOf(told.cost, mul(price, amount, "half")),
    fees,
    at: exactTime(told.timestamp, "time of a fill"),
  };
}
