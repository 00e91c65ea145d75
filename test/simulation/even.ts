/** Runs in which the number of reads, and of calls to the store, changes no request to the exchange. */
import type { Deed } from "./deeds.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";

/** Restarts and maintenance stay: they happen at their times, whatever else happens. */
const FAULTS = new Set<Deed["kind"]>([
  "backup",
  "restore",
  "keep_tail",
  "lose_tail",
  "clock_step",
  "clock_jump",
  "outage",
  "exchange_down",
  "endpoint_down",
]);

/** The same plan without faults. */
export const even = (plan: Plan): Plan => ({
  ...plan,
  refused: 0,
  deeds: plan.deeds.filter(({ deed }) => !FAULTS.has(deed.kind)),
});

/** Draws nothing. Its texts count up, so that manual orders sort by time, however many texts are drawn between them. */
export function evenRandom(): Random {
  let count = 0;
  const refuse = () => {
    throw new Error("an even run draws nothing");
  };
  return {
    share: refuse,
    chance: refuse,
    whole: refuse,
    pick: refuse,
    text: (length) => (count++).toString(36).padStart(length, "0").slice(-length),
  };
}
