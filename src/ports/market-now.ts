import type { Millis } from "../kernel/time.ts";
import type { Deps } from "./deps.ts";

/** Market time of the configured exchanges; on real ones it is the store's time. */
export async function marketNow({ exchanges, marketTime, store }: Deps): Promise<Millis> {
  const now = await store.now();
  const [first] = exchanges;
  return first ? marketTime({ exchange: first.id, kind: first.kind, host: "" }, now) : now;
}
