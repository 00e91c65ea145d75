import type * as z from "zod";
import { csv } from "../../kernel/csv.ts";
import { decimal, mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { parseAccountKey } from "../../model/account.ts";
import { ID_EXAMPLE } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { StoreDeps } from "../../ports/kind.ts";
import {
  archivedOf,
  EventsShape,
  eventShown,
  FillsShape,
  fillShown,
  fillsView,
  historicOrderOut,
  historicOrdersShape,
  historyInput,
  historyPage,
  MAX_HISTORY_ROWS,
  nextPageOf,
  ordersView,
} from "../schema.ts";

const history = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
  input: historyInput,
} as const;

async function strategyNamed({ store }: StoreDeps, id: string) {
  const [view] = await store.strategies({ id });
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  return view.strategy;
}

const ORDERS_SHOWN = [
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
];

const orderHistory = (kinds: readonly string[]) =>
  operation({
    ...history,
    name: "get_strategy_orders",
    http: { route: "GET /strategies/:id/orders", from: "query" },
    summary: "List the orders of a strategy, newest first",
    cli: {
      path: "orders-of",
      verb: "orders",
      view: ordersView,
      positional: ["id"],
      columns: ORDERS_SHOWN,
      examples: [`edgemaker orders-of ${ID_EXAMPLE}`],
    },
    output: () => historicOrdersShape(kinds),
    async run(deps, input) {
      const strategy = await strategyNamed(deps, input.id);
      const page = historyPage(input);
      const orders = await deps.store.ordersOf(input.id, page);
      const next = nextPageOf(orders, page, ({ createdAt, clientId }) => `${createdAt}.${clientId}`);
      return {
        id: input.id,
        orders: orders.map((order) => historicOrderOut(order, strategy.kind)),
        count: orders.length,
        next,
        ...(next === null ? archivedOf(strategy, await deps.store.archives()) : {}),
      };
    },
  });

const FILL_TABLE_COLUMNS = [
  "timestamp",
  "time",
  "id",
  "clientOrderId",
  "slot",
  "side",
  "price",
  "amount",
  "notional",
  "fee",
  "feeAsset",
  "superseded",
  "exchange",
  "symbol",
  "feeValue",
];

/** Formats fills as a table; several fee assets of a fill are in one cell each, in the same order. */
export const fillTable = (
  { fills, exchange, symbol }: z.input<ReturnType<typeof FillsShape>>,
  iso: (at: number) => string,
): string =>
  csv(
    FILL_TABLE_COLUMNS,
    fills.map((fill) => [
      fill.timestamp,
      iso(fill.timestamp),
      fill.id,
      fill.clientOrderId,
      fill.slot,
      fill.side,
      fill.price,
      fill.amount,
      fill.notional,
      fill.fees.map(({ amount }) => amount).join(" "),
      fill.fees.map(({ asset }) => asset).join(" "),
      fill.superseded,
      exchange,
      symbol,
      feeValue(fill, symbol),
    ]),
  );

const fillHistory = operation({
  ...history,
  name: "get_strategy_fills",
  http: { route: "GET /strategies/:id/fills", from: "query" },
  summary: "List the fills of a strategy, newest first",
  cli: {
    path: "fills",
    verb: "fills",
    view: fillsView,
    positional: ["id"],
    columns: ["timestamp", "side", "price", "amount", "notional", "fees", "slot", "id"],
    examples: [`edgemaker fills ${ID_EXAMPLE} --format csv`],
  },
  csv: (answer) =>
    fillTable(answer as z.input<ReturnType<typeof FillsShape>>, (at) => new Date(at).toISOString()),
  pages: MAX_HISTORY_ROWS,
  output: FillsShape,
  async run(deps, input) {
    const strategy = await strategyNamed(deps, input.id);
    const page = historyPage(input);
    const fills = await deps.store.fillsOf(input.id, page);
    return {
      id: input.id,
      exchange: parseAccountKey(strategy.account).exchange,
      symbol: strategy.symbol,
      fills: fills.map(fillShown),
      count: fills.length,
      next: nextPageOf(fills, page, ({ at, tradeId }) => `${at}.${tradeId}`),
    };
  },
});

const eventHistory = operation({
  ...history,
  name: "get_strategy_events",
  http: { route: "GET /strategies/:id/events", from: "query" },
  summary: "List the events of a strategy, newest first",
  cli: {
    path: "events",
    verb: "events",
    positional: ["id"],
    columns: ["timestamp", "kind", "message", "by"],
    examples: [`edgemaker events ${ID_EXAMPLE}`],
  },
  output: EventsShape,
  async run(deps, input) {
    const strategy = await strategyNamed(deps, input.id);
    const page = historyPage(input);
    const events = await deps.store.eventsOf(input.id, page);
    const next = nextPageOf(events, page, ({ at, id }) => `${at}.${id}`);
    return {
      id: input.id,
      events: events.map(eventShown),
      count: events.length,
      next,
      ...(next === null ? archivedOf(strategy, await deps.store.archives()) : {}),
    };
  },
});

/** Returns the history of every strategy; `kinds` are the names of all kinds. */
export const historyOperations = (kinds: readonly string[]): readonly Operation[] => [
  orderHistory(kinds),
  fillHistory,
  eventHistory,
];

/** Returns a fill's fees in quote; empty if the value of an asset is unknown. */
function feeValue(
  { fees, price }: z.input<ReturnType<typeof FillsShape>>["fills"][number],
  symbol: string,
): string | null {
  const { base, quote } = splitPair(symbol as Pair);
  const worth = fees.map(({ asset, amount, value }) => {
    if (asset === quote) return decimal(amount);
    const rate = asset === base ? decimal(price) : undefined;
    if (rate !== undefined) return mul(decimal(amount), rate, "up");
    return value === undefined ? undefined : decimal(value);
  });
  const known = worth.filter((one) => one !== undefined);
  return known.length === worth.length ? text(known.reduce((sum, one) => sum + one, ZERO)) : null;
}
