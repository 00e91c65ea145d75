import { accountsOf } from "../../engine/accounts.ts";
import { type Decimal, wire } from "../../kernel/decimal.ts";
import { type Millis, SECOND, timeGap } from "../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../model/account.ts";
import type { Accounts } from "../../model/strategy.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Reactions, StreamReport } from "../../ports/venue.ts";
import type { AccountReading, MetricsDeps, Readings } from "../../storage/metrics.ts";

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

interface MetricsInput {
  readonly readings: Readings;
  /** Strategies that are not stopped. */
  readonly views: readonly StrategyView[];
  readonly kinds: Kinds;
  /** Time that the database took for both reads. */
  readonly databaseMillis: Millis;
  readonly version: string;
}

const accountLabels = (account: AccountKey) => {
  const { exchange, kind } = parseAccountKey(account);
  return { exchange, kind };
};

const strategyLabels = ({ strategy }: StrategyView) => ({
  strategy: strategy.id,
  ...accountLabels(strategy.account),
  symbol: strategy.symbol,
});

const sampleOf = (labels: Sample["labels"], value: number | undefined): Sample[] =>
  value === undefined ? [] : [{ labels, value }];
const one = (value: number): Sample => ({ labels: {}, value });
const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name,
  help,
  type: "gauge",
  samples,
});
const counter = (family: Family): Family => ({ ...family, type: "counter" });

/** Returns the metrics from the database alone, so every process returns the same. */
const metricsOf = (input: MetricsInput): readonly Family[] => [
  gauge("build_info", "Version of this server", [{ labels: { version: input.version }, value: 1 }]),
  gauge("database_seconds", "Database time for this response", [one(input.databaseMillis / SECOND)]),
  ...ofStrategies(input),
  ...ofOrders(input),
  ...ofAccounts(input),
  gauge(
    "channel_messages",
    "Waiting and failed messages of a channel",
    input.readings.channels.flatMap(({ name: channel, pending, dead }) => [
      { labels: { channel, state: "waiting" }, value: pending },
      { labels: { channel, state: "given_up" }, value: dead },
    ]),
  ),
];

function ofStrategies({ views, kinds }: MetricsInput): Family[] {
  const counts = new Map<string, number>();
  for (const { strategy } of views) counts.set(strategy.status, (counts.get(strategy.status) ?? 0) + 1);
  const each = (name: string, help: string, value: (view: StrategyView) => number | undefined) =>
    gauge(
      `strategy_${name}`,
      help,
      views.flatMap((view) => sampleOf(strategyLabels(view), value(view))),
    );
  const accounts = new Map(views.map((view) => [view, knownAccounts(view, kinds)]));
  const ledger = (view: StrategyView) => accounts.get(view);
  const result = (view: StrategyView) =>
    view.memory.marks[view.strategy.symbol] === undefined ? undefined : accounts.get(view);
  const worth = (amount: Decimal | undefined) => (amount === undefined ? undefined : wire(amount));
  return [
    gauge(
      "strategies",
      "Strategies that are not stopped, by status",
      ["idle", "running", "error"].map((status) => ({ labels: { status }, value: counts.get(status) ?? 0 })),
    ),
    each("open_orders", "Open orders", ({ openOrders }) => openOrders),
    each("unreadable", "Strategies that this version cannot read", (view) =>
      ledger(view) === undefined ? 1 : 0,
    ),
    each("missing_orders", "Slots of a running grid without an open order", (view) =>
      ledger(view) === undefined ? undefined : missingOrders(view),
    ),
    each("realized_profit", "Realized profit in quote", (view) => worth(ledger(view)?.realized)),
    each("total_profit", "Realized and unrealized profit in quote, at the last price", (view) =>
      worth(result(view)?.total),
    ),
    each("position", "Base in the position", (view) => worth(result(view)?.position)),
    each("position_cost", "Cost of the base in the position, in quote", (view) => worth(result(view)?.cost)),
    each("price", "The last price", ({ strategy, memory }) => worth(memory.marks[strategy.symbol]?.mid)),
    counter(each("filled_orders_total", "Completely filled orders", (view) => ledger(view)?.filledOrders)),
    counter(each("cycles_total", "Completed cycles", (view) => ledger(view)?.cycles)),
  ];
}

/**
 * Returns P&L and totals; undefined for an unknown kind, or a state of a newer program, so the other metrics still
 * work.
 */
