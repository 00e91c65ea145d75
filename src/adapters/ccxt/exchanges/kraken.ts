import { decimal } from "../../../kernel/decimal.ts";
import { SECOND } from "../../../kernel/time.ts";
import { asCcxt, type Dict, fieldOf, isDict } from "../client/ccxt.ts";
import {
  DEFAULT_QUIRKS,
  type ErrorMeaning,
  findByClientId,
  inForce,
  type Quirks,
  unlessMissing,
} from "../client/quirks.ts";

/** Beginnings of the text after an error's first colon. */
const PHRASES: readonly (readonly [string, ErrorMeaning])[] = [
  ["Invalid key", "credentials"],
  ["Invalid signature", "credentials"],
  ["Permission denied", "credentials"],
  ["Invalid session", "credentials"],
  ["Invalid nonce", "nonce"],
  ["Rate limit exceeded", "limits"],
  ["Temporary lockout", "limits"],
  ["Too many requests", "limits"],
  ["Order minimum not met", "rules"],
  ["Cost minimum not met", "rules"],
  ["Invalid price", "rules"],
  ["Tick size check failed", "rules"],
  ["Invalid arguments", "rules"],
  ["Unknown asset pair", "unlisted"],
  ["Invalid asset pair", "unlisted"],
  // The account's country does not allow trading in this asset.
  ["Invalid permissions", "refused"],
  ["Account temporary disabled", "refused"],
  ["Account unconfirmed", "refused"],
  ["User Locked", "refused"],
  ["Feature disabled", "refused"],
  ["Trading agreement required", "refused"],
  ["Insufficient funds", "refused"],
  ["Post only order", "taking"],
  ["Orders limit exceeded", "refused"],
  ["Positions limit exceeded", "refused"],
  ["Market in cancel_only mode", "refused"],
  ["Market in post_only mode", "refused"],
  ["Unknown order", "missing"],
  // Error for an id that the exchange never assigned.
  ["Invalid order", "missing"],
];

const KRAKEN_PAGE_ROWS = 50;
/** Maximum number of trades in one query; ccxt requests the same number. */
const NAMED = 20;

/**
 * Suffix of balances that earn rewards; `.B`, `.M`, `.S` and `.P` are bonded, opted in, staked and parachained, and
 * cannot be traded directly.
 */
const REWARDS = ".F";

const STOPS = /^(stop-loss|take-profit|trailing-stop)(-limit)?$/;

