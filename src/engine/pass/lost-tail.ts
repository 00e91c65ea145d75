import { parseClientOrderId } from "../../kernel/ids.ts";
import type { Event } from "../../model/events.ts";
import { highestSequence, type Strategy } from "../../model/strategy.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { VenueOrder } from "../../ports/venue.ts";
import type { Observation } from "../reconcile/observation.ts";
import { isBehind } from "../reconcile/recovery.ts";

/*
 * Every order has its row before the exchange hears of it. One on the exchange with an id that its strategy has not come
 * to tells that the database is older than it was: put back, failed over, or without what it wrote last.
 */

/** An order that this database must have forgotten, and that nobody has told it of by a restore. */
export const forgotten = (
  { strategies, epoch }: Snapshot,
  { found }: Observation,
  kinds: Kinds,
): VenueOrder | undefined => {
  const current = strategies.filter((one) => !isBehind(one, epoch));
  return found.find((told) => current.some((strategy) => isAhead(kinds(strategy.kind), strategy, told)));
};

function isAhead(kind: Kind, { number, state }: Strategy, { clientId = "" }: VenueOrder): boolean {
  const key = parseClientOrderId(clientId);
  if (key?.strategy !== number) return false;
  if (key.generation !== state.generation) return key.generation > state.generation;
  const slot = state.slots.find(({ index }) => index === key.slot);
  if (slot) return key.sequence >= slot.sequence;
  // Exits count on from the slots' ids.
  return key.sequence >= (state.exit ? highestSequence(state) + state.exit.tries : kind.nextSequence(state));
}

/** That all strategies look for their orders before they place anything. */
export const forgottenEvent = ({ lease: { account, now } }: Snapshot, { clientId }: VenueOrder): Event => ({
  account,
  strategy: null,
  at: now,
  kind: "error",
  message: `the database has lost what it wrote last: it does not know order ${clientId} on the exchange; every strategy looks up its orders before it places any`,
});
