import { eq, type SQL, sql } from "drizzle-orm";
import { SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests } from "../../../ports/venue.ts";
import type { RateKeeper } from "../../ccxt/client/keeping.ts";
import { building, type Context, queries, type Statement, statement } from "../client/context.ts";
import { rates } from "../tables/live-tables.ts";

export function rateKeeper({ client, db, now, prepare, uses }: Context): RateKeeper {
  return {
    async spend(account, calls) {
      const requests = [takeOfRate, waitForRate].map((made) => prepare(made)({ account, ...timeOf(calls) }));
      const [taken, rest] = await client.batch(requests, "write", uses.get(account));
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

const [ACCOUNT, COST, WHOLE, LONGEST] = ["account", "cost", "whole", "longest"].map(
  (name) => sql`${sql.placeholder(name)}`,
) as [SQL<AccountKey>, SQL<number>, SQL<number>, SQL<number>];

/** How long the rate takes to regain the calls, and all that may be taken of it; and longer than any rate takes. */
const timeOf = ({ calls, kept, rate: { burst, perSecond } }: CallRequests) => {
  const each = SECOND / perSecond;
  return {
    cost: Math.ceil(calls * each),
    whole: Math.ceil((burst - kept) * each),
    // Another process may go by another tier of the account.
    longest: Math.ceil(2 * burst * each),
  };
};

/**
 * When the rate was whole before this taking. A time that it cannot need was written while the clock was ahead: one more
 * taking fits, and leaves the rate used up.
 */
const wholeAt = (now: SQL<number>): SQL<number> =>
  sql`iif(${rates.fullAt} > ${now} + ${LONGEST}, max(${now}, ${now} + ${WHOLE} - ${COST}), max(${rates.fullAt}, ${now}))`;

/** Answers a row where it was taken: the rate has so much. */
const takeOfRate = (now: SQL<number>, condition = sql`true`) =>
  building
    .insert(rates)
    .select(sql`select ${ACCOUNT}, ${now} + ${COST} where ${condition}`)
    .onConflictDoUpdate({
      target: rates.account,
      set: { fullAt: sql`${wholeAt(now)} + ${COST}` },
      setWhere: sql`${wholeAt(now)} + ${COST} <= ${now} + ${WHOLE}`,
    })
    .returning({ account: rates.account });

/** The same, where the statement before it has changed something. */
const takeAfterChange = (now: SQL<number>) => takeOfRate(now, sql`changes() > 0`);

/** Of a batch, behind what must have changed something. */
export const callsTaken = ({ prepare }: Context, account: AccountKey, request: CallRequests): Statement =>
  prepare(takeAfterChange)({ account, ...timeOf(request) });

/** How long until it has. */
const waitForRate = (now: SQL<number>) =>
  queries
    .select({ wait: sql<number>`${wholeAt(now)} + ${COST} - ${now} - ${WHOLE}` })
    .from(rates)
    .where(eq(rates.account, ACCOUNT));
