import { type Millis, SECOND } from "../kernel/time.ts";
import type { Order } from "../model/order.ts";
import type { Local } from "./local.ts";
import type { StepStore } from "./stores/step-store.ts";
import type { Permit } from "./venue.ts";

/**
 * How long a look at the kill switch holds, from when it was asked for. No request that places an order leaves later
 * than this after another process has turned the switch on; in the process that has turned it, none leaves at all.
 */
export const LOOK_HOLDS: Millis = SECOND;

/** How long the record of an order holds as such a look: it is written only while the switch is off. */
export const RECORD_HOLDS: Millis = SECOND / 5;

/**
 * The kill switch as those see it who send one order of a kind after another. `recordedAt` is when the one order was
 * asked to be recorded that is sent.
 */
export function watchKill(
  { store, local }: { store: StepStore; local: Local },
  { account, kind }: Pick<Order, "account" | "kind">,
  recordedAt: Millis = Number.NEGATIVE_INFINITY,
) {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let seen = false;
  const isFresh = () => local.monotonic() - lookedAt < LOOK_HOLDS;
  const isOn = () => seen || store.knownKilled(kind);

  return {
    /** What is known of it without a look. */
    isOn,
    /** The permit of a request that places an order: it looks at the switch in its turn, right before it is signed. */
    unlessOn(permit: Permit): Permit {
      return {
        ...permit,
        // An answer that took long may be as old, so it is asked for again, as long as the request may leave at all.
        async look() {
          if (local.monotonic() - recordedAt < RECORD_HOLDS) lookedAt = Math.max(lookedAt, recordedAt);
          while (!isOn() && !isFresh() && permit.mayLeave()) {
            const requestedAt = local.monotonic();
            seen = await store.killed(account, kind);
            lookedAt = requestedAt;
          }
        },
        mayLeave: () => !isOn() && isFresh() && permit.mayLeave(),
      };
    },
  };
}
