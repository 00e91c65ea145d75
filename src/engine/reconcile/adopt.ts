import { ZERO } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { VenueOrder } from "../../ports/venue.ts";
import { areTradesRequested, isLookedFor, type Observation } from "./observation.ts";
import { isFinal } from "./order-life.ts";
import { type Reconciled, reconcileFound, settledFromSums } from "./reconcile.ts";
import { adopted, serialOf } from "./recovery.ts";

export interface Adopted {
  /** All orders of the account, including those that only the exchange knew. */
  readonly reconciled: readonly Reconciled[];
  /** An open order of one of these strategies that must wait for its row. */
  readonly orphan: string | null;
  /** An open order of a strategy that this database does not know. */
  readonly stranger: string | null;
  /** When the first waiting order was placed: its market is read again from that time. */
  readonly waiting: ReadonlyMap<Pair, Millis>;
}

/** Creates rows for orders that only the exchange knew, in the order of each slot. */
export function adopt(
  known: readonly Reconciled[],
  strategies: readonly Strategy[],
  observation: Observation,
  now: Millis,
): Adopted {
  let reconciled = known;
  let orphan: string | null = null;
  let stranger: string | null = null;
  const waiting = new Map(observation.unlooked);
  const found = observation.found.flatMap((venueOrder) => {
    const row = adopted(venueOrder, strategies, now);
    if (!row && isOpen(venueOrder)) stranger = venueOrder.clientId ?? venueOrder.id;
    return row ? [{ venueOrder, row }] : [];
  });
  for (const { venueOrder, row } of found.sort((a, b) => serialOf(a.row) - serialOf(b.row))) {
    const one = reconcileFound(row, venueOrder, observation, now);
    // The next pass queries trades that this pass has not looked for.
    const isWhole = one.order.gap === ZERO || isLookedFor(one.order, observation);
    const isNext = venueOrder.at <= knownUntil(observation, row.symbol);
    const after =
      isWhole && isNext ? withAdopted(reconciled, one, { at: venueOrder.at, observation }) : undefined;
    if (after) reconciled = after;
    else {
      waiting.set(row.symbol, Math.min(venueOrder.at, waiting.get(row.symbol) ?? venueOrder.at));
      if (isOpen(venueOrder)) orphan = row.clientId;
    }
  }
  return { reconciled, orphan, stranger, waiting };
}

/** Returns the time until which every trade and its order are known: no trade of an earlier order of a slot can follow. */
function knownUntil({ markets, unlooked }: Observation, symbol: Pair): Millis {
  const { tradesRead = false, reading } = markets.get(symbol) ?? {};
  const read = tradesRead ? Number.POSITIVE_INFINITY : (reading?.from ?? Number.NEGATIVE_INFINITY);
  return Math.min(read, unlooked.get(symbol) ?? Number.POSITIVE_INFINITY);
}

const isOpen = ({ status }: VenueOrder): boolean => status === "open" || status === "partially_filled";

/**
 * Adds an order; returns undefined while another order of its slot is in the way. A later order of a slot proves that
 * the earlier one ended and was booked from its own sums, if its trades are no longer visible.
 */
function withAdopted(
  orders: readonly Reconciled[],
  reconciled: Reconciled,
  { at, observation }: { at: Millis; observation: Observation },
): readonly Reconciled[] | undefined {
  const isBefore = ({ order }: Reconciled) =>
    isSameSlot(order, reconciled.order) && serialOf(order) < serialOf(reconciled.order);
  const after = orders.map((other) =>
    isBefore(other) && isFinal(other.order) && isRequestedInVain(other, observation)
      ? settledFromSums(other, at)
      : other,
  );
  const isBlocked = after.some(
    ({ order }) =>
      !order.settled &&
      isSameSlot(order, reconciled.order) &&
      (!reconciled.order.settled || serialOf(order) < serialOf(reconciled.order)),
  );
  return isBlocked ? undefined : [...after, reconciled];
}

/**
 * Returns whether an order was known to lack trades before this pass, and the pass queried them without success. Only
 * then can trades older than the cursor be distinguished from booked ones.
 */
const isRequestedInVain = ({ before, order }: Reconciled, observation: Observation): boolean =>
  before.filled > before.booked && areTradesRequested(order, observation);

const isSameSlot = (a: Order, b: Order): boolean =>
  a.strategy === b.strategy && a.generation === b.generation && a.slot === b.slot;

/** Finds orders that were given up but are open after all, which means that a timing limit was exceeded. */
export function revenants({ late, markets }: Observation): Order[] {
  if (late.length === 0) return [];
  const open = new Set([...markets.values()].flatMap((observed) => observed.open.map(({ id }) => id)));
  return late.filter(
    (order) => order.strategy !== null && isFinal(order) && open.has(order.exchangeId ?? ""),
  );
}
