import type * as z from "zod";
import { parseAccountKey } from "../../model/account.ts";
import { type Operation, operation } from "../../operation.ts";
import {
  EventsShape,
  FillsShape,
  fillShown,
  fillsView,
  fillTable,
  gridEvent,
  HistoricOrdersShape,
  historicOrderOut,
  historyInput,
  historyPage,
  MOST_ROWS,
  nextPageOf,
} from "../schema/history.ts";
import { viewOf } from "./stop.ts";

const history = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { closedWorld: true },
  input: historyInput,
} as const;

const gridOrders = operation({
  ...history,
  name: "get_grid_orders",
  summary: "A grid's orders, newest first",
  http: { route: "GET /strategy/grid/:id/orders", from: "query" },
  cli: {
    path: "grid orders",
    positional: ["id"],
    columns: [
      "side",
      "price",
      "amount",
      "filled",
      "status",
      "timestamp",
      "reason",
      "slot",
      "id",
      "kind",
      "type",
    ],
  },
  output: HistoricOrdersShape,
  async run(deps, input) {
    await viewOf(deps, input.id);
    const page = historyPage(input);
    const orders = await deps.store.ordersOf(input.id, page);
    const last = orders.at(-1);
    return {
      id: input.id,
      orders: orders.map(historicOrderOut),
      count: orders.length,
      next: nextPageOf(orders, page, last && `${last.createdAt}.${last.clientId}`),
    };
  },
});

const gridFills = operation({
  ...history,
  name: "get_grid_fills",
  summary: "A grid's executions, newest first",
  http: { route: "GET /strategy/grid/:id/fills", from: "query" },
  cli: {
    path: "grid fills",
    view: fillsView,
    positional: ["id"],
    columns: ["timestamp", "side", "price", "amount", "notional", "fees", "slot", "id"],
    examples: ["edgemaker grid fills grid-kraken-BTC-USDT-1767225600000 --format csv"],
  },
  csv: (answer) =>
    fillTable(answer as z.input<ReturnType<typeof FillsShape>>, (at) => new Date(at).toISOString()),
  pages: MOST_ROWS,
  output: FillsShape,
  async run(deps, input) {
    const { strategy } = await viewOf(deps, input.id);
    const page = historyPage(input);
    const fills = await deps.store.fillsOf(input.id, page);
    const last = fills.at(-1);
    return {
      id: input.id,
      exchange: parseAccountKey(strategy.account).exchange,
      symbol: strategy.symbol,
      fills: fills.map(fillShown),
      count: fills.length,
      next: nextPageOf(fills, page, last && `${last.at}.${last.tradeId}`),
    };
  },
});

const gridEvents = operation({
  ...history,
  name: "get_grid_events",
  summary: "What has happened to a grid, newest first",
  http: { route: "GET /strategy/grid/:id/events", from: "query" },
  cli: { path: "grid events", positional: ["id"], columns: ["timestamp", "kind", "message", "by"] },
  output: EventsShape,
  async run(deps, input) {
    await viewOf(deps, input.id);
    const page = historyPage(input);
    const events = await deps.store.eventsOf(input.id, page);
    const last = events.at(-1);
    return {
      id: input.id,
      events: events.map(gridEvent),
      count: events.length,
      next: nextPageOf(events, page, last && `${last.at}.${last.id}`),
    };
  },
});

/** What a grid has done. */
export const historyOperations: readonly Operation[] = [gridOrders, gridFills, gridEvents];
