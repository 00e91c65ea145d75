import type { Random } from "./random.ts";

/** What can go wrong with one call to the store or to a venue. */
export type Fault =
  | "crash_before"
  | "crash_after"
  | "request_lost"
  | "response_lost"
  | "late_effect"
  | "pause"
  | "slow"
  | "stale"
  | "refused";

export const SIX_FAULTS: readonly Fault[] = [
  "crash_before",
  "crash_after",
  "request_lost",
  "response_lost",
  "late_effect",
  "pause",
];

export type CallKind = "store" | "read" | "create" | "cancel";

export interface Call {
  readonly kind: CallKind;
  readonly name: string;
  /** Its number in the run. */
  readonly index: number;
}

/** Decides what goes wrong with a call. */
export type Faults = (call: Call) => Fault | undefined;

export const noFaults: Faults = () => undefined;

/** One fault at one call. */
export const faultAt =
  (index: number, fault: Fault): Faults =>
  (call) =>
    call.index === index ? fault : undefined;

/** Faults with the seed's own probabilities, until `quiet` says that they are over. */
export function randomFaults(random: Random, isQuiet: () => boolean): Faults {
  const level = random.pick([0, 0.005, 0.02, 0.06]);
  const stale = random.pick([0, 0.05, 0.3]);
  const kinds: Record<CallKind, readonly Fault[]> = {
    store: ["crash_before", "crash_after", "request_lost", "response_lost", "pause", "slow"],
    read: ["crash_before", "crash_after", "request_lost", "response_lost", "pause", "slow", "refused"],
    create: [
      "crash_before",
      "crash_after",
      "request_lost",
      "response_lost",
      "late_effect",
      "pause",
      "slow",
      "refused",
    ],
    cancel: ["crash_before", "crash_after", "request_lost", "response_lost", "late_effect", "pause", "slow"],
  };
  return ({ kind }) => {
    if (isQuiet()) return undefined;
    if (random.chance(level)) return random.pick(kinds[kind]);
    return kind === "read" && random.chance(stale) ? "stale" : undefined;
  };
}
