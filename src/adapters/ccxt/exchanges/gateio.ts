import { decimal } from "../../../kernel/decimal.ts";
import { DAY, SECOND } from "../../../kernel/time.ts";
import type { Span } from "../../../model/order.ts";
import { asCcxt, type Ccxt, type Dict, fieldOf, isDict } from "../client/ccxt.ts";
import {
  CallFailed,
  DEFAULT_QUIRKS,
  errorCodeTable,
  findByClientId,
  forEach,
  inForce,
  noAnswer,
  orderOfTrade,
  pages,
  type Quirks,
  unlessMissing,
} from "../client/quirks.ts";

const LABELS = errorCodeTable({
  credentials:
    "AUTHENTICATION_FAILED INVALID_CREDENTIALS INVALID_KEY INVALID_SIGNATURE IP_FORBIDDEN MISSING_REQUIRED_HEADER READ_ONLY",
  forbidden: "FORBIDDEN",
  clock: "REQUEST_EXPIRED",
  limits: "TOO_FAST TOO_MANY_REQUESTS",
  rules:
    "AMOUNT_TOO_LITTLE AMOUNT_TOO_MUCH INVALID_PARAM_VALUE INVALID_PRECISION QUANTITY_NOT_ENOUGH SIZE_TOO_LARGE SIZE_TOO_SMALL",
  unlisted: "INVALID_CURRENCY INVALID_CURRENCY_PAIR",
  refused:
    "ACCOUNT_LOCKED BAD_REQUEST INSUFFICIENT_AVAILABLE INVALID_ARGUMENT INVALID_CONTENT_TYPE INVALID_PROTOCOL INVALID_REQUEST_BODY MARGIN_BALANCE_NOT_ENOUGH MARGIN_NOT_SUPPORTED MISSING_REQUIRED_PARAM MIXED_ACCOUNT_TYPE PRICE_THRESHOLD_EXCEEDED PRICE_TOO_DEVIATED SUB_ACCOUNT_LOCKED SUB_ACCOUNT_NOT_FOUND TOO_MANY_CURRENCY_PAIRS TOO_MANY_ORDERS TRADE_RESTRICTED",
  taking: "ORDER_POC_IMMEDIATE POC_FILL_IMMEDIATELY",
  short: "BALANCE_NOT_ENOUGH",
  missing: "CLIENT_ID_NOT_FOUND ORDER_CANCELLED ORDER_CLOSED ORDER_NOT_FOUND",
});

/** Default number of orders of each pair per page. */
const OPEN_PAGE = 100;
const TRADE_PAGE = 1000;
const GATEIO_BOOK_LEVELS = 100;
const CLIENT_ID_PREFIX = "t-";

