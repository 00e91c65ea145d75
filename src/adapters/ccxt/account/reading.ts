/** Converts ccxt's results to our types. Values that are not finite, negative or missing fail the read. */
import {
  type Decimal,
  div,
  fromNumber,
  max,
  mul,
  ONE,
  parseDecimal,
  sum,
  text,
  ZERO,
} from "../../../kernel/decimal.ts";
import { messageOf, UnreadableError, VenueError } from "../../../kernel/errors.ts";
import { isPair, type Pair, splitPair } from "../../../kernel/pair.ts";
import { FIRST_MARKET_TIME } from "../../../kernel/read-time.ts";
import { readableList } from "../../../kernel/readable-list.ts";
import type { Millis } from "../../../kernel/time.ts";
import {
  type AccountRef,
  accountKey,
  type Balances,
  UNNAMED_ASSET,
  type UnreadBalance,
} from "../../../model/account.ts";
import type { Book, BookLevel, Candle, Market, Side, Ticker, Trade } from "../../../model/market.ts";
import {
  type Fee,
  isNearWorth,
  MAX_IMPROVEMENT,
  type OrderStatus,
  type StopTerms,
} from "../../../model/order.ts";
import type { Keys, VenueFill, VenueOrder } from "../../../ports/venue.ts";
import { type AccountKind, type Dict, type FeeRates, fieldOf } from "../client/ccxt.ts";
import type { BalanceRow, PublishedFees, Quirks } from "../client/quirks.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { createSession, type PrivateSession } from "./session.ts";

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Parses exact text, or the shortest text of a JSON number; undefined for anything else. */
function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string" || !NUMBER.test(value)) return undefined;
  // ccxt writes an exponent for values that were JSON numbers.
  return parseDecimal(value) ?? fromNumber(Number(value));
}

const bad = (what: string): UnreadableError => new UnreadableError(`the exchange's ${what} cannot be read`);

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

/** Returns a value of at least `from`; null if it cannot be read. */
function knownFrom(from: Decimal, value: unknown): Decimal | null {
  const exact = decimalOf(value);
  return exact === undefined || exact < from ? null : exact;
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
// ccxt reads a time of 1e30 as 1.
const isMarketTime = (value: unknown): value is Millis => isMillis(value) && value >= FIRST_MARKET_TIME;

const timeOr = (value: unknown, otherwise: Millis): Millis => (isMarketTime(value) ? value : otherwise);

function exactTime(value: unknown, what: string): Millis {
  if (!isMarketTime(value)) throw bad(what);
  return value;
}

/** Rates of the account; `unread` if its keys do not show them, undefined without keys. */
export type AccountFees = FeeRates | "unread" | undefined;

export function readMarket(
  market: Dict,
  { buyFeeIn, publishedFees }: Pick<Quirks, "buyFeeIn" | "publishedFees">,
  fees: AccountFees,
): Market {
  const symbol = readPair(market.symbol);
  const { precision, limits, active, onlySide } = market;
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
    ...(onlySide === "buy" || onlySide === "sell" ? { onlySide } : {}),
    ...(fees === undefined || fees === "unread" ? publicFees(market, publishedFees, fees) : fees),
    buyFeeIn,
  };
}

/** Returns the listed rates, or the published ones if they cannot be read; unread rates of an account are at least both. */
function publicFees(
  market: Dict,
  { published, ...rates }: PublishedFees,
  fees: Exclude<AccountFees, FeeRates>,
): Pick<Market, "maker" | "taker" | "assumedFees"> {
  const listed = { maker: feeRateOf(market.maker), taker: feeRateOf(market.taker) };
  const names = (["maker", "taker"] as const).filter(
    (name) => fees === "unread" || (listed[name] ?? -1n) < ZERO,
  );
  const rateOf = (name: "maker" | "taker"): Decimal =>
    names.includes(name) ? max(listed[name] ?? ZERO, rates[name]) : (listed[name] ?? rates[name]);
  return {
    maker: rateOf("maker"),
    taker: rateOf("taker"),
    ...(names.length > 0 ? { assumedFees: { names, published } } : {}),
  };
}

/** Returns a fee rate as a share of the notional; undefined for the whole of it, which no exchange charges. */
function feeRateOf(value: unknown): Decimal | undefined {
  const rate = decimalOf(value);
  return rate !== undefined && rate < ONE && rate > -ONE ? rate : undefined;
}

