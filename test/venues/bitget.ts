/** Bitget spot v2 as ccxt calls it: HMAC-SHA256 in base64 with a passphrase; { code, msg, requestTime, data }. */
import { createHmac } from "node:crypto";
import { text } from "../../src/kernel/decimal.ts";
import { DAY, HOUR, type Millis } from "../../src/kernel/time.ts";
import {
  create,
  fills,
  history,
  idOf,
  lookedUp,
  orderInfo,
  orderOf,
  pageOf,
  refuse,
  removed,
  success,
  WINDOW,
} from "./bitget-orders.ts";
import { otherKind, UNIFIED_ROUTES, unified } from "./bitget-unified.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import {
  type Ask,
  type Dialect,
  limitOf,
  listingBy,
  type PrivateAsk,
  type Reply,
  type Route,
  visibleOpen,
} from "./dialect.ts";
import { bookOf, candlesOf, figuresOf, levelTexts, tradesOf } from "./public.ts";

const ROUTES: Record<string, Route> = {
  "GET /api/v2/public/time": "time",
  "GET /api/v2/spot/public/symbols": "markets",
  "GET /api/v2/margin/currencies": "markets",
  "GET /api/v2/spot/public/coins": "currencies",
  "GET /api/v2/spot/market/tickers": "ticker",
  "GET /api/v2/spot/market/orderbook": "book",
  "GET /api/v2/spot/market/fills": "trades",
  "GET /api/v2/spot/market/fills-history": "trades",
  "GET /api/v2/spot/market/candles": "candles",
  "GET /api/v2/spot/market/history-candles": "candles",
  "GET /api/v2/spot/account/assets": "balance",
  "POST /api/v2/spot/trade/place-order": "create",
  "GET /api/v2/spot/trade/orderInfo": "order",
  "GET /api/v2/spot/trade/unfilled-orders": "open",
  "GET /api/v2/spot/trade/history-orders": "closed",
  "GET /api/v2/spot/trade/fills": "fills",
  "POST /api/v2/spot/trade/cancel-order": "cancel",
  "POST /api/v2/spot/trade/cancel-symbol-order": "cancelAll",
  "GET /api/v2/common/trade-rate": "fee",
  "GET /api/v2/spot/account/info": "permissions",
  ...UNIFIED_ROUTES,
};

const withSymbol = <T extends Ask>(ask: T, answer: (listing: Listing, ask: T) => Reply): Reply => {
  const listing = listingBy(ask.engine, idOf, ask.request.query.get("symbol") ?? "");
  return listing ? answer(listing, ask) : refuse("40034", "Parameter symbol does not exist");
};

/** The answers of the API that a request is made to. */
function bothKinds(classic: Dialect["signed"]): Dialect["signed"] {
  const routes = new Set([...Object.keys(classic), ...Object.keys(unified)] as Route[]);
  const answer =
    (route: Route) =>
    (ask: PrivateAsk): Reply => {
      const own = ask.request.path.startsWith("/api/v3/") ? unified : classic;
      return own[route]?.(ask) ?? bitget.trouble.unknownRoute;
    };
  return Object.fromEntries([...routes].map((route) => [route, answer(route)]));
}

/** Bitget's market list, ticker and candles. */
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

/** How far back the endpoint of recent candles goes, by span: ccxt bitget.js `maxRecentDaysPerTimeframe`. */
const recent = (now: Millis, span: Millis): Millis =>
  now - (span < HOUR ? 30 * DAY : (span / HOUR) * 60 * DAY);

