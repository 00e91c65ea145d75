/**
 * Bitget's unified accounts, `/api/v3`: other paths, names, envelopes and codes over the same engine. Shapes are those of
 * bitget.js of ccxt 4.5.84 and of Bitget.Net's recorded answers; what the documents (bitget.com/api-doc/uta, read
 * 2026-11-21) say beyond them is named where it matters.
 */
import { type Decimal, parseDecimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import { idOf, lookedUp, type Pointer, refuse, success, WINDOW } from "./bitget-orders.ts";
import type { Listing } from "./catalog.ts";
import {
  average,
  type Dialect,
  limitOf,
  listingBy,
  type PrivateAsk,
  type Reply,
  visibleFills,
  visibleOpen,
  visibleOrders,
} from "./dialect.ts";
import type { Execution, Force, Order, Refusal } from "./order.ts";

const assetOf = ([coin, { total, used }]: [string, { total: Decimal; used: Decimal }]) => ({
  coin,
  equity: text(total),
  usdValue: "0",
  balance: text(total),
  available: text(total - used),
  debt: "0",
  locked: text(used),
});

const permissionsOf = ({ trade, withdraw }: PrivateAsk["member"]["keys"]["may"]) => [
  "uta_mgt",
  ...(trade ? ["uta_trade"] : []),
  ...(withdraw ? ["withdraw"] : []),
];

/** Orders and executions of Bitget's unified accounts; see bitget-unified.ts for what is known of them. */
/** Bitget.Net, BitgetErrors.cs, UnifiedErrors: what its codes mean. */
const REFUSALS: Record<Refusal, Reply> = {
  market_closed: refuse("25101", "Symbol is not available"),
  tick: refuse("25244", "Invalid price tick"),
  lot: refuse("25610", "Invalid quantity step"),
  min_amount: refuse("25611", "less than the minimum order quantity"),
  min_notional: refuse("45110", "less than the minimum amount 1 USDT"),
  funds: refuse("25202", "Insufficient balance"),
  too_many: refuse("40761", "The number of open orders exceeds the limit"),
  would_take: refuse("43025", "Order would be executed immediately"),
};
export const MISSING = refuse("25204", "Order does not exist");
/** Its twin of the classic 40017 (bitget.js:1463). */
export const INVALID = refuse("400172", "Parameter verification failed");

const FORCES: Record<string, Force> = { gtc: "gtc", ioc: "ioc", fok: "fok", post_only: "maker" };

/** As long as its order is unfilled (Place Strategy Order: "six hours (not fully guaranteed)"). */
const isAccepted = ({ member }: PrivateAsk, clientOid: string): boolean =>
  (member.account.byClientId.get(clientOid) ?? []).some(({ status }) => status !== "filled");

/** Of what has no fee, or none yet, it names no coin (Bitget.Net, GetOpenOrders.txt). */
const NO_FEE = [{ feeCoin: null, fee: null }];

const pointerTo = ({ id, clientId }: Order) => ({ orderId: id, clientOid: clientId });

export const orderOf = (order: Order) => ({
  ...pointerTo(order),
  category: "SPOT",
  symbol: idOf(order.listing),
  orderType: order.type,
  side: order.side,
  price: text(order.price),
  qty: text(order.cost ?? order.amount),
  amount: "0",
  cumExecQty: text(order.filled),
  cumExecValue: text(order.notional),
  avgPrice: text(average(order)),
  timeInForce: order.force === "maker" ? "post_only" : order.force,
  orderStatus: statusOf(order),
  posSide: "",
  holdMode: "one_way_mode",
  delegateType: "normal",
  reduceOnly: "NO",
  feeDetail:
    order.filled > ZERO && !order.hidesFee ? [{ feeCoin: order.feeIn, fee: text(order.fee) }] : NO_FEE,
  cancelReason: order.status === "canceled" ? "normal_cancel" : "",
  execType: "normal",
  stpMode: "none",
  createdTime: String(order.at),
  updatedTime: String(order.updatedAt),
});

/** What was charged is more than nothing here; the classic API tells it as less (Bitget.Net, GetUserTrades.txt). */
const fillOf = ({ id, order, price, amount, notional, fee, maker, at }: Execution) => ({
  execId: id,
  execLinkId: id,
  ...pointerTo(order),
  category: "SPOT",
  symbol: idOf(order.listing),
  orderType: order.type,
  side: order.side,
  execPrice: text(price),
  execQty: text(amount),
  execValue: text(notional),
  tradeScope: maker ? "maker" : "taker",
  feeDetail: order.hidesFee ? NO_FEE : [{ feeCoin: fee.asset, fee: text(fee.amount) }],
  createdTime: String(at),
  updatedTime: String(at),
  execPnl: "0",
});

const isIn = ({ from, to }: Range, at: Millis): boolean => at >= from && at <= to;

export const unified: Dialect["signed"] = {
  kind: (ask) =>
    success(ask, {
      uid: String(7_393_346_000 + ask.member.account.number),
      accountMode: "unified",
      assetMode: "multi_assets",
      accountLevel: "basic",
      holdMode: "one_way_mode",
      stpMode: "none",
      symbolConfigList: [],
    }),
  balance: (ask) =>
    success(ask, {
      accountEquity: "0",
      usdtEquity: "0",
      btcEquity: "0",
      effEquity: "0",
      assets: [...ask.member.account.holdings].map(assetOf),
    }),
  create,
  order: (ask) => {
    const { query } = ask.request;
    const found = lookedUp(ask, { orderId: query.get("orderId"), clientOid: query.get("clientOid") });
    return found ? success(ask, orderOf(found)) : MISSING;
  },
  open,
  closed: history,
  fills,
  cancel: removed,
  fee: (ask) => {
    const listing = listed(ask, undefined);
    if (!listing || ask.request.query.get("category") !== "SPOT") return INVALID;
    return success(ask, { makerFeeRate: text(listing.maker), takerFeeRate: text(listing.taker) });
  },
  permissions: (ask) => {
    const { may } = ask.member.keys;
    const id = String(7_393_346_000 + ask.member.account.number);
    return success(ask, {
      uid: id,
      inviterId: "0",
      parentId: "",
      channelCode: "",
      channel: "",
      ips: "",
      permType: may.trade ? "read-and-write" : "read-only",
      permissions: permissionsOf(may),
      regisTime: "1543915120000",
    });
  },
};

export const UNIFIED_ROUTES = {
  "GET /api/v3/account/settings": "kind",
  "GET /api/v3/account/assets": "balance",
  "POST /api/v3/trade/place-order": "create",
  "GET /api/v3/trade/order-info": "order",
  "GET /api/v3/trade/unfilled-orders": "open",
  "GET /api/v3/trade/history-orders": "closed",
  "GET /api/v3/trade/fills": "fills",
  "POST /api/v3/trade/cancel-order": "cancel",
  "GET /api/v3/account/fee-rate": "fee",
  "GET /api/v3/account/info": "permissions",
} as const;

/** Either account is refused the other's API, before its signature is looked at (ccxt#26838; passivbot#601). */
export function otherKind(path: string, isUnified: boolean): Reply | undefined {
  if (isUnified && path.startsWith("/api/v2/"))
    return refuse(
      "40085",
      "You are in Unified Account mode, and the Classic Account API is not supported at this time",
    );
  if (!isUnified && path.startsWith("/api/v3/"))
    return refuse(
      "40084",
      "You are in Classic Account mode, and the Unified Account API is not supported at this time",
    );
  return undefined;
}

export function listed(
  { engine, request }: PrivateAsk,
  symbol: string | null | undefined,
): Listing | undefined {
  const given = symbol ?? request.query.get("symbol");
  return given ? listingBy(engine, idOf, given) : undefined;
}

/** Its parameters know no time after which a request is refused: only that of its signature is. */
export function create(ask: PrivateAsk): Reply {
  if (ask.now - Number(ask.request.headers["access-timestamp"]) > WINDOW)
    return refuse("40008", "Request timestamp expired");
  const order = JSON.parse(ask.request.body) as Record<string, string>;
  if (!ask.member.keys.may.trade) return refuse("40014", "Incorrect permissions, need uta_trade permissions");
  if (order.category !== "SPOT" || order.qty === undefined) return INVALID;
  const listing = listed(ask, order.symbol);
  if (!listing) return refuse("25100", "Symbol does not exist");
  const clientId = order.clientOid ?? "";
  if (clientId !== "" && isAccepted(ask, clientId)) return refuse("25212", "Duplicate clientOid");
  const market = order.orderType === "market";
  const side = order.side === "buy" ? "buy" : "sell";
  const placed = ask.engine.place(ask.member.account, {
    listing,
    clientId,
    side,
    type: market ? "market" : "limit",
    force: FORCES[(order.timeInForce ?? "gtc").toLowerCase()] ?? "gtc",
    stp: order.stpMode === "cancel_taker" ? "taker" : "none",
    price: parseDecimal(order.price ?? "0") ?? ZERO,
    amount: parseDecimal(order.qty) ?? ZERO,
    byCost: market && side === "buy",
  });
  return typeof placed === "string" ? REFUSALS[placed] : success(ask, pointerTo(placed));
}

export function removed(ask: PrivateAsk): Reply {
  const found = lookedUp(ask, JSON.parse(ask.request.body) as Pointer);
  const canceled = found && ask.engine.cancel(ask.member.account, found.id);
  return canceled ? success(ask, pointerTo(canceled)) : MISSING;
}

function statusOf({ status, filled }: Order): string {
  if (status === "filled") return "filled";
  if (status === "canceled") return "cancelled";
  return filled > ZERO ? "partially_filled" : "live";
}

interface Page<T> {
  readonly shown: readonly T[];
  readonly cursor: string | null;
}

/** Newest first, at most a hundred; the next page follows the cursor of this one. */
function pageOf<T extends { readonly id: string }>({ request }: PrivateAsk, all: readonly T[]): Page<T> {
  const limit = limitOf(request.query.get("limit"), { standard: 100, most: 100 });
  const below = request.query.get("cursor");
  const shown = all.filter(({ id }) => !below || BigInt(id) < BigInt(below)).slice(0, limit);
  return { shown, cursor: shown.at(-1)?.id ?? null };
}

interface Range {
  readonly from: Millis;
  readonly to: Millis;
}

/** "Each individual query can only cover a maximum of 30 days within the 90-day window" (Get Fill History). */
function rangeOf({ request, now }: PrivateAsk): Range | undefined {
  const [start, end] = [request.query.get("startTime"), request.query.get("endTime")];
  const from = start ? Number(start) : (end ? Number(end) : now) - 30 * DAY;
  const to = end ? Number(end) : from + 30 * DAY;
  return to - from > 30 * DAY || from < now - 90 * DAY ? undefined : { from, to };
}

export function open(ask: PrivateAsk): Reply {
  const symbol = ask.request.query.get("symbol");
  const chosen = visibleOpen(ask).filter(({ listing }) => !symbol || idOf(listing) === symbol);
  const { shown, cursor } = pageOf(ask, chosen.reverse());
  return success(ask, { list: shown.map(orderOf), cursor });
}

export function history(ask: PrivateAsk): Reply {
  const { query } = ask.request;
  const symbol = query.get("symbol");
  const range = rangeOf(ask);
  if (query.get("category") !== "SPOT" || !range) return INVALID;
  const ended = visibleOrders(ask).filter(
    ({ status, listing, at }) =>
      status !== "open" && isIn(range, at) && (!symbol || idOf(listing) === symbol),
  );
  const { shown, cursor } = pageOf(ask, ended.reverse());
  return success(ask, { list: shown.map(orderOf), cursor });
}

/** Of all pairs: its page knows no symbol. Where there is none the list is null, not empty. */
export function fills(ask: PrivateAsk): Reply {
  const range = rangeOf(ask);
  if (!range) return INVALID;
  const order = ask.request.query.get("orderId");
  const chosen = visibleFills(ask).filter((one) => isIn(range, one.at) && (!order || one.order.id === order));
  const { shown, cursor } = pageOf(ask, chosen);
  return success(ask, { list: shown.length === 0 ? null : shown.map(fillOf), cursor });
}