export const readFeeRates = (result: Dict): FeeRates => ({
  // A maker can receive a rebate; planning counts it as no fee.
  maker: feeRateOf(result.maker) ?? positive(undefined, "maker fee"),
  taker: natural(feeRateOf(result.taker) === undefined ? undefined : result.taker, "taker fee"),
});

/** By how many times a day's quote volume can differ from its base volume at the last price. */
const MAX_DAY_MOVE = 100n;

export function tickerOf(result: Dict, now: Millis): Ticker {
  const [bid, ask] = [positive(result.bid, "bid"), positive(result.ask, "ask")];
  if (bid > ask) throw bad("best prices with a bid above the ask");
  // Only the best prices are needed to trade.
  const last = knownFrom(1n, result.last ?? result.close);
  const baseVolume = knownFrom(ZERO, result.baseVolume);
  const worth = baseVolume !== null && last !== null ? mul(baseVolume, last, "half") : null;
  const listed = isGiven(result.quoteVolume) ? knownFrom(ZERO, result.quoteVolume) : worth;
  const isPlausible = listed === null || worth === null || isNearWorth(listed, worth, MAX_DAY_MOVE);
  const quoteVolume = isPlausible ? listed : null;
  return { bid, ask, last, baseVolume, quoteVolume, at: Math.min(timeOr(result.timestamp, now), now) };
}

export function bookOf(result: Dict, limit: number, at: Millis): Book {
  const [bids, asks] = [bookLevelsOf(result.bids, limit), bookLevelsOf(result.asks, limit)];
  return { bids, asks, at: Math.min(timeOr(result.timestamp, at), at) };
}

function bookLevelsOf(levels: unknown, limit: number): BookLevel[] {
  if (!Array.isArray(levels)) throw bad("book");
  return levels.slice(0, limit).map((level: unknown) => {
    const [price, amount] = Array.isArray(level) ? level : [];
    return { price: positive(price, "book"), amount: natural(amount, "book") };
  });
}

export const tradeOf = (result: Dict, { hasSide }: Pick<Quirks, "hasSide"> = {}): Trade => ({
  id: requireText(result.id, "trade id"),
  side: sideOf(hasSide?.(result) === false ? undefined : result.side),
  price: positive(result.price, "trade price"),
  amount: positive(result.amount, "trade amount"),
  at: exactTime(result.timestamp, "time of a trade"),
});

/** By how many times an open can be outside low and high: some exchanges open a candle at the last close. */
const MAX_OPEN_GAP = 2n;

export function candleOf(row: readonly unknown[]): Candle {
  const [at, open, high, low, close, volume] = row;
  const prices = {
    open: positive(open, "candle"),
    high: positive(high, "candle"),
    low: positive(low, "candle"),
    close: positive(close, "candle"),
  };
  const isInside = prices.low <= prices.close && prices.close <= prices.high;
  const isOpenNear = prices.low <= prices.open * MAX_OPEN_GAP && prices.open <= prices.high * MAX_OPEN_GAP;
  if (!isInside || !isOpenNear) throw bad("candle");
  return { at: exactTime(Number(at), "time of a candle"), ...prices, volume: knownFrom(ZERO, volume) };
}

/** Returns the rows that can be read, oldest first. Throws UnreadableError if there are rows, and none of them can be. */
export function readableRows<R, T extends { readonly at: Millis }>(
  rows: readonly R[],
  read: (row: R) => T,
): T[] {
  const problems: UnreadableError[] = [];
  const found = rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      problems.push(error);
      return [];
    }
  });
  const [problem] = problems;
  if (problem && found.length === 0) throw problem;
  return found.sort((a, b) => a.at - b.at);
}

/**
 * Returns the balances of an account. Adds up an asset's different names; only the sum must be positive. An asset with
 * an amount that cannot be read is apart from the others.
 */
export function balancesOf(rows: readonly BalanceRow[], { spentAs }: Pick<Quirks, "spentAs">): Balances {
  const amounts = new Map<string, { readonly free: Decimal; readonly used: Decimal }>();
  const unreadable = new Map<string, string>();
  for (const { asset: name = UNNAMED_ASSET, ...row } of rows) {
    const asset = spentAs?.(name) ?? name;
    const { free, used } = amounts.get(asset) ?? { free: ZERO, used: ZERO };
    try {
      if (name === UNNAMED_ASSET) throw bad("name of a balance");
      const own = amountsOf(row, `balance of ${name}`);
      amounts.set(asset, { free: free + own.free, used: used + own.used });
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      unreadable.set(asset, messageOf(error));
    }
  }
  for (const [asset, { free }] of amounts)
    if (free < ZERO && !unreadable.has(asset))
      unreadable.set(asset, `the exchange's balance of ${asset} is negative: ${text(free)}`);
  const known = [...amounts].filter(([asset]) => !unreadable.has(asset));
  return readableList(
    known.map(([asset, sums]) => ({ asset, ...sums })),
    [...unreadable].map(([asset, reason]): UnreadBalance => ({ asset, reason })),
  );
}

