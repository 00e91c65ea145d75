import { createValue } from "./value.ts";

/** Counts up whenever something may have happened that a page shows. */
export const pulse = createValue(0);

const EVERY = 5000;

/** Beats while a page is looked at; until it is ended. */
export function startPulse(): () => void {
  const timer = setInterval(() => document.hidden || pulse.set(pulse.get() + 1), EVERY);
  return () => clearInterval(timer);
}
