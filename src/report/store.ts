import { and, asc, between, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { dayOf, type Millis } from "../kernel/time.ts";
import { BY_PASS, EVERY_ACCOUNT, type EventView, type StoredEvent } from "../model/events.ts";
import type { Alarm, StrategyDay } from "../model/news.ts";
import type { Fill } from "../model/order.ts";
import type { Deps } from "../ports/deps.ts";
import { type Context, rowsOf, statement } from "../storage/client/context.ts";
import { writeText } from "../storage/client/event-chain.ts";
import { ageOfRow, notAhead } from "../storage/client/known-switch.ts";
import { alarms, lookout, strategyDays } from "../storage/tables/liquidity-tables.ts";
import { events, fills, newestEvent, strategies } from "../storage/tables/trading-tables.ts";

/** Dependencies of the operations on reports. */
export interface ReportDeps extends Deps {
  /** Daily figures; absent without reports. */
  readonly reports?: ReportStore;
}

/** One process's turn to check all alarms. */
export interface AlarmCheckLease {
  readonly now: Millis;
  /** Time and owner of the previous check; 0 and empty before the first. */
  readonly before: Millis;
  readonly ownerBefore: string;
  /** Rows of today and yesterday. */
  readonly days: readonly StrategyDay[];
  readonly alarms: readonly Alarm[];
  /** Uncounted events, oldest first. */
  readonly events: readonly (StoredEvent & { readonly id: number })[];
}

interface LookoutRequest {
  readonly every: Millis;
  readonly owner: string;
  readonly page: number;
}

interface ReportedDays {
  readonly now: Millis;
  readonly days: readonly StrategyDay[];
  /** Names and kinds of the strategies by id. */
  readonly named: ReadonlyMap<string, { readonly name: string | null; readonly kind: string | null }>;
}

export type FillPlace = Pick<Fill, "account" | "symbol" | "at" | "tradeId">;

/** Returns a range of days of every strategy that ran, without reading earlier days. */
export const daysQuery = ({ db }: Pick<Context, "db">, from: number, to: number) =>
  db
    .select()
    .from(strategyDays)
    .where(between(strategyDays.day, from, to))
    .orderBy(asc(strategyDays.day));

export const lastDayQuery = ({ db }: Pick<Context, "db">, strategy: string) =>
  db
    .select()
    .from(strategyDays)
    .where(eq(strategyDays.strategy, strategy))
    .orderBy(desc(strategyDays.day))
    .limit(1);

export const uncountedQuery = ({ db }: Pick<Context, "db">, page: number) =>
  db
    .select()
    .from(events)
    .where(sql`${events.id} > (select ${lookout.eventId} from ${lookout})`)
    .orderBy(asc(events.id))
    .limit(page);

/** Reads fills from a position along the index, so a page costs only its own rows. */
export const fillsInOrderQuery = ({ db }: Pick<Context, "db">, after: FillPlace | undefined, limit: number) =>
  db
    .select()
    .from(fills)
    .where(
      after &&
        sql`(${fills.account}, ${fills.symbol}, ${fills.at}) >= (${after.account}, ${after.symbol}, ${after.at}) and (${fills.account}, ${fills.symbol}, ${fills.at}, ${fills.tradeId}) > (${after.account}, ${after.symbol}, ${after.at}, ${after.tradeId})`,
    )
    .orderBy(asc(fills.account), asc(fills.symbol), asc(fills.at), asc(fills.tradeId))
    .limit(limit);

export type ReportStore = ReturnType<typeof createReportStore>;

export function createReportStore(context: Context) {
  const { client, db, now } = context;
  const isKnown = (key: string): SQL => sql`exists(select 1 from ${alarms} where ${alarms.key} = ${key})`;
  return {
    /** Takes the turn if the last one is long enough ago. */
    lookOut: (request: LookoutRequest): Promise<AlarmCheckLease | undefined> => takeLookout(context, request),

    /** Stores the rows, and the last event that they include. */
    async keepDays(days: readonly StrategyDay[], countedTo: number | undefined): Promise<void> {
      const statements = days.map((row) => {
        const { strategy: _strategy, day: _day, ...set } = row;
        return statement(
          db
            .insert(strategyDays)
            .values(row)
            .onConflictDoUpdate({ target: [strategyDays.strategy, strategyDays.day], set }),
        );
      });
      const counted =
        countedTo === undefined ? [] : [statement(db.update(lookout).set({ eventId: countedTo }))];
      if (statements.length + counted.length > 0) await client.batch([...statements, ...counted], "write");
    },

    /** Returns the last row of each of these strategies, however old. */
    async lastDaysOf(ids: readonly string[]): Promise<readonly StrategyDay[]> {
      if (ids.length === 0) return [];
      const reads = ids.map((id) => statement(lastDayQuery(context, id)));
      return (await client.batch(reads, "read")).flatMap((result) => rowsOf(strategyDays, result));
    },

    /** Records an alarm that started and ended at once. */
    async tell(result: Pick<EventView, "strategy" | "kind" | "message">): Promise<void> {
      await writeText(context, BY_PASS, async ({ tell }) => [
        await tell({ account: EVERY_ACCOUNT, ...result }),
      ]);
    },

    /** Reports an alarm once, even if several processes find it. */
    async raise({ key, strategy, kind, message }: Alarm): Promise<void> {
      await writeText(context, BY_PASS, async ({ now: since, tell }) => [
        await tell({ account: EVERY_ACCOUNT, strategy, kind, message }, sql`not ${isKnown(key)}`),
        statement(db.insert(alarms).values({ key, strategy, since, message }).onConflictDoNothing()),
      ]);
    },

    /** Reports the end of an alarm with `message`. */
    async clear({ key, strategy, message }: Alarm): Promise<void> {
      const result = { account: EVERY_ACCOUNT, strategy, kind: "recovered" as const, message };
      await writeText(context, BY_PASS, async ({ tell }) => [
        await tell(result, isKnown(key)),
        statement(db.delete(alarms).where(eq(alarms.key, key))),
      ]);
    },

    /** Returns all fills, by account, pair and time. */
    async fillsInOrder(after: FillPlace | undefined, limit: number): Promise<readonly Fill[]> {
      return fillsInOrderQuery(context, after, limit);
    },

    /** Returns rows of the days `from` to `to`, inclusive. */
    async daysOf(from: number, to: number): Promise<ReportedDays> {
      const rows = await db
        .select({
          row: getTableColumns(strategyDays),
          now: now(),
          name: strategies.name,
          kind: strategies.kind,
        })
        .from(strategyDays)
        .leftJoin(strategies, eq(strategies.id, strategyDays.strategy))
        .where(and(between(strategyDays.day, from, to)))
        .orderBy(asc(strategyDays.day));
      const at = rows[0]?.now ?? Number((await client.execute(statement(sql`select ${now()}`))).rows[0]?.[0]);
      const named = new Map(rows.map(({ row, name, kind }) => [row.strategy, { name, kind }]));
      return { now: at, days: rows.map(({ row }): StrategyDay => row), named };
    },
  };
}

async function takeLookout(context: Context, { every, owner, page }: LookoutRequest) {
  const { client, db, now } = context;
  const row = {
    id: 1,
    lookedAt: 0,
    before: 0,
    owner,
    ownerBefore: owner,
    eventId: newestEvent as SQL<number>,
  };
  const last = { before: notAhead(lookout.lookedAt, now()), ownerBefore: lookout.owner };
  const take = db
    .update(lookout)
    .set({ ...last, lookedAt: now(), owner })
    .where(sql`${ageOfRow(lookout.lookedAt, now())} >= ${every}`)
    .returning();
  const [, claimed] = await client.batch(
    [statement(db.insert(lookout).values(row).onConflictDoNothing()), statement(take)],
    "write",
  );
  const [turn] = rowsOf(lookout, claimed);
  if (!turn) return undefined;
  const today = dayOf(turn.lookedAt);
  const [days, known, uncounted] = await client.batch(
    [daysQuery(context, today - 1, today), db.select().from(alarms), uncountedQuery(context, page)].map(
      statement,
    ),
    "write",
  );
  return {
    now: turn.lookedAt,
    before: turn.before,
    ownerBefore: turn.ownerBefore,
    days: rowsOf(strategyDays, days),
    alarms: rowsOf(alarms, known).map((alarm) => ({ ...alarm, kind: "alarm" as const })),
    events: rowsOf(events, uncounted),
  };
}
