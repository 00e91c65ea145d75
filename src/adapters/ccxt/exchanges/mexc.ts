import { decimal, ZERO } from "../../../kernel/decimal.ts";
import { DAY, MINUTE, SECOND } from "../../../kernel/time.ts";
import { asCcxt, type Dict, fieldOf } from "../client/ccxt.ts";
import {
  DEFAULT_QUIRKS,
  errorCodeTable,
  findByClientId,
  forEach,
  inForce,
  LIVE_TIMING,
  orderOfTrade,
  type Quirks,
  unlessMissing,
} from "../client/quirks.ts";

const MEXC_CODES = errorCodeTable({
  credentials: "401 402 403 406 602 10072 700001 700002 700006 700007 70011",
  clock: "10073 700003 700005",
  limits: "429 510",
  // Amounts and prices that its rules do not allow; 400 also means too many decimals.
  rules: "400 10095 10096 10097 10102 30002 30003 30010 88013",
  unlisted: "-1121 10007 30014 30021",
  refused:
    "10098 10101 30000 30001 30004 30005 30016 30018 30019 30020 30025 30027 30028 30029 30032 30041 30087 60005 700004 700008",
  missing: "-2011 -2013",
});

const MEXC_PAGE_ROWS = 100;
const MEXC_ORDER_ROWS = 1000;

export const mexc: Quirks = {
  ...DEFAULT_QUIRKS,
  name: "mexc",
  host: "api.mexc.com",
  // `C02__…` from today's engine, hexadecimal and plain numbers from earlier ones.
  orderIds: {
    form: /^([A-Z]\d{2}__\w{1,40}|[0-9a-f]{32}|[1-9]\d{0,29})$/i,
    like: "C02__ and digits, 32 of 0-9a-f, or digits alone, for example C02__443776347957968896088",
  },
  load: async () => asCcxt(await import("../../../../node_modules/ccxt/js/src/mexc.js")),
  options: { defaultType: "spot", recvWindow: LIVE_TIMING.expiry },
  // Its documentation says base, real payloads say quote (ccxt#14774, ccxt#22320).
  buyFeeIn: "unknown",
  // mexc.com/learn, "Calculation of fees in spot trading".
  publishedFees: { maker: ZERO, taker: decimal("0.0005"), published: "2025-07-16" },
  feeAssets: ["MX"],
  rate: { burst: 20, perSecond: 10, reserve: 4 },

  refusalIn(body) {
    const code = fieldOf(body, "code");
    if (code === undefined || code === null || String(code) === "200" || String(code) === "0")
      return undefined;
    return { code: String(code), message: String(fieldOf(body, "msg") ?? "") };
  },
  meaningOf: ({ status, code }) => (status === 429 ? "limits" : MEXC_CODES[code]),
  forms: [
    [/\/(aggTrades|allOrders|klines|myTrades|openOrders)$/, "list"],
    [/\/account$/, ["balances"]],
    [/\/depth$/, ["bids"]],
    [/\/order$/, ["orderId"]],
  ],

  // Its fetchMarkets also requests the futures' markets from another host.
  async markets(exchange) {
    const markets = await exchange.fetchSpotMarkets();
    return markets.map((market) => {
      // 1: both sides, 2: buys only, 3: sells only, 4: none (its documentation, Exchange Information).
      const sides = String(fieldOf(market.info, "tradeSideType") ?? "1");
      const onlySide = sides === "2" ? "buy" : sides === "3" ? "sell" : undefined;
      return { ...market, active: market.active === true && sides !== "4", onlySide };
    });
  },

  async balances(exchange) {
    const rows = fieldOf(await exchange.spotPrivateGetAccount?.({}), "balances");
    return (Array.isArray(rows) ? rows : []).map((row) => ({
      asset: exchange.safeCurrencyCode(exchange.safeString(row, "asset")),
      free: fieldOf(row, "free"),
      used: [fieldOf(row, "locked")],
    }));
  },
  opensByPair: true,
  passphrase: false,
  // Its documentation says 1000, in practice it is 500: ccxt mexc.js fetchOHLCV.
  candlePage: 500,
  async mayWithdraw(exchange) {
    const result = fieldOf(await exchange.spotPrivateGetAccount?.({}), "canWithdraw");
    return typeof result === "boolean" ? result : undefined;
  },

  openOrders: (exchange, symbol) => exchange.fetchOpenOrders(symbol),

  // It returns nothing older than seven days (mexc-api-sdk#56), and times are in whole seconds. Rows beyond a page
  // within one second cannot be reached; their orders lack them, and are queried individually.
  fillReach: { span: 7 * DAY, back: 7 * DAY, page: MEXC_PAGE_ROWS, tick: SECOND, goesOn: false },
  fills: (exchange, symbol, { from, to }) =>
    exchange.fetchMyTrades(symbol, undefined, MEXC_PAGE_ROWS, { startTime: from, endTime: to - 1 }),
  fillsOf: (exchange, symbol, orderIds, { from, to }) =>
    forEach(orderIds, (orderId) =>
      exchange.fetchMyTrades(symbol, undefined, MEXC_PAGE_ROWS, {
        orderId,
        startTime: from,
        endTime: to - 1,
      }),
    ),

  // A query covers at most seven days, and without a start only one.
  async ended(exchange, symbol, { since, now, page }) {
    const range = { startTime: Math.max(since, now - 7 * DAY + MINUTE), endTime: Number(page ?? now) };
    const rows = await exchange.fetchOrders(symbol, undefined, MEXC_ORDER_ROWS, range);
    const times = rows.map(({ timestamp }) => Number(timestamp)).filter(Number.isFinite);
    return { rows, next: rows.length < MEXC_ORDER_ROWS ? undefined : String(Math.min(...times)) };
  },

  async find(exchange, symbol, clientId) {
    const isOurs = {
      clientIdOf: ({ info, clientOrderId }: Dict) => fieldOf(info, "clientOrderId") ?? clientOrderId,
      mayLack: true,
    };
    const named = await unlessMissing(exchange.fetchOrder("", symbol, { clientOrderId: clientId }));
    if (named) return named;
    const open = findByClientId(await exchange.fetchOpenOrders(symbol), clientId, isOurs);
    if (open) return open;
    const rows = await exchange.fetchOrders(symbol, undefined, MEXC_ORDER_ROWS);
    const recent = findByClientId(rows, clientId, isOurs);
    if (recent) return recent;
    const trades = await exchange.fetchMyTrades(symbol, undefined, MEXC_PAGE_ROWS, {});
    const traded = findByClientId(trades, clientId, {
      clientIdOf: ({ info }) => fieldOf(info, "clientOrderId"),
      mayLack: true,
    });
    return orderOfTrade(traded, (id) => unlessMissing(exchange.fetchOrder(id, symbol)));
  },

  marketIdOf: ({ info }) => fieldOf(info, "symbol"),
  clientIdOf: ({ clientOrderId }) =>
    typeof clientOrderId === "string" && clientOrderId !== "" ? clientOrderId : undefined,

  createParams: (order) => ({
    clientOrderId: order.clientId,
    stpMode: "cancel_taker",
    ...inForce(order),
  }),
};
