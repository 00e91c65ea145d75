import * as z from "zod";
import { type Decimal, div, mul, sum, wire, ZERO } from "../kernel/decimal.ts";
import { AppError } from "../kernel/errors.ts";
import { lazy } from "../kernel/lazy.ts";
import type { Pair } from "../kernel/pair.ts";
import { spreadOf } from "../kernel/spread.ts";
import type { Millis } from "../kernel/time.ts";
import { type Book, type BookLevel, type Candle, SIDES, type Ticker, type Trade } from "../model/market.ts";

const placeFields = () => ({ exchange: z.string(), symbol: z.string() });

export const TickerShape = lazy(() =>
  z.object({
    ...placeFields(),
    last: z.number().nullable(),
    bid: z.number(),
    ask: z.number(),
    spread: z.number(),
    spreadPercent: z.number(),
    baseVolume: z.number().nullable(),
    quoteVolume: z.number().nullable(),
    timestamp: z.number(),
  }),
);

const LevelShape = lazy(() => z.object({ price: z.number(), amount: z.number(), total: z.number() }));

export const BookShape = lazy(() =>
  z.object({
    ...placeFields(),
    bids: z.array(LevelShape()),
    asks: z.array(LevelShape()),
    spread: z.number(),
    spreadPercent: z.number(),
    midPrice: z.number(),
    timestamp: z.number(),
  }),
);

export const TradesShape = lazy(() =>
  z.object({
    ...placeFields(),
    trades: z.array(
      z.object({
        id: z.string(),
        price: z.number(),
        amount: z.number(),
        side: z.enum(SIDES),
        timestamp: z.number(),
      }),
    ),
    summary: z.object({
      count: z.number(),
      buyCount: z.number(),
      sellCount: z.number(),
      buyVolume: z.number(),
      sellVolume: z.number(),
      avgPrice: z.number(),
      vwap: z.number(),
    }),
    timestamp: z.number(),
  }),
);

export const CandlesShape = lazy(() =>
  z.object({
    ...placeFields(),
    timeframe: z.string(),
    candles: z.array(
      z.object({
        timestamp: z.number(),
        open: z.number(),
        high: z.number(),
        low: z.number(),
        close: z.number(),
        volume: z.number().nullable(),
      }),
    ),
  }),
);

export const ExchangesShape = lazy(() =>
  z.object({
    exchanges: z.array(
      z.object({
        id: z.string(),
        venue: z.string(),
        kind: z.enum(["live", "dry", "sandbox"]),
        passphrase: z.boolean(),
        quotes: z.array(z.string()),
        configured: z.boolean(),
      }),
    ),
    count: z.number(),
  }),
);

interface MarketPlace {
  readonly exchange: string;
  readonly symbol: Pair;
}

const spreads = (quote: { bid: bigint; ask: bigint }) => {
  const { spread, spreadPercent, mid } = spreadOf(quote);
  return { spread: wire(spread), spreadPercent: wire(spreadPercent), midPrice: wire(mid) };
};

type TickerOut = Readonly<z.input<ReturnType<typeof TickerShape>>>;
const answeredTickers = new WeakMap<Ticker, TickerOut>();

/** Formats a ticker; the same ticker always gives the same object. */
export function tickerOut(where: MarketPlace, ticker: Ticker): TickerOut {
  const known = answeredTickers.get(ticker);
  if (known?.exchange === where.exchange && known.symbol === where.symbol) return known;
  const made = Object.freeze(describeTicker(where, ticker));
  answeredTickers.set(ticker, made);
  return made;
}

function describeTicker(
  where: MarketPlace,
  { last, bid, ask, baseVolume, quoteVolume, at }: Ticker,
): TickerOut {
  const { spread, spreadPercent } = spreads({ bid, ask });
  const volumes = {
    baseVolume: baseVolume === null ? null : wire(baseVolume),
    quoteVolume: quoteVolume === null ? null : wire(quoteVolume),
  };
  return {
    ...where,
    last: last === null ? null : wire(last),
    bid: wire(bid),
    ask: wire(ask),
    spread,
    spreadPercent,
    ...volumes,
    timestamp: at,
  };
}

export function bookOut(where: MarketPlace, { bids, asks, at }: Book): z.input<ReturnType<typeof BookShape>> {
  const best = { bid: bestOf("bids", bids, where), ask: bestOf("asks", asks, where) };
  return { ...where, bids: levelsOut(bids), asks: levelsOut(asks), ...spreads(best), timestamp: at };
}

// Without one side there is neither a spread nor a mid price.
function bestOf(side: string, [best]: readonly BookLevel[], { exchange, symbol }: MarketPlace): Decimal {
  if (!best) throw new AppError("Exchange error", `the book of ${symbol} on ${exchange} has no ${side} now`);
  return best.price;
}

function levelsOut(levels: readonly BookLevel[]) {
  let total = 0n;
  return levels.map(({ price, amount }) => {
    total += amount;
    return { price: wire(price), amount: wire(amount), total: wire(total) };
  });
}

export function tradesOut(
  where: MarketPlace,
  trades: readonly Trade[],
  timestamp: Millis,
): z.input<ReturnType<typeof TradesShape>> {
  const shown = trades.map(({ id, price, amount, side, at }) => ({
    id,
    price: wire(price),
    amount: wire(amount),
    side,
    timestamp: at,
  }));
  return { ...where, trades: shown, summary: summarize(trades), timestamp };
}

export const candlesOut = (
  where: MarketPlace & { timeframe: string },
  candles: readonly Candle[],
): z.input<ReturnType<typeof CandlesShape>> => ({
  ...where,
  candles: candles.map(({ at, open, high, low, close, volume }) => ({
    timestamp: at,
    open: wire(open),
    high: wire(high),
    low: wire(low),
    close: wire(close),
    volume: volume === null ? null : wire(volume),
  })),
});

/** Returns counts and volumes per side, and simple and volume-weighted average prices; zeros without trades. */
function summarize(trades: readonly Trade[]) {
  const volume = (list: readonly Trade[]): Decimal => sum(list.map(({ amount }) => amount));
  const buys = trades.filter(({ side }) => side === "buy");
  const sells = trades.filter(({ side }) => side === "sell");
  const total = volume(trades);
  const notional = sum(trades.map(({ price, amount }) => mul(price, amount, "half")));
  const prices = sum(trades.map(({ price }) => price));
  return {
    count: trades.length,
    buyCount: buys.length,
    sellCount: sells.length,
    buyVolume: wire(volume(buys)),
    sellVolume: wire(volume(sells)),
    avgPrice: wire(trades.length > 0 ? prices / BigInt(trades.length) : ZERO),
    vwap: wire(total > ZERO ? div(notional, total, "half") : ZERO),
  };
}
