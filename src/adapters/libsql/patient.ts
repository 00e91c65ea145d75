import type { Local } from "../../ports.ts";
import { codeOf, storeError } from "./store-error.ts";

interface Patience {
  readonly local: Local;
  readonly attempts: number;
  /** What is needed before the next attempt. */
  readonly again?: () => Promise<void>;
}

/** A call that was refused because another one writes had no lock and so wrote nothing: it is tried again. */
export async function patient<T>(call: () => Promise<T>, { local, attempts, again }: Patience): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isBusy(error) || attempt === attempts) throw storeError(error);
      await local.sleep(backoff(attempt, local.randomText(1)));
      await again?.();
    }
  }
}

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

// 5 to 10 ms at first, growing to 100 to 200: two processes that met once do not meet in step again.
function backoff(attempt: number, random: string): number {
  const most = Math.min(200, 10 * 2 ** Math.min(attempt - 1, 5));
  return most * (0.5 + Number.parseInt(random, 36) / 72);
}
