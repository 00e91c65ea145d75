import { MINUTE, type Millis } from "../kernel/time.ts";
import { EVERY_ACCOUNT, type EventView } from "../model/events.ts";

/** Minimum time between two events about wrong tokens, however many there are. */
const TELLINGS_APART: Millis = 10 * MINUTE;

/** Requests with a wrong token that no event has reported yet, of this process or isolate. */
export interface WrongTokens {
  add(): void;
  /** Returns the event to write now; undefined without wrong tokens, or if the last event is too recent. */
  due(): EventView | undefined;
}

export function countWrongTokens(clock: () => Millis): WrongTokens {
  let count = 0;
  let describedAt = Number.NEGATIVE_INFINITY;
  return {
    add() {
      count++;
    },
    due() {
      if (count === 0 || clock() - describedAt < TELLINGS_APART) return undefined;
      const message = `${count} requests with a wrong API token since the last event of this kind`;
      [count, describedAt] = [0, clock()];
      return { account: EVERY_ACCOUNT, strategy: null, kind: "wrong_tokens", message };
    },
  };
}
