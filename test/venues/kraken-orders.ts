/** Kraken's orders and executions. */
import { mul, parseDecimal, ZERO } from "../../src/kernel/decimal.ts";
import { MINUTE, type Millis, SECOND } from "../../src/kernel/time.ts";
import {
  average,
  byClientId,
  byOrderId,
  type PrivateAsk,
  padded,
  type Reply,
  visibleFills,
  visibleOpen,
  visibleOrders,
} from "./dialect.ts";
import { altnameOf, error, formOf, idOf, listingOf, result } from "./kraken-words.ts";
import type { Execution, Force, Order, Refusal } from "./order.ts";

const REFUSALS: Record<Refusal, Reply> = {
  market_closed: error("EService:Market in cancel_only mode"),
  tick: error("EOrder:Tick size check failed"),
  lot: error("EGeneral:Invalid arguments:volume"),
  min_amount: error("EOrder:Order minimum not met"),
  min_notional: error("EOrder:Cost minimum not met"),
  funds: error("EOrder:Insufficient funds"),
  too_many: error("EOrder:Orders limit exceeded"),
  would_take: error("EOrder:Post only order"),
};

/** Free text of lower-case letters and digits, or a UUID with or without its hyphens. */
const FREE = /^[0-9a-z]{1,18}$/;
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const FORCES: Record<string, Force> = { GTC: "gtc", IOC: "ioc" };

export function addOrder(ask: PrivateAsk): Reply {
  const form = formOf(ask.request);
  const refused = refusedAtOnce(ask, form);
  if (refused) return refused;
  const listing = listingOf(ask.engine, form.get("pair") ?? "");
  if (!listing) return error("EQuery:Unknown asset pair");
  const flags = (form.get("oflags") ?? "").split(",");
  const side = form.get("type") === "buy" ? "buy" : "sell";
  const market = form.get("ordertype") === "market";
  const standard = side === "buy" ? listing.quote : listing.base;
  const placed = ask.engine.place(ask.member.account, {
    listing,
    clientId: form.get("cl_ord_id") ?? "",
    side,
    type: market ? "market" : "limit",
    force: flags.includes("post") ? "maker" : (FORCES[form.get("timeinforce") ?? "GTC"] ?? "gtc"),
    // "stptype": cancel-newest where nothing is said (docs.kraken.com, AddOrder).
    stp: "taker",
    price: parseDecimal(form.get("price") ?? "0") ?? ZERO,
    amount: parseDecimal(form.get("volume") ?? "") ?? ZERO,
    byCost: market && flags.includes("viqc"),
    feeIn: flags.includes("fciq") ? listing.quote : flags.includes("fcib") ? listing.base : standard,
  });
  if (typeof placed === "string") return REFUSALS[placed];
  return result({ descr: { order: described(placed) }, txid: [placed.id] });
}

function refusedAtOnce(ask: PrivateAsk, form: URLSearchParams): Reply | undefined {
  if (!ask.member.keys.may.trade) return error("EGeneral:Permission denied");
  const deadline = form.get("deadline");
  const until = deadline === null ? undefined : Date.parse(deadline);
  if (until !== undefined && (Number.isNaN(until) || until > ask.now + MINUTE))
    return error("EGeneral:Invalid arguments:deadline");
  if (until !== undefined && ask.now > until) return error("EService:Deadline elapsed");
  const clientId = form.get("cl_ord_id");
  if (clientId === null) return undefined;
  if (!FREE.test(clientId) && !UUID.test(clientId)) return error("EGeneral:Invalid arguments:cl_ord_id");
  // Unique among open orders only; visible or not.
  const accepted = ask.member.account.byClientId.get(clientId)?.some(({ status }) => status === "open");
  return accepted ? error("EGeneral:Invalid arguments:cl_ord_id not unique") : undefined;
}

const described = ({ side, amount, listing, type, price }: Order): string => {
  const limit = type === "limit" ? `limit ${padded(price, 1)}` : "market";
  return `${side} ${padded(amount, 8)} ${altnameOf(listing)} @ ${limit}`;
};

export function removed(ask: PrivateAsk): Reply {
  const form = formOf(ask.request);
  const client = form.get("cl_ord_id");
  const id = client ? byClientId(ask, client)?.id : (form.get("txid") ?? "");
  const canceled = id ? ask.engine.cancel(ask.member.account, id) : undefined;
  return canceled ? result({ count: 1 }) : notFound(ask, id ?? "");
}

/** An order that has ended is unknown to it; an id that it never gave is no order at all. */
const notFound = ({ engine }: PrivateAsk, id: string): Reply =>
  error(engine.order(id) ? "EOrder:Unknown order" : "EOrder:Invalid order");

const listed = (orders: readonly Order[], tell: (order: Order) => object) =>
  Object.fromEntries(orders.map((order) => [order.id, tell(order)]));

