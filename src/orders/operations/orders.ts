import * as z from "zod";
import { countField, exchangeField, pairField } from "../../kernel/fields.ts";
import { type Operation, operation } from "../../operation.ts";
import { OneOrderShape, OrdersShape, oneOrderInput, orderOut } from "../schema.ts";
import { cancelAllOrders, cancelOrder, orderNotFound } from "./cancel.ts";
import { createOrder } from "./create.ts";
import { refuseForeignId, venueFor } from "./venue.ts";

const ORDER_TABLE_COLUMNS = [
  ...["id", "side", "price", "amount", "filled", "status"],
  ...["timestamp", "symbol", "type", "remaining"],
];

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
        limit: countField("Invalid limit", { least: 1, most: 1000 })
          .optional()
          .describe("Number of orders; default: all"),
      }),
    output: OrdersShape,
    failure: "Exchange error",
    async run(deps, { exchange, symbol, limit }, { keys }) {
      const venue = await venueFor(deps, exchange, keys);
      if (symbol) await venue.market(symbol);
      const orders = (await venue.openOrders(symbol)).slice(0, limit);
      return { exchange, orders: orders.map(orderOut), count: orders.length };
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
