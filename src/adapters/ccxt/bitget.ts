import { asCcxt, type Dict, fieldOf } from "./ccxt.ts";
import { LIVE_TIMING, pages, type Quirks, USUAL, unlessMissing } from "./quirks.ts";
import type { Meaning } from "./told.ts";

const CODES: Readonly<Record<string, Meaning>> = {
  40006: "credentials",
  40009: "credentials",
  40012: "credentials",
  40014: "credentials",
  40018: "credentials",
  40037: "credentials",
  40004: "clock",
  40005: "clock",
  40008: "clock",
  40010: "clock",
  429: "limits",
  40808: "rules",
  45110: "rules",
  45111: "rules",
  40762: "refused",
  43005: "refused",
  43012: "refused",
  40200: "refused",
  40308: "refused",
  40109: "missing",
  40768: "missing",
  43001: "missing",
  43004: "missing",
};

const PAGE = 100;
/** Its word for writing to the wallet. */
const WITHDRAW = "wwow";

export const bitget: Quirks = {
  ...USUAL,
  name: "bitget",
  host: "api.bitget.com",
  load: async () => asCcxt(await import("../../../node_modules/ccxt/js/src/bitget.js")),
  // Unset, it asks for the kind of account and takes a failure to mean that it is not a unified one.
  options: { defaultType: "spot", uta: false, fetchMarkets: { types: ["spot"] } },
  buysByCost: true,

  refusalIn(body) {
    const code = fieldOf(body, "code") ?? fieldOf(body, "err_code");
    if (code === undefined || String(code) === "00000") return undefined;
    return { code: String(code), message: String(fieldOf(body, "msg") ?? fieldOf(body, "err_msg") ?? "") };
  },
  meaningOf: ({ status, code }) => (status === 429 ? "limits" : CODES[code]),

  markets: (exchange) => exchange.fetchMarkets(),
  bookLevels: 150,
  publicTrades: 500,

  opensByPair: false,
  passphrase: true,
  async mayWithdraw(exchange) {
    const told = fieldOf(
      fieldOf(await exchange.privateSpotGetV2SpotAccountInfo?.({}), "data"),
      "authorities",
    );
    return Array.isArray(told) ? told.includes(WITHDRAW) : undefined;
  },

  openOrders: (exchange, symbol) =>
    pages(
      null as string | null,
      (last) =>
        exchange.fetchOpenOrders(symbol, undefined, undefined, last === null ? {} : { idLessThan: last }),
      lastOf,
    ),

  fills: (exchange, symbol, since) =>
    pages(
      null as string | null,
      (last) =>
        exchange.fetchMyTrades(symbol, undefined, PAGE, {
          startTime: since,
          ...(last === null ? {} : { idLessThan: last }),
        }),
      lastOf,
    ),

  async find(exchange, symbol, clientId) {
    const isIt = (order: Dict) => order.clientOrderId === clientId;
    const named = await unlessMissing(exchange.fetchOrder("", symbol, { clientOrderId: clientId }));
    if (named) return named;
    const open = (await bitget.openOrders(exchange, symbol)).find(isIt);
    return open ?? (await exchange.fetchCanceledAndClosedOrders(symbol, undefined, PAGE, {})).find(isIt);
  },

  marketIdOf: ({ info }) => fieldOf(info, "symbol"),
  clientIdOf: ({ clientOrderId }) =>
    typeof clientOrderId === "string" && clientOrderId !== "" ? clientOrderId : undefined,

  createParams: ({ clientId, immediateOrCancel }, { now }) => ({
    clientOrderId: clientId,
    requestTime: String(now),
    receiveWindow: String(LIVE_TIMING.expiry),
    ...(immediateOrCancel ? { timeInForce: "IOC" } : {}),
  }),
};

/** Ids fall from page to page; the least one is the next page's bound. */
function lastOf(page: readonly Dict[]): string | undefined {
  if (page.length < PAGE) return undefined;
  const ids = page.map(({ id }) => String(id)).sort(byNumber);
  return ids[0];
}

const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
