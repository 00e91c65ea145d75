import type { ResultSet } from "@libsql/client";
import { and, desc, eq, inArray, or, sql } from "drizzle-orm";
import { StoreError } from "../../../kernel/errors.ts";
import { scopeOfAccount } from "../../../limits/standing.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Event } from "../../../model/events.ts";
import type { FillCursor } from "../../../model/fill.ts";
import { isKeptBack } from "../../../model/kill.ts";
import type { LimitUse } from "../../../model/limits.ts";
import { NO_MEMORY } from "../../../model/memory.ts";
import type { Order } from "../../../model/order.ts";
import type { Strategy } from "../../../model/strategy.ts";
import { type CostDay, type DatabaseUse, newUse, withPass } from "../../../model/usage.ts";
import type {
  Changes,
  Lease,
  Snapshot,
  StepStore,
  StrategyUpdate,
} from "../../../ports/stores/step-store.ts";
import { bundle, type Context, queries, rowsOf, type Statement, statement } from "../client/context.ts";
import { guarded, stillWanted } from "../client/fence.ts";
import { knownSwitch } from "../client/known-switch.ts";
import { refuseNewer } from "../client/migrate.ts";
import { limits, limitUses } from "../tables/limit-tables.ts";
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
} from "../tables/tables.ts";
import { type Head, headOf, writePass, writeTold } from "./event-chain.ts";
import { killOf, type Turn, turnStatements } from "./kill-rows.ts";
import { insertIntents, isOrder, updateOrder } from "./order-rows.ts";

