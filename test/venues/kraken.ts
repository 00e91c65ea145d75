/** Kraken spot as ccxt calls it: form bodies with a nonce, HMAC-SHA512 over path and hash; always 200, errors in a list. */
import { createHash, createHmac } from "node:crypto";
import { text } from "../../src/kernel/decimal.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import {
  type Ask,
  type Dialect,
  limitOf,
  ok,
  type PrivateAsk,
  padded,
  type Reply,
  type Route,
} from "./dialect.ts";
import { counted, limited } from "./kraken-limits.ts";
import {
  addOrder,
  closedOrders,
  openOrders,
  queryOrders,
  queryTrades,
  removed,
  tradesHistory,
} from "./kraken-orders.ts";
import {
  altnameOf,
  assetId,
  balanceRows,
  error,
  formOf,
  idOf,
  listingOf,
  result,
  txid,
  wsnameOf,
} from "./kraken-words.ts";
import { bookOf, candlesOf, figuresOf, tradesOf } from "./public.ts";
import { token } from "./stream/kraken.ts";

const ROUTES: Record<string, Route> = {
  "public/Time": "time",
  "public/AssetPairs": "markets",
  "public/Assets": "currencies",
  "public/Ticker": "ticker",
  "public/Depth": "book",
  "public/Trades": "trades",
  "public/OHLC": "candles",
  "private/BalanceEx": "balance",
  "private/AddOrder": "create",
  "private/QueryOrders": "order",
  "private/OpenOrders": "open",
  "private/ClosedOrders": "closed",
  "private/TradesHistory": "fills",
  "private/QueryTrades": "fillsOf",
  "private/CancelOrder": "cancel",
  "private/CancelAll": "cancelAll",
  "private/TradeVolume": "fee",
  "private/GetApiKeyInfo": "permissions",
  "private/GetWebSocketsToken": "streamKey",
};

const withPair = (ask: Ask, answer: (listing: Listing, ask: Ask) => Reply): Reply => {
  const listing = listingOf(ask.engine, ask.request.query.get("pair") ?? "");
  return listing ? answer(listing, ask) : error("EQuery:Unknown asset pair");
};

/** Kraken's market list, ticker and candles. */
export const market = (listing: Listing) => ({
  altname: altnameOf(listing),
  wsname: wsnameOf(listing),
  aclass_base: "currency",
  base: assetId(listing.base),
  aclass_quote: "currency",
  quote: assetId(listing.quote),
  lot: "unit",
  cost_decimals: 5,
  pair_decimals: decimalsOf(listing.tick),
  lot_decimals: decimalsOf(listing.lot),
  lot_multiplier: 1,
  leverage_buy: [2, 3],
  leverage_sell: [2, 3],
  fees: [],
  fees_maker: [],
  fee_volume_currency: "ZUSD",
  margin_call: 80,
  margin_stop: 40,
  ordermin: text(listing.minAmount),
  costmin: text(listing.minNotional),
  tick_size: text(listing.tick),
  status: listing.active ? "online" : "cancel_only",
});

