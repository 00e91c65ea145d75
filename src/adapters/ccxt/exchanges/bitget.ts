import type { Pair } from "../../../kernel/pair.ts";
import { DAY, MINUTE, SECOND } from "../../../kernel/time.ts";
import type { Span } from "../../../model/fill.ts";
import { asCcxt, type Ccxt, type Dict, fieldOf } from "../client/ccxt.ts";
import {
  forEach,
  inForce,
  LIVE_TIMING,
  pages,
  type Quirks,
  USUAL_QUIRKS,
  unlessMissing,
} from "../client/quirks.ts";
import { meanings } from "../client/refusals.ts";
import { isUnified, unified } from "./bitget-unified.ts";

// Not 40010: a request that "timed out" can have had its effect. Not 40708: it can mean that an order has our id. Codes
// that ccxt lacks are those of Bitget.Net, BitgetErrors.cs.
const BITGET_CODES = meanings({
  credentials: "40001 40002 40003 40006 40009 40011 40012 40014 40018 40036 40037 40038",
  clock: "40004 40005 40008 40078",
  limits: "429",
  rules: "400172 40017 40019 40108 40706 40808 41103 43006 43007 43010 45110 45111 45112 45113 45114 45115",
  unlisted: "40309",
  refused:
    "40007 40013 40016 40031 40079 40200 40301 40305 40308 40711 40712 40762 41114 43005 43008 43009 43011 43012 43115",
  missing: "40109 40768 43001 43004",
});

/**
 * Error codes of unified accounts (Bitget.Net, BitgetErrors.cs); 40084 and 40085 mean that a call belongs to the
 * other kind of account.
 */
const UNIFIED_CODES = meanings({
  credentials: "25620",
  limits: "25004",
  rules: "25100 25200 25207 25208 25244 25610 25611 22034 22038",
  refused: "25013 25101 25102 25104 25105 25108 25202 25205 25206 22004 22046 22047 40761",
  kind: "40084 40085",
  missing: "22001 25204",
});

const BITGET_PAGE_ROWS = 100;
/** Names of the withdrawal permission for classic and unified accounts. */
const WITHDRAW = ["wwow", "withdraw"];
/** Requests of unified accounts have no expiry; the exchange rejects them when the signature reaches this age. */
const SIGNED_FOR = 30 * SECOND;

