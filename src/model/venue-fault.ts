import type { Millis } from "../kernel/time.ts";

export const FAULT_KINDS = ["stale", "slow", "no-asks", "no-bids", "failing"] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault of a simulated exchange, with which a person tries how strategies react. */
export interface VenueFault {
  readonly kind: FaultKind;
  /** Market time of its start, which a stale exchange goes on showing. */
  readonly from: Millis;
  /** Protocol time of its end; null until a person ends it. */
  readonly until: Millis | null;
}

export const isActiveFault = ({ until }: VenueFault, now: Millis): boolean => until === null || now < until;