function amountsOf({ free, total, used: parts }: Omit<BalanceRow, "asset">, what: string) {
  const used = sum(parts.map((part) => natural(part, what)));
  return { free: isGiven(free) ? readDecimal(free, what) : readDecimal(total, what) - used, used };
}

export function venueOrderOf(result: Dict, quirks: Quirks, now: Millis): VenueOrder {
  const sizes = quirks.sizesOf?.(result) ?? result;
  const filled = natural(sizes.filled, "filled amount");
  const stop = stopTermsOf(result, quirks);
  const isMarket = stop ? stop.type === "stop_market" : String(result.type).includes("market");
  const type = isMarket ? "market" : "limit";
  const limit = type === "limit" ? positive(result.price, "price") : undefined;
  const amount = natural(sizes.amount ?? (limit === undefined ? sizes.filled : undefined), "amount");
  // For market orders by cost, some exchanges return the cost as the amount.
  if (limit !== undefined && (filled > amount || amount === ZERO)) throw bad("inconsistent order");
  const cost = knownFrom(ZERO, quirks.notionalOf?.(result) ?? result.cost) ?? undefined;
  const worth = limit === undefined ? cost : mul(filled, limit, "half");
  const isPlausible =
    cost !== undefined && (limit === undefined || isNearWorth(cost, worth ?? ZERO, MAX_IMPROVEMENT));
  const notional = filled === ZERO ? ZERO : isPlausible ? cost : undefined;
  const fees = quirks.feesOf?.(result);
  return {
    id: requireText(result.id, "order id"),
    clientId: quirks.clientIdOf(result),
    symbol: requireText(result.symbol, "symbol") as Pair,
    side: sideOf(result.side),
    type,
    price: limit ?? (notional ? div(notional, filled, "half") : ZERO),
    amount,
    filled,
    notional,
    fees:
      filled === ZERO
        ? []
        : quirks.tellsFee?.(result) === false
          ? undefined
          : wholeFees(
              fees ? { ...result, fees } : result,
              { worth: notional ?? worth, amount: filled },
              quirks,
            ),
    status: readStatus(quirks.statusOf?.(result) ?? result.status, filled),
    ...(stop ? { stop } : {}),
    at: timeOr(result.timestamp, now),
  };
}

