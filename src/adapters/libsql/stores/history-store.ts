import { and, asc, type Column, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { HistoryPlace, HistoryStore, Page } from "../../../ports/stores/history-store.ts";
import type { Context } from "../client/context.ts";
import { archives } from "../tables/archive-tables.ts";
import { fillMids } from "../tables/quality-tables.ts";
import { events, fills, orders } from "../tables/tables.ts";

export const historyStore = ({ db }: Context): HistoryStore => ({
  async ordersOf(strategy, { limit, before }) {
    // The index has open and settled orders apart, each with the newest at its end.
    const newest = (settled: number) =>
      sql`select * from (select rowid from orders where strategy = ${strategy} and settled = ${settled} ${olderOrder(before)} order by created_at desc, client_id desc limit ${limit})`;
    return db
      .select()
      .from(orders)
      .where(sql`rowid in (${newest(0)} union all ${newest(1)})`)
      .orderBy(desc(orders.createdAt), desc(orders.clientId))
      .limit(limit);
  },

  async fillsOf(strategy, { limit, before }) {
    const older = olderThan({ at: fills.at, id: fills.tradeId }, before, before?.id);
    return db
      .select()
      .from(fills)
      .where(and(eq(fills.strategy, strategy), older))
      .orderBy(desc(fills.at), desc(fills.tradeId))
      .limit(limit);
  },

  measuredFillsOf: async (strategy, page) => measuredFillsQuery({ db }, strategy, page),

  async eventsOf(strategy, { limit, before }) {
    const id = before?.id === undefined ? undefined : Number(before.id);
    return db
      .select()
      .from(events)
      .where(and(eq(events.strategy, strategy), olderThan({ at: events.at, id: events.id }, before, id)))
      .orderBy(desc(events.at), desc(events.id))
      .limit(limit);
  },

  async starterOf(strategy) {
    const [started] = await db
      .select({ actor: events.actor })
      .from(events)
      .where(and(eq(events.strategy, strategy), eq(events.kind, "started")))
      .orderBy(asc(events.at), asc(events.id))
      .limit(1);
    return started?.actor ?? undefined;
  },

  archives: async () => db.select().from(archives).orderBy(asc(archives.year)),
});

/** Reads a page along the index of a strategy's fills, and the mids of each fill by key. */
export function measuredFillsQuery({ db }: Pick<Context, "db">, strategy: string, { limit, before }: Page) {
  const older = olderThan({ at: fills.at, id: fills.tradeId }, before, before?.id);
  const { account, symbol, at, tradeId, ...mids } = getTableColumns(fillMids);
  const isOfFill = and(
    ...[eq(account, fills.account), eq(symbol, fills.symbol), eq(at, fills.at), eq(tradeId, fills.tradeId)],
  );
  return db
    .select({ ...getTableColumns(fills), ...mids })
    .from(fills)
    .leftJoin(fillMids, isOfFill)
    .where(and(eq(fills.strategy, strategy), older))
    .orderBy(desc(fills.at), desc(fills.tradeId))
    .limit(limit);
}

function olderOrder(before: HistoryPlace | undefined): SQL {
  if (!before) return sql``;
  return before.id === undefined
    ? sql`and created_at < ${before.at}`
    : sql`and (created_at, client_id) < (${before.at}, ${before.id})`;
}

function olderThan(
  { at, id }: { at: Column; id: Column },
  before: HistoryPlace | undefined,
  last: string | number | undefined,
): SQL | undefined {
  if (!before) return undefined;
  return last === undefined ? lt(at, before.at) : sql`(${at}, ${id}) < (${before.at}, ${last})`;
}
