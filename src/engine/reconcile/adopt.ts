import { ZERO } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { VenueOrder } from "../../ports/venue.ts";
import { isLookedFor, type Observation } from "./observation.ts";
import { isFinal } from "./order-life.ts";
import { type Reconciled, reconcileFound, settledFromSums } from "./reconcile.ts";
import { adopted, serialOf } from "./recovery.ts";

export interface Adopted {
  /** All orders of the account, those included that the venue alone knew. */
  readonly reconciled: readonly Reconciled[];
  /** An open order of one of these strategies that has to wait for its row. */
  readonly held: string | null;
  /** An open order of a strategy that this database does not know. */
  readonly stranger: string | null;
  /** When the first order that has to wait for its row was placed: its market is read again from there. */
  readonly waiting: ReadonlyMap<Pair, Millis>;
}

/** Gives rows to the orders that the venue alone knew, each slot's in their order. */
export function adopt(
  known: readonly Reconciled[],
  strategies: readonly Strategy[],
  observation: Observation,
  now: Millis,
): Adopted {
  let reconciled = known;
  let held: string | null = null;
  let stranger: string | null = null;
  const waiting = new Map(observation.unlooked);
  const found = observation.found.flatMap((venueOrder) => {
    const row = adopted(venueOrder, strategies, now);
    if (!row && isOpen(venueOrder)) stranger = venueOrder.clientId ?? venueOrder.id;
    return row ? [{ told: venueOrder, row }] : [];
  });
  for (const { told: venueOrder, row } of found.sort((a, b) => serialOf(a.row) - serialOf(b.row))) {
    const one = reconcileFound(row, venueOrder, observation, now);
    // Trades that this pass has not looked for are asked for by the next one.
    const isWhole = one.order.gap === ZERO || isLookedFor(one.order, observation);
    const isNext = venueOrder.at <= knownUntil(observation, row.symbol);
    const after =
      isWhole && isNext ? withAdopted(reconciled, one, { at: venueOrder.at, observation }) : undefined;
    if (after) reconciled = after;
    else {
      waiting.set(row.symbol, Math.min(venueOrder.at, waiting.get(row.symbol) ?? venueOrder.at));
      if (isOpen(venueOrder)) held = row.clientId;
    }
  }
  return { reconciled, held, stranger, waiting };
}

/** Until then every trade is known, with its order: none of an earlier order of a slot is still to come. */
function knownUntil({ markets, unlooked }: Observation, symbol: Pair): Millis {
  const { tradesRead = false, reading } = markets.get(symbol) ?? {};
  const read = tradesRead ? Number.POSITIVE_INFINITY : (reading?.from ?? Number.NEGATIVE_INFINITY);
  return Math.min(read, unlooked.get(symbol) ?? Number.POSITIVE_INFINITY);
}

const isOpen = ({ status }: VenueOrder): boolean => status === "open" || status === "partially_filled";

/**
 * The orders with one more; undefined while another one of its slot is in the way. That a later order of the
 * slot exists proves that an earlier one had come to its end and was booked: from its own sums, where its
 * trades are not shown any more.
 */
function withAdopted(
  orders: readonly Reconciled[],
  one: Reconciled,
  { at, observation }: { at: Millis; observation: Observation },
): readonly Reconciled[] | undefined {
  const isBefore = ({ order }: Reconciled) =>
    isSameSlot(order, one.order) && serialOf(order) < serialOf(one.order);
  const after = orders.map((other) =>
    isBefore(other) && isFinal(other.order) && isRequestedInVain(other, observation)
      ? settledFromSums(other, at)
      : other,
  );
  const isBlocked = after.some(
    ({ order }) =>
      !order.settled &&
      isSameSlot(order, one.order) &&
      (!one.order.settled || serialOf(order) < serialOf(one.order)),
  );
  return isBlocked ? undefined : [...after, one];
}

/**
 * That it lacks trades was known before this pass, and it was asked for them: only then are those older than the
 * cursor told from booked ones.
 */
const isRequestedInVain = ({ before, order }: Reconciled, { markets }: Observation): boolean =>
  before.filled > before.booked && markets.get(order.symbol)?.asked?.has(order.exchangeId ?? "") === true;

const isSameSlot = (a: Order, b: Order): boolean =>
  a.strategy === b.strategy && a.generation === b.generation && a.slot === b.slot;

/** Orders that were given up, as they could not be found, and that are open after all: a bound was broken. */
export function revenants({ late, markets }: Observation): Order[] {
  if (late.length === 0) return [];
  const open = new Set([...markets.values()].flatMap((sight) => sight.open.map(({ id }) => id)));
  return late.filter(
    (order) => order.strategy !== null && isFinal(order) && open.has(order.exchangeId ?? ""),
  );
}
