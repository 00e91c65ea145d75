import type { Decimal } from "../../kernel/decimal.ts";
import { hashText, mix, share } from "../../kernel/hash.ts";
import { DAY, type Millis, SECOND } from "../../kernel/time.ts";
import type { Candle, Market, Ticker, Trade } from "../../model/market.ts";
import type { CandleRange } from "../../ports/market.ts";
import { depthAt } from "./depth.ts";
import type { PricePath } from "./path.ts";

const BETWEEN_TRADES = 3 * SECOND;

export function tickerAt(market: Market, path: PricePath, at: Millis): Ticker {
  const ticks = path.at(at);
  const { bids, asks } = depthAt(market, ticks, at, 1);
  const last = BigInt(ticks) * market.tick;
  const volume = path.volume(at - DAY, at);
  const bid = bids[0]?.price ?? market.tick;
  const ask = asks[0]?.price ?? last + market.tick;
  return {
    last,
    bid,
    ask,
    at,
    baseVolume: toLots(market, volume),
    quoteVolume: (toLots(market, volume) * last) / 10n ** 18n,
  };
}

/** Returns the newest public trades up to a time, newest first. */
export function tradesAt(market: Market, path: PricePath, at: Millis, limit: number): Trade[] {
  const hash = hashText(market.symbol);
  const newest = Math.floor(at / BETWEEN_TRADES);
  return Array.from({ length: limit }, (_, back) => {
    const index = newest - back;
    const time = index * BETWEEN_TRADES;
    const draw = share(mix(hash, 1), index);
    return {
      id: String(index),
      price: BigInt(path.at(time)) * market.tick,
      amount: toLots(market, (path.volume(time - BETWEEN_TRADES, time) || 0.001) * (0.5 + draw)),
      side: share(mix(hash, 2), index) < 0.5 ? "buy" : "sell",
      at: time,
    };
  });
}

/** Returns candles in ascending order; the last one is incomplete. */
export function candlesAt(
  market: Market,
  path: PricePath,
  at: Millis,
  { span, limit, since }: CandleRange,
): Candle[] {
  const newest = Math.floor(at / span);
  const first = since === undefined ? newest - limit + 1 : Math.ceil(since / span);
  const count = Math.max(0, Math.min(limit, newest - first + 1));
  return Array.from({ length: count }, (_, index) => {
    const from = (first + index) * span;
    return candle(market, path, from, Math.min(from + span, at + 1));
  });
}

function candle(market: Market, path: PricePath, from: Millis, to: Millis): Candle {
  const prices = [path.at(from), ...path.inside(from, to), path.at(to - 1)];
  const price = (ticks: number): Decimal => BigInt(ticks) * market.tick;
  return {
    at: from,
    open: price(prices[0] as number),
    high: price(Math.max(...prices)),
    low: price(Math.min(...prices)),
    close: price(prices.at(-1) as number),
    volume: toLots(market, path.volume(from, to)),
  };
}

const toLots = ({ lot }: Market, amount: number): Decimal =>
  BigInt(Math.max(1, Math.floor(amount / (Number(lot) / 1e18)))) * lot;
