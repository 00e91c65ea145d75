import { and, desc, eq, exists, inArray, lt, notExists, type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../../kernel/time.ts";
import { ownerName } from "../../../model/account.ts";
import type { By } from "../../../model/events.ts";
import { NO_MEMORY } from "../../../model/memory.ts";
import type { Strategy } from "../../../model/strategy.ts";
import type { StrategyStore } from "../../../ports/stores/strategy-store.ts";
import type { Turned } from "../client/calls.ts";
import { type Context, rowsOf, statement } from "../client/context.ts";
import { accounts, control, isRunning, isUnsettled, orders, strategies } from "../tables/tables.ts";
import { writeTold } from "./event-chain.ts";

type StrategyWish = Pick<Strategy, "wants"> &
  Partial<Pick<Strategy, "keepOrders" | "sellBase">> & { readonly resumes?: SQL };

/** The millisecond is chosen where it is written: of two starts in one, the second counts up. */
async function freeNumber(calls: Turned, startedAt: Millis): Promise<number> {
  const next = sql`select max(${startedAt}, coalesce(max(${strategies.number}) + 1, 0)) from ${strategies}`;
  return Number((await calls.execute(statement(next))).rows[0]?.[0]);
}

export function strategyStore(context: Context): StrategyStore {
  const { db, now } = context;

  /** What a person wants of a strategy from now on, where it still may be wanted. */
  const change = (id: string, asked: SQL | undefined, set: StrategyWish, by: By) =>
    writeTold(context, by, async ({ calls, tell }) => {
      const wanted = db.select({ account: strategies.account }).from(strategies).where(asked);
      const [row] = (await calls.execute(statement(wanted))).rows;
      if (!row) return [resumed(context, id)];
      const told = { account: String(row[0]), strategy: id, kind: "wants" as const, message: set.wants };
      return [
        await tell(told, exists(wanted)),
        statement(db.update(strategies).set(set).where(asked)),
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
      const results = await writeTold(context, by, async ({ calls, tell }) => {
        const number = await freeNumber(calls, strategy.startedAt);
        const id = `${prefix}-${number}`;
        const insert = db
          .insert(strategies)
          .values({ ...strategy, epoch: sql`(select ${control.epoch} from ${control})`, number, id })
          .onConflictDoNothing({ target: strategies.request })
          .returning();
        const isNew = notExists(known());
        // Read in the turn that writes: a switch turned on in between takes the newest event, and this is made again.
        if ((await isKilled(calls)) || isKilledHere()) return [];
        return [
          statement(db.insert(accounts).values({ account, memory: NO_MEMORY }).onConflictDoNothing()),
          // Before the strategy: of two that took the same number, this is what refuses the second one.
          await tell({ account, strategy: id, kind: "started", message: symbol }, isNew),
          statement(insert),
        ];
      });
      return rowsOf(strategies, results[2])[0] ?? (await known())[0];
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

    async setWants(id, wants, { keepOrders, sellBase }, by) {
      const asked = and(eq(strategies.id, id), isRunning());
      await change(id, asked, { wants, keepOrders, sellBase }, by);
    },

    async setPaused(id, isPaused, by) {
      const asked = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop'`;
      const resumes = sql`${strategies.resumes} + ${isPaused ? 0 : 1}`;
      await change(id, asked, { wants: isPaused ? "pause" : "run", resumes }, by);
    },

    async setEdit(id, { config, after, told: message }, by) {
      const asked = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop' and ${strategies.edits} = ${after}`;
      const results = await writeTold(context, by, async ({ calls, tell }) => {
        const wanted = db.select({ account: strategies.account }).from(strategies).where(asked);
        const [row] = (await calls.execute(statement(wanted))).rows;
        if (!row) return [resumed(context, id)];
        const told = { account: String(row[0]), strategy: id, kind: "edited" as const, message };
        const edits = sql`${strategies.edits} + 1`;
        return [
          await tell(told, exists(wanted)),
          statement(db.update(strategies).set({ edit: config, edits }).where(asked)),
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

/** A pass that was put off for lack of calls is put off no longer: a person has asked for something. */
const resumed = ({ db }: Context, strategy: string) => {
  const account = sql`(select ${strategies.account} from ${strategies} where ${strategies.id} = ${strategy})`;
  const isPutOff = sql`${accounts.account} = ${account} and ${accounts.failures} = 0`;
  return statement(db.update(accounts).set({ retryAt: 0 }).where(isPutOff));
};
