/** Gate spot v4 as ccxt calls it: HMAC-SHA512 over method, path, query, body hash and seconds; errors as { label }. */
import { createHash, createHmac } from "node:crypto";
import { text } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { Listing } from "./catalog.ts";
import {
  type Ask,
  type Dialect,
  limitOf,
  listingBy,
  ok,
  type Reply,
  type Requested,
  type Route,
  visibleOpen,
} from "./dialect.ts";
import { isElsewhere, mainKeys, modeOf, spotAccounts, unifiedAccount } from "./gateio-accounts.ts";
import { candles, market, ticker } from "./gateio-markets.ts";
import {
  create,
  fills,
  finished,
  idOf,
  lookedUp,
  notFound,
  orderOf,
  refuse,
  removed,
} from "./gateio-orders.ts";
import { bookOf, levelTexts, tradesOf } from "./public.ts";

const PREFIX = "/api/v4";

const ROUTES: Record<string, Route> = {
  "GET /spot/time": "time",
  "GET /spot/currency_pairs": "markets",
  "GET /margin/currency_pairs": "markets",
  "GET /spot/currencies": "currencies",
  "GET /spot/tickers": "ticker",
  "GET /spot/order_book": "book",
  "GET /spot/trades": "trades",
  "GET /spot/candlesticks": "candles",
  "GET /spot/accounts": "balance",
  "POST /spot/orders": "create",
  "GET /spot/open_orders": "open",
  "GET /spot/orders": "closed",
  "GET /spot/my_trades": "fills",
  "DELETE /spot/orders": "cancelAll",
  "GET /wallet/fee": "fee",
  "GET /account/detail": "permissions",
  "GET /account/main_keys": "permissions",
  "GET /unified/unified_mode": "kind",
  "GET /unified/accounts": "balance",
};
const ONE_ORDER = /^\/spot\/orders\/([^/]+)$/;

const pathOf = ({ path }: Requested) => path.slice(PREFIX.length);

function routeOf({ method, path }: Requested): Route | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  const own = path.slice(PREFIX.length);
  const found = ROUTES[`${method} ${own}`];
  if (found || !ONE_ORDER.test(own)) return found;
  return method === "GET" ? "order" : method === "DELETE" ? "cancel" : undefined;
}

const pointedAt = (request: Requested) => decodeURIComponent(ONE_ORDER.exec(pathOf(request))?.[1] ?? "");

const withPair = <T extends Ask>(ask: T, answer: (listing: Listing, ask: T) => Reply): Reply => {
  const listing = listingBy(ask.engine, idOf, ask.request.query.get("currency_pair") ?? "");
  return listing ? answer(listing, ask) : refuse(400, "INVALID_CURRENCY_PAIR", "Invalid currency pair");
};

const GAP = 60 * SECOND;

