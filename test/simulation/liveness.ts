import type { Timing } from "../../src/ports/venue.ts";
import type { Deed } from "./deeds.ts";
import type { Call, CallKind, Fault, Faults } from "./faults.ts";
import { type Plan, REAL_TIMING } from "./plan.ts";
import type { Random } from "./random.ts";
import { START } from "./shape.ts";

/** One kind of trouble alone, up to the moment from which everything has to come right. */
export type Trouble =
  | Fault
  | "looks lost"
  | "store away"
  | "exchange away"
  | "cancel only"
  | "processes die"
  | "database put back"
  | "database put back twice"
  | "trades late or never";

export const TROUBLES: readonly Trouble[] = [
  "crash_before",
  "crash_after",
  "request_lost",
  "response_lost",
  "late_effect",
  "pause",
  "slow",
  "stale",
  "refused",
  "looks lost",
  "store away",
  "exchange away",
  "cancel only",
  "processes die",
  "database put back",
  "database put back twice",
  "trades late or never",
];

const AT_CALLS: Readonly<Record<Fault, readonly CallKind[]>> = {
  crash_before: ["store", "read", "create", "cancel"],
  crash_after: ["store", "read", "create", "cancel"],
  request_lost: ["store", "read", "create", "cancel"],
  response_lost: ["store", "read", "create", "cancel"],
  pause: ["store", "read", "create", "cancel"],
  slow: ["store", "read", "create", "cancel"],
  late_effect: ["create", "cancel"],
  stale: ["read"],
  refused: ["read", "create"],
};

/** Of writes every third, of all other calls so many that passes still come to their writes. */
const rateOf = ({ kind }: Call): number => (kind === "create" || kind === "cancel" ? 0.35 : 0.05);

export function faultsOf(trouble: Trouble, random: Random, isQuiet: () => boolean): Faults {
  if (trouble === "looks lost")
    return ({ kind, name }) => {
      if (isQuiet()) return undefined;
      if (name === "order") return "request_lost";
      return kind === "create" && random.chance(0.35) ? "response_lost" : undefined;
    };
  if (!(trouble in AT_CALLS)) return () => undefined;
  const fault = trouble as Fault;
  return (call) =>
    !isQuiet() && AT_CALLS[fault].includes(call.kind) && random.chance(rateOf(call)) ? fault : undefined;
}

/** The trouble's own part of a plan. */
export function troubled(plan: Plan, trouble: Trouble): Plan {
  const span = plan.quietAt - START;
  const at = (share: number, deed: Deed) => ({ at: START + Math.floor(span * share), deed });
  const away = (what: "store" | "venue") => at(0.5, { kind: "outage", what, millis: span * 0.5 });
  const deeds: Partial<Record<Trouble, Plan["deeds"]>> = {
    "store away": [away("store")],
    "exchange away": [away("venue")],
    "cancel only": [at(0.5, { kind: "maintenance", millis: span * 0.5 })],
    "processes die": [0.2, 0.4, 0.6, 0.8, 0.99].map((share) => at(share, { kind: "kill_process" })),
    "database put back": [at(0.3, { kind: "backup" }), at(0.99, { kind: "restore" })],
    "database put back twice": [
      at(0.3, { kind: "backup" }),
      at(0.7, { kind: "restore" }),
      at(0.99, { kind: "restore" }),
    ],
  };
  const all = [...plan.deeds, ...(deeds[trouble] ?? [])].sort((a, b) => a.at - b.at);
  if (trouble !== "trades late or never") return { ...plan, deeds: all };
  return { ...plan, deeds: all, late: true, endAt: plan.endAt + TRADES_WAIT };
}

const TRADES_WAIT = 600_000;
const TICKS_LEFT = 6;

/**
 * The longest from the last fault until nothing is left to be done: the pause after failed passes, the time until a
 * request can have no effect any more and shows, the second look, and some ticks; a gap in the trades waits longer.
 */
export function rightWithin(trouble: Trouble, { timing, interval }: Pick<Plan, "timing" | "interval">) {
  const wait = trouble === "trades late or never" ? TRADES_WAIT : 0;
  return timing.backoff.max + doubtOf(timing) + wait + TICKS_LEFT * interval;
}

const doubtOf = ({ leaseTtl, expiry, skew, readLag, secondMiss }: Timing): number =>
  leaseTtl + expiry + skew + readLag + secondMiss;

/** The same for a real exchange, in words of the table. */
export const REAL_BOUND = rightWithin("slow", { timing: REAL_TIMING, interval: 5000 });
