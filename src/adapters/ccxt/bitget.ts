import { asCcxt, type Dict, fieldOf } from "./ccxt.ts";
import { inForce, LIVE_TIMING, pages, type Quirks, USUAL, unlessMissing } from "./quirks.ts";
import { meanings } from "./told.ts";

const CODES = meanings({
  credentials: "40001 40002 40003 40006 40009 40011 40012 40014 40018 40037",
  clock: "40004 40005 40008 40010",
  limits: "429",
  rules:
    "400172 40017 40019 40108 40706 40708 40808 41103 43006 43007 43010 45110 45111 45112 45113 45114 45115",
  unlisted: "40309",
  refused:
    "40007 40013 40016 40031 40085 40200 40301 40305 40308 40711 40712 40762 41114 43005 43008 43009 43011 43012 43115",
  missing: "40109 40768 43001 43004",
});

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

  createParams: (order, { now }) => ({
    clientOrderId: order.clientId,
    stpMode: "cancel_taker",
    requestTime: String(now),
    receiveWindow: String(LIVE_TIMING.expiry),
    ...inForce(order),
  }),
};

/** Ids fall from page to page; the least one is the next page's bound. */
function lastOf(page: readonly Dict[]): string | undefined {
  if (page.length < PAGE) return undefined;
  const ids = page.map(({ id }) => String(id)).sort(byNumber);
  return ids[0];
}

const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
