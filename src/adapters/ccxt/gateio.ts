import { asCcxt, type Dict, fieldOf } from "./ccxt.ts";
import { pages, type Quirks, USUAL, unlessMissing } from "./quirks.ts";
import type { Meaning } from "./told.ts";

const LABELS: Readonly<Record<string, Meaning>> = {
  INVALID_KEY: "credentials",
  INVALID_SIGNATURE: "credentials",
  IP_FORBIDDEN: "credentials",
  READ_ONLY: "credentials",
  FORBIDDEN: "credentials",
  REQUEST_EXPIRED: "clock",
  TOO_MANY_REQUESTS: "limits",
  INVALID_PRECISION: "rules",
  INVALID_PARAM_VALUE: "rules",
  TOO_MANY_ORDERS: "refused",
  BALANCE_NOT_ENOUGH: "refused",
  POC_FILL_IMMEDIATELY: "refused",
  ORDER_NOT_FOUND: "missing",
  CLIENT_ID_NOT_FOUND: "missing",
  ORDER_CLOSED: "missing",
  ORDER_CANCELLED: "missing",
};

/** Orders of each pair on a page, unless another number is asked for. */
const OPEN_PAGE = 100;
const TRADE_PAGE = 1000;
const PREFIX = "t-";

export const gateio: Quirks = {
  ...USUAL,
  name: "gateio",
  host: "api.gateio.ws",
  load: async () => asCcxt(await import("../../../node_modules/ccxt/js/src/gate.js")),
  // Unset, it asks for the kind of account and takes a failure to mean that it is not a unified one.
  options: { defaultType: "spot", unifiedAccount: false, fetchMarkets: { types: ["spot"] } },
  buysByCost: true,

  refusalIn(body) {
    const label = fieldOf(body, "label");
    return typeof label === "string" && label !== ""
      ? { code: label, message: String(fieldOf(body, "message") ?? "") }
      : undefined;
  },
  meaningOf: ({ code }) => LABELS[code],

  markets: (exchange) => exchange.fetchMarkets(),
  bookLevels: 100,
  publicTrades: 500,

  opensByPair: false,
  passphrase: false,
  mayWithdraw: async () => undefined,

  openOrders: (exchange, symbol) =>
    pages(
      1,
      (page) => exchange.fetchOpenOrders(symbol, undefined, undefined, page === 1 ? {} : { page }),
      (found, page) => (isFullFor(found) ? page + 1 : undefined),
    ),

  fills: (exchange, symbol, since) =>
    pages(
      1,
      (page) =>
        exchange.fetchMyTrades(symbol, undefined, TRADE_PAGE, { from: Math.floor(since / 1000), page }),
      (found, page) => (found.length < TRADE_PAGE ? undefined : page + 1),
    ),

  // Its look by text alone proves nothing: it forgets ended orders, and shows new ones late.
  async find(exchange, symbol, clientId) {
    const text = PREFIX + clientId;
    const isIt = ({ clientOrderId }: Dict) => clientOrderId === text;
    const named = await unlessMissing(exchange.fetchOrder(text, symbol));
    if (named) return named;
    const open = (await gateio.openOrders(exchange, symbol)).find(isIt);
    if (open) return open;
    const ended = (await exchange.fetchClosedOrders(symbol, undefined, OPEN_PAGE, {})).find(isIt);
    if (ended) return ended;
    const trades = await exchange.fetchMyTrades(symbol, undefined, TRADE_PAGE, {});
    const traded = trades.find(({ info }) => fieldOf(info, "text") === text);
    return typeof traded?.order === "string"
      ? unlessMissing(exchange.fetchOrder(traded.order, symbol))
      : undefined;
  },

  marketIdOf: ({ info }) => fieldOf(info, "currency_pair"),
  clientIdOf: ({ clientOrderId }) =>
    typeof clientOrderId === "string" && clientOrderId.startsWith(PREFIX)
      ? clientOrderId.slice(PREFIX.length)
      : undefined,
  // Of a market buy ccxt tells what it was to cost, not what it did.
  notionalOf: ({ info }) => fieldOf(info, "filled_total"),
  // How it was finished has more words than ccxt knows: all but `filled` end an order before it was filled.
  statusOf({ info, status }) {
    const finished = fieldOf(info, "finish_as");
    if (fieldOf(info, "status") === "open" || finished === undefined || finished === "open") return undefined;
    return finished === "filled" || status === "open" ? undefined : "canceled";
  },

  createParams: ({ clientId, immediateOrCancel }) => ({
    text: PREFIX + clientId,
    ...(immediateOrCancel ? { timeInForce: "IOC" } : {}),
  }),
  createHeaders: ({ by }) => ({ "X-Gate-Exptime": String(by) }),
};

function isFullFor(found: readonly Dict[]): boolean {
  const counts = new Map<unknown, number>();
  for (const { symbol } of found) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= OPEN_PAGE);
}
