import { sql } from "drizzle-orm";
import { handEvent } from "../../../model/events.ts";
import { NO_MEMORY } from "../../../model/memory.ts";
import { firstMet } from "../../../model/own-orders.ts";
import type { HandOrderStore } from "../../../ports/stores/hand-order-store.ts";
import { type Context, hasRows, rowsOf, statement } from "../client/context.ts";
import { isNotNewer, refuseNewer } from "../client/migrate.ts";
import { accounts, orders } from "../tables/tables.ts";
import { type Moment, writeTold } from "./event-chain.ts";
import { insertByHand, isOrder } from "./order-rows.ts";

export function handOrderStore(context: Context): HandOrderStore {
  const { client, db, now } = context;
  return {
    async now() {
      const result = await client.fresh(statement(sql`select ${now()}`));
      return Number(result.rows[0]?.[0]);
    },

    async recordByHand(order, held, by) {
      const account = db
        .insert(accounts)
        .values({ account: order.account, memory: NO_MEMORY })
        .onConflictDoNothing();
      const { insert, others } = insertByHand(context, order, held);
      const isRecorded = sql`exists(select 1 from ${orders} where ${isOrder(order)})`;
      const make = async ({ calls, isGuarded, tell }: Moment) => {
        if (!isGuarded) await refuseNewer(context, calls);
        return [statement(account), ...insert, await tell(handEvent(order), isRecorded), others];
      };
      const known = held.at === undefined ? undefined : { at: held.at, holds: isNotNewer(context) };
      const results = await writeTold(context, by, make, { known });
      if (hasRows(results[1])) return { result: "recorded" };
      const met = firstMet({ side: order.side, limit: held.limit }, rowsOf(orders, results.at(-1)));
      return met ? { result: "meets", order: met } : { result: "refused" };
    },

    async settleByHand({ account, clientId, ...outcome }) {
      const final = ["filled", "canceled", "expired", "rejected"].includes(outcome.state);
      // A step may have seen it on the venue meanwhile, and then knows more than the answer to the request. Lost, it is
      // as if the process had died before the answer: the order's row is on the disk, and the order is looked up.
      await client.unwaited(
        statement(
          db
            .update(orders)
            .set({ ...outcome, settled: final, ...(final ? { endedAt: now() } : {}) })
            .where(sql`${isOrder({ account, clientId })} and ${orders.state} in ('pending', 'unknown')`),
        ),
      );
    },

    async hasUnclear(account) {
      const isUnclear = sql`${orders.account} = ${account} and ${orders.settled} = 0 and ${orders.state} in ('pending', 'unknown')`;
      const unclear = db.select({ id: orders.clientId }).from(orders).where(isUnclear).limit(1);
      return hasRows(await client.fresh(statement(unclear)));
    },

    async orderByClientId(account, clientId) {
      const found = db.select().from(orders).where(isOrder({ account, clientId }));
      const [order] = rowsOf(orders, await client.fresh(statement(found)));
      return order;
    },
  };
}
