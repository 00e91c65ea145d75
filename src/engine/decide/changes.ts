import type { Decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { Fill, FillCursor } from "../../model/fill.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Advanced } from "../../ports/kind.ts";
import {
  type Changes,
  NO_CHANGES,
  type Snapshot,
  type StrategyUpdate,
} from "../../ports/stores/step-store.ts";
import { cursorAfter, missingSince } from "../reconcile/fill-cursor.ts";
import { addFee, movementsOf } from "../reconcile/fills.ts";
import type { Observation } from "../reconcile/observation.ts";
import type { Reconciled } from "../reconcile/reconcile.ts";

/** Returns what the database must store of a strategy after a pass. */
export function changesOf(
  before: Strategy,
  advanced: Advanced,
  reconciled: readonly Reconciled[],
  now: Millis,
): Changes {
  const { strategy, intents, terms, released, events } = advanced;
  const known = reconciled.filter(({ adopted }) => !adopted);
  const adopted = reconciled.filter((reconciled) => reconciled.adopted).map(({ order }) => order);
  const left = new Map(released.map((order) => [order.clientId, order]));
  const orders = known.map((reconciled) => left.get(reconciled.order.clientId) ?? reconciled.order);
  return {
    ...NO_CHANGES,
    wish: strategy.status === "stopped" ? before : null,
    strategy: updateOf(before, strategy),
    fills: reconciled.flatMap(({ fills }) => fills),
    orders: orders.filter((order, index) => order !== known[index]?.before),
    adopted,
    intents,
    terms,
    events: [
      ...adopted.map((order) => adoptedEvent(order, now)),
      ...reconciled.flatMap((reconciled) => orderEvents(reconciled, now)),
      ...statusEvents(before, strategy, now),
      ...pausedEvents(before, strategy, now),
      ...events,
    ],
  };
}

/** Returns what the database must store of the account: manual orders, fills of unknown orders, and fill cursors. */
export const accountChanges = (
  {
    reconciled,
    snapshot,
    observation,
    memory,
    waiting,
    live,
    events,
  }: {
    reconciled: readonly Reconciled[];
    /** Other events of the account. */
    events: readonly Event[];
    /** All unsettled orders of the account after this pass. */
    live: readonly Order[];
    snapshot: Snapshot;
    observation: Observation;
    memory: AccountMemory | null;
    waiting: ReadonlyMap<Pair, Millis>;
  },
  now: Millis,
): Changes => ({
  ...NO_CHANGES,
  fills: reconciled.flatMap(({ fills }) => fills),
  orders: reconciled.filter(({ order, before }) => order !== before).map(({ order }) => order),
  events: [...events, ...reconciled.flatMap((reconciled) => orderEvents(reconciled, now))],
  cursors: cursorsOf(snapshot, observation, waiting, { live, now }),
  memory,
});

export const changesAnything = ({
  strategy,
  fills,
  orders,
  adopted,
  intents,
  events,
  cursors,
  memory,
}: Changes): boolean =>
  strategy !== null ||
  memory !== null ||
  Object.keys(cursors).length > 0 ||
  [fills, orders, adopted, intents, events].some(({ length }) => length > 0);

function updateOf(
  before: Strategy,
  { id, version, config, state, status, phase, lastError, stoppedAt }: Strategy,
): StrategyUpdate | null {
  const same =
    before.config === config &&
    before.state === state &&
    before.status === status &&
    before.phase === phase &&
    before.lastError === lastError &&
    before.stoppedAt === stoppedAt;
  const edited = before.config === config ? {} : { config };
  return same ? null : { id, version, ...edited, state, status, phase, lastError, stoppedAt };
}

function statusEvents(before: Strategy, { id, account, status, lastError }: Strategy, at: Millis): Event[] {
  if (before.status === status) return [];
  const message = `${before.status} to ${status}${lastError ? `: ${lastError}` : ""}`;
  return [{ account, strategy: id, at, kind: "status", message }];
}

/** Event when a limit on losses begins to pause the strategy. If the limit ends it, its exit is the event. */
function pausedEvents(
  { state: { halted } }: Strategy,
  { id, account, state }: Strategy,
  at: Millis,
): Event[] {
  if (halted || !state.halted || state.exit) return [];
  return [{ account, strategy: id, at, kind: "error", message: `it is paused: ${state.halted}` }];
}

function orderEvents({ order, before, lost }: Reconciled, at: Millis): Event[] {
  const event = (kind: Event["kind"], message: string): Event[] => [
    { account: order.account, strategy: order.strategy, at, kind, message: `${order.clientId}: ${message}` },
  ];
  if (lost) return event("lost", order.reason ?? "not found");
  if (before.state !== "rejected" && order.state === "rejected")
    return event("rejected", order.reason ?? "rejected");
  return [];
}

const adoptedEvent = ({ account, strategy, clientId }: Order, at: Millis): Event => ({
  account,
  strategy,
  at,
  kind: "adopted",
  message: `${clientId}: found on the exchange, placed after the database backup`,
});

function cursorsOf(
  { cursors }: Snapshot,
  { markets, timing }: Observation,
  waiting: ReadonlyMap<Pair, Millis>,
  { live, now }: { live: readonly Order[]; now: Millis },
): Record<string, FillCursor> {
  const moved: Record<string, FillCursor> = {};
  for (const [symbol, { reading }] of markets) {
    const orders = live.filter((order) => order.symbol === symbol);
    const most = Math.min(
      waiting.get(symbol) ?? Number.POSITIVE_INFINITY,
      reading?.until === undefined ? 0 : missingSince(orders, now, reading.until),
    );
    const next = reading && cursorAfter(cursors[symbol], reading, timing, most);
    if (next) moved[symbol] = next;
  }
  return moved;
}

/** Maximum number of remembered orders that do not belong to edgemaker. */
const MOST_FOREIGN = 200;

/** Returns the account's memory after a pass: prices, balances, and balance changes from strategies' fills. */
export function remember(
  memory: AccountMemory,
  { markets, balances, foreign, confidence }: Observation,
  {
    fills,
    waiting,
    now,
  }: { readonly fills: readonly Fill[]; readonly waiting: ReadonlyMap<Pair, Millis>; readonly now: Millis },
): AccountMemory {
  const quotes = [...markets].flatMap(([symbol, { quote, market }]) =>
    quote ? [[symbol, { mid: midOf(quote), at: quote.at, lot: market?.lot, observedAt: now }] as const] : [],
  );
  const elsewhere = [...markets].flatMap(([symbol, observed]) =>
    observed.elsewhere ? [[symbol, observed.elsewhere] as const] : [],
  );
  const candles = [...markets].flatMap(([symbol, market]) =>
    market.candles ? [[symbol, market.candles] as const] : [],
  );
  const read = [...markets].filter(([symbol, { tradesRead }]) => tradesRead && !waiting.has(symbol));
  const totals =
    balances && Object.fromEntries(balances.map(({ asset, free, used }) => [asset, free + used]));
  const moved = fills
    .filter(({ strategy, superseded }) => strategy !== null && !superseded)
    .reduce(withMovement, memory.moved);
  return {
    ...memory,
    marks: { ...memory.marks, ...Object.fromEntries(quotes) },
    ...(confidence?.size ? { confidence: { ...memory.confidence, ...Object.fromEntries(confidence) } } : {}),
    ...(elsewhere.length > 0 ? { elsewhere: { ...memory.elsewhere, ...Object.fromEntries(elsewhere) } } : {}),
    ...(candles.length > 0 ? { candles: { ...memory.candles, ...Object.fromEntries(candles) } } : {}),
    baseline: memory.baseline ?? totals ?? null,
    ...(balances ? { balances, movedBefore: moved } : {}),
    ...searchPagesAfter(memory, markets),
    tradesAt: { ...memory.tradesAt, ...Object.fromEntries(read.map(([symbol]) => [symbol, now])) },
    foreign: foreign.length === 0 ? memory.foreign : [...memory.foreign, ...foreign].slice(-MOST_FOREIGN),
    moved,
  };
}

function searchPagesAfter(
  { searchPages }: AccountMemory,
  markets: Observation["markets"],
): Pick<AccountMemory, "searchPages"> {
  const left = Object.entries(searchPages ?? {}).filter(([symbol]) => !markets.has(symbol as Pair));
  const next = [...markets].flatMap(([symbol, { searchPage }]) =>
    searchPage === undefined ? [] : [[symbol, searchPage] as const],
  );
  const pages = [...left, ...next];
  return { searchPages: pages.length === 0 ? undefined : Object.fromEntries(pages) };
}

const withMovement = (
  moved: Readonly<Record<string, Decimal>>,
  fill: Fill,
): Readonly<Record<string, Decimal>> => movementsOf(fill.symbol, fill).reduce(addFee, moved);