function stopTermsOf(result: Dict, quirks: Pick<Quirks, "stopOf">): StopTerms | undefined {
  const stop = quirks.stopOf(result);
  return (
    stop && {
      type: stop.isLimit ? "stop_limit" : "stop_market",
      triggerPrice: decimalOf(stop.triggerPrice) ?? null,
      isTriggered: stop.isTriggered,
    }
  );
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

/** Most of the value that an exchange pays for a trade, as one part of so many: 0.05 %. */
const REBATE_PART = 2000n;

interface Traded {
  /** In quote; undefined if unknown. */
  readonly worth: Decimal | undefined;
  readonly amount: Decimal;
}

/**
 * Returns undefined unless every fee has an amount and an asset that a fee of this trade can have: unknown is not zero,
 * and a fee is never more than what was traded.
 */
function wholeFees(
  result: Dict,
  { worth, amount: base }: Traded,
  { feeAssets = [] }: Pick<Quirks, "feeAssets">,
): Fee[] | undefined {
  const list =
    Array.isArray(result.fees) && result.fees.length > 0 ? result.fees : result.fee ? [result.fee] : [];
  const { symbol } = result;
  const pair = typeof symbol === "string" && isPair(symbol) ? splitPair(symbol) : undefined;
  const isPossible = (asset: string, amount: Decimal): boolean => {
    const traded = asset === pair?.quote ? worth : asset === pair?.base ? base : undefined;
    if (traded === undefined) return feeAssets.includes(asset) && amount >= ZERO && amount < MAX_THIRD_FEE;
    return amount <= traded && amount * REBATE_PART >= -traded;
  };
  const fees = (list as unknown[]).map((fee) => {
    const [amount, asset] = [decimalOf(fieldOf(fee, "cost")), fieldOf(fee, "currency")];
    if (amount === ZERO) return NO_FEE;
    return amount === undefined || typeof asset !== "string" || !isPossible(asset, amount)
      ? undefined
      : { asset, amount };
  });
  if (fees.length === 0 || fees.includes(undefined)) return undefined;
  return fees.filter((fee): fee is Fee => fee !== undefined && fee !== NO_FEE);
}

/** A fee in a third asset, such as BGB, has no known value here; no trade costs a billion of it. */
const MAX_THIRD_FEE: Decimal = ONE * 1_000_000_000n;
const NO_FEE: Fee = { asset: "", amount: ZERO };

/**
 * Returns the reported cost. Zero is valid if price × amount rounds to zero at the reported precision: Kraken takes
 * dust for free (infinity-grid#7). Throws if the cost is another than price × amount, so one of the three is wrong.
 */
function notionalOf(result: unknown, worth: Decimal): Decimal {
  if (!isGiven(result)) return worth;
  const cost = natural(result, "cost of a fill");
  const places = typeof result === "string" ? (result.split(".")[1]?.length ?? 0) : 0;
  const difference = cost > worth ? cost - worth : worth - cost;
  if (difference * 2n >= ONE / 10n ** BigInt(places) && difference * 100n > worth)
    throw bad("cost of a fill");
  return cost;
}

export function venueFillOf(result: Dict, quirks: Pick<Quirks, "feeAssets"> = {}): VenueFill {
  const [price, amount] = [positive(result.price, "fill price"), positive(result.amount, "fill amount")];
  const worth = mul(price, amount, "half");
  const fees = wholeFees(result, { worth, amount }, quirks);
  // Listed twice, or charged twice: unknown.
  const isDoubled = fees?.some((fee, at) =>
    fees.slice(0, at).some(({ asset, amount: other }) => asset === fee.asset && other === fee.amount),
  );
  if (!fees || isDoubled) throw bad("fee of a fill");
  const { timestamp: at } = result;
  if (!isMillis(at)) throw bad("time of a fill");
  return {
    id: requireText(result.id, "trade id"),
    orderId: requireText(result.order, "order id of a fill"),
    symbol: readPair(result.symbol),
    side: sideOf(result.side),
    price,
    amount,
    notional: notionalOf(result.cost, worth),
    fees,
    at,
  };
}

export interface KeyCheck {
  /** Number of assets in the account. */
  readonly assets: number;
  /** Assets whose balance cannot be read. */
  readonly unreadable: readonly UnreadBalance[];
  /** Undefined if the exchange does not report it. */
  readonly mayWithdraw: boolean | undefined;
  /** Undefined if the exchange has only one kind. */
  readonly kind: AccountKind | undefined;
}

/** Reads which account these keys open, and their permissions. Throws VenueError if the exchange rejects them. */
export async function checkKeys(link: ExchangeLink, account: AccountRef, keys: Keys): Promise<KeyCheck> {
  const session = sessionOf(link, account, keys);
  const result = await session.read("balances", undefined, (exchange) => link.quirks.balances(exchange));
  const balances = balancesOf(result, link.quirks);
  const nonzero = balances.filter(({ free, used }) => free + used > ZERO);
  const mayWithdraw = await rightsOf(link, session).catch(unlessRefused);
  const { unreadable = [] } = balances;
  return { assets: nonzero.length, unreadable, mayWithdraw, kind: session.kind() };
}

const sessionOf = (link: ExchangeLink, account: AccountRef, keys: Keys): PrivateSession =>
  createSession(link, { account: accountKey(account), keys: async () => keys });

const rightsOf = (link: ExchangeLink, session: PrivateSession): Promise<boolean | undefined> =>
  session.read("balances", undefined, (exchange) => link.quirks.mayWithdraw(exchange));

/** Reads only the permissions of these keys. Throws VenueError if the exchange does not return them. */
export const askKeyRights = (
  link: ExchangeLink,
  account: AccountRef,
  keys: Keys,
): Promise<boolean | undefined> => rightsOf(link, sessionOf(link, account, keys));

/** Treats a refusal as a missing permission, because keys that have just read balances are valid. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof VenueError && (error.failure === "invalid_credentials" || error.failure === "refused"))
    return;
  throw error;
}
