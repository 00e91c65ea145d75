import { eq, sql } from "drizzle-orm";
import { NO_MEMORY } from "../../records.ts";
import type { HandOrderStore } from "../../store.ts";
import { type Context, statement } from "./context.ts";
import { insertIntents } from "./order-rows.ts";
import { accounts, orders } from "./tables.ts";

export function handOrderStore(context: Context): HandOrderStore {
  const { client, db, now } = context;
  return {
    async now() {
      const result = await client.execute(statement(sql`select ${now()}`));
      return Number(result.rows[0]?.[0]);
    },

    async recordByHand(order, terms) {
      const account = db
        .insert(accounts)
        .values({ account: order.account, memory: NO_MEMORY })
        .onConflictDoNothing();
      const results = await client.batch(
        [statement(account), ...insertIntents(context, [order], terms)],
        "write",
      );
      return results.some((result) => result.columns[0] === "client_id" && result.rows.length > 0);
    },

    async settleByHand({ clientId, ...outcome }) {
      const final = ["filled", "canceled", "expired", "rejected"].includes(outcome.state);
      // A step may have seen it on the venue meanwhile, and then knows more than the answer to the request.
      await client.execute(
        statement(
          db
            .update(orders)
            .set({ ...outcome, settled: final, ...(final ? { endedAt: now() } : {}) })
            .where(sql`${orders.clientId} = ${clientId} and ${orders.state} in ('pending', 'unknown')`),
        ),
      );
    },

    async hasUnclear(account) {
      const isUnclear = sql`${orders.account} = ${account} and ${orders.settled} = 0 and ${orders.state} in ('pending', 'unknown')`;
      return (await db.select({ id: orders.clientId }).from(orders).where(isUnclear).limit(1)).length > 0;
    },

    async orderByClientId(clientId) {
      const [order] = await db.select().from(orders).where(eq(orders.clientId, clientId));
      return order;
    },
  };
}
