import type { MetricsDeps } from "../../storage/metrics.ts";
import { exposition } from "../exposition.ts";
import { metricsOf } from "../figures.ts";
import { streamFamilies } from "../streams.ts";

/** Reads the metrics for Prometheus; undefined if the store has none. */
export async function readMetrics(
  deps: Pick<MetricsDeps, "metrics" | "store" | "local" | "kinds" | "streamReport">,
  version: string,
): Promise<string | undefined> {
  const { metrics, store, local, kinds, streamReport } = deps;
  if (!metrics) return undefined;
  const requestedAt = local.monotonic();
  const [readings, views] = await Promise.all([metrics.readings(), store.strategies({ stopped: false })]);
  const databaseMillis = local.monotonic() - requestedAt;
  return exposition([
    ...metricsOf({ readings, views, kinds, databaseMillis, version }),
    ...(streamReport ? streamFamilies(streamReport()) : []),
  ]);
}
