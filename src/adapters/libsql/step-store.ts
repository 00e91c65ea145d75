import { and, eq, gte, inArray, ne, type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../errors.ts";
import { NO_MEMORY, type Order, type Strategy } from "../../records.ts";
import type { Changes, Lease, Snapshot, StepStore, StrategyUpdate } from "../../store.ts";
import { type Context, rowsOf, type Statement, statement } from "./context.ts";
import { guarded } from "./fence.ts";
import { insertEvents, insertIntents, updateOrder } from "./order-rows.ts";
import { accounts, control, cursors, fills, orders, strategies } from "./tables.ts";

export function stepStore(context: Context): StepStore {
  const { client, db, now } = context;

  const record = async (lease: Lease, changes: readonly Changes[]) => {
    const statements = changes.flatMap((change) => changeStatements(context, lease, change));
    const results = await client.batch(guarded(context, lease, statements), "write");
    const recorded = results.flatMap((result) => (result.columns[0] === "client_id" ? result.rows.map((row) => String(row[0])) : []));
    return new Set(recorded);
  };

  return {
    async due() {
      const running = db.select({ account: strategies.account }).from(strategies).where(ne(strategies.status, "stopped"));
      const unsettled = db.select({ account: orders.account }).from(orders).where(eq(orders.settled, false));
      return db
        .select({ account: accounts.account, retryAt: accounts.retryAt, now: now() })
        .from(accounts)
        .where(sql`${accounts.account} in (${running}) or ${accounts.account} in (${unsettled})`)
        .orderBy(accounts.account);
    },

    async acquire({ account, owner, ttl, overlap }) {
      const lease = db
        .update(accounts)
        .set({ token: sql`${accounts.token} + 1`, owner, until: sql`${now()} + ${ttl}` })
        .where(sql`${accounts.account} = ${account} and (${accounts.until} <= ${now()} or ${accounts.owner} = ${owner})`)
        .returning({ token: accounts.token, until: accounts.until, now: now() });
      const [taken, ...rows] = await client.batch([statement(lease), ...reads(context, account, overlap)], "write");
      const row = taken?.rows[0];
      if (!row) return undefined;
      const [token, until, at] = [Number(row[0]), Number(row[1]), Number(row[2])];
      return snapshot({ account, token, until, now: at }, rows);
    },

    record,

    async killed() {
      const [row] = await db.select({ kill: control.kill }).from(control);
      if (!row) throw new StoreError("unavailable", "the database has no control row: it is not migrated");
      return row.kill;
    },

    async settle(lease, { outcomes, phases, events, memory, failure }) {
      const released = db
        .update(accounts)
        .set({
          owner: null,
          until: 0,
          failures: failure ? sql`${accounts.failures} + 1` : 0,
          retryAt: failure?.retryAt ?? 0,
          error: failure?.message ?? null,
          ...(failure ? {} : { steppedAt: now() }),
          ...(memory ? { memory } : {}),
        })
        .where(eq(accounts.account, lease.account));
      const statements = [
        ...outcomes.map(({ clientId, ...outcome }) =>
          statement(db.update(orders).set(outcome).where(eq(orders.clientId, clientId))),
        ),
        ...phases.map(({ id, phase }) =>
          statement(db.update(strategies).set({ phase }).where(eq(strategies.id, id))),
        ),
        ...insertEvents(context, events),
        statement(released),
      ];
      await client.batch(guarded(context, lease, statements), "write");
    },

    async ordersByExchangeId(account, ids) {
      if (ids.length === 0) return [];
      return db.select().from(orders).where(and(eq(orders.account, account), inArray(orders.exchangeId, [...ids])));
    },
  };
}

function reads({ db }: Context, account: string, overlap: number): Statement[] {
  const ofAccount = eq(accounts.account, account);
  const since: SQL = sql`(select ${cursors.at} - ${overlap} from ${cursors} where ${cursors.account} = ${account} and ${cursors.symbol} = ${fills.symbol})`;
  return [
    db.select().from(accounts).where(ofAccount),
    db.select().from(control),
    db.select().from(strategies).where(and(eq(strategies.account, account), ne(strategies.status, "stopped"))).orderBy(strategies.number),
    db.select().from(orders).where(and(eq(orders.account, account), eq(orders.settled, false))).orderBy(orders.clientId),
    db.select().from(cursors).where(eq(cursors.account, account)),
    db
      .select({ symbol: fills.symbol, tradeId: fills.tradeId })
      .from(fills)
      .where(and(eq(fills.account, account), gte(fills.at, since))),
  ].map(statement);
}

type Results = Awaited<ReturnType<Context["client"]["batch"]>>;

function snapshot(lease: Lease, [account, switches, running, unsettled, seen, trades]: Results): Snapshot {
  const [memory] = rowsOf(accounts, account);
  const [settings] = rowsOf(control, switches);
  if (!settings) throw new StoreError("unavailable", "the database has no control row: it is not migrated");
  const booked: Record<string, Set<string>> = {};
  for (const [symbol, tradeId] of (trades?.rows ?? []).map((row) => [String(row[0]), String(row[1])] as const)) {
    booked[symbol] ??= new Set();
    booked[symbol].add(tradeId);
  }
  return {
    lease,
    killed: settings.kill,
    strategies: rowsOf(strategies, running) satisfies Strategy[],
    orders: rowsOf(orders, unsettled) satisfies Order[],
    cursors: Object.fromEntries(rowsOf(cursors, seen).map(({ symbol, at }) => [symbol, at])),
    booked,
    memory: memory?.memory ?? NO_MEMORY,
    failures: memory?.failures ?? 0,
  };
}

function changeStatements(context: Context, lease: Lease, changes: Changes): Statement[] {
  const { db } = context;
  const { strategy, memory } = changes;
  const written = [
    ...changes.fills.map((fill) => db.insert(fills).values(fill)),
    ...(strategy ? [updateStrategy(context, strategy)] : []),
    ...Object.entries(changes.cursors).map(([symbol, at]) =>
      db
        .insert(cursors)
        .values({ account: lease.account, symbol: symbol as Order["symbol"], at })
        .onConflictDoUpdate({ target: [cursors.account, cursors.symbol], set: { at } }),
    ),
    ...(memory ? [db.update(accounts).set({ memory }).where(eq(accounts.account, lease.account))] : []),
  ].map(statement);
  return [
    ...written,
    ...changes.orders.map((order) => updateOrder(context, order)),
    ...insertIntents(changes.intents),
    ...insertEvents(context, changes.events),
  ];
}

const updateStrategy = ({ db }: Context, { id, ...set }: StrategyUpdate) =>
  db.update(strategies).set(set).where(eq(strategies.id, id));
