import { eq, type SQL, sql } from "drizzle-orm";
import { SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests } from "../../../ports/venue.ts";
import {
  building,
  type Context,
  queries,
  type Statement,
  statement,
} from "../../../storage/client/context.ts";
import { rates } from "../../../storage/tables/live-tables.ts";
import type { RateKeeper } from "../../ccxt/client/keeping.ts";

export function rateKeeper({ client, db, now, prepare, uses }: Context): RateKeeper {
  return {
    async spend(account, calls) {
      const requests = [takeOfRate, waitForRate].map((made) => prepare(made)({ account, ...timeOf(calls) }));
      const [counted, rest] = await client.batch(requests, "write", uses.get(account));
      return counted?.rows.length ? 0 : Math.max(1, Number(rest?.rows[0]?.[0]));
    },

    async exhaust(account, { burst, perSecond }) {
      const fullAt = sql`${now()} + ${Math.ceil((burst * SECOND) / perSecond)}`;
      const added = db.insert(rates).values({ account, fullAt });
      await client.execute(statement(added.onConflictDoUpdate({ target: rates.account, set: { fullAt } })));
    },
  };
}

const [ACCOUNT, COST, WHOLE, LONGEST] = ["account", "cost", "whole", "longest"].map(
  (name) => sql`${sql.placeholder(name)}`,
) as [SQL<AccountKey>, SQL<number>, SQL<number>, SQL<number>];

/**
 * Returns the time in which the rate limit regains the calls, and the maximum for all of them; longer than any rate
 * needs.
 */
const timeOf = ({ calls, kept, rate: { burst, perSecond } }: CallRequests) => {
  const each = SECOND / perSecond;
  return {
    cost: Math.ceil(calls * each),
    whole: Math.ceil((burst - kept) * each),
    // Another process can have another tier for the account.
    longest: Math.ceil(2 * burst * each),
  };
};

/**
 * Returns when the rate limit was full before this call. An impossible time was written while the clock was ahead:
 * one more take is allowed, and uses up the rate limit.
 */
const wholeAt = (now: SQL<number>): SQL<number> =>
  sql`iif(${rates.fullAt} > ${now} + ${LONGEST}, max(${now}, ${now} + ${WHOLE} - ${COST}), max(${rates.fullAt}, ${now}))`;

/** Takes calls; returns a row if enough were available. */
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

/** Does the same if the previous statement has changed something. */
const takeAfterChange = (now: SQL<number>) => takeOfRate(now, sql`changes() > 0`);

/** For a batch: takes calls if the previous statement changed something. */
export const countCalls = ({ prepare }: Context, account: AccountKey, request: CallRequests): Statement =>
  prepare(takeAfterChange)({ account, ...timeOf(request) });

/** Returns the time until enough are available. */
const waitForRate = (now: SQL<number>) =>
  queries
    .select({ wait: sql<number>`${wholeAt(now)} + ${COST} - ${now} - ${WHOLE}` })
    .from(rates)
    .where(eq(rates.account, ACCOUNT));