export function stepStore(context: Context): StepStore {
  const { client, db, now, uses } = context;
  const passes = new Map<AccountKey, Running>();
  const known = knownSwitch();

  /** A fenced batch of the account's pass, with what is told of in it. */
  const write = async (
    lease: Lease,
    told: readonly Event[],
    make: (inserts: readonly Statement[]) => readonly Statement[],
  ) => {
    const pass = passes.get(lease.account);
    const chain = { account: lease.account, head: pass?.head, use: uses.get(lease.account) };
    const done = await writePass(context, chain, told, (inserts) => guarded(context, lease, make(inserts)));
    if (pass) pass.head = done.head;
    return done.results;
  };

  const record = async (lease: Lease, changes: readonly Changes[]) => {
    const statements = changes.flatMap((change) => changeStatements(context, lease, change));
    const told = changes.flatMap(({ events }) => events);
    const results = await write(lease, told, (inserts) => [...statements, ...inserts]);
    const recorded = results.flatMap((result) =>
      result.columns[0] === "client_id" ? result.rows.map((row) => String(row[0])) : [],
    );
    return new Set(recorded);
  };

  const turn = (asked: Turn) =>
    known.turn(asked.on, asked.panic, () =>
      writeTold(context, asked.by, ({ tell }) => turnStatements(context, tell, asked), true),
    );

  return {
    async due() {
      await refuseNewer(context);
      const running = db.select({ account: strategies.account }).from(strategies).where(isRunning());
      const unsettled = db.select({ account: orders.account }).from(orders).where(isUnsettled());
      return (
        db
          .select({ account: accounts.account, retryAt: accounts.retryAt, now: now() })
          .from(accounts)
          .where(sql`${accounts.account} in (${running}) or ${accounts.account} in (${unsettled})`)
          // Where not all can be stepped, those come first that have waited longest.
          .orderBy(accounts.steppedAt, accounts.account)
      );
    },

    async acquire({ account, owner, ttl, overlap, scheduled, isUrgent = false }) {
      const use = newUse();
      const isLeft = isUrgent ? sql`` : sql` and ${accounts.waitedUntil} <= ${now()}`;
      const isFree = sql`${accounts.account} = ${account} and (${accounts.until} <= ${now()}${isLeft} or ${accounts.owner} = ${owner})`;
      const isWanted = sql`${accounts.scheduled} < ${scheduled ?? null} and ${accounts.retryAt} <= ${now()}`;
      const lease = db
        .update(accounts)
        .set({
          token: sql`${accounts.token} + 1`,
          owner,
          until: sql`${now()} + ${ttl}`,
          waitedUntil: 0,
          ...(scheduled === undefined ? {} : { scheduled }),
        })
        .where(scheduled === undefined ? isFree : and(isFree, isWanted))
        .returning({ token: accounts.token, until: accounts.until, now: now() });
      const statements = [statement(lease), WHOLE.with({ account, overlap })];
      const [taken, read] = await client.batch(statements, "write", use);
      const row = taken?.rows[0];
      if (!row) return undefined;
      const [token, until, at] = [Number(row[0]), Number(row[1]), Number(row[2])];
      const found = snapshot({ account, token, until, now: at }, read);
      const [{ costs = null } = {}] = WHOLE.rows(accounts, read);
      const [newest] = WHOLE.rows(events, read);
      uses.set(account, use);
      passes.set(account, {
        costs: costs ?? [],
        strategies: found.strategies.map(({ id }) => id),
        head: headOf(newest),
      });
      return found;
    },

    record,

    async killed(account, kind = "slot") {
      if (known.isTurning() && known.keepsBack(kind)) return true;
      const asked = known.turns();
      const result = await client.fresh(statement(db.select().from(control)), uses.get(account ?? ""));
      const [row] = rowsOf(control, result);
      if (!row) throw new StoreError("unavailable", "the database has no control row: it is not migrated");
      const found = killOf(row);
      known.read(found, asked);
      return isKeptBack(found, kind);
    },

    async setKill(on, by) {
      await turn({ on, by, panic: {} });
    },

    async panic(panic, by) {
      const results = await turn({ on: true, by, panic });
      return Number(results[1]?.rows[0]?.[0]);
    },

    knownKilled: (kind = "slot") => known.keepsBack(kind),

    async unsettledOrders() {
      const unsettled = db.select().from(orders).where(isUnsettled());
      return rowsOf(orders, await client.execute(statement(unsettled)));
    },

    async nextEpoch() {
      await client.execute(statement(db.update(control).set({ epoch: sql`${control.epoch} + 1` })));
    },

    async settle(lease, { outcomes, phases, events: told, memory, unwatched, calls, failure, resumeAt }) {
      const pass = passes.get(lease.account);
      const released = db
        .update(accounts)
        .set({
          // Its owner stays: it tells who has stepped last.
          until: 0,
          passMillis: sql`${now()} - ${lease.now}`,
          failures: failure ? sql`${accounts.failures} + 1` : 0,
          retryAt: failure?.retryAt ?? resumeAt ?? 0,
          error: failure?.message ?? null,
          ...(failure || resumeAt !== undefined ? {} : { steppedAt: now() }),
          ...(memory ? { memory } : unwatched ? { memory: withUnwatched(unwatched) } : {}),
          ...(pass
            ? {
                costs: withPass(pass.costs, lease.now, {
                  ...pass,
                  calls,
                  use: settled(uses.get(lease.account), outcomes.length + phases.length + told.length),
                }),
              }
            : {}),
        })
        .where(eq(accounts.account, lease.account));
      const statements = [
        ...outcomes.map(({ clientId, ...outcome }) =>
          statement(
            db
              .update(orders)
              .set(outcome)
              .where(isOrder({ account: lease.account, clientId })),
          ),
        ),
        ...phases.map(({ id, phase }) =>
          statement(db.update(strategies).set({ phase }).where(eq(strategies.id, id))),
        ),
      ];
      await write(lease, told, (inserts) => [...statements, ...inserts, statement(released)]);
    },

    async ordersByIds(account, { exchange, client: own }) {
      if (exchange.length + own.length === 0) return [];
      const named = or(inArray(orders.exchangeId, [...exchange]), inArray(orders.clientId, [...own]));
      const wanted = db
        .select()
        .from(orders)
        .where(and(eq(orders.account, account), named));
      return rowsOf(orders, await client.fresh(statement(wanted), uses.get(account)));
    },
  };
}

// Alone: what the pass has recorded before it failed stays.
const withUnwatched = (ids: readonly string[]) =>
  sql`json_set(${accounts.memory}, '$.unwatched', json(${JSON.stringify(ids)}))`;

