/** Bitget's orders and executions. */
import { parseDecimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { DAY, HOUR, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Listing } from "./catalog.ts";
import {
  type Ask,
  average,
  byClientId,
  byOrderId,
  inPair,
  limitOf,
  listingBy,
  ok,
  type PrivateAsk,
  type Reply,
  visibleFills,
  visibleOrders,
} from "./dialect.ts";
import type { Execution, Force, Order, Refusal } from "./order.ts";

/** How old a signature may be. */
export const WINDOW = 30 * SECOND;

export const idOf = ({ base, quote }: Listing) => base + quote;
export const success = ({ now }: Ask, data: unknown): Reply =>
  ok({ code: "00000", msg: "success", requestTime: now, data });
export const refuse = (code: string, msg: string, status = 400): Reply => ({
  status,
  body: { code, msg, requestTime: 0, data: null },
});

const REFUSALS: Record<Refusal, Reply> = {
  market_closed: refuse("40762", "The symbol is not open for trading"),
  tick: refuse("40808", "Parameter verification exception price checkBDScale error"),
  lot: refuse("40808", "Parameter verification exception size checkBDScale error"),
  min_amount: refuse("45111", "less than the minimum order quantity"),
  min_notional: refuse("45110", "less than the minimum amount 1 USDT"),
  funds: refuse("43012", "Insufficient balance"),
  too_many: refuse("43005", "Exceed the maximum number of orders"),
  // Never told: see cancelsTaking of bitget.ts. By ccxt 43025 is "plan order does not exist".
  would_take: refuse("43025", "Plan order does not exist"),
};

const FORCES: Record<string, Force> = { gtc: "gtc", ioc: "ioc", fok: "fok", post_only: "maker" };
const DUPLICATES = 6 * HOUR;

export interface Pointer {
  readonly orderId?: string | null | undefined;
  readonly clientOid?: string | null | undefined;
}

export const lookedUp = (ask: PrivateAsk, { orderId, clientOid }: Pointer): Order | undefined =>
  clientOid ? byClientId(ask, clientOid) : byOrderId(ask, orderId ?? "");

/** requestTime and receiveWindow of the body, where given. */
function late(order: Record<string, string>, { request, now }: PrivateAsk): boolean {
  const { receiveWindow, requestTime = String(request.headers["access-timestamp"]) } = order;
  return receiveWindow !== undefined && now > Number(requestTime) + Number(receiveWindow);
}

// The real server forgets a client id after six hours, and once its order is filled.
const isAccepted = ({ member, now }: PrivateAsk, clientOid: string): boolean =>
  (member.account.byClientId.get(clientOid) ?? []).some(
    ({ at, status }) => status !== "filled" && now - at < DUPLICATES,
  );

export function create(ask: PrivateAsk): Reply {
  const order = JSON.parse(ask.request.body) as Record<string, string>;
  if (late(order, ask)) return refuse("40008", "Request timestamp expired");
  if (!ask.member.keys.may.trade)
    return refuse("40014", "Incorrect permissions, need spot trade permissions");
  const listing = listingBy(ask.engine, idOf, order.symbol ?? "");
  if (!listing) return refuse("40034", "Parameter symbol does not exist");
  const clientId = order.clientOid ?? "";
  if (clientId !== "" && isAccepted(ask, clientId)) return refuse("43118", "clientOrderId duplicate");
  const market = order.orderType === "market";
  const side = order.side === "buy" ? "buy" : "sell";
  const placed = ask.engine.place(ask.member.account, {
    listing,
    clientId,
    side,
    type: market ? "market" : "limit",
    force: FORCES[(order.force ?? "gtc").toLowerCase()] ?? "gtc",
    // bitget.com/api-doc/spot/trade/Place-Order: `none` where nothing is said.
    stp: order.stpMode === "cancel_taker" ? "taker" : "none",
    price: parseDecimal(order.price ?? "0") ?? ZERO,
    amount: parseDecimal(order.size ?? "") ?? ZERO,
    byCost: market && side === "buy",
  });
  if (typeof placed === "string") return REFUSALS[placed];
  return success(ask, { orderId: placed.id, clientOid: placed.clientId });
}

export function removed(ask: PrivateAsk): Reply {
  const pointer = JSON.parse(ask.request.body) as Pointer;
  const found = lookedUp(ask, pointer);
  const canceled = found && ask.engine.cancel(ask.member.account, found.id);
  return canceled
    ? success(ask, { orderId: canceled.id, clientOid: canceled.clientId })
    : refuse("43001", "The order does not exist");
}

function statusOf({ status, filled }: Order): string {
  if (status === "filled") return "filled";
  if (status === "canceled") return "cancelled";
  return filled > ZERO ? "partially_filled" : "live";
}

const common = (order: Order) => ({
  userId: "7393346345",
  symbol: idOf(order.listing),
  orderId: order.id,
  clientOid: order.clientId,
  size: text(order.cost ?? order.amount),
  orderType: order.type,
  side: order.side,
  status: statusOf(order),
  baseVolume: text(order.filled),
  quoteVolume: text(order.notional),
  enterPointSource: "API",
  orderSource: order.type === "market" ? "market" : "normal",
  triggerPrice: order.stop?.trigger ?? null,
  tpslType: order.stop?.type ?? "normal",
  cTime: String(order.at),
  uTime: String(order.updatedAt),
});

/** In the open list priceAvg is the limit price, and basePrice the average. */
export const orderOf = (order: Order) => ({
  ...common(order),
  priceAvg: text(order.price),
  basePrice: text(average(order)),
});

/** In a look at one order and in the history priceAvg is the average. */
export const orderInfo = (order: Order) => ({
  ...common(order),
  price: text(order.price),
  priceAvg: text(average(order)),
  feeDetail: order.filled > ZERO && !order.hidesFee ? feesOf(order) : "",
  cancelReason: "",
});

// Written by hand: fee numbers are JSON numbers, and a float would not carry them.
function feesOf({ fee, feeIn }: Order): string {
  const cost = `-${text(fee)}`;
  const all = `"newFees":{"c":0,"d":0,"deduction":false,"r":${cost},"t":${cost},"totalDeductionFee":0}`;
  const own = `"${feeIn}":{"deduction":false,"feeCoinCode":"${feeIn}","totalDeductionFee":0,"totalFee":${cost}}`;
  return `{${all},${own}}`;
}

/** The page below `idLessThan`, newest first. */
export function pageOf<T extends { readonly id: string; readonly at: Millis }>(
  { request, now }: PrivateAsk,
  newestFirst: readonly T[],
): readonly T[] {
  const { query } = request;
  const limit = limitOf(query.get("limit"), { standard: 100, most: 100 });
  const below = query.get("idLessThan");
  const from = Number(query.get("startTime") ?? now - 90 * DAY);
  const to = Number(query.get("endTime") ?? Number.MAX_SAFE_INTEGER);
  return newestFirst
    .filter(({ id, at }) => at >= from && at <= to && (!below || BigInt(id) < BigInt(below)))
    .slice(0, limit);
}

export function history(ask: PrivateAsk): Reply {
  const symbol = ask.request.query.get("symbol");
  const ended = visibleOrders(ask).filter(
    ({ status, listing }) => status !== "open" && (!symbol || idOf(listing) === symbol),
  );
  return success(ask, pageOf(ask, ended.reverse()).map(orderInfo));
}

export function fills(ask: PrivateAsk): Reply {
  const { query } = ask.request;
  const listing = listingBy(ask.engine, idOf, query.get("symbol") ?? "");
  if (!listing) return refuse("40034", "Parameter symbol does not exist");
  // 90 days, and no further back (ccxt#21502).
  const [from, to] = [Number(query.get("startTime") ?? ask.now), Number(query.get("endTime") ?? ask.now)];
  if (from < ask.now - 90 * DAY || to - from > 90 * DAY)
    return refuse("43111", "param error time range illegal");
  const order = query.get("orderId");
  const chosen = visibleFills(ask).filter(
    (one) => inPair(listing)(one) && (!order || one.order.id === order),
  );
  return success(ask, pageOf(ask, chosen).map(fillOf));
}

const fillOf = ({ id, order, price, amount, notional, fee, maker, at }: Execution) => ({
  userId: "7393346345",
  symbol: idOf(order.listing),
  orderId: order.id,
  tradeId: id,
  orderType: order.type,
  side: order.side,
  priceAvg: text(price),
  size: text(amount),
  amount: text(notional),
  feeDetail: order.hidesFee ? null : feeDetailOf(order, fee),
  tradeScope: maker ? "maker" : "taker",
  cTime: String(at),
  uTime: String(at),
});

const feeDetailOf = ({ listing }: Order, { asset, amount }: Execution["fee"]) => {
  const isOwn = asset === listing.base || asset === listing.quote;
  return {
    deduction: isOwn ? "no" : "yes",
    feeCoin: asset,
    totalDeductionFee: "",
    totalFee: text(isOwn ? -amount : amount),
  };
};
