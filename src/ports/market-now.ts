import type { Millis } from "../kernel/time.ts";
import type { StrategyDeps } from "./kind.ts";

/** Market time of the configured exchanges; on real ones it is the store's time. */
export async function marketNow({ exchanges, marketTime, store }: StrategyDeps): Promise<Millis> {
  const now = await store.now();
  const [first] = exchanges;
  return first ? marketTime({ exchange: first.id, kind: first.kind, host: "" }, now) : now;
}