export const gateio: Dialect = {
  ids: {
    order: (number) => String(435_305_000_000 + number),
    trade: (number) => String(7_342_000_000 + number),
  },
  buyFeeIn: "base",
  maxOpen: 500,
  route: routeOf,

  authenticate({ method, path, rawQuery, headers, body }, members, now) {
    const member = members.get(String(headers.key ?? ""));
    if (!member) return refuse(401, "INVALID_KEY", "Invalid key provided");
    const timestamp = String(headers.timestamp ?? "");
    const hashed = createHash("sha512").update(body).digest("hex");
    const signed = [method, path, decodeURIComponent(rawQuery), hashed, timestamp].join("\n");
    const expected = createHmac("sha512", member.keys.secret).update(signed).digest("hex");
    if (headers.sign !== expected) return refuse(401, "INVALID_SIGNATURE", "Signature mismatch");
    return Math.abs(now - Number(timestamp) * SECOND) > GAP
      ? refuse(401, "REQUEST_EXPIRED", "gap between request Timestamp and server time exceeds 60")
      : member;
  },

  open: {
    time: ({ now }) => ok({ server_time: now }),
    markets: ({ request, engine }) =>
      ok(pathOf(request).startsWith("/spot") ? [...engine.listings.values()].map(market) : []),
    currencies: () => ok([]),
    ticker: (ask) => withPair(ask, ticker),
    book: (ask) =>
      withPair(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("limit"), { standard: 10, most: 1000 });
        const { bids, asks } = bookOf(engine, listing, now);
        const id = request.query.get("with_id") === "true" ? { id: now } : {};
        return ok({
          ...id,
          current: now,
          update: now,
          asks: levelTexts(asks, limit),
          bids: levelTexts(bids, limit),
        });
      }),
    trades: (ask) =>
      withPair(ask, (listing, { engine, now, request }) =>
        ok(
          tradesOf(
            engine,
            listing,
            now,
            limitOf(request.query.get("limit"), { standard: 100, most: 1000 }),
          ).map(({ id, side, amount, price, at }) => ({
            id,
            create_time: String(Math.floor(at / SECOND)),
            create_time_ms: `${at}.000000`,
            currency_pair: idOf(listing),
            side,
            amount: text(amount),
            price: text(price),
            sequence_id: id,
          })),
        ),
      ),
    candles: (ask) => withPair(ask, candles),
  },

  signed: {
    kind: ({ member }) => ok({ mode: modeOf(member.account), settings: {} }),
    balance: ({ member, request }) =>
      ok(
        pathOf(request) === "/unified/accounts"
          ? unifiedAccount(member.account)
          : spotAccounts(member.account),
      ),
    create,
    order: (ask) => {
      const id = pointedAt(ask.request);
      const found = isElsewhere(ask) ? undefined : lookedUp(ask, id);
      return found ? ok(orderOf(found)) : notFound(id);
    },
    open: ({ request, ...ask }) => {
      if (isElsewhere({ request, ...ask })) return ok([]);
      const limit = limitOf(request.query.get("limit"), { standard: 100, most: 100 });
      const page = limitOf(request.query.get("page"), { standard: 1, most: 1e6 });
      const resting = visibleOpen({ request, ...ask }).reverse();
      const pairs = [...new Set(resting.map(({ listing }) => listing))].map((listing) => {
        const own = resting.filter((order) => order.listing === listing);
        const orders = own.slice((page - 1) * limit, page * limit).map(orderOf);
        return { currency_pair: idOf(listing), total: own.length, orders };
      });
      return ok(pairs);
    },
    closed: (ask) => (isElsewhere(ask) ? ok([]) : withPair(ask, finished)),
    fills: (ask) => (isElsewhere(ask) ? ok([]) : fills(ask)),
    cancel: (ask) => {
      const id = pointedAt(ask.request);
      return isElsewhere(ask) ? notFound(id) : removed(ask, id);
    },
    cancelAll: (ask) => {
      const { engine, member, request } = ask;
      const pair = request.query.get("currency_pair");
      const chosen = [...member.account.open.values()].filter(
        ({ listing }) => !pair || idOf(listing) === pair,
      );
      for (const { id } of chosen) engine.cancel(member.account, id);
      return ok(chosen.map((order) => ({ ...orderOf(order), succeeded: true })));
    },
    fee: ({ engine }) => {
      const [{ maker, taker }] = [...engine.listings.values()] as [Listing];
      return ok({
        user_id: 10001,
        taker_fee: text(taker),
        maker_fee: text(maker),
        gt_discount: engine.settings.deduct !== undefined,
        gt_taker_fee: text(taker),
        gt_maker_fee: text(maker),
        loan_fee: "0.18",
        point_type: "1",
      });
    },
    permissions: ({ member, request }) =>
      pathOf(request) === "/account/main_keys"
        ? mainKeys(member)
        : ok({
            ip_whitelist: [],
            currency_pairs: [],
            user_id: 10000 + member.account.number,
            tier: 1,
            key: { mode: 1 },
            copy_trading_role: 0,
          }),
  },

  says: (code, text) => refuse(400, code, text),
  limited: () => refuse(429, "TOO_MANY_REQUESTS", "Request Rate limit Exceeded"),
  trouble: {
    serverError: refuse(500, "SERVER_ERROR", "Internal Server Error"),
    maintenance: refuse(503, "SERVER_ERROR", "Server is under maintenance"),
    unknownRoute: refuse(404, "NOT_FOUND", "Not found"),
  },
};
