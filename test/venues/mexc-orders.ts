/** MEXC's orders and executions. */
import { parseDecimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { DAY, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Listing } from "./catalog.ts";
import {
  byClientId,
  byOrderId,
  inPair,
  limitOf,
  ok,
  type PrivateAsk,
  type Reply,
  type Requested,
  visibleFills,
  visibleOrders,
} from "./dialect.ts";
import type { Execution, Force, Order, Refusal } from "./order.ts";

export const idOf = ({ base, quote }: Listing) => base + quote;
export const refuse = (code: number, msg: string, status = 400): Reply => ({ status, body: { code, msg } });

const REFUSALS: Record<Refusal, Reply> = {
  market_closed: refuse(10007, "bad symbol"),
  tick: refuse(400, "price scale is invalid"),
  lot: refuse(400, "quantity scale is invalid"),
  min_amount: refuse(30002, "The minimum transaction volume cannot be less than the minimum"),
  min_notional: refuse(30002, "The minimum transaction volume cannot be less than：1USDT"),
  funds: refuse(30004, "Insufficient position"),
  too_many: refuse(30029, "Cannot exceed the maximum order limit"),
  // Its page has no code of its own for a LIMIT_MAKER that would take; this is "order type cannot be placed".
  would_take: refuse(30041, "Current order type can not place order"),
};

const FORCES: Record<string, Force> = {
  LIMIT_MAKER: "maker",
  IMMEDIATE_OR_CANCEL: "ioc",
  FILL_OR_KILL: "fok",
};

/** How long a request is good: [timestamp - 1 s, timestamp + recvWindow]. */
export function outOfWindow({ query }: Requested, now: Millis): Reply | undefined {
  const timestamp = Number(query.get("timestamp"));
  const window = Number(query.get("recvWindow") ?? 5000);
  return timestamp > now + 1000 || now - timestamp > window
    ? refuse(700003, "Timestamp for this request is outside of the recvWindow.")
    : undefined;
}

export function create(listing: Listing, { request, engine, member, now }: PrivateAsk): Reply {
  const { query } = request;
  const expired = outOfWindow(request, now);
  if (expired) return expired;
  if (!member.keys.may.trade) return refuse(700007, "No permission to access the endpoint.");
  const clientId = query.get("newClientOrderId") ?? "";
  if (clientId.length > 32) return refuse(700004, "Param 'newClientOrderId' is too long");
  const type = query.get("type") ?? "";
  const byCost = type === "MARKET" && query.has("quoteOrderQty");
  const placed = engine.place(member.account, {
    listing,
    clientId,
    side: query.get("side") === "BUY" ? "buy" : "sell",
    type: type === "MARKET" ? "market" : "limit",
    force: FORCES[type] ?? "gtc",
    // mexc.com/api-docs/spot-v3, new order; live since 2025-09-11 (announcement 17827791530046).
    stp: query.get("stpMode") === "cancel_taker" ? "taker" : "none",
    price: parseDecimal(query.get("price") ?? "") ?? ZERO,
    amount: parseDecimal(query.get(byCost ? "quoteOrderQty" : "quantity") ?? "") ?? ZERO,
    byCost,
  });
  if (placed === "funds" && query.get("side") === "SELL") return refuse(30005, "Oversold");
  if (typeof placed === "string") return REFUSALS[placed];
  return ok({
    symbol: idOf(listing),
    orderId: placed.id,
    orderListId: -1,
    price: text(placed.type === "market" ? engine.prices.now(listing.symbol) : placed.price),
    origQty: text(placed.amount),
    type,
    side: query.get("side"),
    transactTime: placed.at,
  });
}

export function pointedAt(ask: PrivateAsk, listing: Listing): Order | undefined {
  const { query } = ask.request;
  const client = query.get("origClientOrderId");
  const found = client ? byClientId(ask, client) : byOrderId(ask, query.get("orderId") ?? "");
  return found?.listing === listing ? found : undefined;
}

function statusOf({ status, filled }: Order): string {
  if (status === "filled") return "FILLED";
  if (status === "open") return filled > ZERO ? "PARTIALLY_FILLED" : "NEW";
  return filled > ZERO ? "PARTIALLY_CANCELED" : "CANCELED";
}

const typeOf = ({ type, force }: Order): string =>
  type === "market"
    ? "MARKET"
    : (Object.entries(FORCES).find(([, value]) => value === force)?.[0] ?? "LIMIT");

export const orderOf = (order: Order) => ({
  symbol: idOf(order.listing),
  orderId: order.id,
  orderListId: -1,
  clientOrderId: order.clientId,
  price: text(order.price),
  origQty: text(order.amount),
  executedQty: text(order.filled),
  cummulativeQuoteQty: text(order.notional),
  status: statusOf(order),
  timeInForce: null,
  type: order.stop?.type ?? typeOf(order),
  side: order.side.toUpperCase(),
  stopPrice: order.stop?.trigger ?? null,
  icebergQty: null,
  time: order.at,
  updateTime: order.updatedAt,
  isWorking: true,
  origQuoteOrderQty: text(order.cost ?? (order.price * order.amount) / 10n ** 18n),
});

/** Of trades, whole seconds are told and asked for (mexc-api-sdk#56). */
const second = ({ at }: Execution): Millis => Math.floor(at / SECOND) * SECOND;

const between = ({ query }: Requested) => {
  const [from, to] = [
    Number(query.get("startTime") ?? 0),
    Number(query.get("endTime") ?? Number.MAX_SAFE_INTEGER),
  ];
  return ({ at }: { readonly at: Millis }) => at >= from && at <= to;
};

export function history(listing: Listing, ask: PrivateAsk): Reply {
  const limit = limitOf(ask.request.query.get("limit"), { standard: 500, most: 1000 });
  const chosen = visibleOrders(ask)
    .filter((order) => order.listing === listing)
    .filter(between(ask.request));
  return ok(chosen.reverse().slice(0, limit).map(orderOf));
}

/** Its page says a month; a start of more than seven days ago answers nothing (mexcdevelop/mexc-api-sdk#56). */
const REACH = 7 * DAY;

export function fills(listing: Listing, ask: PrivateAsk): Reply {
  const { query } = ask.request;
  const limit = limitOf(query.get("limit"), { standard: 100, most: 100 });
  const order = query.get("orderId");
  const chosen = visibleFills(ask)
    .filter(inPair(listing))
    .filter((one) => between(ask.request)({ at: second(one) }))
    .filter((one) => (order === null || one.order.id === order) && one.at >= ask.now - REACH);
  if (Number(query.get("startTime") ?? ask.now) < ask.now - REACH) return ok([]);
  return ok(chosen.slice(0, limit).map(fillOf));
}

const fillOf = (execution: Execution) => {
  const { id, order, price, amount, notional, fee, maker } = execution;
  return {
    symbol: idOf(order.listing),
    id,
    orderId: order.id,
    orderListId: -1,
    price: text(price),
    qty: text(amount),
    quoteQty: text(notional),
    commission: order.hidesFee ? null : text(fee.amount),
    commissionAsset: order.hidesFee ? null : fee.asset,
    time: second(execution),
    isBuyer: order.side === "buy",
    isMaker: maker,
    isBestMatch: true,
    isSelfTrade: false,
    clientOrderId: order.clientId || null,
  };
};
