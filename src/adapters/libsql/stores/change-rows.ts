import { eq } from "drizzle-orm";
import type { Order } from "../../../model/order.ts";
import type { Changes, Lease, StrategyUpdate } from "../../../ports/stores/step-store.ts";
import { type Context, type Statement, statement } from "../client/context.ts";
import { wishUnchanged } from "../client/fence.ts";
import { accounts, cursors, fills, orders, strategies } from "../tables/tables.ts";
import { insertIntents, updateOrder } from "./order-rows.ts";

export function changeStatements(context: Context, lease: Lease, changes: Changes): Statement[] {
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
    ...(changes.wish ? wishUnchanged(changes.wish) : []),
    // A slot's order ends before another one is adopted for it, and the adopted one exists before its fills.
    ...changes.orders.map((order) => updateOrder(context, order)),
    ...(changes.adopted.length > 0 ? [statement(db.insert(orders).values([...changes.adopted]))] : []),
    ...written,
    ...insertIntents(context, changes.intents, changes.terms),
  ];
}

const updateStrategy = ({ db }: Context, { id, ...set }: StrategyUpdate) =>
  db.update(strategies).set(set).where(eq(strategies.id, id));
