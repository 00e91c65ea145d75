import { and, asc, between, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { dayOf } from "../kernel/time.ts";
import type { StrategyDay } from "../model/day.ts";
import { BY_STEP, EVERY_ACCOUNT } from "../model/events.ts";
import type { FillPlace, ReportStore } from "../ports/stores/report-store.ts";
import { type Context, rowsOf, type StoreMethod, statement } from "../storage/client/context.ts";
import { writeText } from "../storage/client/event-chain.ts";
import { ageOfRow, notAhead } from "../storage/client/stored-times.ts";
import { alarms, lookout, strategyDays } from "../storage/tables/report-tables.ts";
import { events, fills, newestEvent, strategies } from "../storage/tables/tables.ts";

/** Returns a range of days of every strategy that ran, without reading earlier days. */
export const daysQuery = ({ db }: Pick<Context, "db">, from: number, to: number) =>
  db
    .select()
    .from(strategyDays)
    .where(between(strategyDays.day, from, to))
    .orderBy(asc(strategyDays.day));

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

export function reportStore(context: Context): ReportStore {
  const { client, db, now } = context;
  const isKnown = (key: string): SQL => sql`exists(select 1 from ${alarms} where ${alarms.key} = ${key})`;
  return {
    lookOut: (request) => takeLookout(context, request),

    async keepDays(days, countedTo) {
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

    async tell(result) {
      await writeText(context, BY_STEP, async ({ tell }) => [
        await tell({ account: EVERY_ACCOUNT, ...result }),
      ]);
    },

    async raise({ key, strategy, kind, message }) {
      await writeText(context, BY_STEP, async ({ now: since, tell }) => [
        await tell({ account: EVERY_ACCOUNT, strategy, kind, message }, sql`not ${isKnown(key)}`),
        statement(db.insert(alarms).values({ key, strategy, since, message }).onConflictDoNothing()),
      ]);
    },

    async clear({ key, strategy, message }) {
      const result = { account: EVERY_ACCOUNT, strategy, kind: "recovered" as const, message };
      await writeText(context, BY_STEP, async ({ tell }) => [
        await tell(result, isKnown(key)),
        statement(db.delete(alarms).where(eq(alarms.key, key))),
      ]);
    },

    async fillsInOrder(after, limit) {
      return fillsInOrderQuery(context, after, limit);
    },

    async daysOf(from, to) {
      const rows = await db
        .select({
          ...{ row: getTableColumns(strategyDays), now: now() },
          ...{ name: strategies.name, kind: strategies.kind },
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

const takeLookout: StoreMethod<ReportStore["lookOut"]> = async (context, { every, owner, page }) => {
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
    alarms: rowsOf(alarms, known).map((alarm) => ({ ...alarm, kind: "alarm" })),
    events: rowsOf(events, uncounted),
  };
};
