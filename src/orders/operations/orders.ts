import * as z from "zod";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { countField, exchangeField, pairField } from "../../kernel/fields.ts";
import type { Pair } from "../../kernel/pair.ts";
import { accountKey } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import type { Order } from "../../model/order.ts";
import { NO_EXPOSURE } from "../../model/proposal.ts";
import { type Call, type Operation, type OthersThing, operation } from "../../operation.ts";
import type { Deps, ProcessDeps } from "../../ports/deps.ts";
import type { StoreDeps } from "../../ports/kind.ts";
import type { CancelOutcome, OpenOrderList, Venue, VenueOrder } from "../../ports/venue.ts";
import {
  AllCanceledShape,
  CanceledShape,
  OneOrderShape,
  OrdersShape,
  oneOrderInput,
  orderNotSent,
  orderOut,
  SEND_WITHIN_MS,
} from "../manual-order.ts";
import { previewCancel } from "../preview.ts";
import { createOrder } from "./create.ts";
import { refuseForeignId, venueFor } from "./self-cross.ts";

const ORDER_TABLE_COLUMNS = [
  "id",
  "side",
  "price",
  "amount",
  "filled",
  "status",
  "timestamp",
  "symbol",
  "type",
  "remaining",
];

const strategiesOf = (orders: readonly Order[]): readonly string[] => [
  ...new Set(orders.flatMap(({ strategy }) => strategy ?? [])),
];

const cancelUnknown = (why = ""): AppError =>
  new AppError(
    "Cancel failed",
    `it is unknown whether the order was canceled${why}; request the order, and cancel it again if it is open`,
  );

const orderNotFound = (exchange: string, { symbol, id }: { symbol: Pair; id: string }): AppError =>
  new AppError("Order not found", `${exchange} has no order ${id} on ${symbol}`);

// An order can fill before its cancel takes effect; only a lookup shows it.
const ACCEPTED = "the exchange accepted the cancel; request the order to see its result";

const cancelOrder = (ids: readonly string[]) =>
  operation({
    name: "cancel_order",
    summary: "Cancel one order",
    effect: "trade",
    access: "token",
    lane: "urgent",
    http: { route: "DELETE /orders/:id", from: "query", keys: true },
    cli: {
      path: "orders cancel",
      positional: ["id"],
      examples: ["edgemaker orders cancel --exchange kraken --symbol BTC/USDT --id OUF4EM-FRGI2-MQMWZD"],
    },
    input: () => oneOrderInput(ids),
    output: CanceledShape,
    failure: "Cancel failed",
    async prepare(deps, { exchange, symbol, id }, call) {
      const venue = deps.venue(exchange, call.keys);
      refuseForeignId(venue, id);
      await venue.market(symbol);
      return {
        async preview() {
          const order = await venue.order({ symbol, id });
          if (!order) throw orderNotFound(exchange, { symbol, id });
          const known = await readKnownOrders(deps, venue, [order]);
          return previewCancel(exchange, [order], ofStrategiesIn(known).length);
        },
        exposure: NO_EXPOSURE,
        strategies: async () => strategiesOf(await readKnownOrders(deps, venue, [{ id }])),
        ofOthers: async () => ofOthersIn(await readKnownOrders(deps, venue, [{ id }]), call),
        async act() {
          const message = await cancelByHand(deps, venue, { symbol, id, by: byOf(call) });
          return { success: true as const, exchange, orderId: id, message };
        },
      };
    },
  });

const summary = (cancelled: number, ofStrategies: number): string =>
  ofStrategies === 0
    ? `the exchange accepted ${cancelled} cancels`
    : `the exchange accepted ${cancelled} cancels; ${ofStrategies} of the orders belong to running strategies, which will place them again; stop or pause these first`;