export const bitget: Quirks = {
  ...USUAL_QUIRKS,
  name: "bitget",
  host: "api.bitget.com",
  orderIds: { form: /^\d{1,20}$/, like: "digits, for example 1098394344925597696" },
  load: async () => asCcxt(await import("../../../../node_modules/ccxt/js/src/bitget.js")),
  // If not set, ccxt reads the account's kind, and takes a failure as a classic account.
  options: { defaultType: "spot", uta: false, fetchMarkets: { types: ["spot"] } },
  timing: { ...LIVE_TIMING, expiry: SIGNED_FOR },
  kinds: {
    ask: unified.askKind,
    set(exchange, kind) {
      exchange.options.uta = kind === "unified";
    },
  },
  buysByCost: true,
  // Limit of the endpoint for older candles: for a longer span, ccxt requests its end there and omits its beginning.
  candlePage: 200,

  refusalIn(body) {
    const code = fieldOf(body, "code") ?? fieldOf(body, "err_code");
    if (code === undefined || String(code) === "00000") return undefined;
    return { code: String(code), message: String(fieldOf(body, "msg") ?? fieldOf(body, "err_msg") ?? "") };
  },
  meaningOf: ({ status, code }) => (status === 429 ? "limits" : (BITGET_CODES[code] ?? UNIFIED_CODES[code])),
  forms: [
    [/\/orderbook$/, ["data.asks"]],
    [/\/unfilled-orders$/, ["data"]],
    [/\/v3\/account\/assets$/, ["data.assets"]],
    [/\/account\/assets$/, ["data"]],
    [/./, ["code"]],
  ],

  markets: (exchange) => exchange.fetchMarkets(),
  bookLevels: 150,
  publicTrades: 500,

  opensByPair: false,
  passphrase: true,
  async mayWithdraw(exchange) {
    const result = isUnified(exchange) ? await unified.permissions(exchange) : await authorities(exchange);
    return Array.isArray(result) ? result.some((one) => WITHDRAW.includes(one)) : undefined;
  },

  openOrders: (exchange, symbol) =>
    isUnified(exchange)
      ? unified.openOrders(exchange, symbol)
      : pages(
          null as string | null,
          (last) =>
            exchange.fetchOpenOrders(symbol, undefined, undefined, last === null ? {} : { idLessThan: last }),
          lastOf,
        ),

  // A classic account gets error 43111 beyond ninety days (ccxt#21502); a unified one allows thirty days per query.
  fillReach: { span: 30 * DAY, back: 90 * DAY, page: BITGET_PAGE_ROWS, tick: 1, goesOn: true },
  fills: (exchange, symbol, span, after) =>
    isUnified(exchange)
      ? unified.fills(exchange, symbol, span, after)
      : classicFills(exchange, symbol, {
          ...endsInMillis(span),
          ...(after.length === 0 ? {} : { idLessThan: leastId(after) }),
        }),
  fillsOf: (exchange, symbol, orderIds, span) =>
    forEach(orderIds, (orderId) =>
      isUnified(exchange)
        ? unified.fillsOf(exchange, symbol, { ...endsInMillis(span), orderId })
        : pages(
            null as string | null,
            (last) =>
              classicFills(exchange, symbol, {
                ...endsInMillis(span),
                orderId,
                ...(last === null ? {} : { idLessThan: last }),
              }),
            lastOf,
          ),
    ),

  byId: (exchange, symbol, id) =>
    isUnified(exchange) ? unified.byId(exchange, symbol, id) : USUAL_QUIRKS.byId(exchange, symbol, id),

  async ended(exchange, symbol, { since, now, page }) {
    if (isUnified(exchange))
      return unified.ended(exchange, symbol, { since: Math.max(since, now - 30 * DAY + MINUTE), now, page });
    const rows = await exchange.fetchCanceledAndClosedOrders(symbol, undefined, BITGET_PAGE_ROWS, {
      startTime: Math.max(since, now - 90 * DAY + MINUTE),
      ...(page === undefined ? {} : { idLessThan: page }),
    });
    return { rows, next: lastOf(rows) };
  },

  async find(exchange, symbol, clientId) {
    if (isUnified(exchange)) return unified.find(exchange, symbol, clientId);
    const isIt = (order: Dict) => order.clientOrderId === clientId;
    const named = await unlessMissing(exchange.fetchOrder("", symbol, { clientOrderId: clientId }));
    if (named) return named;
    const open = (await bitget.openOrders(exchange, symbol)).find(isIt);
    return (
      open ??
      (await exchange.fetchCanceledAndClosedOrders(symbol, undefined, BITGET_PAGE_ROWS, {})).find(isIt)
    );
  },

  marketIdOf: ({ info }) => fieldOf(info, "symbol"),
  clientIdOf: ({ clientOrderId }) =>
    typeof clientOrderId === "string" && clientOrderId !== "" ? clientOrderId : undefined,

  feesOf: ({ info }) => classicOrderFees(fieldOf(info, "feeDetail")),

  createParams: (order, { now }, exchange) => ({
    clientOrderId: order.clientId,
    stpMode: "cancel_taker",
    ...(isUnified(exchange) ? {} : { requestTime: String(now), receiveWindow: String(LIVE_TIMING.expiry) }),
    ...inForce(order),
  }),
};

async function classicFills(exchange: Ccxt, symbol: Pair, request: Dict): Promise<readonly Dict[]> {
  const rows = await exchange.fetchMyTrades(symbol, undefined, BITGET_PAGE_ROWS, request);
  return rows.map((row) => (isDeducted(row) ? { ...row, fees: [withoutSign(row.fee)] } : row));
}

const isDeducted = ({ info }: Dict): boolean => fieldOf(fieldOf(info, "feeDetail"), "deduction") === "yes";

/** A fee in another coin is always paid: Bitget's documentation has it with a minus, responses without (ccxt#20507). */
const withoutSign = (fee: unknown): Dict => ({
  currency: fieldOf(fee, "currency"),
  cost: String(fieldOf(fee, "cost")).replace(/^-/, ""),
});

/**
 * Returns the fees of a classic account's order in all assets; ccxt returns the first one. If BGB does not suffice, the
 * rest is paid in the received asset (Get Order Info, feeDetail).
 */
function classicOrderFees(detail: unknown): readonly Dict[] | undefined {
  if (typeof detail !== "string" || detail === "") return undefined;
  return Object.values(JSON.parse(detail) as Dict).flatMap((row) => {
    const currency = fieldOf(row, "feeCoinCode");
    if (currency === undefined) return [];
    const cost = String(fieldOf(row, "totalFee"));
    const negated = cost.startsWith("-") ? cost.slice(1) : `-${cost}`;
    return [
      fieldOf(row, "deduction") === true ? withoutSign({ currency, cost }) : { currency, cost: negated },
    ];
  });
}

const authorities = async (exchange: Ccxt): Promise<unknown> =>
  fieldOf(fieldOf(await exchange.privateSpotGetV2SpotAccountInfo?.({}), "data"), "authorities");

// Both ends are included.
const endsInMillis = ({ from, to }: Span) => ({ startTime: from, endTime: to - 1 });

/** Ids decrease from page to page; the smallest one bounds the next page. */
const lastOf = (page: readonly Dict[]): string | undefined =>
  page.length < BITGET_PAGE_ROWS ? undefined : leastId(page);

const leastId = (rows: readonly Dict[]): string | undefined =>
  rows.map(({ id }) => String(id)).sort(byNumber)[0];

const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
