import { SECOND } from "../kernel/time.ts";
import { parseAccountKey } from "../model/account.ts";
import type { Reactions, StreamReport } from "../ports/stream.ts";
import type { Family, Sample } from "./exposition.ts";

/** Returns metrics of this process's own streams; another process reports others. */
export const streamFamilies = ({ streams, reactions }: StreamReport): readonly Family[] => [
  {
    name: "stream_live",
    help: "1 while the exchange's messages can start passes early",
    type: "gauge",
    samples: streams.map(({ account, state }) => ({
      labels: streamLabels(account),
      value: state === "live" ? 1 : 0,
    })),
  },
  {
    name: "stream_state_seconds",
    help: "Time since the stream became live or stopped being live",
    type: "gauge",
    samples: streams.map((stream) => ({ labels: streamLabels(stream.account), value: stream.for / SECOND })),
  },
  {
    name: "stream_reopened_total",
    help: "Number of times that the stream was opened again",
    type: "counter",
    samples: streams.map(({ account, reopened }) => ({ labels: streamLabels(account), value: reopened })),
  },
  {
    name: "fill_to_order_seconds",
    help: "Time from a fill until the exchange accepted the orders that answer it",
    type: "histogram",
    samples: reactions.flatMap(reactionSamples),
  },
];

const reactionSamples = ({ account, buckets, count, sum }: Reactions): Sample[] => {
  const labels = streamLabels(account);
  const bucket = (le: string, value: number) => ({ suffix: "_bucket", labels: { ...labels, le }, value });
  return [
    ...buckets.map(({ most, count: value }) => bucket(String(most / SECOND), value)),
    bucket("+Inf", count),
    { suffix: "_sum", labels, value: sum / SECOND },
    { suffix: "_count", labels, value: count },
  ];
};

const streamLabels = (account: Reactions["account"]) => {
  const { exchange, kind } = parseAccountKey(account);
  return { exchange, kind };
};
