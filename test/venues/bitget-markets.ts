/** Bitget's market list, ticker and candles. */
import { text } from "../../src/kernel/decimal.ts";
import { DAY, HOUR, type Millis } from "../../src/kernel/time.ts";
import { idOf, refuse, success } from "./bitget-orders.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import { type Ask, limitOf, type PrivateAsk, type Reply } from "./dialect.ts";
import { candlesOf, figuresOf } from "./public.ts";

const GRANULARITIES: Record<string, Millis> = {
  "1min": 60_000,
  "5min": 300_000,
  "15min": 900_000,
  "30min": 1_800_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1day": DAY,
  "1Dutc": DAY,
  "1week": 7 * DAY,
  "1Wutc": 7 * DAY,
};

export const market = (listing: Listing) => ({
  symbol: idOf(listing),
  baseCoin: listing.base,
  quoteCoin: listing.quote,
  minTradeAmount: text(listing.minAmount),
  maxTradeAmount: "10000000000",
  takerFeeRate: text(listing.taker),
  makerFeeRate: text(listing.maker),
  pricePrecision: String(decimalsOf(listing.tick)),
  quantityPrecision: String(decimalsOf(listing.lot)),
  quotePrecision: "6",
  status: listing.active ? "online" : "halt",
  minTradeUSDT: text(listing.minNotional),
  buyLimitPriceRatio: "0.05",
  sellLimitPriceRatio: "0.05",
  areaSymbol: "no",
  orderQuantity: "200",
});

export function ticker(listing: Listing, ask: Ask): Reply {
  const figures = figuresOf(ask.engine, listing, ask.now);
  return success(ask, [
    {
      open: text(figures.open),
      symbol: idOf(listing),
      high24h: text(figures.high),
      low24h: text(figures.low),
      lastPr: text(figures.last),
      quoteVolume: text(figures.quoteVolume),
      baseVolume: text(figures.baseVolume),
      usdtVolume: text(figures.quoteVolume),
      ts: String(ask.now),
      bidPr: text(figures.bid.price),
      askPr: text(figures.ask.price),
      bidSz: text(figures.bid.amount),
      askSz: text(figures.ask.amount),
      openUtc: text(figures.open),
      changeUtc24h: "0",
      change24h: "0",
    },
  ]);
}

export function candles(listing: Listing, ask: Ask): Reply {
  const { query } = ask.request;
  const span = GRANULARITIES[query.get("granularity") ?? ""];
  if (!span) return refuse("40034", "Parameter granularity does not exist");
  const [since, end] = [query.get("startTime"), query.get("endTime")];
  const isHistory = ask.request.path.endsWith("history-candles");
  // ccxt#20591.
  if (isHistory && !end) return refuse("40019", "Parameter endTime cannot be empty");
  // ccxt bitget.js fetchOHLCV: rows are counted back from the end, the history endpoint has at most 200 of them and
  // takes no start. The end is not part of it: dfinity/exchange-rate-canister#261.
  const range = {
    span,
    limit: limitOf(query.get("limit"), { standard: 100, most: isHistory ? 200 : 1000 }),
    since: since && !isHistory ? Math.max(Number(since), recent(ask.now, span)) : undefined,
    until: end ? Number(end) - 1 : undefined,
    keep: "newest" as const,
  };
  return success(
    ask,
    candlesOf(ask.engine, listing, ask.now, range).map(({ at, open, high, low, close, volume }) => {
      const turnover = text((volume * close) / 10n ** 18n);
      const prices = [open, high, low, close, volume].map((value) => text(value));
      return [String(at), ...prices, turnover, turnover];
    }),
  );
}

/** How far back the endpoint of recent candles goes, by span: ccxt bitget.js `maxRecentDaysPerTimeframe`. */
const recent = (now: Millis, span: Millis): Millis =>
  now - (span < HOUR ? 30 * DAY : (span / HOUR) * 60 * DAY);

export function cancelAll(ask: PrivateAsk): Reply {
  const { symbol } = JSON.parse(ask.request.body || "{}") as { symbol?: string };
  const { engine, member } = ask;
  for (const { id, listing } of [...member.account.open.values()])
    if (idOf(listing) === symbol) engine.cancel(member.account, id);
  return success(ask, { symbol });
}