export const gateio: Quirks = {
  ...DEFAULT_QUIRKS,
  name: "gateio",
  host: "api.gateio.ws",
  // Lookups and cancels also accept the order's own `text`.
  orderIds: {
    form: /^([1-9]\d{0,19}|t-[\w.-]{1,28})$/,
    like: "digits, for example 1852454420, or your own text of the order, which begins with t-",
  },
  load: async () => asCcxt(await import("../../../../node_modules/ccxt/js/src/gate.js")),
  // If not set, ccxt reads the account's kind, and takes a failure as a classic account.
  options: { defaultType: "spot", unifiedAccount: false, fetchMarkets: { types: ["spot"] } },
  // ccxt reads the key's mode, which exists only for the old unified account (its AccountDetailKey.md).
  kinds: {
    // A key with spot permission cannot call this endpoint or any unified-account endpoint.
    async ask(exchange) {
      const answer = await exchange.privateUnifiedGetUnifiedMode({}).catch(unlessForbidden);
      if (answer === undefined) return "classic";
      if (typeof answer.mode !== "string")
        throw new CallFailed(noAnswer("gateio does not show the account's mode"));
      return answer.mode === "classic" ? "classic" : "unified";
    },
    set(exchange, kind) {
      exchange.options.unifiedAccount = kind === "unified";
    },
  },
  async balances(exchange) {
    if (exchange.options.unifiedAccount !== true) {
      const rows = await exchange.privateSpotGetAccounts?.({});
      return (Array.isArray(rows) ? rows : []).map((row) =>
        balanceRow(exchange, exchange.safeString(row, "currency"), row, "locked"),
      );
    }
    const answer = await exchange.privateUnifiedGetAccounts?.({});
    // A classic account gets a successful response: it is empty and contains its mode.
    if (fieldOf(answer, "mode") === "classic")
      throw new CallFailed({
        ...noAnswer("gateio: the account is no longer a unified account"),
        otherKind: true,
      });
    const rows = fieldOf(answer, "balances");
    return Object.entries(isDict(rows) ? rows : {}).map(([id, row]) =>
      balanceRow(exchange, id, row, "freeze"),
    );
  },
  buysByCost: true,
  // gate.com/fee, VIP 0 without a discount; announcement 50390 left it unchanged.
  publishedFees: { maker: decimal("0.001"), taker: decimal("0.001"), published: "2026-04-09" },
  feeAssets: ["GT", "POINT", "GATEPOINT"],
  candlePage: 1000,
  // "Maximum 10000 points ago are allowed" (ccxt#27887); the margin covers the time until the last page is requested.
  candleReach: 9_990,

  refusalIn(body) {
    const label = fieldOf(body, "label");
    return typeof label === "string" && label !== ""
      ? { code: label, message: String(fieldOf(body, "message") ?? "") }
      : undefined;
  },
  meaningOf: ({ code }) => LABELS[code],
  forms: [
    // A classic account has a mode and can lack unified balances.
    [/\/unified\/accounts$/, ["balances", "mode"]],
    [/\/(accounts|candlesticks|my_trades|open_orders|trades)$|^GET .*\/orders$/, "list"],
    [/\/orders(\/|$)/, ["id"]],
  ],

  async markets(exchange) {
    const markets = await exchange.fetchMarkets();
    return markets.map((market) => {
      // ccxt takes a pair of its margin list for an open one; only this field decides.
      const status = fieldOf(market.info, "trade_status");
      const onlySide = status === "buyable" ? "buy" : status === "sellable" ? "sell" : undefined;
      return { ...market, active: status === "tradable" || onlySide !== undefined, onlySide };
    });
  },
  // ccxt refuses a book without its time.
  book: async (exchange, symbol) => {
    const request = { currency_pair: exchange.market(symbol).id, limit: GATEIO_BOOK_LEVELS, with_id: true };
    const { current, ...book } = (await exchange.publicSpotGetOrderBook?.(request)) ?? {};
    return { ...book, timestamp: current };
  },
  publicTrades: 500,

  opensByPair: false,
  passphrase: false,
  // Returns all keys of the main account, each by its first characters; for a sub-account it returns nothing.
  async mayWithdraw(exchange) {
    const result = await exchange.privateAccountGetMainKeys({});
    const rows = Array.isArray(result)
      ? result.filter((row) => isShownKeyOf(exchange.apiKey, fieldOf(row, "key")))
      : [];
    const [first, ...others] = new Set(rows.map(mayMove));
    return others.length > 0 ? undefined : first;
  },

  openOrders: (exchange, symbol) =>
    pages(
      1,
      (page) => exchange.fetchOpenOrders(symbol, undefined, undefined, page === 1 ? {} : { page }),
      (found, page) => (isFullFor(found) ? page + 1 : undefined),
    ),

  // With `from` alone it returns seven days from there, with `to` at most thirty (its SpotApi.md, list_my_trades).
  fillReach: { span: 30 * DAY - SECOND, page: TRADE_PAGE, tick: SECOND, goesOn: true },
  fills: (exchange, symbol, span, after) =>
    exchange.fetchMyTrades(symbol, undefined, TRADE_PAGE, {
      ...endsInSeconds(span),
      page: after.length / TRADE_PAGE + 1,
    }),
  fillsOf: (exchange, symbol, orderIds, span) =>
    forEach(orderIds, (id) =>
      pages(
        1,
        (page) =>
          exchange.fetchMyTrades(symbol, undefined, TRADE_PAGE, {
            ...endsInSeconds(span),
            order_id: id,
            page,
          }),
        (found, page) => (found.length < TRADE_PAGE ? undefined : page + 1),
      ),
    ),

  async ended(exchange, symbol, { since, page = "1" }) {
    const request = { from: Math.floor(since / SECOND), page: Number(page) };
    const rows = await exchange.fetchClosedOrders(symbol, undefined, OPEN_PAGE, request);
    return { rows, next: rows.length < OPEN_PAGE ? undefined : String(Number(page) + 1) };
  },

  // A lookup by text alone proves nothing: the exchange forgets ended orders, and shows new ones late.
  async find(exchange, symbol, clientId) {
    const text = CLIENT_ID_PREFIX + clientId;
    const isOurs = {
      clientIdOf: ({ info, clientOrderId }: Dict) => fieldOf(info, "text") ?? clientOrderId,
    };
    const named = await unlessMissing(exchange.fetchOrder(text, symbol));
    if (named) return named;
    const open = findByClientId(await gateio.openOrders(exchange, symbol), text, isOurs);
    if (open) return open;
    const closed = await exchange.fetchClosedOrders(symbol, undefined, OPEN_PAGE, {});
    const ended = findByClientId(closed, text, isOurs);
    if (ended) return ended;
    const trades = await exchange.fetchMyTrades(symbol, undefined, TRADE_PAGE, {});
    const traded = findByClientId(trades, text, { ...isOurs, mayLack: true });
    return orderOfTrade(traded, (id) => unlessMissing(exchange.fetchOrder(id, symbol)));
  },

  marketIdOf: ({ info }) => fieldOf(info, "currency_pair"),
  clientIdOf: ({ clientOrderId }) =>
    typeof clientOrderId === "string" && clientOrderId.startsWith(CLIENT_ID_PREFIX)
      ? clientOrderId.slice(CLIENT_ID_PREFIX.length)
      : undefined,
  // A market buy is requested by its cost, so its filled amount is also its requested amount.
  sizesOf({ info }) {
    const [filled, type] = [fieldOf(info, "filled_amount"), fieldOf(info, "type")];
    if (filled === undefined) return undefined;
    const byCost = type === "market" && fieldOf(info, "side") === "buy";
    return { filled, amount: byCost ? filled : fieldOf(info, "amount") };
  },
  tellsFee({ info }) {
    const fee = fieldOf(info, "fee");
    return fee !== undefined && fee !== null && fee !== "";
  },
  // ccxt omits fees in points of orders, and names the asset of executions so.
  feesOf: ({ info, fees }) =>
    Array.isArray(fees) && typeof fieldOf(info, "point_fee") === "string"
      ? [...fees, { currency: "GATEPOINT", cost: fieldOf(info, "point_fee") }]
      : undefined,
  // ccxt counts every other value as a buy.
  hasSide: ({ info }) => fieldOf(info, "side") === "buy" || fieldOf(info, "side") === "sell",
  // For a market buy, ccxt returns the planned cost, not the actual one.
  notionalOf: ({ info }) => fieldOf(info, "filled_total"),
  // `finish_as` has more values than ccxt knows: all except `filled` end an order before it was filled.
  statusOf({ info, status }) {
    const finished = fieldOf(info, "finish_as");
    if (fieldOf(info, "status") === "open" || finished === undefined || finished === "open") return undefined;
    return finished === "filled" || status === "open" ? undefined : "canceled";
  },

  // Self-trade prevention is only for accounts in a group; for any other account the parameter is an error.
  createParams: (order) => ({
    text: CLIENT_ID_PREFIX + order.clientId,
    ...inForce(order),
  }),
  createHeaders: ({ by }) => ({ "X-Gate-Exptime": String(by) }),
};

