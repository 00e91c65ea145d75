/** Slots whose order a limit refused. Retries become less frequent until someone changes the limits. */

import { isAhead, LONGEST_PAUSE, type Millis, SECOND } from "../../kernel/time.ts";
import type { LimitCode } from "../../model/limits.ts";
import type { Refusal, SlotState } from "../../model/strategy.ts";
import type { Timing } from "../../ports/venue.ts";

/** Limits that are not known to end soon; the others depend on the market, the time or a person. */
const LASTING_LIMITS: readonly LimitCode[] = [
  "limit_order",
  "limit_day",
  "limit_open_orders",
  "limit_symbol",
];

interface Now {
  /** Protocol time. */
  readonly now: Millis;
  /** Version of the limits. */
  readonly version: number | undefined;
}

export const isLasting = (reason: Refusal["reason"]): boolean =>
  (LASTING_LIMITS as readonly string[]).includes(reason);

/** Returns whether a slot waits because of a limit; then its balance and prices need no call. */
export const waitsForLimit = ({ limited }: SlotState, { now, version }: Now): boolean =>
  limited !== undefined && isAhead(limited.until, now, LONGEST_PAUSE) && limited.version === version;

/** Returns whether a slot waits, after a rejection by the exchange or a refusal by a limit. */
export const waitsToPlace = (slot: SlotState, at: Now): boolean =>
  isAhead(slot.retryAt, at.now, LONGEST_PAUSE) || waitsForLimit(slot, at);

/** Returns a slot and its refusal after a limit refused its order again. */
export function limitedAgain<S extends SlotState>(
  slot: S,
  refusal: Omit<Refusal, "slot">,
  { now, version }: Now,
  backoff: Timing["backoff"],
): { readonly slot: S; readonly refusal: Omit<Refusal, "slot"> } {
  if (!isLasting(refusal.reason) || version === undefined) return { slot, refusal };
  const times = slot.limited?.version === version ? slot.limited.times + 1 : 1;
  const wait = Math.min(backoff.most, backoff.first * 2 ** Math.min(times - 1, 20));
  const detail = `${refusal.detail}; it is tried again after ${Math.ceil(wait / SECOND)} s`;
  return {
    slot: { ...slot, limited: { times, until: now + wait, version } },
    refusal: { ...refusal, detail },
  };
}

/** Returns a slot that no limit refuses. */
export function unlimited<S extends SlotState>(slot: S): S {
  if (!slot.limited) return slot;
  const { limited: _, ...rest } = slot;
  return rest as S;
}
