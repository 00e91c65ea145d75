import type { ResultSet } from "@libsql/client";
import { and, desc, eq, type Placeholder, type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { scopeOfAccount } from "../../limits/standing.ts";
import type { AccountKey } from "../../model/account.ts";
import type { ActorAndRequest } from "../../model/events.ts";
import { type Kill, killEvent, type Panic } from "../../model/kill.ts";
import type { CostDay, DatabaseUse, LimitUse } from "../../model/limits.ts";
import { NO_MEMORY } from "../../model/memory.ts";
import type { Fill, FillCursor, Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Lease, Snapshot } from "../../ports/stores/pass-store.ts";
import {
  bundle,
  type ChainHead,
  type Context,
  cachedReads,
  queries,
  rowsOf,
  type Statement,
  statement,
} from "../../storage/client/context.ts";
import type { WriteMoment } from "../../storage/client/event-chain.ts";
import {
  accounts,
  control,
  cursors,
  events,
  fills,
  isRunning,
  isUnsettled,
  orders,
  strategies,
} from "../../storage/tables/trading-tables.ts";
import { limits, limitUses } from "../../storage/tables/venue-tables.ts";

/** Data of a running pass; an account has one at a time. */
export interface RunningPass {
  /** The newest event of the account's chain. */
  head: ChainHead | undefined;
  readonly costs: readonly CostDay[];
  readonly strategies: readonly string[];
}

const SCOPE_OF_ACCOUNT = scopeOfAccount("");

/** Reads everything of an account except booked trades, whose select is not over a whole table. */
export const READ_SNAPSHOT = bundle(() => {
  const account = sql.placeholder("account");
  // Without a named index, SQLite would read every order that the account ever had, twice.
  const unsettled = sql`${orders} indexed by orders_unsettled`;
  const recent = recentFills(account, unsettled);
  return [
    [accounts, queries.select().from(accounts).where(eq(accounts.account, account))],
    [control, queries.select().from(control)],
    [
      strategies,
      queries
        .select()
        .from(strategies)
        .where(and(eq(strategies.account, account), isRunning()))
        .orderBy(strategies.number),
    ],
    [
      orders,
      // Sorted later: SQLite would read every row once more.
      sql`select * from ${unsettled} where ${orders.account} = ${account} and ${isUnsettled()}`,
    ],
    [
      events,
      queries.select().from(events).where(eq(events.chain, account)).orderBy(desc(events.seq)).limit(1),
    ],
    [cursors, queries.select().from(cursors).where(eq(cursors.account, account))],
    [fills, recent],
    [limits, queries.select().from(limits)],
    [
      limitUses,
      queries
        .select()
        .from(limitUses)
        .where(sql`${limitUses.scope} = ${SCOPE_OF_ACCOUNT} || ${account}`)
        .orderBy(desc(limitUses.day))
        .limit(20),
    ],
  ];
});

function recentFills(account: SQL | Placeholder, unsettled: SQL): SQL {
  // From the few cursors to their newest fills; the other direction reads all fills. Trades of an order that lacks some
  // are read from its beginning, so its fills are needed from there too.
  const lacking = sql`(select min(${orders.createdAt}) from ${unsettled} where ${orders.account} = ${account} and ${isUnsettled()} and ${orders.symbol} = ${cursors.symbol} and ${orders.filled} <> ${orders.booked})`;
  const since = sql`min(${cursors.at}, coalesce(${lacking}, ${cursors.at})) - ${sql.placeholder("overlap")}`;
  return sql`select ${fills}.* from ${cursors} cross join ${fills} on ${fills.account} = ${cursors.account} and ${fills.symbol} = ${cursors.symbol} and ${fills.at} >= ${since} where ${cursors.account} = ${account}`;
}

export function snapshot(lease: Lease, result: ResultSet | undefined): Snapshot {
  const { rows } = READ_SNAPSHOT;
  const [memory] = rows(accounts, result);
  const [settings] = rows(control, result);
  if (!settings) throw new StoreError("unavailable", "the database is not migrated: it has no control row");
  const booked: Record<Pair, Map<string, Fill>> = {};
  for (const fill of rows(fills, result) satisfies Fill[]) {
    booked[fill.symbol] ??= new Map();
    booked[fill.symbol]?.set(fill.tradeId, fill);
  }
  return {
    lease,
    kill: killOf(settings),
    strategies: rows(strategies, result) satisfies Strategy[],
    orders: (rows(orders, result) satisfies Order[]).sort(byClientId),
    cursors: Object.fromEntries(rows(cursors, result).map((row) => [row.symbol, cursorOf(row)])),
    booked,
    memory: memory?.memory ?? NO_MEMORY,
    failures: memory?.failures ?? 0,
    epoch: settings.epoch,
    limits: {
      version: settings.limits,
      set: Object.fromEntries(rows(limits, result).map((one) => [one.scope, one.settings])),
    },
    limitUses: rows(limitUses, result) satisfies LimitUse[],
  };
}

const byClientId = (a: Order, b: Order): number => (a.clientId < b.clientId ? -1 : 1);

const cursorOf = ({ at, aheadFrom, aheadTo }: typeof cursors.$inferSelect): FillCursor => ({
  at,
  ahead: aheadFrom === null || aheadTo === null ? null : { from: aheadFrom, to: aheadTo },
});

const killOf = ({ kill, cancels, sells }: typeof control.$inferSelect): Kill => ({
  on: kill,
  cancels,
  sells,
});

type SwitchRow = typeof control.$inferSelect;
const selectSwitch = () => queries.select().from(control);

/** Reads the switch; a read of a pass is charged to its account, any other is cached until something changes. */
export function switchReader(context: Context): (account: AccountKey | undefined) => Promise<Kill> {
  const { client, prepare, uses } = context;
  const text = prepare(selectSwitch);
  const kept = cachedReads<SwitchRow | undefined>(context, {
    maxEntries: 1,
    isWorth: (row) => row !== undefined,
  });
  const read = async (use?: DatabaseUse) => rowsOf(control, await client.fresh(text(), use))[0];
  return async (account) => {
    const row = account === undefined ? (await kept("", read)).value : await read(uses.get(account));
    if (!row) throw new StoreError("unavailable", "the database is not migrated: it has no control row");
    return killOf(row);
  };
}

export interface KillChange {
  readonly on: boolean;
  readonly by: ActorAndRequest;
  readonly panic: Panic;
}

/**
 * Returns the statements for the new switch and all requests of a panic; a later pass finishes what this process
 * cannot.
 */
export async function turnStatements(
  { db, now }: Context,
  tell: WriteMoment["tell"],
  { on, by, panic }: KillChange,
): Promise<Statement[]> {
  const { stops = false } = panic;
  const [cancels, sells] = [panic.cancels ? 1 : 0, panic.sells ? 1 : 0];
  const isNews = sql`(kill <> ${on ? 1 : 0} or cancels < ${cancels} or sells < ${sells})`;
  const since = sql`turned_at = iif(${isNews}, ${now()}, turned_at)`;
  const turned = on
    ? sql`update ${control} set kill = 1, cancels = max(cancels, ${cancels}), sells = max(sells, ${sells}), ${since} returning turned_at`
    : sql`update ${control} set kill = 0, cancels = 0, sells = 0, ${since} returning turned_at`;
  const stopped = [
    sql`update ${strategies} set wants = 'stop', keep_orders = 0, sell_base = max(sell_base, ${sells}) where ${isRunning()}`,
    db.update(accounts).set({ retryAt: 0 }).where(sql`${accounts.failures} = 0`).getSQL(),
  ];
  return [
    await tell(killEvent(on, by, panic), sql`exists(select 1 from ${control} where ${isNews})`),
    ...[turned, ...(stops ? stopped : [])].map(statement),
  ];
}