const balanceRow = (exchange: Ccxt, id: string | undefined, row: unknown, locked: string) => ({
  asset: exchange.safeCurrencyCode(id),
  free: fieldOf(row, "available"),
  used: [fieldOf(row, locked)],
});

// Both ends are included, in seconds.
const endsInSeconds = ({ from, to }: Span) => ({ from: from / SECOND, to: to / SECOND - 1 });

function unlessForbidden(error: unknown): undefined {
  if (error instanceof CallFailed && error.failure.forbidden) return;
  throw error;
}

/** Returns whether a masked key, its first characters and asterisks, matches a key. */
function isShownKeyOf(key: string, shown: unknown): boolean {
  const [beginning] = typeof shown === "string" ? shown.split("*") : [];
  return beginning !== undefined && beginning !== "" && key.startsWith(beginning);
}

/** Returns whether the key can move funds, which is the wallet permission; undefined without a list of permissions. */
function mayMove(row: unknown): boolean | undefined {
  const perms = fieldOf(row, "perms");
  if (!Array.isArray(perms)) return undefined;
  return perms.some(
    (one) => /wallet|withdraw/i.test(String(fieldOf(one, "name"))) && fieldOf(one, "read_only") !== true,
  );
}

function isFullFor(found: readonly Dict[]): boolean {
  const counts = new Map<unknown, number>();
  for (const { symbol } of found) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= OPEN_PAGE);
}
