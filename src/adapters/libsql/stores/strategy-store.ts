import { and, eq, exists, inArray, notExists, type SQL, sql } from "drizzle-orm";
import { STRATEGY_TAGS } from "../../../kernel/ids.ts";
import { ofEachStopFlag, type StopWish } from "../../../kernel/stop-flags.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { By } from "../../../model/events.ts";
import { NO_MEMORY } from "../../../model/memory.ts";
import type { Strategy } from "../../../model/strategy.ts";
import type { StrategyStore } from "../../../ports/stores/strategy-store.ts";
import type { Turned } from "../client/calls.ts";
import { type Context, rowsOf, statement } from "../client/context.ts";
import { accounts, control, isRunning, orders, strategies } from "../tables/tables.ts";
import { writeText } from "./event-chain.ts";
import { readViews } from "./strategy-views.ts";

type StrategyWish = Pick<Strategy, "wants"> & Partial<StopWish> & { readonly resumes?: SQL };

/**
 * Chooses the millisecond in the write: of two simultaneous starts, the second counts up. Ids of its orders match no
 * other strategy of the account.
 */
async function freeNumber(calls: Turned, account: AccountKey, startedAt: Millis): Promise<number> {
  const next = sql`select max(${startedAt}, coalesce(max(${strategies.number}) + 1, 0)) from ${strategies}`;
  let number = Number((await calls.execute(statement(next))).rows[0]?.[0]);
  const withTag = () => sql.raw(`number % ${STRATEGY_TAGS} = ${number % STRATEGY_TAGS}`);
  const same = () =>
    sql`select 1 from ${strategies} where ${strategies.account} = ${account} and ${withTag()}`;
  while ((await calls.execute(statement(same()))).rows.length > 0) number++;
  return number;
}

const stopWishOf = (how: StopWish): StopWish => ({
  keepOrders: how.keepOrders,
  ...ofEachStopFlag((flag) => how[flag]),
});

export function strategyStore(context: Context): StrategyStore {
  const { db } = context;

  /** Writes a user's request for a strategy if it is still possible. */
  const change = (id: string, query: SQL | undefined, set: StrategyWish, by: By) =>
    writeText(context, by, async ({ calls, tell }) => {
      const matching = db.select({ account: strategies.account }).from(strategies).where(query);
      const [row] = (await calls.execute(statement(matching))).rows;
      if (!row) return [resumed(context, id)];
      const result = { account: String(row[0]), strategy: id, kind: "wants" as const, message: set.wants };
      return [
        await tell(result, exists(matching)),
        statement(db.update(strategies).set(set).where(query)),
        resumed(context, id),
      ];
    });

  const isKilled = async (calls: Turned): Promise<boolean> =>
    (await calls.execute(statement(db.select({ kill: control.kill }).from(control)))).rows[0]?.[0] === 1;

  return {
    async createStrategy({ prefix, isKilledHere = () => false, ...strategy }, by) {
      const { account, symbol, request } = strategy;
      const known = () =>
        db
          .select()
          .from(strategies)
          .where(eq(strategies.request, request ?? ""));
      const results = await writeText(context, by, async ({ calls, tell }) => {
        const number = await freeNumber(calls, account, strategy.startedAt);
        const id = `${prefix}-${number}`;
        const insert = db
          .insert(strategies)
          .values({ ...strategy, epoch: sql`(select ${control.epoch} from ${control})`, number, id })
          .onConflictDoNothing({ target: strategies.request })
          .returning();
        const isNew = notExists(known());
        // Read in the same turn as the write: a switch that is turned on in between takes the newest event, and this is
        // built again.
        if ((await isKilled(calls)) || isKilledHere()) return [];
        return [
          statement(db.insert(accounts).values({ account, memory: NO_MEMORY }).onConflictDoNothing()),
          // Before the strategy: it rejects the second of two strategies with the same number.
          await tell({ account, strategy: id, kind: "started", message: symbol }, isNew),
          statement(insert),
        ];
      });
      return rowsOf(strategies, results[2])[0] ?? (await known())[0];
    },

    strategies: readViews(context),

    async strategiesNamed(name) {
      const { id, status } = strategies;
      return db
        .select({ id, status })
        .from(strategies)
        .where(eq(strategies.name, name))
        .orderBy(strategies.number);
    },

    async rename(id, name, by) {
      const query = eq(strategies.id, id);
      await writeText(context, by, async ({ calls, tell }) => {
        const matching = db.select({ account: strategies.account }).from(strategies).where(query);
        const [row] = (await calls.execute(statement(matching))).rows;
        if (!row) return [];
        const message = name === null ? "has no name now" : `is called ${name}`;
        return [
          await tell({ account: String(row[0]), strategy: id, kind: "renamed", message }, exists(matching)),
          statement(db.update(strategies).set({ name }).where(query)),
        ];
      });
    },

    async setWants(id, wants, how, by) {
      const query = and(eq(strategies.id, id), isRunning());
      await change(id, query, { wants, ...stopWishOf(how) }, by);
    },

    async setPaused(id, isPaused, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop'`;
      const resumes = sql`${strategies.resumes} + ${isPaused ? 0 : 1}`;
      await change(id, query, { wants: isPaused ? "pause" : "run", resumes }, by);
    },

    async setEdit(id, { config, after, description: message }, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop' and ${strategies.edits} = ${after}`;
      const results = await writeText(context, by, async ({ calls, tell }) => {
        const matching = db.select({ account: strategies.account }).from(strategies).where(query);
        const [row] = (await calls.execute(statement(matching))).rows;
        if (!row) return [resumed(context, id)];
        const result = { account: String(row[0]), strategy: id, kind: "edited" as const, message };
        const edits = sql`${strategies.edits} + 1`;
        return [
          await tell(result, exists(matching)),
          statement(db.update(strategies).set({ edit: config, edits }).where(query)),
          resumed(context, id),
        ];
      });
      return results[1]?.rowsAffected === 1;
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

/** Resumes a pass that was postponed for lack of calls, because a person has requested something. */
const resumed = ({ db }: Context, strategy: string) => {
  const account = sql`(select ${strategies.account} from ${strategies} where ${strategies.id} = ${strategy})`;
  const isPutOff = sql`${accounts.account} = ${account} and ${accounts.failures} = 0`;
  return statement(db.update(accounts).set({ retryAt: 0 }).where(isPutOff));
};
