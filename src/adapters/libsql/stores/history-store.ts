import { and, asc, type Column, desc, eq, lt, or, type SQL } from "drizzle-orm";
import type { HistoryPlace, HistoryStore } from "../../../ports/stores/history-store.ts";
import type { Context } from "../client/context.ts";
import { archives } from "../tables/archive-tables.ts";
import { events, fills, orders } from "../tables/tables.ts";

export const historyStore = ({ db }: Context): HistoryStore => ({
  async ordersOf(strategy, { limit, before }) {
    const older = olderThan({ at: orders.createdAt, id: orders.clientId }, before, before?.id);
    return db
      .select()
      .from(orders)
      .where(and(eq(orders.strategy, strategy), older))
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
      .orderBy(asc(events.id))
      .limit(1);
    return started?.actor ?? undefined;
  },

  archives: async () => db.select().from(archives).orderBy(asc(archives.year)),
});

function olderThan(
  { at, id }: { at: Column; id: Column },
  before: HistoryPlace | undefined,
  last: string | number | undefined,
): SQL | undefined {
  if (!before) return undefined;
  if (last === undefined) return lt(at, before.at);
  return or(lt(at, before.at), and(eq(at, before.at), lt(id, last)));
}
