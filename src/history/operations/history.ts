import type * as z from "zod";
import { csv } from "../../kernel/csv.ts";
import { decimal, fromNumber, mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
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
} from "../schema.ts";

/** Nouns for a kind of strategy in texts. */
export interface KindText {
  /** Its name, which its paths also use. */
  readonly name: string;
  /** Name of its commands and tools. */
  readonly group: string;
  /** The owner of its orders and events, in a sentence. */
  readonly whom: string;
  readonly missing: (id: string) => string;
  /** Id of one of its strategies. */
  readonly idExample: string;
}

const history = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
  input: historyInput,
} as const;

const calledAs = ({ name: kind, group }: KindText, what: "orders" | "fills" | "events") => ({
  name: `get_${group}_${what}`,
  http: { route: `GET /strategy/${kind}/:id/${what}`, from: "query" } as const,
});

/** Returns the strategy of that kind with that id. */
async function strategyNamed({ store }: Deps, { name, missing }: KindText, id: string) {
  const [view] = await store.strategies({ id });
  if (view?.strategy.kind !== name) throw new AppError("Not found", missing(id));
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

const orderHistory = (kindText: KindText, names: readonly string[]) =>
  operation({
    ...history,
    ...calledAs(kindText, "orders"),
    summary: `List the orders of ${kindText.whom}, newest first`,
    cli: { path: `${kindText.group} orders`, positional: ["id"], columns: ORDERS_SHOWN },
    output: () => historicOrdersShape(names),
    async run(deps, input) {
      const strategy = await strategyNamed(deps, kindText, input.id);
      const page = historyPage(input);
      const orders = await deps.store.ordersOf(input.id, page);
      const next = nextPageOf(orders, page, ({ createdAt, clientId }) => `${createdAt}.${clientId}`);
      return {
        id: input.id,
        orders: orders.map((order) => historicOrderOut(order, kindText.name)),
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

const fillHistory = (kindText: KindText) =>
  operation({
    ...history,
    ...calledAs(kindText, "fills"),
    summary: `List the fills of ${kindText.whom}, newest first`,
    cli: {
      path: `${kindText.group} fills`,
      view: fillsView,
      positional: ["id"],
      columns: ["timestamp", "side", "price", "amount", "notional", "fees", "slot", "id"],
      examples: [`edgemaker ${kindText.group} fills ${kindText.idExample} --format csv`],
    },
    csv: (answer) =>
      fillTable(answer as z.input<ReturnType<typeof FillsShape>>, (at) => new Date(at).toISOString()),
    pages: MAX_HISTORY_ROWS,
    output: FillsShape,
    async run(deps, input) {
      const strategy = await strategyNamed(deps, kindText, input.id);
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

const eventHistory = (kindText: KindText) =>
  operation({
    ...history,
    ...calledAs(kindText, "events"),
    summary: `List the events of ${kindText.whom}, newest first`,
    cli: {
      path: `${kindText.group} events`,
      positional: ["id"],
      columns: ["timestamp", "kind", "message", "by"],
    },
    output: EventsShape,
    async run(deps, input) {
      const strategy = await strategyNamed(deps, kindText, input.id);
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

/** Returns the history operations of a kind; `names` are those of all kinds. */
export const historyOf = (kindText: KindText, names: readonly string[]): readonly Operation[] => [
  orderHistory(kindText, names),
  fillHistory(kindText),
  eventHistory(kindText),
];

/** Returns a fill's fees in quote; empty if the value of an asset is unknown. */
function feeValue(
  { fees, price }: z.input<ReturnType<typeof FillsShape>>["fills"][number],
  symbol: string,
): string | null {
  const { base, quote } = splitPair(symbol as Pair);
  const worth = fees.map(({ asset, amount, value }) => {
    if (asset === quote) return decimal(amount);
    const rate = asset === base ? fromNumber(price) : undefined;
    if (rate !== undefined) return mul(decimal(amount), rate, "up");
    return value === undefined ? undefined : fromNumber(value);
  });
  const known = worth.filter((one) => one !== undefined);
  return known.length === worth.length ? text(known.reduce((sum, one) => sum + one, ZERO)) : null;
}
