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

const KINDS: Record<CallKind, readonly Fault[]> = {
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

/**
 * Each seed draws its own mix: most kinds of faults not at all, some now and then, one or two at every second call.
 * Writes and looks at one order are few, and have the most of them.
 */
export function swarmFaults(random: Random, isQuiet: () => boolean): Faults {
  const rateOf = (kind: CallKind): number => {
    const isRare = kind === "create" || kind === "cancel";
    return random.pick([0, 0, 0, isRare ? 0.1 : 0.003, isRare ? 0.3 + 0.3 * random.share() : 0.01]);
  };
  const rates = Object.entries(KINDS).map(
    ([kind, faults]) => [kind, faults.map((fault) => [fault, rateOf(kind as CallKind)] as const)] as const,
  );
  const byKind = Object.fromEntries(rates);
  const stale = random.pick([0, 0, 0.3, 0.9]);
  const looks = random.pick([0, 0, 0.3, 0.6]);
  return ({ kind, name }) => {
    if (isQuiet()) return undefined;
    if (name === "order" && random.chance(looks)) return "request_lost";
    for (const [fault, rate] of byKind[kind] ?? []) if (rate > 0 && random.chance(rate)) return fault;
    return kind === "read" && random.chance(stale) ? "stale" : undefined;
  };
}

/** Of these none by which a read is old. */
export const fresh =
  (faults: Faults): Faults =>
  (call) => {
    const fault = faults(call);
    return fault === "stale" ? undefined : fault;
  };

/** Of these only such that every order which the exchange takes is known to be taken. */
export const answering =
  (faults: Faults): Faults =>
  (call) => {
    const fault = faults(call);
    return call.kind === "create" || call.kind === "store" || fault?.startsWith("crash") ? undefined : fault;
  };

/** Faults with the seed's own probabilities, until `quiet` says that they are over. */
export function randomFaults(random: Random, isQuiet: () => boolean): Faults {
  const level = random.pick([0, 0.005, 0.02, 0.06]);
  const stale = random.pick([0, 0.05, 0.3]);
  return ({ kind }) => {
    if (isQuiet()) return undefined;
    if (random.chance(level)) return random.pick(KINDS[kind]);
    return kind === "read" && random.chance(stale) ? "stale" : undefined;
  };
}