export const kraken: Dialect = {
  checked: {
    on: "2026-11-21",
    source: "docs.kraken.com/api; ccxt 4.5.84",
    again: {
      markets: { on: "2026-11-28", source: "docs.kraken.com/exchange/changelog; python-kraken-sdk#452" },
    },
  },
  ids: { order: (number) => txid("O", number), trade: (number) => txid("T", number) },
  buyFeeIn: "quote",
  maxOpen: 225,
  route: ({ path }) => (path.startsWith("/0/") ? ROUTES[path.slice("/0/".length)] : undefined),

  authenticate(request, members) {
    const member = members.get(String(request.headers["api-key"] ?? ""));
    if (!member) return error("EAPI:Invalid key");
    const nonce = formOf(request).get("nonce") ?? "";
    const hash = createHash("sha256")
      .update(nonce + request.body)
      .digest();
    const expected = createHmac("sha512", Buffer.from(member.keys.secret, "base64"))
      .update(request.path)
      .update(hash)
      .digest("base64");
    if (request.headers["api-sign"] !== expected) return error("EAPI:Invalid signature");
    if (!/^\d+$/.test(nonce) || BigInt(nonce) <= member.nonce) return error("EAPI:Invalid nonce");
    member.nonce = BigInt(nonce);
    return member;
  },

  open: {
    time: ({ now }) => result({ unixtime: Math.floor(now / SECOND), rfc1123: new Date(now).toUTCString() }),
    markets: ({ engine, request }) => {
      const pairs = request.query.get("pair")?.split(",");
      const chosen = [...engine.listings.values()].filter(
        (listing) => !pairs || pairs.includes(idOf(listing)) || pairs.includes(altnameOf(listing)),
      );
      return result(Object.fromEntries(chosen.map((listing) => [idOf(listing), market(listing)])));
    },
    currencies: ({ engine }) => {
      const assets = new Set([...engine.listings.values()].flatMap(({ base, quote }) => [base, quote]));
      return result(
        Object.fromEntries(
          [...assets].map((asset) => [
            assetId(asset),
            {
              aclass: "currency",
              altname: asset === "BTC" ? "XBT" : asset,
              decimals: engine.settings.decimals.get(asset) ?? 10,
              display_decimals: 5,
              status: "enabled",
            },
          ]),
        ),
      );
    },
    ticker: (ask) => withPair(ask, ticker),
    book: (ask) =>
      withPair(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("count"), { standard: 100, most: 500 });
        const { bids, asks } = bookOf(engine, listing, now);
        const side = (levels: typeof bids) =>
          levels
            .slice(0, limit)
            .map(({ price, amount }) => [padded(price, 5), padded(amount, 3), Math.floor(now / SECOND)]);
        return result({ [idOf(listing)]: { asks: side(asks), bids: side(bids) } });
      }),
    trades: (ask) =>
      withPair(ask, (listing, { engine, now, request }) => {
        const limit = limitOf(request.query.get("count"), { standard: 1000, most: 1000 });
        const trades = tradesOf(engine, listing, now, limit).reverse();
        return result({
          [idOf(listing)]: trades.map(({ id, price, amount, side, at }) => [
            padded(price, 5),
            padded(amount, 8),
            at / SECOND,
            side === "buy" ? "b" : "s",
            "l",
            "",
            Number(id),
          ]),
          last: `${now}000000`,
        });
      }),
    candles: (ask) => withPair(ask, candles),
  },

  counted,
  signed: {
    balance: ({ member }) => result(balanceRows(member.account)),
    create: addOrder,
    order: queryOrders,
    open: openOrders,
    closed: closedOrders,
    fills: tradesHistory,
    fillsOf: queryTrades,
    cancel: removed,
    cancelAll: ({ engine, member }) => {
      const all = [...member.account.open.keys()];
      for (const id of all) engine.cancel(member.account, id);
      return result({ count: all.length });
    },
    fee: tradeVolume,
    streamKey: token,
    permissions: ({ member, now }) => {
      const { may } = member.keys;
      return result({
        apiKeyName: "emulated",
        apiKey: member.keys.key,
        nonce: String(member.nonce),
        nonceWindow: 0,
        permissions: [
          ...(may.read ? ["query-funds", "query-open-trades", "query-closed-trades", "query-ledger"] : []),
          ...(may.trade ? ["modify-trades", "close-trades"] : []),
          ...(may.withdraw ? ["withdraw-funds"] : []),
        ],
        iban: "AA00 N84G",
        validUntil: "0",
        queryFrom: "0",
        queryTo: "0",
        createdTime: "1700000000",
        modifiedTime: "1700000000",
        ipAllowlist: [],
        lastUsed: String(Math.floor(now / SECOND)),
      });
    },
  },

  // Its code is its text.
  says: (code, text) => error(text === "" ? code : `${code}:${text}`),
  limited,
  trouble: {
    serverError: error("EGeneral:Internal error"),
    maintenance: error("EService:Unavailable"),
    unknownRoute: error("EGeneral:Unknown method"),
  },
};

export function ticker(listing: Listing, { engine, now }: Ask): Reply {
  const { last, bid, ask, open, high, low, baseVolume } = figuresOf(engine, listing, now);
  const two = (value: bigint) => [padded(value, 5), padded(value, 5)];
  return result({
    [idOf(listing)]: {
      a: [padded(ask.price, 5), "1", padded(ask.amount, 3)],
      b: [padded(bid.price, 5), "1", padded(bid.amount, 3)],
      c: [padded(last, 5), "0.00160710"],
      v: [padded(baseVolume, 8), padded(baseVolume, 8)],
      p: two(last),
      t: [6405, 21103],
      l: two(low),
      h: two(high),
      o: padded(open, 5),
    },
  });
}

export function candles(listing: Listing, { engine, now, request }: Ask): Reply {
  const span = Number(request.query.get("interval") ?? "1") * MINUTE;
  const since = request.query.get("since");
  // docs.kraken.com get-ohlc-data: the newest 720 after `since`, whatever it is, the one under way always the last.
  const after = since ? Number(since) * SECOND + 1 : undefined;
  const all = candlesOf(engine, listing, now, { span, limit: 720, since: after, keep: "newest" });
  return result({
    [idOf(listing)]: all.map(({ at, open, high, low, close, volume }) => [
      at / SECOND,
      ...[open, high, low, close, close].map((price) => padded(price, 5)),
      padded(volume, 8),
      12,
    ]),
    last: Math.floor(now / SECOND),
  });
}

export function tradeVolume({ request, engine }: PrivateAsk): Reply {
  const listing = listingOf(engine, formOf(request).get("pair") ?? "");
  if (!listing) return error("EQuery:Unknown asset pair");
  const rate = (share: bigint) => ({
    [idOf(listing)]: {
      fee: padded(share * 100n, 4),
      minfee: "0.0000",
      maxfee: padded(share * 100n, 4),
      nextfee: null,
      tiervolume: "0.0000",
      nextvolume: "50000.0000",
    },
  });
  return ok({
    error: [],
    result: {
      currency: "ZUSD",
      volume: "0.0000",
      fees: rate(listing.taker),
      fees_maker: rate(listing.maker),
    },
  });
}
