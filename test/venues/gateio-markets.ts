/** Gate's market list, ticker and candles. */
import { text } from "../../src/kernel/decimal.ts";
import { DAY, type Millis, SECOND } from "../../src/kernel/time.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import { type Ask, limitOf, ok, type Reply } from "./dialect.ts";
import { idOf, refuse } from "./gateio-orders.ts";
import { candlesOf, figuresOf } from "./public.ts";

const INTERVALS: Record<string, Millis> = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": DAY,
  "7d": 7 * DAY,
};

export const market = (listing: Listing) => ({
  id: idOf(listing),
  base: listing.base,
  base_name: listing.base,
  quote: listing.quote,
  quote_name: listing.quote,
  fee: text(listing.taker * 100n),
  min_base_amount: text(listing.minAmount),
  min_quote_amount: text(listing.minNotional),
  max_quote_amount: "5000000",
  amount_precision: decimalsOf(listing.lot),
  precision: decimalsOf(listing.tick),
  trade_status: listing.active ? "tradable" : "untradable",
  sell_start: 0,
  buy_start: 0,
  type: "normal",
});

export function ticker(listing: Listing, { engine, now }: Ask): Reply {
  const { last, bid, ask, high, low, baseVolume, quoteVolume } = figuresOf(engine, listing, now);
  return ok([
    {
      currency_pair: idOf(listing),
      last: text(last),
      lowest_ask: text(ask.price),
      lowest_size: text(ask.amount),
      highest_bid: text(bid.price),
      highest_size: text(bid.amount),
      change_percentage: "0",
      base_volume: text(baseVolume),
      quote_volume: text(quoteVolume),
      high_24h: text(high),
      low_24h: text(low),
    },
  ]);
}

export function candles(listing: Listing, { engine, now, request }: Ask): Reply {
  const { query } = request;
  const span = INTERVALS[query.get("interval") ?? "30m"];
  if (!span) return refuse(400, "INVALID_PARAM_VALUE", "Invalid interval");
  const from = query.get("from");
  const to = query.get("to");
  // gateapi-python SpotApi.md list_candlesticks: `limit` conflicts with `from` and `to`.
  if ((from || to) && query.has("limit"))
    return refuse(400, "INVALID_PARAM_VALUE", "limit conflicts with from and to");
  const since = from ? Number(from) * SECOND : undefined;
  const until = to ? Number(to) * SECOND : now;
  // ccxt#17464: both ends count.
  if (since !== undefined && Math.floor((until - since) / span) + 1 > 1000)
    return refuse(
      400,
      "INVALID_PARAM_VALUE",
      "Candlestick range too broad. Maximum 1000 data points are allowed per request",
    );
  // ccxt#27887, since February 2026.
  if (since !== undefined && since < now - 10_000 * span)
    return refuse(
      400,
      "INVALID_PARAM_VALUE",
      "Candlestick too long ago. Maximum 10000 points ago are allowed",
    );
  const limit = limitOf(query.get("limit"), { standard: from ? 1000 : 100, most: 1000 });
  const range = { span, limit, since, until, keep: "newest" as const };
  return ok(
    candlesOf(engine, listing, now, range).map(({ at, open, high, low, close, volume }) => [
      String(at / SECOND),
      text((volume * close) / 10n ** 18n),
      text(close),
      text(high),
      text(low),
      text(open),
      text(volume),
      String(at + span <= now),
    ]),
  );
}
