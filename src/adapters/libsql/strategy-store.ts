import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../errors.ts";
import { NO_MEMORY, ownerName } from "../../records.ts";
import type { StrategyStore } from "../../store.ts";
import { type Context, rowsOf, statement } from "./context.ts";
import { accounts, control, events, isRunning, isUnsettled, orders, strategies } from "./tables.ts";

export function strategyStore(context: Context): StrategyStore {
  const { client, db, now } = context;
  return {
    async createStrategy({ prefix, ...strategy }) {
      // The millisecond is chosen where it is written: of two starts in one, the second counts up.
      const number = sql<number>`(select cast(max(${strategy.startedAt}, coalesce(max(${strategies.number}) + 1, 0)) as integer) from ${strategies})`;
      const account = db
        .insert(accounts)
        .values({ account: strategy.account, memory: NO_MEMORY })
        .onConflictDoNothing();
      const insert = db
        .insert(strategies)
        .values({
          ...strategy,
          epoch: sql`(select ${control.epoch} from ${control})`,
          number,
          id: sql`${prefix} || '-' || ${number}`,
        })
        .onConflictDoNothing({ target: strategies.request })
        .returning();
      // Of the row just inserted, if one was.
      const started = sql`insert into ${events} (account, strategy, at, kind, message) select ${strategies.account}, ${strategies.id}, ${now()}, 'started', ${strategies.symbol} from ${strategies} where changes() = 1 and ${strategies.number} = (select max(${strategies.number}) from ${strategies})`;
      const results = await client.batch(
        [statement(account), statement(insert), statement(started)],
        "write",
      );
      const [created] = rowsOf(strategies, results[1]);
      if (created) return created;
      const [known] = await db
        .select()
        .from(strategies)
        .where(eq(strategies.request, strategy.request ?? ""));
      if (!known) throw new StoreError("unavailable", "the database did not return the new strategy");
      return known;
    },

    async strategies({ id, request, account: ofAccount, stopped = true, page }) {
      const wanted = [
        id === undefined ? undefined : eq(strategies.id, id),
        request === undefined ? undefined : eq(strategies.request, request),
        ofAccount === undefined ? undefined : eq(strategies.account, ofAccount),
        page?.before === undefined ? undefined : lt(strategies.number, page.before),
        stopped ? undefined : isRunning(),
      ];
      // With the plus, or SQLite walks all that ever ran in the order of their numbers to sort the few that run.
      const number = stopped ? sql`${strategies.number}` : sql`+${strategies.number}`;
      const inOrder = page ? desc(number) : number;
      const open = db
        .select({ count: sql<number>`count(*)` })
        .from(orders)
        .where(
          sql`${orders.strategy} = ${strategies.id} and ${isUnsettled()} and ${orders.state} in ('submitted', 'open', 'partially_filled')`,
        );
      const rows = await db
        .select({ strategy: strategies, account: accounts, openOrders: sql<number>`(${open})`, now: now() })
        .from(strategies)
        .innerJoin(accounts, eq(accounts.account, strategies.account))
        .where(and(...wanted))
        .orderBy(inOrder)
        .limit(page?.limit ?? -1);
      return rows.map(({ strategy, account, openOrders, now: at }) => ({
        strategy,
        openOrders,
        memory: account.memory,
        steppedAt: account.steppedAt,
        accountError: account.error,
        steppedBy: ownerName(account.owner),
        costs: account.costs ?? [],
        now: at,
      }));
    },

    async setWants(id, wants, keepOrders, sellBase = false) {
      const asked: SQL = sql`select ${strategies.account}, ${strategies.id}, ${now()}, 'wants', ${wants} from ${strategies} where ${strategies.id} = ${id} and ${isRunning()}`;
      await client.batch(
        [
          statement(
            db
              .update(strategies)
              .set({ wants, keepOrders, sellBase })
              .where(and(eq(strategies.id, id), isRunning())),
          ),
          statement(sql`insert into ${events} (account, strategy, at, kind, message) ${asked}`),
          resumed(context, id),
        ],
        "write",
      );
    },

    async setPaused(id, isPaused) {
      const wants = isPaused ? "pause" : "run";
      const asked = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop'`;
      const resumes = sql`${strategies.resumes} + ${isPaused ? 0 : 1}`;
      const told = sql`insert into ${events} (account, strategy, at, kind, message) select ${strategies.account}, ${strategies.id}, ${now()}, 'wants', ${wants} from ${strategies} where ${asked}`;
      const set = db.update(strategies).set({ wants, resumes }).where(asked);
      await client.batch([statement(told), statement(set), resumed(context, id)], "write");
    },

    async releasedOrdersOf(strategy) {
      const left = and(
        eq(orders.strategy, strategy),
        eq(orders.settled, true),
        inArray(orders.state, ["open", "partially_filled"]),
      );
      return db.select().from(orders).where(left).orderBy(orders.price);
    },
  };
}

/** A pass that was put off for lack of calls is put off no longer: a person has asked for something. */
const resumed = ({ db }: Context, strategy: string) => {
  const account = sql`(select ${strategies.account} from ${strategies} where ${strategies.id} = ${strategy})`;
  const isPutOff = sql`${accounts.account} = ${account} and ${accounts.failures} = 0`;
  return statement(db.update(accounts).set({ retryAt: 0 }).where(isPutOff));
};