const cancelAllOrders = (ids: readonly string[]) =>
  operation({
    name: "cancel_all_orders",
    summary: "Cancel all open orders, or those of one pair",
    effect: "trade",
    access: "token",
    lane: "urgent",
    http: { route: "DELETE /orders", from: "query", keys: true },
    cli: {
      path: "orders cancel-all",
      final: {
        shows: "list_orders",
        question: ({ exchange, symbol }) =>
          `Cancel all open orders${symbol === undefined ? "" : ` of ${symbol}`} on ${exchange}, also those of strategies?`,
      },
      examples: ["edgemaker orders cancel-all --exchange kraken --symbol BTC/USDT"],
    },
    input: () => z.object({ exchange: exchangeField(ids), symbol: pairField().optional() }),
    output: AllCanceledShape,
    failure: "Cancel failed",
    async prepare(deps, { exchange, symbol }, call) {
      const venue = deps.venue(exchange, call.keys);
      if (symbol) await venue.market(symbol);
      const open = await venue.openOrders(symbol);
      const known = await readKnownOrders(deps, venue, open);
      const ofStrategies = ofStrategiesIn(known);
      const live = new Set(ofStrategies.map(({ exchangeId }) => exchangeId ?? ""));
      return {
        preview: async () => previewCancel(exchange, open, live.size),
        exposure: NO_EXPOSURE,
        strategies: strategiesOf(ofStrategies),
        ofOthers: async () => ofOthersIn(known, call),
        act: () =>
          cancelOpenOrders(deps, venue, {
            open,
            live,
            by: byOf(call),
            what: `all ${symbol ?? "pairs"}`,
            exchange,
          }),
      };
    },
  });

export const orderOperations = (ids: readonly string[]): Operation[] => [
  operation({
    name: "list_orders",
    summary: "List open orders",
    effect: "read",
    access: "token",
    http: { route: "GET /orders", from: "query", keys: true },
    cli: {
      path: "orders list",
      columns: ORDER_TABLE_COLUMNS,
      watch: true,
      examples: ["edgemaker orders list --exchange kraken --symbol BTC/USDT"],
    },
    input: () =>
      z.object({
        exchange: exchangeField(ids),
        symbol: pairField().optional(),
        limit: countField("Invalid limit", { min: 1, max: 1000 })
          .optional()
          .describe("Number of orders; default: all"),
      }),
    output: OrdersShape,
    failure: "Exchange error",
    async run(deps, { exchange, symbol, limit }, { keys }) {
      const venue = await venueFor(deps, exchange, keys);
      if (symbol) await venue.market(symbol);
      const open = await venue.openOrders(symbol);
      const orders = open.slice(0, limit);
      const unreadable = (open.unreadable ?? []).map(({ id, reason }) => ({ id, reason }));
      return {
        exchange,
        orders: orders.map(orderOut),
        count: orders.length,
        ...(unreadable.length > 0 ? { unreadable } : {}),
      };
    },
  }),
  operation({
    name: "get_order",
    summary: "Show one order",
    effect: "read",
    access: "token",
    http: { route: "GET /orders/:id", from: "query", keys: true },
    cli: {
      path: "orders get",
      positional: ["id"],
      examples: ["edgemaker orders get --exchange kraken --symbol BTC/USDT --id OUF4EM-FRGI2-MQMWZD"],
    },
    input: () => oneOrderInput(ids),
    output: OneOrderShape,
    failure: "Exchange error",
    async run(deps, { exchange, symbol, id }, { keys }) {
      refuseForeignId(deps.venue(exchange, keys), id);
      const venue = await venueFor(deps, exchange, keys);
      await venue.market(symbol);
      const order = await venue.order({ symbol, id });
      if (!order) throw orderNotFound(exchange, { symbol, id });
      return { exchange, order: orderOut(order) };
    },
  }),
  createOrder(ids),
  cancelOrder(ids),
  cancelAllOrders(ids),
];

interface OneCancel {
  readonly symbol: Pair;
  readonly id: string;
  readonly by: ActorAndRequest;
}

/** Returns the result. Throws AppError if the exchange did not cancel the order. */
async function cancelByHand(deps: Deps, venue: Venue, { symbol, id, by }: OneCancel): Promise<string> {
  await noteCancel(deps, venue, { text: `${id} ${symbol}: cancel requested`, by, ahead: true });
  const outcome = await cancelOnce(deps, venue, { symbol, id });
  await noteCancel(deps, venue, { text: `${id} ${symbol}: ${outcome.result}`, by });
  if (outcome.result === "not_sent") throw orderNotSent("Cancel failed", "the request was not sent", outcome);
  if (outcome.result === "unknown") throw cancelUnknown(` (${outcome.reason})`);
  if (outcome.result === "rejected")
    throw new AppError("Cancel failed", `the exchange did not cancel the order: ${outcome.reason}`);
  return outcome.result === "accepted" ? ACCEPTED : endedAs(venue, { symbol, id });
}

