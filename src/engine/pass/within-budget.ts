import { BudgetSpent } from "../../kernel/errors.ts";
import { type Budget, spend } from "./budget.ts";

/**
 * Makes a call to the exchange; undefined if our budget or the exchange's rate limit has none left. Then no request
 * was sent.
 */
export async function askWithin<T>(
  budget: Budget,
  call: () => Promise<T>,
  strategy?: string | null,
): Promise<{ readonly answer: T } | undefined> {
  // A pass with time for no further call stops reading, so its decisions can still be executed.
  if (budget.left <= 0 || budget.fitting < 2) return undefined;
  try {
    return { answer: await spend(budget, call, strategy) };
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}
