import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Timing, Venue, VenueFill, VenueOrder } from "../../ports/venue.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";
import type { OrderReport } from "../reconcile/order-life.ts";
import { isOfStrategy } from "../reconcile/recovery.ts";
import type { Budget } from "./budget.ts";
import { askWithin } from "./within-budget.ts";

/** Returns ids of orders in trades or a list that match no unsettled order of ours. */
export function strangersAmong(
  { orders }: Snapshot,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  reports: ReadonlyMap<string, OrderReport>,
  ended: readonly VenueOrder[] = [],
): ReadonlySet<string> {
  const known = new Set<string>();
  for (const order of orders) {
    const observed = reports.get(order.clientId);
    if (order.exchangeId) known.add(order.exchangeId);
    if (typeof observed === "object") known.add(observed.id);
  }
  const named = [...markets].flatMap(([symbol, observed]) => [
    ...namesIn(symbol, observed).map(({ orderId }) => orderId),
    ...observed.open.filter((order) => !known.has(order.id) && isOfStrategy(order)).map(({ id }) => id),
  ]);
  return new Set([...named, ...ended.map(({ id }) => id)].filter((id) => !known.has(id)));
}

/**
 * Looks up orders without a row. Open ones are already known; one that appears only in a trade is looked up once.
 * While its trade is recent, a missing order proves nothing.
 */
export async function lookAtStrangers(
  venue: Venue,
  { memory, lease: { now } }: Snapshot,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  {
    unknown,
    ended = [],
    budget,
  }: { unknown: readonly string[]; ended?: readonly VenueOrder[]; budget: Budget },
) {
  const found: VenueOrder[] = [];
  const foreign: string[] = [];
  const unlooked = new Map<Pair, Millis>();
  let short = false;
  for (const id of unknown.filter((one) => !memory.foreign.includes(one))) {
    const listed = openWith(markets, id) ?? ended.find((order) => order.id === id);
    const looked = listed ? { answer: listed } : await lookAtTraded(venue, markets, id, budget);
    if (!looked) {
      leave(unlooked, markets, id);
      short = true;
    } else {
      const order = looked.answer;
      if (order && isOfStrategy(order)) found.push(order);
      else if (order || !isYoung(venue.timing, tradesNaming(markets, id), now)) foreign.push(id);
      else leave(unlooked, markets, id);
    }
  }
  return { found, foreign, unlooked, short };
}

type Naming = Pick<VenueFill, "orderId" | "symbol" | "at">;

/** Returns order ids of trades, including trades that cannot be booked. */
const namesIn = (symbol: Pair, { trades, unreadable }: MarketSnapshot): readonly Naming[] => [
  ...trades,
  ...unreadable.flatMap(({ orderId, at }) => (orderId === null ? [] : [{ orderId, symbol, at: at ?? 0 }])),
];

const tradesNaming = (markets: ReadonlyMap<Pair, MarketSnapshot>, id: string): Naming[] =>
  [...markets].flatMap(([symbol, observed]) =>
    namesIn(symbol, observed).filter(({ orderId }) => orderId === id),
  );

// A simulated venue, whose trades have simulated times, shows everything at once.
const isYoung = ({ readLag, skew }: Timing, trades: readonly Naming[], now: Millis): boolean =>
  readLag > 0 && trades.some(({ at }) => now - at <= readLag + skew);

// Its market is read again from its first trade.
function leave(unlooked: Map<Pair, Millis>, markets: ReadonlyMap<Pair, MarketSnapshot>, id: string): void {
  for (const { symbol, at } of tradesNaming(markets, id))
    unlooked.set(symbol, Math.min(at, unlooked.get(symbol) ?? at));
}

const openWith = (markets: ReadonlyMap<Pair, MarketSnapshot>, id: string): VenueOrder | undefined =>
  [...markets.values()].flatMap(({ open }) => open).find((order) => order.id === id);

async function lookAtTraded(
  venue: Venue,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  id: string,
  budget: Budget,
): Promise<{ readonly answer: VenueOrder | undefined } | undefined> {
  const { symbol } = tradesNaming(markets, id)[0] ?? {};
  return symbol === undefined ? { answer: undefined } : askWithin(budget, () => venue.order({ symbol, id }));
}
