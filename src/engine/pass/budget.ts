import { type Millis, SECOND } from "../../kernel/time.ts";
import type { VenueCalls } from "../../model/usage.ts";

/** Calls to the venue that a pass has made, and may still make. */
export interface Budget extends VenueCalls {
  made: number;
  /** When the first of them was begun, by the local clock. */
  began: Millis | undefined;
  /** Of them, those for one strategy's orders alone, by its id. */
  readonly own: Record<string, number>;
  readonly left: number;
  readonly clock: () => Millis;
  /** How many more still leave in time, each taking as long as those so far. */
  readonly fitting: number;
  /** The same said, where they take so long that a pass has time for few. */
  readonly slow: string | null;
}

/** The local clock, and the last moment at which a call of this pass may leave. */
interface Time {
  readonly clock: () => Millis;
  readonly last: Millis;
}

/** What a pass still asks of the store after its last call: the record, a look at the kill switch, the settlement. */
const RESERVED = 3;

/** A pass with time for fewer calls says so. */
const MANY = 20;

/** `calls` to the venue in this pass, and no more `requests` of all kinds than the process may still make. */
export const budgetOf = (
  { clock, last }: Time,
  calls = Number.MAX_SAFE_INTEGER,
  requests?: () => number,
): Budget => ({
  made: 0,
  began: undefined,
  own: {},
  clock,
  get left() {
    return Math.min(calls - this.made, requests ? requests() - RESERVED : calls);
  },
  get fitting() {
    const each = perCall(this, clock());
    const left = last - clock();
    if (each === 0) return Number.MAX_SAFE_INTEGER;
    return left < 0 ? 0 : 1 + Math.floor(left / each);
  },
  get slow() {
    const each = perCall(this, clock());
    if (each * MANY < last - (this.began ?? last)) return null;
    return `the exchange takes about ${Math.ceil(each / SECOND)} s to answer a call: a pass has time for few orders, and the others wait`;
  },
});

const perCall = ({ made, began }: Budget, now: Millis): Millis =>
  began === undefined ? 0 : (now - began) / made;

export function spend<T>(budget: Budget, call: () => Promise<T>, strategy?: string | null): Promise<T> {
  budget.began ??= budget.clock();
  budget.made++;
  if (strategy) budget.own[strategy] = (budget.own[strategy] ?? 0) + 1;
  return call();
}