interface Cancels {
  readonly exchange: string;
  readonly open: OpenOrderList;
  /** Ids of orders that running strategies place again. */
  readonly live: ReadonlySet<string>;
  readonly what: string;
  readonly by: ActorAndRequest;
}

async function cancelOpenOrders(deps: Deps, venue: Venue, { exchange, open, live, what, by }: Cancels) {
  await noteCancel(deps, venue, { text: `${what}: cancel of ${open.length} requested`, by, ahead: true });
  let [cancelled, ofStrategies] = [0, 0];
  const failed: string[] = [];
  for (const order of open) {
    const outcome = await cancelOnce(deps, venue, order);
    if ("reason" in outcome || outcome.result === "not_sent") failed.push(order.id);
    if (outcome.result !== "accepted") continue;
    cancelled++;
    if (live.has(order.id)) ofStrategies++;
  }
  await noteCancel(deps, venue, { text: `${what}: ${cancelled} of ${open.length} accepted`, by });
  const [unread] = open.unreadable ?? [];
  if (unread && failed.length === 0)
    throw new AppError(
      "Cancel failed",
      `${cancelled} cancels were accepted; others are not canceled: ${unread.reason}`,
      {
        fields: { cancelled, failed: (open.unreadable ?? []).flatMap(({ id }) => id ?? []) },
      },
    );
  if (failed.length > 0) {
    const message = `${cancelled} of ${open.length} cancels were accepted; repeat the request for the rest: ${failed.slice(0, 5).join(", ")}`;
    throw new AppError("Cancel failed", message, { fields: { cancelled, failed } });
  }
  return { success: true, exchange, cancelled, ofStrategies, message: summary(cancelled, ofStrategies) };
}

/** Returns those of the orders that this server placed and that are not settled. */
async function readKnownOrders(
  { store }: StoreDeps,
  venue: Venue,
  open: readonly Pick<VenueOrder, "id">[],
): Promise<readonly Order[]> {
  const ids = { exchange: open.map(({ id }) => id), client: [] };
  const stored = await store.ordersByIds(accountKey(venue.account), ids);
  return stored.filter(({ settled }) => !settled);
}

/** Returns those that a running strategy will place again. */
const ofStrategiesIn = (orders: readonly Order[]) => orders.filter(({ strategy }) => strategy !== null);

/** Returns manual orders of other callers. */
const ofOthersIn = (orders: readonly Order[], { actor }: Call): readonly OthersThing[] =>
  orders.flatMap(({ strategy, actor: maker, exchangeId }) =>
    strategy === null && maker !== null && maker !== actor ? [{ what: `order ${exchangeId}`, maker }] : [],
  );

async function cancelOnce(
  { local }: ProcessDeps,
  venue: Venue,
  order: { symbol: Pair; id: string },
): Promise<CancelOutcome> {
  const requestedAt = local.monotonic();
  const mayLeave = () => local.monotonic() - requestedAt <= SEND_WITHIN_MS;
  return venue.cancel(order, { mayLeave, sendBy: Number.MAX_SAFE_INTEGER });
}

/** Logs a cancel. The cancel stands even if the log entry cannot be written. */
async function noteCancel(
  { store, log }: StoreDeps & ProcessDeps,
  { account }: Venue,
  { text, by, ahead = false }: { text: string; by: ActorAndRequest; ahead?: boolean },
): Promise<void> {
  const event = { account: accountKey(account), strategy: null, kind: "cancel" as const, message: text };
  const noted = ahead ? store.noteAhead(event, by) : store.note(event, by);
  await noted.catch((error: unknown) => {
    log("warn", "a cancel could not be written to the events", { text, reason: messageOf(error) });
  });
}

// "No such open order" does not show what became of it; only a lookup does.
async function endedAs(venue: Venue, { symbol, id }: { symbol: Pair; id: string }): Promise<string> {
  const order = await venue.order({ symbol, id });
  if (!order) throw orderNotFound(venue.account.exchange, { symbol, id });
  if (order.status === "canceled" || order.status === "expired") return "the order was already canceled";
  if (order.status === "unknown") throw cancelUnknown();
  throw new AppError("Cancel failed", `the order was not canceled: it is ${order.status}`);
}