/** With the settlement's own request: two rows read and three written, and one of each for what else it says. */
const settled = (use = newUse(), more: number): DatabaseUse => ({
  databaseRequests: use.databaseRequests + 1,
  rowsRead: use.rowsRead === null ? null : use.rowsRead + 2 + more,
  rowsWritten: use.rowsWritten === null ? null : use.rowsWritten + 3 + more,
});

/** What is kept of a pass while it lasts: an account has one at a time. */
interface Running {
  /** The newest event of the account's chain. */
  head: Head | undefined;
  readonly costs: readonly CostDay[];
  readonly strategies: readonly string[];
}

const SCOPE_OF_ACCOUNT = scopeOfAccount("");

/** Everything of an account, but which trades are booked: that is the one select without a table of its own. */
const WHOLE = bundle(() => {
  const account = sql.placeholder("account");
  // From the few cursors to their newest fills: the other way round reads every fill there ever was.
  // Trades of an order that lacks some are read from its beginning, so its fills are needed from there too.
  const lacking = sql`(select min(${orders.createdAt}) from ${orders} where ${orders.account} = ${account} and ${isUnsettled()} and ${orders.symbol} = ${cursors.symbol} and ${orders.filled} <> ${orders.booked})`;
  const since = sql`min(${cursors.at}, coalesce(${lacking}, ${cursors.at})) - ${sql.placeholder("overlap")}`;
  const recent = sql`select ${fills}.* from ${cursors} cross join ${fills} on ${fills.account} = ${cursors.account} and ${fills.symbol} = ${cursors.symbol} and ${fills.at} >= ${since} where ${cursors.account} = ${account}`;
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
      queries
        .select()
        .from(orders)
        .where(and(eq(orders.account, account), isUnsettled()))
        .orderBy(orders.clientId),
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

function snapshot(lease: Lease, result: ResultSet | undefined): Snapshot {
  const { rows } = WHOLE;
  const [memory] = rows(accounts, result);
  const [settings] = rows(control, result);
  if (!settings) throw new StoreError("unavailable", "the database has no control row: it is not migrated");
  const booked: Record<string, Set<string>> = {};
  for (const { symbol, tradeId } of rows(fills, result)) {
    booked[symbol] ??= new Set();
    booked[symbol].add(tradeId);
  }
  return {
    lease,
    kill: killOf(settings),
    strategies: rows(strategies, result) satisfies Strategy[],
    orders: rows(orders, result) satisfies Order[],
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

const cursorOf = ({ at, aheadFrom, aheadTo }: typeof cursors.$inferSelect): FillCursor => ({
  at,
  ahead: aheadFrom === null || aheadTo === null ? null : { from: aheadFrom, to: aheadTo },
});

function changeStatements(context: Context, lease: Lease, changes: Changes): Statement[] {
  const { db } = context;
  const { strategy, memory } = changes;
  const written = [
    ...changes.fills.map((fill) => db.insert(fills).values(fill)),
    ...(strategy ? [updateStrategy(context, strategy)] : []),
    ...Object.entries(changes.cursors).map(([symbol, { at, ahead }]) => {
      const set = { at, aheadFrom: ahead?.from ?? null, aheadTo: ahead?.to ?? null };
      return db
        .insert(cursors)
        .values({ account: lease.account, symbol: symbol as Order["symbol"], ...set })
        .onConflictDoUpdate({ target: [cursors.account, cursors.symbol], set });
    }),
    ...(memory ? [db.update(accounts).set({ memory }).where(eq(accounts.account, lease.account))] : []),
  ].map(statement);
  return [
    ...(changes.wish ? stillWanted(context, changes.wish) : []),
    // A slot's order ends before another one is adopted for it, and that one is there before its fills are.
    ...changes.orders.map((order) => updateOrder(context, order)),
    ...(changes.adopted.length > 0 ? [statement(db.insert(orders).values([...changes.adopted]))] : []),
    ...written,
    ...insertIntents(context, changes.intents, changes.terms),
  ];
}

const updateStrategy = ({ db }: Context, { id, ...set }: StrategyUpdate) =>
  db.update(strategies).set(set).where(eq(strategies.id, id));
