/** MEXC's market list, ticker and candles. */
import { text } from "../../src/kernel/decimal.ts";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import { type Ask, limitOf, ok, type Reply } from "./dialect.ts";
import { idOf, refuse } from "./mexc-orders.ts";
import { candlesOf, figuresOf } from "./public.ts";

const INTERVALS: Record<string, Millis> = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "60m": 3_600_000,
  "4h": 14_400_000,
  "1d": DAY,
  "1W": 7 * DAY,
};

export const market = (listing: Listing) => ({
  symbol: idOf(listing),
  status: listing.active ? "1" : "2",
  baseAsset: listing.base,
  baseAssetPrecision: decimalsOf(listing.lot),
  quoteAsset: listing.quote,
  quotePrecision: decimalsOf(listing.tick),
  quoteAssetPrecision: decimalsOf(listing.tick),
  baseCommissionPrecision: decimalsOf(listing.lot),
  quoteCommissionPrecision: decimalsOf(listing.tick),
  orderTypes: ["LIMIT", "MARKET", "LIMIT_MAKER"],
  isSpotTradingAllowed: listing.active,
  isMarginTradingAllowed: false,
  quoteAmountPrecision: text(listing.minNotional),
  baseSizePrecision: text(listing.minAmount),
  permissions: ["SPOT"],
  filters: [],
  maxQuoteAmount: "2000000",
  makerCommission: text(listing.maker),
  takerCommission: text(listing.taker),
  quoteAmountPrecisionMarket: text(listing.minNotional),
  maxQuoteAmountMarket: "200000",
  fullName: listing.base,
  tradeSideType: 1,
});

export function ticker(listing: Listing, { engine, now }: Ask): Reply {
  const { last, bid, ask, open, high, low, baseVolume, quoteVolume } = figuresOf(engine, listing, now);
  return ok({
    symbol: idOf(listing),
    priceChange: text(last - open),
    priceChangePercent: "0",
    prevClosePrice: text(open),
    lastPrice: text(last),
    bidPrice: text(bid.price),
    bidQty: text(bid.amount),
    askPrice: text(ask.price),
    askQty: text(ask.amount),
    openPrice: text(open),
    highPrice: text(high),
    lowPrice: text(low),
    volume: text(baseVolume),
    quoteVolume: text(quoteVolume),
    openTime: now - DAY,
    closeTime: now,
    count: null,
  });
}

export function candles(listing: Listing, { engine, now, request }: Ask): Reply {
  const { query } = request;
  const span = INTERVALS[query.get("interval") ?? ""];
  if (!span) return refuse(-1121, "Invalid interval.");
  const [since, end] = [query.get("startTime"), query.get("endTime")];
  // Its page says 1000, in practice it is 500, and the end is not part of it: ccxt mexc.js fetchOHLCV. What a limit
  // leaves of a span begins with its start: ccxt#19481.
  const range = {
    span,
    limit: limitOf(query.get("limit"), { standard: 500, most: 500 }),
    since: since ? Number(since) : undefined,
    until: end ? Number(end) - 1 : undefined,
    keep: "oldest" as const,
  };
  return ok(
    candlesOf(engine, listing, now, range).map(({ at, open, high, low, close, volume }) => [
      at,
      text(open),
      text(high),
      text(low),
      text(close),
      text(volume),
      at + span,
      text(volume),
    ]),
  );
}
