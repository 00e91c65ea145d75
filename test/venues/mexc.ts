/** MEXC spot v3 as ccxt calls it: everything in the query, HMAC-SHA256 over it, errors as { code, msg }. */
import { createHmac } from "node:crypto";
import { text, wire } from "../../src/kernel/decimal.ts";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import {
  type Ask,
  type Dialect,
  limitOf,
  listingBy,
  ok,
  type Reply,
  type Route,
  visibleOpen,
} from "./dialect.ts";
import { create, fills, history, idOf, orderOf, outOfWindow, pointedAt, refuse } from "./mexc-orders.ts";
import { bookOf, candlesOf, figuresOf, levelTexts, tradesOf } from "./public.ts";
import { listenKey } from "./stream/mexc.ts";

const ROUTES: Record<string, Route> = {
  "GET /api/v3/time": "time",
  "GET /api/v3/exchangeInfo": "markets",
  "GET /detail": "markets",
  "GET /api/v3/ticker/24hr": "ticker",
  "GET /api/v3/depth": "book",
  "GET /api/v3/aggTrades": "trades",
  "GET /api/v3/trades": "trades",
  "GET /api/v3/klines": "candles",
  "GET /api/v3/account": "balance",
  "POST /api/v3/order": "create",
  "GET /api/v3/order": "order",
  "GET /api/v3/openOrders": "open",
  "GET /api/v3/allOrders": "closed",
  "GET /api/v3/myTrades": "fills",
  "DELETE /api/v3/order": "cancel",
  "DELETE /api/v3/openOrders": "cancelAll",
  "DELETE /api/v3/order/all": "cancelAll",
  "GET /api/v3/tradeFee": "fee",
  "POST /api/v3/userDataStream": "streamKey",
  "PUT /api/v3/userDataStream": "streamKey",
  "DELETE /api/v3/userDataStream": "streamKey",
};

const withListing = <T extends Ask>(ask: T, answer: (listing: Listing, ask: T) => Reply): Reply => {
  const listing = listingBy(ask.engine, idOf, ask.request.query.get("symbol") ?? "");
  return listing ? answer(listing, ask) : refuse(-1121, "Invalid symbol.");
};

/** MEXC's market list, ticker and candles. */
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
  quoteOrderQtyMarketAllowed: true,
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

export const mexc: Dialect = {
  checked: {
    on: "2026-11-21",
    source: "mexc.com/api-docs/spot-v3; ccxt 4.5.84",
  },
  ids: {
    order: (number) => `C02__${String(number).padStart(21, "0")}`,
    trade: (number) => number.toString(16).padStart(32, "0"),
  },
  // Its page says base, real payloads quote (ccxt#14774, ccxt#22320).
  buyFeeIn: "quote",
  maxOpen: 500,
  route: ({ method, path }) => ROUTES[`${method} ${path}`],

  authenticate(request, members, now) {
    const member = members.get(String(request.headers["x-mexc-apikey"] ?? ""));
    if (!member) return refuse(10072, "Api key info invalid");
    const [signed = "", signature] = request.rawQuery.split("&signature=");
    const expected = createHmac("sha256", member.keys.secret).update(signed).digest("hex");
    if (signature !== expected) return refuse(700002, "Signature for this request is not valid.");
    return outOfWindow(request, now) ?? member;
  },

  open: {
    time: ({ now }) => ok({ serverTime: now }),
    markets: ({ engine, now, request }) => {
      // ccxt reads the contracts too, from another host; choose from none here.
      if (request.path === "/detail") return ok({ success: true, code: 0, data: [] });
      return ok({
        timezone: "CST",
        serverTime: now,
        rateLimits: [],
        exchangeFilters: [],
        symbols: [...engine.listings.values()]
          .filter((listing) => [null, idOf(listing)].includes(request.query.get("symbol")))
          .map(market),
      });
    },
    ticker: (ask) => withListing(ask, ticker),
    book: (ask) =>
      withListing(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("limit"), { standard: 100, most: 5000 });
        const { bids, asks } = bookOf(engine, listing, now);
        return ok({
          lastUpdateId: now,
          bids: levelTexts(bids, limit),
          asks: levelTexts(asks, limit),
          timestamp: now,
        });
      }),
    trades: (ask) =>
      withListing(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("limit"), { standard: 500, most: 1000 });
        return ok(
          tradesOf(engine, listing, now, limit).map(({ price, amount, side, at }) => ({
            a: null,
            f: null,
            l: null,
            p: text(price),
            q: text(amount),
            T: at,
            m: side === "sell",
            M: true,
          })),
        );
      }),
    candles: (ask) => withListing(ask, candles),
  },

  signed: {
    streamKey: listenKey,
    balance: ({ member, now }) =>
      ok({
        makerCommission: null,
        takerCommission: null,
        buyerCommission: null,
        sellerCommission: null,
        canTrade: member.keys.may.trade,
        canWithdraw: member.keys.may.withdraw,
        canDeposit: true,
        updateTime: now,
        accountType: "SPOT",
        balances: [...member.account.holdings].map(([asset, { total, used }]) => ({
          asset,
          free: text(total - used),
          locked: text(used),
        })),
        permissions: ["SPOT"],
      }),
    create: (ask) => withListing(ask, create),
    order: (ask) =>
      withListing(ask, (listing) => {
        const found = pointedAt(ask, listing);
        return found ? ok(orderOf(found)) : refuse(-2013, "Order does not exist.");
      }),
    open: (ask) =>
      withListing(ask, (listing) =>
        ok(
          visibleOpen(ask)
            .filter((order) => order.listing === listing)
            .reverse()
            .map(orderOf),
        ),
      ),
    closed: (ask) => withListing(ask, history),
    fills: (ask) => withListing(ask, fills),
    cancel: (ask) =>
      withListing(ask, (listing, { engine, member }) => {
        const found = pointedAt(ask, listing);
        const canceled = found && engine.cancel(member.account, found.id);
        return canceled ? ok(orderOf(canceled)) : refuse(-2011, "Unknown order sent.");
      }),
    cancelAll: ({ engine, member, request }) => {
      const symbol = request.query.get("symbol");
      const chosen = [...member.account.open.values()].filter(
        ({ listing }) => !symbol || idOf(listing) === symbol,
      );
      for (const { id } of chosen) engine.cancel(member.account, id);
      return ok(symbol ? chosen.map(orderOf) : {});
    },
    fee: (ask) =>
      withListing(ask, ({ maker, taker }, { now }) =>
        ok({
          data: { makerCommission: wire(maker), takerCommission: wire(taker) },
          code: 0,
          msg: "success",
          timestamp: now,
        }),
      ),
  },

  says: (code, text) => refuse(Number(code), text),
  limited: () => refuse(429, "Too many requests", 429),
  trouble: {
    serverError: refuse(500, "Internal error", 500),
    maintenance: refuse(500, "The system is being upgraded and maintained", 503),
    unknownRoute: refuse(404, "Not Found", 404),
  },
};

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
