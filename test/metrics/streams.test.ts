import { expect, it } from "vitest";
import { exposition, streamFamilies } from "../../src/metrics/operations/metrics.ts";

const ACCOUNT = "live:mexc:api.mexc.com";

it("metrics show streams, and the time from fills to their next orders as a histogram", () => {
  const text = exposition(
    streamFamilies({
      streams: [{ account: ACCOUNT, state: "live", since: 0, for: 1_500, downFor: undefined, reopened: 2 }],
      reactions: [{ account: ACCOUNT, count: 3, sum: 4_200, buckets: [{ most: 500, count: 2 }] }],
    }),
  );
  expect(text.split("\n").filter((line) => !line.startsWith("# HELP"))).toEqual([
    "# TYPE edgemaker_stream_live gauge",
    'edgemaker_stream_live{exchange="mexc",kind="live"} 1',
    "# TYPE edgemaker_stream_state_seconds gauge",
    'edgemaker_stream_state_seconds{exchange="mexc",kind="live"} 1.5',
    "# TYPE edgemaker_stream_reopened_total counter",
    'edgemaker_stream_reopened_total{exchange="mexc",kind="live"} 2',
    "# TYPE edgemaker_fill_to_order_seconds histogram",
    'edgemaker_fill_to_order_seconds_bucket{exchange="mexc",kind="live",le="0.5"} 2',
    'edgemaker_fill_to_order_seconds_bucket{exchange="mexc",kind="live",le="+Inf"} 3',
    'edgemaker_fill_to_order_seconds_sum{exchange="mexc",kind="live"} 4.2',
    'edgemaker_fill_to_order_seconds_count{exchange="mexc",kind="live"} 3',
    "",
  ]);
});

it("metrics omit streams without any", () => {
  expect(exposition(streamFamilies({ streams: [], reactions: [] }))).toBe("");
});
