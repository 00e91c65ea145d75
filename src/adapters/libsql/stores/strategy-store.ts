import { and, eq, exists, inArray, notExists, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { STRATEGY_TAGS } from "../../../kernel/ids.ts";
import { ofEachStopFlag, type StopWish } from "../../../kernel/stop-flags.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { By, Event } from "../../../model/events.ts";
import { NO_MEMORY } from "../../../model/memory.ts";
import type { Strategy } from "../../../model/strategy.ts";
import type { StrategyStore } from "../../../ports/stores/strategy-store.ts";
import type { Turned } from "../../../storage/client/calls.ts";
import { type Context, rowsOf, type StoreMethod, statement } from "../../../storage/client/context.ts";
import { writeText } from "../../../storage/client/event-chain.ts";
import { accounts, control, isRunning, orders, strategies } from "../../../storage/tables/tables.ts";
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

interface UserWrite {
  readonly id: string;
  readonly query: SQL | undefined;
  readonly event: Pick<Event, "kind" | "message">;
  readonly by: By;
  /** Whether a postponed pass is resumed. */
  readonly isResumed?: boolean;
}

/** Writes a user's request for a strategy with its event, if it is still possible. */
function writeChange(
  context: Context,
  { id, query, event, by, isResumed = true }: UserWrite,
  set: SQLiteUpdateSetSource<typeof strategies>,
) {
  const { db } = context;
  const resumes = isResumed ? [resumed(context, id)] : [];
  return writeText(context, by, async ({ calls, tell }) => {
    const matching = db.select({ account: strategies.account }).from(strategies).where(query);
    const [row] = (await calls.execute(statement(matching))).rows;
    if (!row) return resumes;
    return [
      await tell({ account: String(row[0]), strategy: id, ...event }, exists(matching)),
      statement(db.update(strategies).set(set).where(query)),
      ...resumes,
    ];
  });
}

export function strategyStore(context: Context): StrategyStore {
  const { db } = context;

  const wish = (id: string, query: SQL | undefined, set: StrategyWish, by: By) =>
    writeChange(context, { id, query, event: { kind: "wants", message: set.wants }, by }, set);

  return {
    createStrategy: (strategy, by) => insertStrategy(context, strategy, by),

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
      const message = name === null ? "has no name now" : `is called ${name}`;
      const query = eq(strategies.id, id);
      await writeChange(
        context,
        { id, query, event: { kind: "renamed", message }, by, isResumed: false },
        { name },
      );
    },

    async setWants(id, wants, how, by) {
      const query = and(eq(strategies.id, id), isRunning());
      await wish(id, query, { wants, ...stopWishOf(how) }, by);
    },

    async setPaused(id, isPaused, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop'`;
      const resumes = sql`${strategies.resumes} + ${isPaused ? 0 : 1}`;
      await wish(id, query, { wants: isPaused ? "pause" : "run", resumes }, by);
    },

    async setEdit(id, { config, after, description: message }, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop' and ${strategies.edits} = ${after}`;
      const edits = sql`${strategies.edits} + 1`;
      const event = { kind: "edited", message } as const;
      const results = await writeChange(context, { id, query, event, by }, { edit: config, edits });
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

const insertStrategy: StoreMethod<StrategyStore["createStrategy"]> = async (
  context,
  { prefix, isKilledHere = () => false, ...strategy },
  by,
) => {
  const { db } = context;
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
    if ((await isKilled(calls, db)) || isKilledHere()) return [];
    return [
      statement(db.insert(accounts).values({ account, memory: NO_MEMORY }).onConflictDoNothing()),
      // Before the strategy: it rejects the second of two strategies with the same number.
      await tell({ account, strategy: id, kind: "started", message: symbol }, isNew),
      statement(insert),
    ];
  });
  return rowsOf(strategies, results[2])[0] ?? (await known())[0];
};

const isKilled = async (calls: Turned, db: Context["db"]): Promise<boolean> =>
  (await calls.execute(statement(db.select({ kill: control.kill }).from(control)))).rows[0]?.[0] === 1;

/** Resumes a pass that was postponed for lack of calls, because a person has requested something. */
const resumed = ({ db }: Context, strategy: string) => {
  const account = sql`(select ${strategies.account} from ${strategies} where ${strategies.id} = ${strategy})`;
  const isPutOff = sql`${accounts.account} = ${account} and ${accounts.failures} = 0`;
  return statement(db.update(accounts).set({ retryAt: 0 }).where(isPutOff));
};
