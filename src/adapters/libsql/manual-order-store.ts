import { sql } from "drizzle-orm";
import { manualOrderEvent } from "../../model/events.ts";
import { NO_MEMORY } from "../../model/memory.ts";
import { firstMet, type OrderState } from "../../model/order.ts";
import type { ManualOrderStore } from "../../ports/stores/store.ts";
import { building, type Context, eachWay, hasRows, rowsOf, statement } from "../../storage/client/context.ts";
import { type WriteMoment, writeText } from "../../storage/client/event-chain.ts";
import { isNotNewer, refuseNewer } from "../../storage/client/migrate.ts";
import { accounts, orders } from "../../storage/tables/trading-tables.ts";
import { insertManualOrder, isOrder } from "./order-rows.ts";

export function manualOrderStore(context: Context): ManualOrderStore {
  const { client, db, now, prepare } = context;
  return {
    async now() {
      const result = await client.fresh(statement(sql`select ${now()}`));
      return Number(result.rows[0]?.[0]);
    },

    async recordByHand(order, terms, by) {
      const account = prepare(accountKnown)({ account: order.account });
      const { insert, others } = insertManualOrder(context, order, terms);
      const isRecorded = sql`exists(select 1 from ${orders} where ${isOrder(order)})`;
      const make = async ({ calls, isGuarded, tell }: WriteMoment) => {
        if (!isGuarded) await refuseNewer(context, calls);
        return [account, ...insert, await tell(manualOrderEvent(order), isRecorded), others];
      };
      const known = terms.at === undefined ? undefined : { at: terms.at, holds: isNotNewer(context) };
      const results = await writeText(context, by, make, { known });
      if (hasRows(results[1])) return { result: "recorded" };
      const met = firstMet({ side: order.side, limit: terms.limit }, rowsOf(orders, results.at(-1)));
      return met ? { result: "meets", order: met } : { result: "refused" };
    },

    async settleByHand({ account, clientId, ...outcome }) {
      const isFinal = ["filled", "canceled", "expired", "rejected"].includes(outcome.state);
      const settle = prepare(answerWritten({ isFinal }));
      // A pass may already have observed the order at the exchange, and then knows more than this response. If this
      // write is lost, it is as if the process had died before the response: the order's row is on the disk, and the
      // order is looked up.
      await client.unwaited(settle({ account, clientId, ...outcome }));
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

const accountKnown = () =>
  building
    .insert(accounts)
    .values({ account: sql`${sql.placeholder("account")}`, memory: NO_MEMORY })
    .onConflictDoNothing();

/** Stores the exchange's response if nothing more is known of the order. */
const answerWritten = eachWay((now, { isFinal }: { readonly isFinal: boolean }) => {
  const given = <T>(name: string) => sql<T>`${sql.placeholder(name)}`;
  const [account, clientId] = [given("account"), given("clientId")];
  return building
    .update(orders)
    .set({
      state: given<OrderState>("state"),
      exchangeId: given<string>("exchangeId"),
      reason: given<string>("reason"),
      settled: isFinal,
      ...(isFinal ? { endedAt: now } : {}),
    })
    .where(sql`${isOrder({ account, clientId })} and ${orders.state} in ('pending', 'unknown')`);
});
