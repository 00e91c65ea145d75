import { DAY, type Millis } from "../../src/kernel/time.ts";

/** Longer than what follows takes, however busy the machine. */
const SOON: Millis = 100_000;

/** Where a day of UTC ends soon, waits for the next one: what is counted by days then counts in one. */
export async function withinOneDay(soon = SOON): Promise<void> {
  const left = DAY - (Date.now() % DAY);
  if (left < soon) await new Promise((resolve) => setTimeout(resolve, left + 1));
}
