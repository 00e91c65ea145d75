import { eq, type SQL, sql } from "drizzle-orm";
import { SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { RateKeeper } from "../../ccxt/client/keeping.ts";
import { building, type Context, queries, statement } from "../client/context.ts";
import { rates } from "../tables/live-tables.ts";

export function rateKeeper({ client, db, now, prepare, uses }: Context): RateKeeper {
  return {
    async spend(account, { calls, kept }, { burst, perSecond }) {
      const each = SECOND / perSecond;
      const [cost, whole] = [Math.ceil(calls * each), Math.ceil((burst - kept) * each)];
      const asked = [takeOfRate, waitForRate].map((made) => prepare(made)({ account, cost, whole }));
      const [taken, rest] = await client.batch(asked, "write", uses.get(account));
      return taken?.rows.length ? 0 : Math.max(1, Number(rest?.rows[0]?.[0]));
    },

    async exhaust(account, { burst, perSecond }) {
      const fullAt = sql`${now()} + ${Math.ceil((burst * SECOND) / perSecond)}`;
      await client.execute(
        statement(
          db
            .insert(rates)
            .values({ account, fullAt })
            .onConflictDoUpdate({ target: rates.account, set: { fullAt } }),
        ),
      );
    },
  };
}

const [ACCOUNT, COST, WHOLE] = ["account", "cost", "whole"].map((name) => sql`${sql.placeholder(name)}`) as [
  SQL<AccountKey>,
  SQL<number>,
  SQL<number>,
];

/** Taken of the rate, where it has so much. */
const takeOfRate = (now: SQL<number>) =>
  building
    .insert(rates)
    .values({ account: ACCOUNT, fullAt: sql`${now} + ${COST}` })
    .onConflictDoUpdate({
      target: rates.account,
      set: { fullAt: sql`max(${rates.fullAt}, ${now}) + ${COST}` },
      setWhere: sql`max(${rates.fullAt}, ${now}) + ${COST} <= ${now} + ${WHOLE}`,
    })
    .returning({ account: rates.account });

/** How long until it has. */
const waitForRate = (now: SQL<number>) =>
  queries
    .select({ wait: sql<number>`max(${rates.fullAt}, ${now}) + ${COST} - ${now} - ${WHOLE}` })
    .from(rates)
    .where(eq(rates.account, ACCOUNT));
