import type { Local } from "../../ports/local.ts";
import { isBusy, storeError } from "./store-error.ts";

interface Patience {
  readonly local: Local;
  readonly attempts: number;
}

/** Retries a call that a server refused because of another write; it had no effect. */
export async function patient<T>(call: () => Promise<T>, { local, attempts }: Patience): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isBusy(error) || attempt === attempts) throw storeError(error);
      await local.sleep(backoff(attempt, local.randomText(1)));
    }
  }
}

// 5 to 10 ms at first, growing to 100 to 200, at random, so two processes do not collide repeatedly.
export function backoff(attempt: number, random: string): number {
  const most = Math.min(200, 10 * 2 ** Math.min(attempt - 1, 5));
  return most * (0.5 + Number.parseInt(random, 36) / 72);
}
