import type { Deps } from "../../ports/deps.ts";
import { exposition } from "../exposition.ts";
import { metricsOf } from "../figures.ts";

/** Reads the metrics for Prometheus; undefined if the store has none. */
export async function readMetrics(
  { metrics, store, local, kinds }: Pick<Deps, "metrics" | "store" | "local" | "kinds">,
  version: string,
): Promise<string | undefined> {
  if (!metrics) return undefined;
  const requestedAt = local.monotonic();
  const [readings, views] = await Promise.all([metrics.readings(), store.strategies({ stopped: false })]);
  return exposition(
    metricsOf({ readings, views, kinds, databaseMillis: local.monotonic() - requestedAt, version }),
  );
}
