import { clientOrderId, parseClientOrderId } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import { NEW_ORDER, type Order } from "../../model/order.ts";
import {
  EXIT_SLOT,
  type SlotSearch,
  type SlotState,
  type Strategy,
  type StrategyState,
  timeInForceOf,
} from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import type { Timing, VenueOrder } from "../../ports/venue.ts";

/*
 * A restored database has forgotten what was placed since its backup, and a trade may arrive for an order
 * that was given up. What the open list and the trades name tells of both: the ids of a strategy's orders are
 * derived, so whose an unknown order is can be read from it, and it is given its row.
 */

/** More ids than a slot uses up between a backup and its restore: after one, none is given a second time. */
const SKIPPED = 2048;
/** The same of generations: what is laid out anew may have been so since the backup. */
const SKIPPED_GENERATIONS = 256;

/** The database's epoch that a strategy has taken note of. */
const noted = ({ state, epoch }: Strategy): number => state.epoch ?? epoch;

/** Whether a strategy has not yet taken note of the database's epoch. */
export const isBehind = (strategy: Strategy, now: number): boolean => noted(strategy) !== now;

/** The id of a slot's order by its sequence. */
export const nextId = (
  { number, state }: Strategy,
  { index, sequence }: Pick<SlotState, "index" | "sequence">,
): string => clientOrderId({ strategy: number, generation: state.generation, slot: index, sequence });

/** So many ids in a row that the venue does not know end the search of a slot. */
export const MISSES = 2;

/** How far the search for a strategy's orders has come since the database was restored. */
export const searchOf = ({ state }: Strategy, epoch: number): readonly SlotSearch[] =>
  state.search?.epoch === epoch
    ? state.search.slots
    : state.slots.map(({ index, sequence }) => ({ index, sequence, misses: 0 }));

/**
 * Takes note of a new epoch once all of its next ids have been looked up: other ids from now on, and
 * nothing new until all that was under way can be seen. `searched` are the slots of which this pass has
 * looked some up; undefined where that does not count.
 */
export function recover(
  strategy: Strategy,
  {
    kind,
    epoch,
    searched,
    now,
    timing,
    sight,
  }: {
    kind: Kind;
    epoch: number;
    searched: readonly SlotSearch[] | undefined;
    now: Millis;
    timing: Timing;
    sight: { readonly tradesRead: boolean };
  },
): StrategyState {
  const { search: _, ...state } = strategy.state;
  if (!isBehind(strategy, epoch) || !searched) return strategy.state;
  const slots = searchOf(strategy, epoch).map(
    (before) => searched.find(({ index }) => index === before.index) ?? before,
  );
  // A trade that was not read yet may name an order that no search has come to.
  if (!sight.tradesRead || slots.some(({ misses }) => misses < MISSES))
    return { ...state, search: { epoch, slots } };
  const { leaseTtl, expiry, skew, readLag } = timing;
  // One backup may be restored again and again: each time another range of ids.
  const skipped = SKIPPED * Math.max(1, epoch - noted(strategy));
  return {
    ...kind.skipGenerations({ ...strategy, state }, SKIPPED_GENERATIONS),
    epoch,
    heldUntil: now + leaseTtl + expiry + skew + readLag,
    slots: state.slots.map((slot) => ({ ...slot, sequence: slot.sequence + skipped })),
  };
}

/** Which of its slot's orders an order is. */
export const sequenceOf = ({ clientId }: Pick<Order, "clientId">): number =>
  parseClientOrderId(clientId)?.sequence ?? 0;

/** Whether an order on the venue is a strategy's, by the form of its id. */
export const isOfStrategy = ({ clientId }: VenueOrder): boolean =>
  clientId !== undefined && parseClientOrderId(clientId) !== undefined;

/** The row of an order that the venue alone knew; undefined when it is of none of these strategies as they are now. */
export function adopted(told: VenueOrder, strategies: readonly Strategy[], now: Millis): Order | undefined {
  const key = parseClientOrderId(told.clientId ?? "");
  const strategy = strategies.find(({ number }) => number === key?.strategy);
  if (!key || !strategy) return undefined;
  return {
    ...NEW_ORDER,
    clientId: told.clientId ?? "",
    account: strategy.account,
    strategy: strategy.id,
    kind: key.slot === EXIT_SLOT ? "exit" : "slot",
    generation: key.generation,
    slot: key.slot,
    symbol: strategy.symbol,
    side: told.side,
    type: told.type,
    price: told.price,
    amount: told.amount,
    timeInForce: timeInForceOf(key.slot, strategy.config),
    state: "submitted",
    exchangeId: told.id,
    createdAt: told.at,
    sendBy: now,
    notAfter: now,
  };
}
