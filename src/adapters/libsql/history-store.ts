import { and, asc, type Column, desc, eq, getTableColumns, lt, type SQL, sql, type Table } from "drizzle-orm";
import type { HistoryPlace, HistoryStore, Page } from "../../ports/stores/store.ts";
import { bundle, type Context, statement } from "../../storage/client/context.ts";
import { archives, fillMids, measuredFills, spreadFills } from "../../storage/tables/liquidity-tables.ts";
import { events, fills, orders } from "../../storage/tables/trading-tables.ts";

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
      .select({ ...getTableColumns(fills), label: ORDER_LABEL })
      .from(fills)
      .where(and(eq(fills.strategy, strategy), older))
      .orderBy(desc(fills.at), desc(fills.tradeId))
      .limit(limit);
  },

  async measuredFillsOf(strategy, page) {
    const result = await client.execute(READ_MEASURED.with(pageOf(strategy, page)));
    return READ_MEASURED.rows(measuredFills, result).map((fill) => Object.assign(fill, { strategy }));
  },

  async spreadFillsOf(strategy, page) {
    return READ_SPREADS.rows(spreadFills, await client.execute(READ_SPREADS.with(pageOf(strategy, page))));
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

  async hasMoreThan(strategy, rows) {
    // Counts along the indexes of the histories.
    const isBeyond = (table: Table, whose: Column) =>
      sql`exists(select 1 from ${table} where ${whose} = ${strategy} limit 1 offset ${rows})`;
    const any = sql`select ${isBeyond(orders, orders.strategy)} or ${isBeyond(fills, fills.strategy)} or ${isBeyond(events, events.strategy)}`;
    return (await client.execute(statement(any))).rows[0]?.[0] === 1;
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

/** In a select of one table, the columns of an outer query need their table's name as text. */
const ORDER_LABEL = sql<
  string | null
>`(select label from orders where orders.account = fills.account and orders.client_id = fills.client_id)`;

const pageOf = (strategy: string, { limit, before }: Page) => {
  const { at = Number.MAX_SAFE_INTEGER, id = "" } = before ?? {};
  return { strategy, at, id, limit };
};

/** Reads a page along the index of a strategy's fills, and the mids of each fill by key. */
const fillsPage = (table: typeof measuredFills | typeof spreadFills) => {
  const of = (name: string) => sql.placeholder(name);
  const { account, symbol, tradeId, at, strategy } = fills;
  const isOfFill = and(
    eq(fillMids.account, account),
    eq(fillMids.symbol, symbol),
    eq(fillMids.at, at),
    eq(fillMids.tradeId, tradeId),
  );
  const columns = Object.keys(getTableColumns(table)).map((name) => {
    const column = { ...getTableColumns(fillMids), ...getTableColumns(fills) }[name];
    return sql`${column}`;
  });
  return sql`select ${sql.join(columns, sql`, `)} from ${fills} left join ${fillMids} on ${isOfFill} where ${strategy} = ${of("strategy")} and (${at}, ${tradeId}) < (${of("at")}, ${of("id")}) order by ${at} desc, ${tradeId} desc limit ${of("limit")}`;
};

/** Reads a page as one value; value by value takes twice as long. */
export const READ_MEASURED = bundle(() => [[measuredFills, fillsPage(measuredFills)]]);
export const READ_SPREADS = bundle(() => [[spreadFills, fillsPage(spreadFills)]]);

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
