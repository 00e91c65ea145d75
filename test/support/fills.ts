import { nextSpan, withAnswer } from "../../src/engine/reconcile/order-fills.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Venue, VenueFill } from "../../src/ports/venue.ts";

/** All executions since a time, by as many questions as it takes; each once, oldest first. */
export async function allFills(venue: Venue, symbol: Pair, from: Millis): Promise<readonly VenueFill[]> {
  const found = new Map<string, VenueFill>();
  let reading: Parameters<typeof nextSpan>[0] = { from, ahead: null, until: undefined };
  for (let span = nextSpan(reading); span; span = nextSpan(reading)) {
    const answer = await venue.fills(symbol, span);
    for (const fill of answer.fills) found.set(fill.id, fill);
    reading = withAnswer(reading, answer);
  }
  return [...found.values()].filter(({ at }) => at >= from).sort((a, b) => a.at - b.at);
}
