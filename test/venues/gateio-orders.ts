/** Gate's orders and executions. */
import { parseDecimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { DAY, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Listing } from "./catalog.ts";
import {
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

export const idOf = ({ base, quote }: Listing) => `${base}_${quote}`;
export const refuse = (status: number, label: string, message: string): Reply => ({
  status,
  body: { label, message },
});

const REFUSALS: Record<Refusal, Reply> = {
  market_closed: refuse(400, "INVALID_CURRENCY_PAIR", "The currency pair is not tradable"),
  tick: refuse(400, "INVALID_PRECISION", "Price precision is too high"),
  lot: refuse(400, "INVALID_PRECISION", "Amount precision is too high"),
  min_amount: refuse(400, "INVALID_PARAM_VALUE", "Your order size is too small"),
  min_notional: refuse(400, "INVALID_PARAM_VALUE", "Your order size is too small. The minimum is 3 USDT"),
  funds: refuse(400, "BALANCE_NOT_ENOUGH", "Not enough balance"),
  too_many: refuse(400, "TOO_MANY_ORDERS", "Too many open orders"),
  would_take: refuse(400, "POC_FILL_IMMEDIATELY", "Order would match and take immediately so its cancelled"),
};

const FORCES: Record<string, Force> = { gtc: "gtc", ioc: "ioc", fok: "fok", poc: "maker" };

export const notFound = (id: string): Reply =>
  id.startsWith("t-")
    ? refuse(404, "CLIENT_ID_NOT_FOUND", `Order with client ID ${id} not found`)
    : refuse(404, "ORDER_NOT_FOUND", "Order not found");

/** By the venue's id always; by text only while the order rests. */
export function lookedUp(ask: PrivateAsk, id: string): Order | undefined {
  if (!id.startsWith("t-")) return byOrderId(ask, id);
  const found = byClientId(ask, id);
  return found?.status === "open" ? found : undefined;
}

export function create({ request, engine, member, now }: PrivateAsk): Reply {
  const expires = request.headers["x-gate-exptime"];
  if (expires && now > Number(expires)) return refuse(400, "REQUEST_EXPIRED", "Request expired");
  if (!member.keys.may.trade) return refuse(403, "READ_ONLY", "Request API key is read-only");
  const order = JSON.parse(request.body) as Record<string, string>;
  const listing = listingBy(engine, idOf, order.currency_pair ?? "");
  if (!listing) return refuse(400, "INVALID_CURRENCY_PAIR", "Invalid currency pair");
  const clientId = order.text ?? "";
  if (clientId !== "" && !/^t-[0-9A-Za-z_.-]{1,28}$/.test(clientId))
    return refuse(400, "INVALID_PARAM_VALUE", "Invalid text");
  // gate.com/docs/developers/apiv4, create an order: without an STP group the parameter is an error, and orders of
  // one account trade with each other.
  if (order.stp_act !== undefined) return refuse(400, "INVALID_PARAM_VALUE", "stp_act needs an STP group");
  // A unified account's money is not in its spot account, and a classic account has no unified one.
  const { unified } = member.account;
  if (order.account === "unified" && !unified) return refuse(400, "INVALID_PARAM_VALUE", "Invalid account");
  if (order.account === "spot" && unified) return REFUSALS.funds;
  const side = order.side === "buy" ? "buy" : "sell";
  const market = order.type === "market";
  const placed = engine.place(member.account, {
    listing,
    clientId,
    side,
    type: market ? "market" : "limit",
    force: market ? "ioc" : (FORCES[order.time_in_force ?? "gtc"] ?? "gtc"),
    price: parseDecimal(order.price ?? "0") ?? ZERO,
    amount: parseDecimal(order.amount ?? "") ?? ZERO,
    byCost: market && side === "buy",
  });
  return typeof placed === "string" ? REFUSALS[placed] : { status: 201, body: orderOf(placed) };
}

export function removed(ask: PrivateAsk, id: string): Reply {
  const { engine, member } = ask;
  const found = lookedUp(ask, id);
  if (!found) return notFound(id);
  const canceled = engine.cancel(member.account, found.id);
  if (canceled) return ok(orderOf(canceled));
  return found.status === "filled"
    ? refuse(400, "ORDER_CLOSED", "Order has been closed")
    : refuse(400, "ORDER_CANCELLED", "Order has been cancelled");
}

const seconds = (at: Millis) => String(Math.floor(at / SECOND));

function finishOf({ status, force, type }: Order): string {
  if (status === "open") return "open";
  if (status === "filled") return "filled";
  return force === "ioc" || type === "market" ? "ioc" : "cancelled";
}

const statusOf = ({ status }: Order) =>
  status === "open" ? "open" : status === "filled" ? "closed" : "cancelled";

export function orderOf(order: Order) {
  const byCost = order.cost !== undefined;
  const inThird = order.feeIn !== order.listing.base && order.feeIn !== order.listing.quote;
  const own = order.side === "buy" ? order.listing.base : order.listing.quote;
  return {
    id: order.id,
    text: order.clientId || "apiv4",
    amend_text: "-",
    create_time: seconds(order.at),
    update_time: seconds(order.updatedAt),
    create_time_ms: order.at,
    update_time_ms: order.updatedAt,
    status: statusOf(order),
    currency_pair: idOf(order.listing),
    type: order.type,
    account: order.account?.unified ? "unified" : "spot",
    side: order.side,
    amount: text(order.cost ?? order.amount),
    price: text(order.price),
    time_in_force: order.force === "maker" ? "poc" : order.force,
    iceberg: "0",
    left: text(byCost ? (order.cost ?? ZERO) - order.notional : order.amount - order.filled),
    filled_amount: text(order.filled),
    fill_price: text(order.notional),
    filled_total: text(order.notional),
    ...(order.filled > ZERO ? { avg_deal_price: text(average(order)) } : {}),
    fee: order.hidesFee ? "" : inThird ? "0" : text(order.fee),
    fee_currency: order.hidesFee ? "" : inThird ? own : order.feeIn,
    point_fee: "0",
    gt_fee: inThird ? text(order.fee) : "0",
    gt_maker_fee: "0",
    gt_taker_fee: "0",
    gt_discount: inThird,
    rebated_fee: "0",
    rebated_fee_currency: order.side === "buy" ? order.listing.quote : order.listing.base,
    finish_as: finishOf(order),
  };
}

interface Range {
  readonly from: Millis;
  readonly to: Millis;
}

/** Whole seconds, both ends included; without a start the last week. */
function rangeOf({ request, now }: PrivateAsk): Range {
  const [from, to] = [request.query.get("from"), request.query.get("to")];
  return {
    from: from ? Number(from) * SECOND : now - 7 * DAY,
    to: to ? Number(to) * SECOND + SECOND - 1 : now,
  };
}

/** A start alone reaches seven days from it, with an end 30 (gateapi-python, SpotApi.md, list_my_trades). */
function tradesRangeOf(ask: PrivateAsk): Range {
  const { from, to } = rangeOf(ask);
  return ask.request.query.has("to") ? { from, to } : { from, to: Math.min(to, from + 7 * DAY) };
}

const pageOf = <T>({ request }: PrivateAsk, all: readonly T[]): readonly T[] => {
  const limit = limitOf(request.query.get("limit"), { standard: 100, most: 1000 });
  const page = limitOf(request.query.get("page"), { standard: 1, most: 1e6 });
  return all.slice((page - 1) * limit, page * limit);
};

export function finished(listing: Listing, ask: PrivateAsk): Reply {
  const open = ask.request.query.get("status") === "open";
  const { from, to } = rangeOf(ask);
  const chosen = visibleOrders(ask)
    .filter((order) => order.listing === listing && (order.status === "open") === open)
    .filter(({ at }) => open || (at >= from && at <= to))
    .reverse();
  return ok(pageOf(ask, chosen).map(orderOf));
}

export function fills(ask: PrivateAsk): Reply {
  const { request, engine } = ask;
  const pair = request.query.get("currency_pair");
  const listing = pair ? listingBy(engine, idOf, pair) : undefined;
  if (pair && !listing) return refuse(400, "INVALID_CURRENCY_PAIR", "Invalid currency pair");
  const { from, to } = tradesRangeOf(ask);
  if (to - from > 30 * DAY) return refuse(400, "INVALID_PARAM_VALUE", "invalid time range");
  const order = request.query.get("order_id");
  const chosen = visibleFills(ask)
    .filter(inPair(listing))
    .filter(({ at }) => at >= from && at <= to)
    .filter((one) => order === null || one.order.id === order);
  return ok(pageOf(ask, chosen).map(fillOf));
}

function fillOf({ id, number, order, price, amount, fee, maker, at }: Execution) {
  const { base, quote } = order.listing;
  const inThird = fee.asset !== base && fee.asset !== quote;
  return {
    id,
    create_time: seconds(at),
    create_time_ms: `${at}.000000`,
    currency_pair: idOf(order.listing),
    side: order.side,
    role: maker ? "maker" : "taker",
    amount: text(amount),
    price: text(price),
    order_id: order.id,
    fee: order.hidesFee ? "" : inThird ? "0" : text(fee.amount),
    fee_currency: order.hidesFee ? "" : inThird ? (order.side === "buy" ? base : quote) : fee.asset,
    point_fee: "0",
    gt_fee: inThird ? text(fee.amount) : "0",
    amend_text: "-",
    sequence_id: String(number),
    text: order.clientId || "apiv4",
  };
}
