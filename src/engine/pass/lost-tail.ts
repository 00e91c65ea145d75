import { parseClientOrderId, strategyTag } from "../../kernel/ids.ts";
import type { Event } from "../../model/events.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { VenueOrder } from "../../ports/venue.ts";
import type { Observation } from "../reconcile/observation.ts";
import { isBehind, serialOf } from "../reconcile/recovery.ts";

/*
 * Every order has its row before it is sent. An order on the exchange without a row shows that the database is older
 * than before: restored, failed over, or without its last commits.
 */

/** Finds an order that the database has lost since its strategies last recorded such a loss. */
export const forgotten = (
  { strategies, epoch }: Snapshot,
  { found }: Observation,
): VenueOrder | undefined => {
  const current = strategies.filter((strategy) => !isBehind(strategy, epoch));
  return found.find((order) => current.some((strategy) => isUnnoted(strategy, order)));
};

const isUnnoted = ({ number, state }: Strategy, { clientId = "" }: VenueOrder): boolean =>
  parseClientOrderId(clientId)?.tag === strategyTag(number) &&
  serialOf({ clientId }) > (state.epochSerial ?? 0);

/** Event for a lost order: every strategy reads all trades, and waits before it places an order. */
export const forgottenEvent = ({ lease: { account, now } }: Snapshot, { clientId }: VenueOrder): Event => ({
  account,
  strategy: null,
  at: now,
  kind: "error",
  message: `the database has lost its last commits: it does not know order ${clientId} on the exchange; every strategy waits until all orders can be seen`,
});
