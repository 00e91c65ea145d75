/** Bitget spot v2 as ccxt calls it: HMAC-SHA256 in base64 with a passphrase; { code, msg, requestTime, data }. */
import { createHmac } from "node:crypto";
import { text } from "../../src/kernel/decimal.ts";
import { cancelAll, candles, market, ticker } from "./bitget-markets.ts";
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
import type { Listing } from "./catalog.ts";
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
import { bookOf, levelTexts, tradesOf } from "./public.ts";

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

export const bitget: Dialect = {
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
