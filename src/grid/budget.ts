import type { VenueCalls } from "../store.ts";

/** Calls to the venue that a pass has made, and may still make. */
export interface Budget extends VenueCalls {
  made: number;
  /** Of them, those for one strategy's orders alone, by its id. */
  readonly own: Record<string, number>;
  readonly left: number;
}

/** What a pass still asks of the store after its last call: the record, a look at the kill switch, the settlement. */
const RESERVED = 3;

/** `calls` to the venue in this pass, and no more `requests` of all kinds than the process may still make. */
export const budgetOf = (calls = Number.MAX_SAFE_INTEGER, requests?: () => number): Budget => ({
  made: 0,
  own: {},
  get left() {
    return Math.min(calls - this.made, requests ? requests() - RESERVED : calls);
  },
});

export function spend<T>(budget: Budget, call: () => Promise<T>, strategy?: string | null): Promise<T> {
  budget.made++;
  if (strategy) budget.own[strategy] = (budget.own[strategy] ?? 0) + 1;
  return call();
}
