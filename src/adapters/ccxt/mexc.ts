import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { asCcxt, type Ccxt, type Dict, fieldOf } from "./ccxt.ts";
import { LIVE_TIMING, type Quirks, USUAL, unlessMissing } from "./quirks.ts";
import type { Meaning } from "./told.ts";

const CODES: Readonly<Record<string, Meaning>> = {
  10072: "credentials",
  700002: "credentials",
  700006: "credentials",
  700007: "credentials",
  700003: "clock",
  30002: "rules",
  30004: "refused",
  30005: "refused",
  10101: "refused",
  30029: "refused",
  10007: "unlisted",
  "-1121": "unlisted",
  429: "limits",
  "-2011": "missing",
  "-2013": "missing",
};

const PAGE = 100;

export const mexc: Quirks = {
  ...USUAL,
  name: "mexc",
  host: "api.mexc.com",
  load: async () => asCcxt(await import("../../../node_modules/ccxt/js/src/mexc.js")),
  options: { defaultType: "spot", recvWindow: LIVE_TIMING.expiry },
  rate: { burst: 20, perSecond: 10 },

  refusalIn(body) {
    const code = fieldOf(body, "code");
    if (code === undefined || code === null || String(code) === "200" || String(code) === "0")
      return undefined;
    return { code: String(code), message: String(fieldOf(body, "msg") ?? "") };
  },
  meaningOf: ({ status, code }) => (status === 429 ? "limits" : CODES[code]),

  // Its fetchMarkets asks for the futures' markets too, of another host.
  markets: (exchange) => exchange.fetchSpotMarkets(),

  opensByPair: true,
  passphrase: false,
  async mayWithdraw(exchange) {
    const told = fieldOf(await exchange.spotPrivateGetAccount?.({}), "canWithdraw");
    return typeof told === "boolean" ? told : undefined;
  },

  openOrders: (exchange, symbol) => exchange.fetchOpenOrders(symbol),

  async fills(exchange, symbol, since) {
    const found = new Map<unknown, Dict>();
    await between(exchange, symbol, { since, until: undefined }, found);
    return [...found.values()];
  },

  async find(exchange, symbol, clientId) {
    const isIt = (order: Dict) => order.clientOrderId === clientId;
    const named = await unlessMissing(exchange.fetchOrder("", symbol, { clientOrderId: clientId }));
    if (named) return named;
    const open = (await exchange.fetchOpenOrders(symbol)).find(isIt);
    if (open) return open;
    const recent = (await exchange.fetchOrders(symbol, undefined, 1000)).find(isIt);
    if (recent) return recent;
    const trades = await exchange.fetchMyTrades(symbol, undefined, PAGE, {});
    const traded = trades.find(({ info }) => fieldOf(info, "clientOrderId") === clientId);
    return typeof traded?.order === "string"
      ? unlessMissing(exchange.fetchOrder(traded.order, symbol))
      : undefined;
  },

  marketIdOf: ({ info }) => fieldOf(info, "symbol"),
  clientIdOf: ({ clientOrderId }) =>
    typeof clientOrderId === "string" && clientOrderId !== "" ? clientOrderId : undefined,

  createParams: ({ clientId, immediateOrCancel }) => ({
    clientOrderId: clientId,
    ...(immediateOrCancel ? { timeInForce: "IOC" } : {}),
  }),
};

interface Range {
  readonly since: Millis;
  readonly until: Millis | undefined;
}

/** A full page may lack trades on either side of those that it shows, so both sides are asked for again. */
async function between(exchange: Ccxt, symbol: Pair, range: Range, found: Map<unknown, Dict>): Promise<void> {
  const until = range.until === undefined ? {} : { until: range.until };
  const page = await exchange.fetchMyTrades(symbol, range.since, PAGE, until);
  const before = found.size;
  for (const trade of page) found.set(trade.id, trade);
  if (page.length < PAGE) return;
  const times = page.map(({ timestamp }) => Number(timestamp));
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  if (oldest === newest || found.size === before) throw new Error("mexc shows no further trades");
  await between(exchange, symbol, { since: range.since, until: oldest }, found);
  await between(exchange, symbol, { since: newest, until: range.until }, found);
}
