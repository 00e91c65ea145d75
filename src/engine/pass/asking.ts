import { BudgetSpent } from "../../kernel/errors.ts";
import { type Budget, spend } from "./budget.ts";

/** What a call to the venue answers; undefined where the budget, or the venue's own, lacks it: then nothing was asked. */
export async function askWithin<T>(
  budget: Budget,
  call: () => Promise<T>,
  strategy?: string | null,
): Promise<{ readonly answer: T } | undefined> {
  // A pass that has time for no call after this one reads no more: what it has decided by then can still be done.
  if (budget.left <= 0 || budget.fitting < 2) return undefined;
  try {
    return { answer: await spend(budget, call, strategy) };
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}
