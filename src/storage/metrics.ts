import type { Row } from "@libsql/client";
import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "../model/account.ts";
import type { OrderState } from "../model/order.ts";
import type { Deps } from "../ports/deps.ts";
import { type Context, statement } from "./client/context.ts";
import { accounts, isUnsettled, newestEvent, newestFill, orders } from "./tables/trading-tables.ts";
import { channels, messages, rates } from "./tables/venue-tables.ts";

/** Dependencies of what reads metrics. */
export interface MetricsDeps extends Deps {
  /** Metrics; absent without any. */
  readonly metrics?: MetricsStore;
}

export interface AccountReading {
  readonly account: AccountKey;
  /** Time of the last complete pass; null before the first. */
  readonly steppedAt: Millis | null;
  /** Duration of the last pass from its lease to its end. */
  readonly passMillis: Millis | null;
  /** Consecutive failed passes, and the time of the next attempt. */
  readonly failures: number;
  readonly retryAt: Millis;
  readonly isLeased: boolean;
  /** Whether a request waits for the lease. */
  readonly isAwaited: boolean;
  /** Time at which the account's rate limit is fully available again; null without a rate limit. */
  readonly rateFullAt: Millis | null;
}

/** Orders that are not settled. */
interface OrderCount {
  readonly account: AccountKey;
  readonly state: OrderState;
  readonly count: number;
  /** Unsettled orders with missing fills. */
  readonly lacking: number;
  /** Unsettled orders that are still unknown after the deadline of their request. */
  readonly overdue: number;
}

export interface Readings {
  readonly now: Millis;
  readonly accounts: readonly AccountReading[];
  readonly orders: readonly OrderCount[];
  readonly fills: number;
  readonly events: number;
  readonly channels: readonly {
    readonly name: string;
    readonly failures: number;
    readonly pending: number;
    readonly dead: number;
  }[];
}

export function metricsQueries({ now }: Pick<Context, "now">): readonly SQL[] {
  const count = (state: string) =>
    sql`(select count(*) from ${messages} where ${messages.channel} = ${channels.name} and ${messages.state} = ${state})`;
  return [
    sql`select ${now()}, ${newestFill}, ${newestEvent}`,
    sql`select ${accounts.account}, ${accounts.steppedAt}, ${accounts.passMillis}, ${accounts.failures}, ${accounts.retryAt}, ${accounts.until} > ${now()}, ${accounts.waitedUntil} > ${now()}, ${rates.fullAt} from ${accounts} left join ${rates} on ${rates.account} = ${accounts.account}`,
    sql`select ${orders.account}, ${orders.state}, count(*), sum(${orders.behindSince} is not null), sum(${orders.state} in ('pending', 'unknown') and ${orders.notAfter} < ${now()}) from ${orders} where ${isUnsettled()} group by ${orders.account}, ${orders.state}`,
    sql`select ${channels.name}, ${channels.failures}, ${count("pending")}, ${count("dead")} from ${channels}`,
  ];
}

/** Rows of each of these queries, in order. */
type Answers = [Row[], Row[], Row[], Row[]];

type MetricsStore = ReturnType<typeof createMetricsStore>;

export const createMetricsStore = (context: Context) => ({
  /** Reads the figures in one request. Its cost depends on running strategies only, not on history. */
  async readings(): Promise<Readings> {
    const results = await context.client.batch(metricsQueries(context).map(statement), "read");
    const [clock, ofAccounts, ofOrders, ofChannels] = results.map(({ rows }) => rows) as Answers;
    const [newest] = clock;
    return {
      now: Number(newest?.[0]),
      fills: Number(newest?.[1]),
      events: Number(newest?.[2]),
      accounts: ofAccounts.map((row) => ({
        account: String(row[0]),
        steppedAt: numberOrNull(row[1]),
        passMillis: numberOrNull(row[2]),
        failures: Number(row[3]),
        retryAt: Number(row[4]),
        isLeased: row[5] === 1,
        isAwaited: row[6] === 1,
        rateFullAt: numberOrNull(row[7]),
      })),
      orders: ofOrders.map((row) => ({
        account: String(row[0]),
        state: String(row[1]) as OrderState,
        count: Number(row[2]),
        lacking: Number(row[3]),
        overdue: Number(row[4]),
      })),
      channels: ofChannels.map((row) => ({
        name: String(row[0]),
        failures: Number(row[1]),
        pending: Number(row[2]),
        dead: Number(row[3]),
      })),
    };
  },
});

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));
