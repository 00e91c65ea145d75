import { AppError } from "../kernel/errors.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { Order } from "../model/order.ts";
import type { PassStore } from "./stores/pass-store.ts";
import type { Store } from "./stores/store.ts";
import type { MarketData, Permit, Venue } from "./venue.ts";
import type { Local } from "./within-time.ts";

/**
 * How long a read of the kill switch stays valid, from the start of the read. After another process turns the switch
 * on, no order leaves later than this. In the process that turns it on, no order leaves at all.
 */
export const SWITCH_READ_VALID_MS: Millis = SECOND;

/** How long the record of an order is valid as such a read: the store writes it only while the switch is off. */
export const RECORD_VALID_MS: Millis = SECOND / 5;

/** Maximum number of reads before one request; a Worker can make few requests, and these are part of its budget. */
const MAX_SWITCH_READS = 2;

/**
 * Watches the kill switch while several orders of one kind are sent. `recordedAt` is the time at which the current
 * order's record was requested.
 */
export function watchKill(
  { store, local }: { store: PassStore; local: Local },
  { account, kind }: Pick<Order, "account" | "kind">,
  recordedAt: Millis = Number.NEGATIVE_INFINITY,
) {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let wasOn = false;
  const isFresh = () => local.monotonic() - lookedAt < SWITCH_READ_VALID_MS;
  const isOn = () => wasOn || store.knownKilled(kind);

  return {
    /** Returns the last known state, without a read. */
    isOn,
    /**
     * Returns the permit of an order's request: it reads the switch when the request's turn comes, right before it is
     * signed.
     */
    unlessOn(permit: Permit): Permit {
      return {
        ...permit,
        // A slow response can be outdated, so the switch is read once more, as long as the request can still leave.
        async look() {
          if (local.monotonic() - recordedAt < RECORD_VALID_MS) lookedAt = Math.max(lookedAt, recordedAt);
          for (
            let reads = 0;
            reads < MAX_SWITCH_READS && !isOn() && !isFresh() && permit.mayLeave();
            reads++
          ) {
            const requestedAt = local.monotonic();
            wasOn = await store.killed(account, kind);
            lookedAt = requestedAt;
          }
        },
        mayLeave: () => !isOn() && isFresh() && permit.mayLeave(),
      };
    },
  };
}

/** A kill switch of one process, independent of the database: its settings, or a file next to the database. */
export interface KillHere {
  /** Reason why orders are blocked; undefined if they are not. Evaluated immediately before use. */
  readonly reason: () => string | undefined;
  /** Path of the file that stops every process on this machine, for messages; absent on platforms without files. */
  readonly file?: string | undefined;
}

/** Error for an order or a start while the kill switch is on. */
export function killRefusal(here: KillHere | undefined, what: string): AppError {
  const why = here?.reason();
  const until = why === undefined ? "turn it off to trade again" : `in this process, because ${why}`;
  return new AppError("Forbidden", `the kill switch is on: ${what}; ${until}`);
}

/** Wraps the store for such a process: the kill switch is on, and no intent is recorded. */
export function withKillHere(store: Store, { reason }: KillHere): Store {
  const isOn = () => reason() !== undefined;
  return {
    ...store,
    killed: async (account, kind) => isOn() || store.killed(account, kind),
    knownKilled: (kind) => isOn() || store.knownKilled(kind),
    async takeLease(request) {
      const snapshot = await store.takeLease(request);
      return snapshot && isOn()
        ? { ...snapshot, kill: { ...snapshot.kill, on: true, sells: false } }
        : snapshot;
    },
    record: (lease, changes) =>
      store.record(lease, isOn() ? changes.map((change) => ({ ...change, intents: [] })) : changes),
    createStrategy: (strategy, by) => store.createStrategy({ ...strategy, isKilledHere: isOn }, by),
    recordByHand: async (order, terms, by) =>
      isOn() ? { result: "refused" } : store.recordByHand(order, terms, by),
  };
}

/** Public data for requests, with or without a token, with a rate limit separate from that of passes. */
export const forAnyone = (venue: Venue): MarketData => venue.forAnyone ?? venue;
