import { decimal } from "../../../kernel/decimal.ts";
import { UnreadableError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, MINUTE, SECOND } from "../../../kernel/time.ts";
import type { Span } from "../../../model/order.ts";
import { type AccountKind, asCcxt, type Ccxt, type Dict, fieldOf, isDict } from "../client/ccxt.ts";
import {
  CallFailed,
  DEFAULT_QUIRKS,
  type EndedRequest,
  type EndedRows,
  errorCodeTable,
  findByClientId,
  forEach,
  inForce,
  LIVE_TIMING,
  noAnswer,
  pages,
  type Quirks,
  unlessMissing,
} from "../client/quirks.ts";

// Not 40010: a request that "timed out" can have had its effect. Not 40708: it can mean that an order has our id. Codes
// that ccxt lacks are those of Bitget.Net, BitgetErrors.cs.
const BITGET_CODES = errorCodeTable({
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
const UNIFIED_CODES = errorCodeTable({
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

const isDeducted = ({ info }: Dict): boolean => fieldOf(fieldOf(info, "feeDetail"), "deduction") === "yes";

/** A fee in another coin is always paid: Bitget's documentation has it with a minus, responses without (ccxt#20507). */
const withoutSign = (fee: unknown): Dict => ({
  currency: fieldOf(fee, "currency"),
  cost: String(fieldOf(fee, "cost")).replace(/^-/, ""),
});

const authorities = async (exchange: Ccxt): Promise<unknown> =>
  fieldOf(fieldOf(await exchange.privateSpotGetV2SpotAccountInfo?.({}), "data"), "authorities");

// Both ends are included.
const endsInMillis = ({ from, to }: Span) => ({ startTime: from, endTime: to - 1 });

const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** Bitget gives every order such an id, also those of its website. */
const OUR_ID = {
  clientIdOf: ({ info, clientOrderId }: Dict) => fieldOf(info, "clientOid") ?? clientOrderId,
};

/** Throws UnreadableError without a readable id, because the rows after these cannot be requested. */
function leastId(rows: readonly Dict[]): string {
  const [least] = rows
    .map(({ id }) => String(id))
    .filter((id) => bitget.orderIds.form.test(id))
    .sort(byNumber);
  if (least === undefined) throw new UnreadableError("bitget's list has no readable id");
  return least;
}

/** Ids decrease from page to page; the smallest one bounds the next page. */
const lastOf = (page: readonly Dict[]): string | undefined =>
  page.length < BITGET_PAGE_ROWS ? undefined : leastId(page);

/**
 * Bitget's unified accounts. ccxt places and cancels orders there and reads balances. Its results for orders and
 * executions cannot be used: it inverts the sign of fees, does not know the asset of an order's fee, drops page
 * cursors, and assigns orders of unknown pairs to the requested pair.
 */
const UNIFIED_PAGE_ROWS = 100;
const SPOT = { category: "SPOT", limit: String(UNIFIED_PAGE_ROWS) } as const;

const isUnified = ({ options }: Ccxt): boolean => options.uta === true;

const symbolParameter = (exchange: Ccxt, symbol: Pair | undefined): Dict =>
  symbol === undefined ? {} : { symbol: exchange.market(symbol).id };

const STATUSES: ReadonlyMap<unknown, string> = new Map([
  ["new", "open"],
  ["live", "open"],
  ["partially_filled", "open"],
  ["filled", "closed"],
  ["cancelled", "canceled"],
  ["canceled", "canceled"],
]);

const unifiedFees = (detail: unknown): readonly Dict[] =>
  Array.isArray(detail)
    ? detail.map((one) => ({ cost: fieldOf(one, "fee"), currency: fieldOf(one, "feeCoin") }))
    : [];

const openOrders = (exchange: Ccxt, symbol: Pair | undefined): Promise<readonly Dict[]> =>
  listed(exchange, symbol, (cursor) =>
    exchange.privateUtaGetV3TradeUnfilledOrders({ ...SPOT, ...symbolParameter(exchange, symbol), ...cursor }),
  );

/** "Each individual query can only cover a maximum of 30 days" (Get Fill History). */
const fillsListed = (exchange: Ccxt, symbol: Pair, request: Dict): Promise<readonly Dict[]> =>
  listed(exchange, symbol, (cursor) =>
    exchange.privateUtaGetV3TradeFills({ ...SPOT, ...request, ...cursor }),
  );

const byId = (exchange: Ccxt, symbol: Pair, orderId: string): Promise<Dict | undefined> =>
  looked(exchange, symbol, { orderId });

const unified = {
  askKind,
  permissions,
  openOrders,
  fills: fetchUnifiedFills,
  fillsOf: fillsListed,
  byId,
  ended,
  find,
};

export const bitget: Quirks = {
  ...DEFAULT_QUIRKS,
  name: "bitget",
  host: "api.bitget.com",
  orderIds: { form: /^[1-9]\d{0,19}$/, like: "digits, for example 1098394344925597696" },
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
  // bitget.com/support/articles/12560603795929, below 1,000,000 USD.
  publishedFees: { maker: decimal("0.001"), taker: decimal("0.001"), published: "2023-08-16" },
  feeAssets: ["BGB"],
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

  async balances(exchange) {
    const answer = isUnified(exchange)
      ? fieldOf(await exchange.privateUtaGetV3AccountAssets?.({}), "data")
      : await exchange.privateSpotGetV2SpotAccountAssets?.({});
    const rows = fieldOf(answer, isUnified(exchange) ? "assets" : "data");
    return (Array.isArray(rows) ? rows : []).map((row) => ({
      asset: exchange.safeCurrencyCode(exchange.safeString(row, "coin")),
      free: fieldOf(row, "available"),
      used: isUnified(exchange)
        ? [fieldOf(row, "locked") ?? fieldOf(row, "frozen")]
        : [fieldOf(row, "frozen"), fieldOf(row, "locked")],
    }));
  },
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
    isUnified(exchange) ? unified.byId(exchange, symbol, id) : DEFAULT_QUIRKS.byId(exchange, symbol, id),

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
    const named = await unlessMissing(exchange.fetchOrder("", symbol, { clientOrderId: clientId }));
    if (named) return named;
    const open = findByClientId(await bitget.openOrders(exchange, symbol), clientId, OUR_ID);
    if (open) return open;
    const ended = await exchange.fetchCanceledAndClosedOrders(symbol, undefined, BITGET_PAGE_ROWS, {});
    return findByClientId(ended, clientId, OUR_ID);
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

/**
 * Returns the fees of a classic account's order in all assets; ccxt returns the first one. If BGB does not suffice, the
 * rest is paid in the received asset (Get Order Info, feeDetail).
 */
function classicOrderFees(detail: unknown): readonly Dict[] | undefined {
  if (typeof detail !== "string" || detail === "") return undefined;
  return Object.values(feeDetailOf(detail)).flatMap((row) => {
    const currency = fieldOf(row, "feeCoinCode");
    if (currency === undefined) return [];
    const cost = String(fieldOf(row, "totalFee"));
    const negated = cost.startsWith("-") ? cost.slice(1) : `-${cost}`;
    return [
      fieldOf(row, "deduction") === true ? withoutSign({ currency, cost }) : { currency, cost: negated },
    ];
  });
}

/** Returns an order's fees, which are JSON in a text; none if it cannot be read, so the fees are unknown. */
function feeDetailOf(detail: string): Dict {
  try {
    const fees: unknown = JSON.parse(detail);
    return isDict(fees) ? fees : {};
  } catch {
    return {};
  }
}

/** Reads the account's kind; a classic account is refused with code 40084. */
async function askKind(exchange: Ccxt): Promise<AccountKind> {
  try {
    await exchange.privateUtaGetV3AccountSettings({});
    return "unified";
  } catch (error) {
    if (error instanceof CallFailed && error.failure.otherKind) return "classic";
    throw error;
  }
}

/** Returns the key's permissions; undefined if the response has none. */
async function permissions(exchange: Ccxt): Promise<readonly unknown[] | undefined> {
  const result = fieldOf(fieldOf(await exchange.privateUtaGetV3AccountInfo({}), "data"), "permissions");
  return Array.isArray(result) ? result : undefined;
}

/**
 * Reads all pairs' executions and continues by a cursor only; the rows after some rows are those on all pages except
 * these.
 */
async function fetchUnifiedFills(
  exchange: Ccxt,
  symbol: Pair,
  { from, to }: Span,
  after: readonly Dict[],
): Promise<readonly Dict[]> {
  const range = { startTime: from, endTime: to - 1 };
  const ask = (cursor: Dict) => exchange.privateUtaGetV3TradeFills({ ...SPOT, ...range, ...cursor });
  if (after.length === 0) return unifiedRows(exchange, symbol, await ask({}));
  const known = new Set(after.map(({ id }) => id));
  return (await listed(exchange, symbol, ask)).filter(({ id }) => !known.has(id));
}

async function find(exchange: Ccxt, symbol: Pair, clientOid: string): Promise<Dict | undefined> {
  const named = await looked(exchange, symbol, { clientOid });
  if (named) return named;
  const open = findByClientId(await openOrders(exchange, symbol), clientOid, OUR_ID);
  if (open) return open;
  const request = { ...SPOT, ...symbolParameter(exchange, symbol) };
  const ended = await exchange.privateUtaGetV3TradeHistoryOrders(request);
  return findByClientId(unifiedRows(exchange, symbol, ended), clientOid, OUR_ID);
}

async function ended(exchange: Ccxt, symbol: Pair, { since, page }: EndedRequest): Promise<EndedRows> {
  const answer = await exchange.privateUtaGetV3TradeHistoryOrders({
    ...SPOT,
    ...symbolParameter(exchange, symbol),
    startTime: since,
    ...(page === undefined ? {} : { cursor: page }),
  });
  const rows = unifiedRows(exchange, symbol, answer);
  return { rows, next: nextCursor(rows, answer) };
}

async function looked(exchange: Ccxt, symbol: Pair, request: Dict): Promise<Dict | undefined> {
  const result = await unlessMissing(exchange.privateUtaGetV3TradeOrderInfo(request));
  if (result === undefined) return undefined;
  const order = result.data;
  if (!isDict(order)) throw new UnreadableError("bitget returned no order");
  return unifiedRowOf(exchange, symbol, order);
}

/** Reads every page of a list; each response contains the cursor of the next page. */
function listed(
  exchange: Ccxt,
  symbol: Pair | undefined,
  ask: (cursor: Dict) => Promise<Dict>,
): Promise<readonly Dict[]> {
  let last: Dict = {};
  return pages(
    null as string | null,
    async (cursor) => {
      last = await ask(cursor === null ? {} : { cursor });
      return unifiedRows(exchange, symbol, last);
    },
    (page) => nextCursor(page, last),
  );
}

function nextCursor(rows: readonly Dict[], answer: Dict): string | undefined {
  const next = fieldOf(fieldOf(answer, "data"), "cursor");
  return rows.length < UNIFIED_PAGE_ROWS || typeof next !== "string" || next === "" ? undefined : next;
}

/** Returns the rows of a response; an empty list can be null, and a response without a list is an error. */
function unifiedRows(exchange: Ccxt, symbol: Pair | undefined, answer: unknown): readonly Dict[] {
  const list = fieldOf(fieldOf(answer, "data"), "list");
  if (list === null) return [];
  if (!Array.isArray(list)) throw new CallFailed(noAnswer("bitget returned no list"));
  return list.map((row: unknown) => unifiedRowOf(exchange, symbol, isDict(row) ? row : {}));
}

const idTextOf = (id: unknown): unknown => (Number.isSafeInteger(id) ? String(id) : id);

/** Converts an order or an execution to ccxt's format; rows of another pair are dropped. */
function unifiedRowOf(exchange: Ccxt, symbol: Pair | undefined, row: Dict): Dict {
  const isIt =
    symbol !== undefined &&
    row.symbol === symbolParameter(exchange, symbol).symbol &&
    row.category === "SPOT";
  return {
    id: idTextOf(row.execId ?? row.orderId),
    order: idTextOf(row.orderId),
    clientOrderId: row.clientOid,
    symbol: isIt ? symbol : undefined,
    side: row.side,
    type: row.orderType,
    price: row.execPrice ?? row.price,
    // The quantity of a market buy is its planned cost.
    amount: row.execQty ?? (row.orderType === "market" ? row.cumExecQty : row.qty),
    filled: row.cumExecQty,
    cost: row.execValue ?? row.cumExecValue,
    fees: unifiedFees(row.feeDetail),
    status: STATUSES.get(row.orderStatus) ?? row.orderStatus,
    timestamp: Number(row.createdTime),
    info: row,
  };
}