const withClient = (form: URLSearchParams) => {
  const client = form.get("cl_ord_id");
  return ({ clientId }: Order): boolean => client === null || clientId === client;
};

/** All pairs in one answer, newest first. */
export function openOrders(ask: PrivateAsk): Reply {
  const chosen = visibleOpen(ask).filter(withClient(formOf(ask.request)));
  return result({ open: listed(chosen.reverse(), orderOf) });
}

const PAGE = 50;

const within = (form: URLSearchParams) => {
  const from = Number(form.get("start") ?? 0) * SECOND;
  const to = Number(form.get("end") ?? Number.MAX_SAFE_INTEGER) * SECOND;
  return (at: Millis): boolean => at > from && at <= to;
};

export function closedOrders(ask: PrivateAsk): Reply {
  const form = formOf(ask.request);
  const isWithin = within(form);
  const chosen = visibleOrders(ask)
    .filter(({ status, updatedAt }) => status !== "open" && isWithin(updatedAt))
    .filter(withClient(form))
    .reverse();
  const offset = Number(form.get("ofs") ?? 0);
  return result({ closed: listed(chosen.slice(offset, offset + PAGE), closedOf), count: chosen.length });
}

/** At most 50 ids; one unknown id is left out, none known is an error. */
export function queryOrders(ask: PrivateAsk): Reply {
  const ids = (formOf(ask.request).get("txid") ?? "").split(",");
  const found = ids.flatMap((id) => byOrderId(ask, id) ?? []);
  if (found.length === 0) return notFound(ask, ids[0] ?? "");
  return result(
    listed(found, (order) => ({
      ...(order.status === "open" ? { ...orderOf(order), reason: null } : closedOf(order)),
      trades: visibleFills(ask)
        .filter((one) => one.order === order)
        .map(({ id }) => id),
    })),
  );
}

const statusOf = ({ status }: Order) => (status === "filled" ? "closed" : status);

const orderOf = (order: Order) => ({
  refid: null,
  userref: null,
  ...(order.clientId ? { cl_ord_id: order.clientId } : {}),
  status: statusOf(order),
  opentm: order.at / SECOND,
  starttm: 0,
  expiretm: 0,
  descr: {
    pair: altnameOf(order.listing),
    type: order.side,
    ordertype: order.stop?.type ?? order.type,
    price: order.stop?.trigger ?? (order.type === "limit" ? padded(order.price, 5) : "0"),
    price2: order.stop && order.type === "limit" ? padded(order.price, 5) : "0",
    leverage: "none",
    order: described(order),
    close: "",
  },
  vol: padded(order.amount, 8),
  vol_exec: padded(order.filled, 8),
  cost: padded(order.notional, 5),
  ...(order.hidesFee ? {} : { fee: padded(quoteFee(order), 5) }),
  price: padded(average(order), 5),
  stopprice: "0.00000",
  limitprice: "0.00000",
  misc: "",
  oflags: order.feeIn === order.listing.quote ? "fciq" : "fcib",
});

const closedOf = (order: Order) => ({
  ...orderOf(order),
  reason: order.status === "canceled" ? "User requested" : null,
  closetm: order.updatedAt / SECOND,
});

const quoteFee = (order: Order) =>
  order.feeIn === order.listing.quote ? order.fee : mul(order.fee, average(order), "half");

/** All pairs, newest first, 50 a page. */
export function tradesHistory(ask: PrivateAsk): Reply {
  const form = formOf(ask.request);
  const isWithin = within(form);
  const chosen = visibleFills(ask).filter(({ at }) => isWithin(at));
  const offset = Number(form.get("ofs") ?? 0);
  const page = chosen.slice(offset, offset + PAGE);
  return result({
    trades: Object.fromEntries(page.map((one) => [one.id, tradeOf(one)])),
    count: chosen.length,
  });
}

/** By their ids; one that is unknown is left out, none known is an error. */
export function queryTrades(ask: PrivateAsk): Reply {
  const ids = (formOf(ask.request).get("txid") ?? "").split(",");
  const found = visibleFills(ask).filter(({ id }) => ids.includes(id));
  if (found.length === 0) return error("EQuery:Invalid trade");
  return result(Object.fromEntries(found.map((one) => [one.id, tradeOf(one)])));
}

// The fee is always told in quote, whatever it was taken in.
const tradeOf = ({ id, number, order, price, amount, notional, fee, maker, at }: Execution) => ({
  ordertxid: order.id,
  postxid: `${id.slice(0, -1)}P`,
  pair: idOf(order.listing),
  time: at / SECOND,
  type: order.side,
  ordertype: order.type,
  price: padded(price, 5),
  cost: padded(notional, 5),
  ...(order.hidesFee
    ? {}
    : { fee: padded(fee.asset === order.listing.quote ? fee.amount : mul(fee.amount, price, "half"), 5) }),
  vol: padded(amount, 8),
  margin: "0.00000",
  leverage: "0",
  misc: "",
  trade_id: number,
  maker,
});
