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
  /** Whether the account is read in parts. */
  readonly isLarge: boolean;
}

const SCOPE_OF_ACCOUNT = scopeOfAccount("");

/** Reads everything of an account except booked trades, whose select is not over a whole table. */
export const READ_SNAPSHOT = bundle(() => {
  const account = sql.placeholder("account");
  // Without a named index, SQLite would read every order that the account ever had.
  const unsettled = sql`${orders} indexed by orders_unsettled`;
  return [
    [accounts, queries.select().from(accounts).where(eq(accounts.account, account))],
    [control, queries.select().from(control)],
    [
      strategies,
      queries
        .select()
        .from(strategies)
        .where(and(eq(strategies.account, account), isRunning()))
        .orderBy(strategies.number)
        .limit(sql.placeholder("strategies")),
    ],
    [
      orders,
      // Sorted later: SQLite would read every row once more.
      sql`select * from ${unsettled} where ${orders.account} = ${account} and ${isUnsettled()} limit ${sql.placeholder("orders")}`,
    ],
    [
      events,
      queries.select().from(events).where(eq(events.chain, account)).orderBy(desc(events.seq)).limit(1),
    ],
    [cursors, queries.select().from(cursors).where(eq(cursors.account, account))],
    [fills, recentFills(account)],
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

function recentFills(account: SQL | Placeholder): SQL {
  // From the few cursors to their newest fills; the other direction reads all fills. Trades of an order that lacks some
  // are read from its beginning, so its fills are needed from there too.
  const lacking = sql`(select min(${orders.createdAt}) from ${orders} indexed by orders_lacking where ${orders.account} = ${account} and ${isUnsettled()} and ${orders.symbol} = ${cursors.symbol} and ${orders.filled} <> ${orders.booked})`;
  const since = sql`min(${cursors.at}, coalesce(${lacking}, ${cursors.at})) - ${sql.placeholder("overlap")}`;
  return sql`select ${fills}.* from ${cursors} cross join ${fills} on ${fills.account} = ${cursors.account} and ${fills.symbol} = ${cursors.symbol} and ${fills.at} >= ${since} where ${cursors.account} = ${account}`;
}

/**
 * An account with more is read in parts, because one long read would keep all other requests waiting. Few enough parts
 * for a platform that limits requests.
 */
const MAX_STRATEGIES_AT_ONCE = 250;
const MAX_ORDERS_AT_ONCE = 1000;
const MAX_BYTES_AT_ONCE = 1_500_000;

/** Returns how many rows to request first: one more than an account can have that is read at once. */
export const firstRows = (isLarge = false) =>
  isLarge
    ? { strategies: 1, orders: 1 }
    : { strategies: MAX_STRATEGIES_AT_ONCE + 1, orders: MAX_ORDERS_AT_ONCE + 1 };

/** Returns whether a snapshot has all the rows that were requested, and so can lack others. */
export const isCut = (
  { strategies: found, orders: open }: Pick<Snapshot, "strategies" | "orders">,
  most: ReturnType<typeof firstRows>,
): boolean => found.length >= most.strategies || open.length >= most.orders;

const READ_STRATEGIES = bundle(() => [
  [
    strategies,
    sql`select * from ${strategies} where ${strategies.number} in (select value from json_each(${sql.placeholder("numbers")})) order by ${strategies.number}`,
  ],
]);

const READ_ORDERS = bundle(() => [
  [
    orders,
    sql`select * from ${orders} where ${orders}.rowid in (select value from json_each(${sql.placeholder("rows")})) and ${isUnsettled()}`,
  ],
]);

/** Lists the numbers of strategies with the lengths of their documents, and the rows of orders. */
const namesText = () => {
  const account = sql.placeholder("account");
  const numbers = sql`select json_group_array(json_array(${strategies.number}, octet_length(${strategies.state}) + octet_length(${strategies.config}))) from ${strategies} indexed by strategies_running where ${strategies.account} = ${account} and ${isRunning()}`;
  const rows = sql`select json_group_array(${orders}.rowid) from ${orders} indexed by orders_unsettled where ${orders.account} = ${account} and ${isUnsettled()}`;
  return sql`select (${numbers}), (${rows})`;
};

/**
 * Reads the strategies and orders of a large account in parts, between which other requests run. Only the holder of the
 * lease ends them; a request of a person that changes one meanwhile is newer, and checked again in each write.
 */
export async function readInParts(
  { client, prepare, convert, pause }: Context,
  account: AccountKey,
  use: DatabaseUse,
): Promise<Pick<Snapshot, "strategies" | "orders">> {
  const [names] = (await client.fresh(prepare(namesText)({ account }), use)).rows;
  const sized = JSON.parse(String(names?.[0])) as [number: number, bytes: number][];
  const rows = JSON.parse(String(names?.[1])) as number[];
  const found: Strategy[] = [];
  for (const part of strategyParts(sized)) {
    await pause();
    const result = await client.fresh(READ_STRATEGIES.with({ numbers: JSON.stringify(part) }), use);
    found.push(...READ_STRATEGIES.rows(strategies, result, convert));
  }
  const open: Order[] = [];
  for (let from = 0; from < rows.length; from += MAX_ORDERS_AT_ONCE) {
    await pause();
    const part = JSON.stringify(rows.slice(from, from + MAX_ORDERS_AT_ONCE));
    const result = await client.fresh(READ_ORDERS.with({ rows: part }), use);
    open.push(...READ_ORDERS.rows(orders, result));
  }
  await pause();
  return { strategies: found.sort((a, b) => a.number - b.number), orders: open.sort(byClientId) };
}

function strategyParts(sized: readonly (readonly [number: number, bytes: number])[]): number[][] {
  const parts: number[][] = [];
  let total = Number.POSITIVE_INFINITY;
  for (const [number, bytes] of sized) {
    total += bytes;
    const last = parts.at(-1);
    if (last && total <= MAX_BYTES_AT_ONCE && last.length < MAX_STRATEGIES_AT_ONCE) last.push(number);
    else {
      parts.push([number]);
      total = bytes;
    }
  }
  return parts;
}

export function snapshot(lease: Lease, result: ResultSet | undefined, convert: Context["convert"]): Snapshot {
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
    strategies: rows(strategies, result, convert) satisfies Strategy[],
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
