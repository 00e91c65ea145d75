/**
 * Bitget's unified accounts. ccxt places and cancels orders there and reads balances. Its results for orders and
 * executions cannot be used: it inverts the sign of fees, does not know the asset of an order's fee, drops page
 * cursors, and assigns orders of unknown pairs to the requested pair.
 */
import type { Pair } from "../../../kernel/pair.ts";
import type { Span } from "../../../model/fill.ts";
import { type Ccxt, type Dict, fieldOf, isDict } from "../client/ccxt.ts";
import type { AccountKind } from "../client/keeping.ts";
import { type EndedRequest, type EndedRows, pages, unlessMissing } from "../client/quirks.ts";
import { CallFailed, noAnswer } from "../client/refusals.ts";

const UNIFIED_PAGE_ROWS = 100;
const SPOT = { category: "SPOT", limit: String(UNIFIED_PAGE_ROWS) } as const;

export const isUnified = ({ options }: Ccxt): boolean => options.uta === true;

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

const openOrders = (exchange: Ccxt, symbol: Pair | undefined): Promise<readonly Dict[]> =>
  listed(exchange, symbol, (cursor) =>
    exchange.privateUtaGetV3TradeUnfilledOrders({ ...SPOT, ...symbolParameter(exchange, symbol), ...cursor }),
  );

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

/** "Each individual query can only cover a maximum of 30 days" (Get Fill History). */
const fillsListed = (exchange: Ccxt, symbol: Pair, request: Dict): Promise<readonly Dict[]> =>
  listed(exchange, symbol, (cursor) =>
    exchange.privateUtaGetV3TradeFills({ ...SPOT, ...request, ...cursor }),
  );

const byId = (exchange: Ccxt, symbol: Pair, orderId: string): Promise<Dict | undefined> =>
  looked(exchange, symbol, { orderId });

async function find(exchange: Ccxt, symbol: Pair, clientOid: string): Promise<Dict | undefined> {
  const isIt = (order: Dict) => order.clientOrderId === clientOid;
  const named = await looked(exchange, symbol, { clientOid });
  if (named) return named;
  const open = (await openOrders(exchange, symbol)).find(isIt);
  if (open) return open;
  const request = { ...SPOT, ...symbolParameter(exchange, symbol) };
  const ended = await exchange.privateUtaGetV3TradeHistoryOrders(request);
  return unifiedRows(exchange, symbol, ended).find(isIt);
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
  if (!isDict(order)) throw new CallFailed(noAnswer("bitget returned no order"));
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
  if (!Array.isArray(list) || !list.every(isDict)) throw new CallFailed(noAnswer("bitget returned no list"));
  return list.map((row) => unifiedRowOf(exchange, symbol, row));
}

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

/** Converts an order or an execution to ccxt's format; rows of another pair are dropped. */
function unifiedRowOf(exchange: Ccxt, symbol: Pair | undefined, row: Dict): Dict {
  const isIt =
    symbol !== undefined &&
    row.symbol === symbolParameter(exchange, symbol).symbol &&
    row.category === "SPOT";
  return {
    id: row.execId ?? row.orderId,
    order: row.orderId,
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

const unifiedFees = (detail: unknown): readonly Dict[] =>
  Array.isArray(detail)
    ? detail.map((one) => ({ cost: fieldOf(one, "fee"), currency: fieldOf(one, "feeCoin") }))
    : [];

export const unified = {
  askKind,
  permissions,
  openOrders,
  fills: fetchUnifiedFills,
  fillsOf: fillsListed,
  byId,
  ended,
  find,
};
