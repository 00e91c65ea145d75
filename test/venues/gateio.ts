/** Gate spot v4 as ccxt calls it: HMAC-SHA512 over method, path, query, body hash and seconds; errors as { label }. */
import { createHash, createHmac } from "node:crypto";
import { text } from "../../src/kernel/decimal.ts";
import { DAY, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Account } from "./account.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import {
  type Ask,
  type Dialect,
  limitOf,
  listingBy,
  type Member,
  ok,
  type PrivateAsk,
  type Reply,
  type Requested,
  type Route,
  visibleOpen,
} from "./dialect.ts";
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
import { bookOf, candlesOf, figuresOf, levelTexts, tradesOf } from "./public.ts";

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

/** Gate's two kinds of account, and what it tells of keys (gate.com/docs/developers/apiv4, read 2026-11-21). */
/** GET /unified/unified_mode: classic, multi_currency, portfolio or single_currency. */
export const modeOf = ({ unified }: Account): string => (unified ? "multi_currency" : "classic");

/** Of a unified account nothing is left here. */
export const spotAccounts = ({ holdings, unified }: Account) =>
  unified
    ? []
    : [...holdings].map(([currency, { total, used }]) => ({
        currency,
        available: text(total - used),
        locked: text(used),
        update_id: 1,
      }));

/** GET /unified/accounts, which tells its mode too. */
export const unifiedAccount = (account: Account) => ({
  mode: modeOf(account),
  user_id: 10000 + account.number,
  refresh_time: 0,
  locked: false,
  balances: Object.fromEntries(
    (account.unified ? [...account.holdings] : []).map(([currency, { total, used }]) => [
      currency,
      {
        available: text(total - used),
        freeze: text(used),
        borrowed: "0",
        negative_liab: "0",
        futures_pos_liab: "0",
        equity: text(total),
        total_freeze: "0",
        total_liab: "0",
        spot_in_use: "0",
      },
    ]),
  ),
  total: "0",
  borrowed: "0",
  unified_account_total: "0",
  leverage: "2",
});

/** How tests tell such a key. */
const isOfSub = (key: string): boolean => key.includes("of-a-sub-account");

const HIDDEN = "*****";
const SHOWN = 12;

/** Gate's market list, ticker and candles. */
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
  trade_url: `https://www.gate.com/trade/${idOf(listing)}`,
});

/** A pair that is traded on margin only (ccxt 4.5.84, gate.js, fetchSpotMarkets). */
const MARGIN = {
  id: "HOODON_USDT",
  base: "HOODON",
  quote: "USDT",
  leverage: 10,
  min_base_amount: "0.01",
  min_quote_amount: "1",
  max_quote_amount: "5000",
  status: 1,
};

export const gateio: Dialect = {
  checked: {
    on: "2026-11-21",
    source: "gate.com/docs/developers/apiv4; ccxt 4.5.84",
  },
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
      ok(pathOf(request).startsWith("/spot") ? [...engine.listings.values()].map(market) : [MARGIN]),
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

/** Orders and trades are looked for in the account that is named; without one, in all of them (SpotApi.md). */
export function isElsewhere({ request, member }: PrivateAsk): boolean {
  const named = request.query.get("account");
  return named !== null && named !== (member.account.unified ? "unified" : "spot");
}

/** All keys of the main account, each by the beginning of its text alone; a sub-account's is not among them. */
export function mainKeys(member: Member): Reply {
  const { may, key } = member.keys;
  const row = (name: string, shown: string, wallet: boolean) => ({
    state: 1,
    mode: 1,
    name,
    user_id: 10000 + member.account.number,
    perms: [
      { name: "spot", read_only: !may.trade },
      { name: "account", read_only: true },
      ...(wallet ? [{ name: "wallet", read_only: false }] : []),
    ],
    ip_whitelist: [],
    currency_pairs: [],
    key: shown + HIDDEN,
    created_at: 1_753_030_929,
    update_at: 1_756_300_567,
    last_access: 1_753_030_929,
  });
  const another = row("another", "c5dcfbf1f3a7", !may.withdraw);
  return ok(isOfSub(key) ? [another] : [another, row("own", key.slice(0, SHOWN), may.withdraw)]);
}

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
