import { and, asc, type Column, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { HistoryPlace, HistoryStore } from "../../../ports/stores/history-store.ts";
import { bundle, type Context } from "../client/context.ts";
import { archives } from "../tables/archive-tables.ts";
import { fillMids, measuredFills } from "../tables/quality-tables.ts";
import { events, fills, orders } from "../tables/tables.ts";

export const historyStore = ({ client, db }: Context): HistoryStore => ({
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

  async measuredFillsOf(strategy, { limit, before }) {
    const { at = Number.MAX_SAFE_INTEGER, id = "" } = before ?? {};
    const result = await client.execute(READ_MEASURED.with({ strategy, at, id, limit }));
    return READ_MEASURED.rows(measuredFills, result).map((fill) => Object.assign(fill, { strategy }));
  },

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
const measuredPage = () => {
  const of = (name: string) => sql.placeholder(name);
  const { account, symbol, tradeId, at, strategy } = fills;
  const isOfFill = and(
    ...[eq(fillMids.account, account), eq(fillMids.symbol, symbol)],
    ...[eq(fillMids.at, at), eq(fillMids.tradeId, tradeId)],
  );
  return sql`select ${fills}.*, ${sql.join(MID_COLUMNS, sql`, `)} from ${fills} left join ${fillMids} on ${isOfFill} where ${strategy} = ${of("strategy")} and (${at}, ${tradeId}) < (${of("at")}, ${of("id")}) order by ${at} desc, ${tradeId} desc limit ${of("limit")}`;
};
const { account: _account, symbol: _symbol, at: _at, tradeId: _tradeId, ...mids } = getTableColumns(fillMids);
const MID_COLUMNS = Object.values(mids).map((column) => sql`${column}`);

/** Reads a page as one value; value by value takes twice as long. */
export const READ_MEASURED = bundle(() => [[measuredFills, measuredPage()]]);

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