export const bitget: Dialect = {
  checked: {
    on: "2026-11-21",
    source: "bitget.com/api-doc; ccxt 4.5.84",
  },
  ids: {
    order: (number) => String(1_136_353_550_000_000_000n + BigInt(number)),
    trade: (number) => String(1_109_431_644_000_000_000n + BigInt(number)),
  },
  buyFeeIn: "base",
  maxOpen: 200,
  // Its table of errors has none for a `post_only` order that would take: such an order ends as `cancelled`.
  cancelsTaking: true,
  route: ({ method, path }) => ROUTES[`${method} ${path}`],

  authenticate({ method, path, rawQuery, headers, body }, members, now) {
    const member = members.get(String(headers["access-key"] ?? ""));
    if (!member) return refuse("40006", "Invalid ACCESS_KEY");
    const other = otherKind(path, member.account.unified);
    if (other) return other;
    const timestamp = String(headers["access-timestamp"] ?? "");
    const query = rawQuery === "" ? "" : `?${decodeURIComponent(rawQuery)}`;
    const expected = createHmac("sha256", member.keys.secret)
      .update(timestamp + method + path + query + body)
      .digest("base64");
    if (headers["access-sign"] !== expected) return refuse("40009", "sign signature error");
    if (headers["access-passphrase"] !== member.keys.passphrase)
      return refuse("40012", "apikey/password is incorrect");
    return Math.abs(now - Number(timestamp)) > WINDOW ? refuse("40008", "Request timestamp expired") : member;
  },

  open: {
    time: (ask) => success(ask, { serverTime: String(ask.now) }),
    markets: (ask) => {
      const all = [...ask.engine.listings.values()];
      const symbol = ask.request.query.get("symbol");
      if (!ask.request.path.includes("/spot/")) return success(ask, []);
      return success(ask, all.filter((listing) => !symbol || idOf(listing) === symbol).map(market));
    },
    currencies: (ask) => success(ask, []),
    ticker: (ask) => withSymbol(ask, ticker),
    book: (ask) =>
      withSymbol(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("limit"), { standard: 150, most: 150 });
        const { bids, asks } = bookOf(engine, listing, now);
        const data = { asks: levelTexts(asks, limit), bids: levelTexts(bids, limit), ts: String(now) };
        return success(ask, data);
      }),
    trades: (ask) =>
      withSymbol(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("limit"), { standard: 100, most: 500 });
        return success(
          ask,
          tradesOf(engine, listing, now, limit).map(({ id, side, price, amount, at }) => ({
            symbol: idOf(listing),
            tradeId: id,
            side: side === "buy" ? "Buy" : "Sell",
            price: text(price),
            size: text(amount),
            ts: String(at),
          })),
        );
      }),
    candles: (ask) => withSymbol(ask, candles),
  },

  signed: bothKinds({
    balance: (ask) =>
      success(
        ask,
        [...ask.member.account.holdings].map(([coin, { total, used }]) => ({
          coin,
          available: text(total - used),
          frozen: text(used),
          locked: "0",
          limitAvailable: "0",
          uTime: String(ask.now),
        })),
      ),
    create,
    order: (ask) => {
      const { query } = ask.request;
      const found = lookedUp(ask, { orderId: query.get("orderId"), clientOid: query.get("clientOid") });
      return success(ask, found ? [orderInfo(found)] : []);
    },
    open: (ask) => {
      const symbol = ask.request.query.get("symbol");
      const chosen = visibleOpen(ask).filter(({ listing }) => !symbol || idOf(listing) === symbol);
      return success(ask, pageOf(ask, chosen.reverse()).map(orderOf));
    },
    closed: history,
    fills,
    cancel: removed,
    cancelAll: (ask) => cancelAll(ask),
    fee: (ask) =>
      withSymbol(ask, ({ maker, taker }) =>
        success(ask, { makerFeeRate: text(maker), takerFeeRate: text(taker) }),
      ),
    permissions: (ask) => {
      const { may } = ask.member.keys;
      return success(ask, {
        userId: String(7_393_346_000 + ask.member.account.number),
        inviterId: "0",
        channelCode: "",
        channel: "",
        ips: "",
        authorities: [
          ...(may.read ? ["stor"] : []),
          ...(may.trade ? ["stow"] : []),
          ...(may.withdraw ? ["wwow"] : []),
        ],
        parentId: Number(7_393_346_000 + ask.member.account.number),
        traderType: "not_trader",
        regisTime: "1543915120000",
      });
    },
  }),

  says: (code, text) => refuse(code, text),
  limited: () => refuse("429", "Too Many Requests", 429),
  trouble: {
    serverError: refuse("40725", "service return an error", 500),
    maintenance: refuse("40015", "System is abnormal, please try again later", 503),
    unknownRoute: refuse("40404", "Request URL NOT FOUND", 404),
  },
};

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

export function cancelAll(ask: PrivateAsk): Reply {
  const { symbol } = JSON.parse(ask.request.body || "{}") as { symbol?: string };
  const { engine, member } = ask;
  for (const { id, listing } of [...member.account.open.values()])
    if (idOf(listing) === symbol) engine.cancel(member.account, id);
  return success(ask, { symbol });
}
