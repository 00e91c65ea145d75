import type { Deps } from "../../ports/deps.ts";
import { exposition } from "../exposition.ts";
import { metricsOf } from "../figures.ts";

/** What Prometheus is told; undefined where there is no store that tells it. */
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
