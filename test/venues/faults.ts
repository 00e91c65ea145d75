/** Faults that can be switched on per route and for a number of requests. */
import type { Millis } from "../../src/kernel/time.ts";
import type { Route } from "./dialect.ts";

/**
 * - rate_limit, server_error, maintenance: in the exchange's own words; bad_gateway: 502 with HTML
 * - empty: 200 without a body; cut: a whole answer whose JSON ends in the middle
 * - truncated: announces the whole length, sends half and closes; hang_body: headers and half, then silence
 * - hang: no answer at all; drop: closes the connection without one
 * - says: refuses with `code` and `text` in the exchange's own envelope, whatever it has done
 * - slow: answers `millis` later, or once `until` has come; late: acts `millis` later by the venue's clock if the request is still valid then,
 *   and closes the connection at once
 */
export type FaultKind =
  | "rate_limit"
  | "server_error"
  | "bad_gateway"
  | "maintenance"
  | "empty"
  | "cut"
  | "truncated"
  | "hang"
  | "hang_body"
  | "drop"
  | "says"
  | "slow"
  | "late";

export interface Fault {
  readonly kind: FaultKind;
  /** Whether the venue does what is asked although the answer is bad; `slow` and `late` always do. */
  readonly acts?: boolean;
  readonly millis?: Millis;
  /** Of `slow`. */
  readonly until?: Promise<unknown>;
  /** Of `says`. */
  readonly code?: string;
  readonly text?: string;
}

export type Switch = Fault & {
  /** All routes when left out. */
  readonly route?: Route | readonly Route[];
  /** How many requests it meets; 1 when left out. */
  readonly times?: number;
  /** How many matching requests pass before it begins. */
  readonly skip?: number;
};

export function createFaults() {
  let switches: { fault: Switch; skip: number; left: number }[] = [];
  let chance: ((route: Route) => Fault | undefined) | undefined;
  return {
    on(fault: Switch) {
      switches.push({ fault, skip: fault.skip ?? 0, left: fault.times ?? 1 });
    },
    /** Asked at every request; for random faults. */
    chance(decide: ((route: Route) => Fault | undefined) | undefined) {
      chance = decide;
    },
    off() {
      switches = [];
      chance = undefined;
    },
    /** The fault that the next request of this route meets, counted. */
    take(route: Route): Fault | undefined {
      for (const one of switches) {
        if (one.left <= 0 || !meets(one.fault, route)) continue;
        if (one.skip > 0) {
          one.skip--;
          continue;
        }
        one.left--;
        return one.fault;
      }
      return chance?.(route);
    },
  };
}

const meets = ({ route }: Switch, request: Route): boolean =>
  route === undefined || (typeof route === "string" ? route === request : route.includes(request));