function knownAccounts(view: StrategyView, kinds: Kinds): Accounts | undefined {
  try {
    return accountsOf(view, kinds);
  } catch {
    return undefined;
  }
}

/**
 * Counts missing orders: slots that lack something, or whose order is unconfirmed; zero for a grid that must have no
 * order.
 */
function missingOrders({ strategy, openOrders }: StrategyView): number | undefined {
  const { status, wants, phase, state } = strategy;
  if (status !== "running" || wants !== "run" || (phase !== "active" && phase !== "placing"))
    return undefined;
  return Math.max(0, state.slots.length - openOrders);
}

function ofOrders({ readings }: MetricsInput): Family[] {
  const sum = (account: AccountKey, name: "lacking" | "overdue") =>
    readings.orders
      .filter((count) => count.account === account)
      .reduce((total, count) => total + count[name], 0);
  const each = (value: (account: AccountKey) => number) =>
    readings.accounts.flatMap(({ account }) => sampleOf(accountLabels(account), value(account)));
  return [
    gauge(
      "orders",
      "Orders that are not settled, by state",
      readings.orders.map(({ account, state, count }) => ({
        labels: { ...accountLabels(account), state },
        value: count,
      })),
    ),
    gauge(
      "orders_overdue",
      "Unknown orders after the deadline of their request",
      each((account) => sum(account, "overdue")),
    ),
    gauge(
      "orders_lacking_fills",
      "Orders with missing fills",
      each((account) => sum(account, "lacking")),
    ),
    counter(gauge("fills_total", "Booked fills", [one(readings.fills)])),
    counter(gauge("events_total", "Written events", [one(readings.events)])),
  ];
}

function ofAccounts({ readings, views }: MetricsInput): Family[] {
  const { accounts, now } = readings;
  const each = (name: string, help: string, value: (reading: AccountReading) => number | undefined) =>
    gauge(
      name,
      help,
      accounts.flatMap((reading) => sampleOf(accountLabels(reading.account), value(reading))),
    );
  const until = (at: Millis | null) => (at === null ? undefined : Math.max(0, at - now) / SECOND);
  return [
    each("pass_age_seconds", "Time since the last complete pass", ({ steppedAt }) =>
      steppedAt === null ? undefined : timeGap(steppedAt, now) / SECOND,
    ),
    each("pass_duration_seconds", "Duration of the last pass", ({ passMillis }) =>
      passMillis === null ? undefined : passMillis / SECOND,
    ),
    each("failed_passes", "Failed passes in a row", ({ failures }) => failures),
    each("backoff_seconds", "Time until the next attempt", ({ retryAt }) => until(retryAt)),
    each("lease_held", "1 while a pass is running", ({ isLeased }) => (isLeased ? 1 : 0)),
    each("lease_waits", "1 while a manual request waits for a pass to end", ({ isAwaited }) =>
      isAwaited ? 1 : 0,
    ),
    each("rate_limit_seconds", "Time until the exchange's rate limit is free again", ({ rateFullAt }) =>
      until(rateFullAt),
    ),
    each("exchange_calls_today", "Calls to the exchange by passes since midnight of UTC", ({ account }) =>
      spent(views, account, "exchangeCalls"),
    ),
    each(
      "database_requests_today",
      "Requests to the database by passes since midnight of UTC",
      ({ account }) => spent(views, account, "databaseRequests"),
    ),
  ];
}

/** Returns the usage of strategies that are not stopped; undefined without counts. */
function spent(
  views: readonly StrategyView[],
  account: AccountKey,
  what: "exchangeCalls" | "databaseRequests",
): number | undefined {
  const [today] = views.find(({ strategy }) => strategy.account === account)?.costs ?? [];
  if (!today) return undefined;
  return Object.values(today.of).reduce((sum, cost) => sum + cost[what], 0);
}

const streamLabels = (account: Reactions["account"]) => {
  const { exchange, kind } = parseAccountKey(account);
  return { exchange, kind };
};

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

/** A metric for Prometheus: text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). */
export interface Family {
  /** Name without the prefix; a counter's ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** For a histogram: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const escapedLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const labelsText = (labels: Sample["labels"]): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

/** Formats metrics; a metric without a sample is omitted: unknown is not zero. */
export const exposition = (families: readonly Family[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const full = `edgemaker_${name}`;
      const lines = samples.map(
        ({ suffix = "", labels, value }) => `${full}${suffix}${labelsText(labels)} ${value}`,
      );
      return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("\n")}\n`;
    })
    .join("");