export const kraken: Quirks = {
  ...DEFAULT_QUIRKS,
  name: "kraken",
  host: "api.kraken.com",
  // A cancel would treat a number as a user reference, and cancel every order that has it.
  orderIds: {
    form: /^O[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{6}$/,
    like: "a txid, for example OUF4EM-FRGI2-MQMWZD",
  },
  load: async () => asCcxt(await import("../../../../node_modules/ccxt/js/src/kraken.js")),
  options: {},
  // Kraken's call counter minus one, because requests do not arrive as evenly as they leave. Trade history counts
  // twice; the matching engine counts placing and canceling. A pass that books a fill and places the next order reads
  // open orders, trades and the balance.
  rate: { burst: 14, perSecond: 0.33, reserve: 6, pass: 5 },
  tiers: {
    intermediate: { burst: 19, perSecond: 0.5, reserve: 8, pass: 6 },
    pro: { burst: 19, perSecond: 1, reserve: 8, pass: 6 },
  },
  // Kraken accepts about one public call per second from an IP address.
  publicRate: { burst: 15, perSecond: 1 },
  costs: { fills: 2, create: 0, cancel: 0 },
  serial: true,
  candlePage: 720,
  candleReach: 720,
  // kraken.com/features/fee-schedule, below 10,000 USD; its list of markets shows no fees since 2026-09-08.
  publishedFees: { maker: decimal("0.0025"), taker: decimal("0.004"), published: "2026-05-30" },
  buyFeeIn: "quote",

  refusalIn(body) {
    const result = fieldOf(body, "error");
    const errors = (typeof result === "string" ? [result] : Array.isArray(result) ? result : [])
      .map(String)
      .filter((error) => error !== "" && !error.startsWith("W"));
    if (errors.length === 0) return undefined;
    // An unknown error leaves the result open, whatever else the response contains.
    return { code: errors.find((error) => meaningOf(error) === undefined) ?? errors[0] ?? "", message: "" };
  },
  meaningOf: ({ code }) => meaningOf(code),
  // Without its list, a response would show no open order, no trade, no price, or an order that was never placed.
  forms: [
    [/\/Depth$/, ["result.*.asks"]],
    [/\/OpenOrders$/, ["result.open"]],
    [/\/ClosedOrders$/, ["result.closed"]],
    [/\/TradesHistory$/, ["result.trades"]],
    [/./, ["result"]],
  ],

  async markets(exchange) {
    const markets = await exchange.fetchMarkets();
    const assets = fieldOf(await exchange.publicGetAssets?.({}).catch(() => undefined), "result");
    return markets.map((market) => {
      const lot = fieldOf(market.precision, "amount");
      const unit = creditUnit(fieldOf(fieldOf(assets, String(fieldOf(market.info, "base"))), "decimals"));
      // Amounts are in whole units in which the asset is credited, which can be wider than the pair's lot. Prices are
      // in whole ticks, which can be wider than the decimals that ccxt uses.
      const amount = unit !== undefined && Number(unit) > Number(lot) ? unit : lot;
      const price = fieldOf(market.info, "tick_size") ?? fieldOf(market.precision, "price");
      return { ...market, precision: { amount, price } };
    });
  },
  // Orders contain this other market name; without it, no order would match a market.
  withMarkets(exchange, markets) {
    const named = markets.map((market): [string, Dict] => [altnameOf(market), market]);
    exchange.options.marketsByAltname = Object.fromEntries(named);
  },

  spentAs: (name) => (name.endsWith(REWARDS) ? name.slice(0, -REWARDS.length) : undefined),
  async balances(exchange) {
    const rows = fieldOf(await exchange.privatePostBalanceEx?.({ type: "spot" }), "result");
    return Object.entries(isDict(rows) ? rows : {}).map(([id, row]) => ({
      asset: exchange.safeCurrencyCode(id),
      total: fieldOf(row, "balance"),
      used: [fieldOf(row, "hold_trade")],
    }));
  },
  // ccxt counts every other word as a buy.
  hasSide: ({ info }) => Array.isArray(info) && (info[3] === "b" || info[3] === "s"),
  opensByPair: false,
  passphrase: false,
  async mayWithdraw(exchange) {
    const result = fieldOf(fieldOf(await exchange.privatePostGetApiKeyInfo?.({}), "result"), "permissions");
    return Array.isArray(result) ? result.includes("withdraw-funds") : undefined;
  },

  async openOrders(exchange, symbol) {
    const orders = await exchange.fetchOpenOrders(undefined);
    return symbol === undefined ? orders : orders.filter((order) => order.symbol === symbol);
  },

  orders: async (exchange, ids) => (await unlessMissing(exchange.fetchOrdersByIds(ids))) ?? [],

  // The list covers all pairs; its start is exclusive, its end inclusive, in seconds.
  fillReach: { page: KRAKEN_PAGE_ROWS, tick: SECOND, goesOn: true },
  fills: (exchange, _symbol, { from, to }, after) =>
    exchange.fetchMyTrades(undefined, undefined, undefined, {
      start: from / SECOND - 1,
      end: to / SECOND,
      ...(after.length === 0 ? {} : { ofs: after.length }),
    }),
  async fillsOf(exchange, symbol, orderIds) {
    const result = await exchange.privatePostQueryOrders?.({ txid: orderIds.join(","), trades: true });
    const orders = fieldOf(result, "result");
    const ids = isDict(orders) ? Object.values(orders).flatMap(tradeIdsOf) : [];
    const found: Dict[] = [];
    for (let first = 0; first < ids.length; first += NAMED) {
      const request = { txid: ids.slice(first, first + NAMED).join(",") };
      const rows = fieldOf(await exchange.privatePostQueryTrades?.(request), "result");
      const named = Object.entries(isDict(rows) ? rows : {}).map(([id, row]) => ({ ...(row as Dict), id }));
      found.push(...exchange.parseTrades(named));
    }
    return found.filter((trade) => trade.symbol === symbol);
  },

  // The list covers all pairs, sorted by when an order ended; both ends are in seconds.
  async ended(exchange, symbol, { since, page = "0" }) {
    const request = { start: Math.floor(since / SECOND) - 1, closetime: "close", ofs: Number(page) };
    const rows = await exchange.fetchClosedOrders(undefined, undefined, undefined, request);
    const next = rows.length < KRAKEN_PAGE_ROWS ? undefined : String(Number(page) + KRAKEN_PAGE_ROWS);
    return { rows: rows.filter((order) => order.symbol === symbol), next };
  },

  // Not fetchOrder, because it would send our id as a userref.
  async find(exchange, symbol, clientId) {
    // Kraken returns only orders with this id.
    const request = { clientOrderId: clientId };
    const isOurs = { clientIdOf: ({ info }: Dict) => fieldOf(info, "cl_ord_id") };
    const open = await exchange.fetchOpenOrders(symbol, undefined, undefined, request);
    return (
      findByClientId(open, clientId, isOurs) ??
      findByClientId(
        await exchange.fetchClosedOrders(symbol, undefined, undefined, request),
        clientId,
        isOurs,
      )
    );
  },

  marketIdOf: ({ info }) => fieldOf(fieldOf(info, "descr"), "pair"),
  clientIdOf,
  notionalOf: ({ info }) => fieldOf(info, "cost"),
  stopOf({ info }) {
    const terms = fieldOf(info, "descr");
    const type = String(fieldOf(terms, "ordertype"));
    if (!STOPS.test(type)) return undefined;
    const isLimit = type.endsWith("-limit");
    const triggers = [fieldOf(info, "stopprice"), fieldOf(terms, "price")];
    // It has a limit price once it is in the book. One without a limit is never in the book.
    const isTriggered = isLimit && Number(fieldOf(info, "limitprice")) > 0;
    return { triggerPrice: triggers.find((price) => Number(price) > 0), isLimit, isTriggered };
  },

  createParams: (order, { by }) => ({
    clientOrderId: order.clientId,
    deadline: new Date(by).toISOString(),
    // By default, a sell's fee is in base.
    oflags: "fciq",
    stptype: "cancel-newest",
    ...inForce(order),
  }),
};

function meaningOf(error: string): ErrorMeaning | undefined {
  const phrase = error.slice(error.indexOf(":") + 1);
  // "not unique": an open order has our id, so it could be the requested one.
  if (phrase.startsWith("Invalid arguments:cl_ord_id")) return undefined;
  return PHRASES.find(([beginning]) => phrase.startsWith(beginning))?.[1];
}

/** Returns the smallest amount in which an asset is credited; undefined if it cannot be read. */
function creditUnit(decimals: unknown): string | undefined {
  const places = /^(\d|1[0-8])$/.test(String(decimals)) ? Number(decimals) : undefined;
  if (places === undefined) return undefined;
  return places === 0 ? "1" : `0.${"1".padStart(places, "0")}`;
}

const tradeIdsOf = (order: unknown): string[] => {
  const ids = fieldOf(order, "trades");
  return Array.isArray(ids) ? ids.map(String) : [];
};

function clientIdOf({ info }: Dict): string | undefined {
  const id = fieldOf(info, "cl_ord_id");
  return typeof id === "string" && id !== "" ? id : undefined;
}

const altnameOf = (market: Dict): string => {
  const altname = market.altname ?? (isDict(market.info) ? market.info.altname : undefined);
  return String(altname ?? market.id);
};
