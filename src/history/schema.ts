import * as z from "zod";
import { text, texts, withNumbers } from "../kernel/decimal.ts";
import { countField, idField, textField } from "../kernel/fields.ts";
import { parseClientOrderId } from "../kernel/ids.ts";
import { lazy } from "../kernel/lazy.ts";
import { type Millis, stampOf } from "../kernel/time.ts";
import type { StoredEvent } from "../model/events.ts";
import { SIDES } from "../model/market.ts";
import { ORDER_STATUSES, ORDER_TYPES, type Order, type OrderState } from "../model/order.ts";
import type { ArchiveFile, LabeledFill, Page } from "../ports/stores/store.ts";

/** Maximum rows of one page. */
export const MAX_HISTORY_ROWS = 1000;

export const historyInput = lazy(() =>
  z.object({
    id: idField("Invalid request").describe("Strategy id"),
    limit: countField("Invalid limit", { min: 1, max: MAX_HISTORY_ROWS })
      .default(100)
      .describe("Number of rows, 1 to 1000; CSV has all rows by default"),
    before: textField(
      "Invalid request",
      /^\d{1,15}(\.[\w.:-]{1,80})?$/,
      "before must be a time in milliseconds, or the `next` of the page before",
    )
      .optional()
      .describe("Only rows older than this time, or `next` of the previous page"),
  }),
);

/** Returns the requested page; `before` is `<ms>` or `<ms>.<id>`. */
export function historyPage({ limit, before }: z.output<ReturnType<typeof historyInput>>): Page {
  if (before === undefined) return { limit };
  const at = Number.parseInt(before, 10);
  const point = before.indexOf(".");
  return { limit, before: point < 0 ? { at } : { at, id: before.slice(point + 1) } };
}

/** Returns the position of the next page; null if this page is not full. */
export function nextPageOf<T>(
  rows: readonly T[],
  { limit }: Page,
  positionOf: (row: T) => string,
): string | null {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? null : positionOf(last);
}

/** Names the archives that can contain older rows of a strategy. */
export function archivedOf(
  { startedAt }: { readonly startedAt: Millis },
  archives: readonly ArchiveFile[],
): { readonly archived?: string[] } {
  const started = Number(stampOf(startedAt).slice(0, 4));
  const files = archives.filter(({ year, before }) => year >= started && before > startedAt);
  return files.length === 0 ? {} : { archived: files.map(({ file }) => file) };
}

const side = () => z.enum(SIDES);
const slot = () =>
  z
    .union([z.number(), z.string()])
    .describe("Number of its slot; of a strategy of your own, the id that its function gave the order");
const next = () => z.string().nullable();
const archived = () =>
  z
    .array(z.string())
    .optional()
    .describe("Archive files with older rows, if `db prune` has moved some; on the last page");

const historicOrderShape = (names: readonly string[]) =>
  z.object({
    id: z.string().nullable(),
    clientOrderId: z.string(),
    slot: slot(),
    generation: z.number(),
    kind: z.enum([...names, "exit", "hand"]),
    side: side(),
    type: z.enum(ORDER_TYPES),
    price: z.string(),
    amount: z.string(),
    filled: z.string(),
    remaining: z.string(),
    status: z.enum(ORDER_STATUSES),
    reason: z.string().nullable(),
    fees: z.record(z.string(), z.string()),
    timestamp: z.number(),
  });
/** `names` are those of all kinds. */
export const historicOrdersShape = (names: readonly string[]) =>
  z.object({
    id: z.string(),
    orders: z.array(historicOrderShape(names)),
    count: z.number(),
    next: next(),
    archived: archived(),
  });

const HistoricFillShape = lazy(() =>
  z.object({
    id: z.string(),
    clientOrderId: z.string(),
    slot: slot().nullable(),
    side: side(),
    price: z.string(),
    amount: z.string(),
    notional: z.string(),
    fees: z.array(
      z.object({
        asset: z.string(),
        amount: z.string(),
        value: z.string().optional(),
        estimated: z.boolean().optional(),
      }),
    ),
    superseded: z.boolean(),
    timestamp: z.number(),
  }),
);
export const FillsShape = lazy(() =>
  z.object({
    id: z.string(),
    exchange: z.string(),
    symbol: z.string(),
    fills: z.array(HistoricFillShape()),
    count: z.number(),
    next: next(),
  }),
);

const HistoricEventShape = lazy(() =>
  z.object({
    id: z.number(),
    kind: z.string(),
    message: z.string(),
    by: z.string().nullable(),
    timestamp: z.number(),
  }),
);
export const EventsShape = lazy(() =>
  z.object({
    id: z.string(),
    events: z.array(HistoricEventShape()),
    count: z.number(),
    next: next(),
    archived: archived(),
  }),
);

const SHOWN_STATUS: Partial<Record<OrderState, "unknown" | "open">> = {
  pending: "unknown",
  submitted: "open",
};

/** Formats an order in the history of a strategy of that kind. */
export function historicOrderOut(
  order: Order,
  strategyKind: string,
): z.input<ReturnType<typeof historicOrderShape>> {
  const { clientId, exchangeId, generation, kind, side: way, type, price, amount, filled } = order;
  return {
    id: exchangeId,
    clientOrderId: clientId,
    slot: order.label ?? order.slot,
    generation,
    kind: kind === "slot" ? strategyKind : kind,
    side: way,
    type,
    price: text(price),
    amount: text(amount),
    filled: text(filled),
    remaining: text(amount - filled),
    status: SHOWN_STATUS[order.state] ?? (order.state as "open"),
    reason: order.reason,
    fees: texts(order.bookedFees),
    timestamp: order.createdAt,
  };
}

export const fillShown = (fill: LabeledFill): z.input<ReturnType<typeof HistoricFillShape>> => ({
  id: fill.tradeId,
  clientOrderId: fill.clientId,
  slot: fill.label ?? parseClientOrderId(fill.clientId)?.slot ?? null,
  side: fill.side,
  price: text(fill.price),
  amount: text(fill.amount),
  notional: text(fill.notional),
  fees: fill.fees.map(({ asset, amount, value, isEstimated }) => ({
    asset,
    amount: text(amount),
    ...(value === undefined ? {} : { value: text(value) }),
    ...(value === undefined && !isEstimated ? {} : { estimated: isEstimated === true }),
  })),
  superseded: fill.superseded,
  timestamp: fill.at,
});

export const eventShown = ({
  id,
  kind,
  message,
  at,
  actor,
}: StoredEvent & { readonly id: number }): z.input<ReturnType<typeof HistoricEventShape>> => ({
  id,
  kind,
  message,
  by: actor,
  timestamp: at,
});

/** Formats orders for people. */
export function ordersView(answer: unknown) {
  const { orders, ...rest } = answer as z.output<ReturnType<typeof historicOrdersShape>>;
  return {
    ...rest,
    orders: orders.map((order) => withNumbers(order, ["price", "amount", "filled", "remaining"])),
  };
}

/** Formats fills for people: each fee as an amount of its asset. */
export function fillsView(answer: unknown) {
  const { fills, ...rest } = answer as z.output<ReturnType<typeof FillsShape>>;
  return {
    ...rest,
    fills: fills.map((fill) => ({
      ...withNumbers(fill, ["price", "amount", "notional"]),
      fees: fill.fees.map(({ amount, asset }) => `${amount} ${asset}`).join(" + "),
    })),
  };
}
