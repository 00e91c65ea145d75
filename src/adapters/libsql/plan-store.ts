import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { DAY, isAhead } from "../../kernel/time.ts";
import { EVERY_ACCOUNT } from "../../model/events.ts";
import { PLAN_LIFE } from "../../model/proposal.ts";
import type { PlanKey, PlanState, PlanStore } from "../../ports/stores/store.ts";
import { type Context, hasRows, rowsOf, statement } from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { isAheadRow } from "../../storage/client/known-switch.ts";
import { plans } from "../../storage/tables/venue-tables.ts";

const PLAN_PLACE = sql<number>`${plans}.rowid`;
/** Whether the plan concerns paper trading only, which needs no approval. */
const IS_PAPER = sql`json_extract(${plans.preview}, '$.isPaper') is true`;
const { binding: _binding, waiter: _waiter, consumedAt: _consumedAt, ...shown } = getTableColumns(plans);

export function planStore(context: Context): PlanStore {
  const { client, db, now } = context;
  const isOpen = (): SQL =>
    sql`${plans.consumedAt} is null and ${isAheadRow(plans.expiresAt, now(), PLAN_LIFE)}`;
  const isOf = ({ id, binding }: PlanKey): SQL => sql`${plans.id} = ${id} and ${plans.binding} = ${binding}`;
  const changed = async (query: Parameters<typeof statement>[0]): Promise<boolean> =>
    hasRows(await client.execute(statement(query)));

  return {
    async addPlan({ life, ...plan }) {
      const forget = db.delete(plans).where(sql`${plans.expiresAt} < ${now()} - ${DAY}`);
      const expiresAt = sql<number>`${now()} + ${life}`;
      const add = db.insert(plans).values({ ...plan, createdAt: now(), expiresAt });
      const [, added] = await client.batch([statement(forget), statement(add.returning())], "write");
      return rowsOf(plans, added)[0]?.expiresAt ?? 0;
    },

    async plans({ limit, after = 0 }) {
      // Without the plus, SQLite would read all plans of a day; only few are open, and the index on age finds them.
      const open = sql`${isOpen()} and ${plans.decision} is not 'refused' and not ${IS_PAPER} and +${PLAN_PLACE} > ${after}`;
      return db
        .select({ ...shown, place: PLAN_PLACE })
        .from(plans)
        .where(open)
        .orderBy(sql`+${PLAN_PLACE}`)
        .limit(limit);
    },

    async decidePlan(id, decision, by) {
      const isUndecided = sql`${plans.id} = ${id} and ${isOpen()} and ${plans.decision} is not 'refused'`;
      const decide = db.update(plans).set({ decision }).where(isUndecided).returning({ id: plans.id });
      const result = {
        account: EVERY_ACCOUNT,
        strategy: null,
        kind: "plan" as const,
        message: `${id} ${decision}`,
      };
      const isThere = sql`exists(select 1 from ${plans} where ${isUndecided})`;
      const [, decided] = await writeText(context, by, async ({ tell }) => [
        await tell(result, isThere),
        statement(decide),
      ]);
      return hasRows(decided);
    },

    isPlanUsed: async (id) =>
      (await db.$count(plans, sql`${plans.id} = ${id} and ${plans.consumedAt} is not null`)) > 0,

    async planState(key, { needsApproval, waiter }) {
      const request = db.update(plans).set({ waiter }).where(isOf(key)).returning();
      const found = sql`select ${now()}`;
      const [rows, clock] = await client.batch([statement(request), statement(found)], "write");
      const [plan] = rowsOf(plans, rows);
      return plan ? planStateOf(plan, { needsApproval, now: Number(clock?.rows[0]?.[0]) }) : "unknown";
    },

    async consumePlan(key, needsApproval) {
      const allowed = needsApproval
        ? sql`(${plans.decision} = 'approved' or (${plans.decision} is null and ${IS_PAPER}))`
        : sql`${plans.decision} is not 'refused'`;
      const take = db
        .update(plans)
        .set({ consumedAt: now() })
        .where(sql`${isOf(key)} and ${isOpen()} and ${allowed}`);
      return rowsOf(plans, await client.execute(statement(take.returning())))[0]?.preview;
    },

    async giveUpPlan(waiter) {
      const refuse = db.update(plans).set({ decision: "refused" });
      const waits = sql`${plans.waiter} = ${waiter} and ${isOpen()}`;
      return changed(refuse.where(waits).returning({ id: plans.id }));
    },
  };
}

function planStateOf(
  { consumedAt, expiresAt, decision, preview }: typeof plans.$inferSelect,
  { needsApproval, now }: { needsApproval: boolean; now: number },
): PlanState {
  if (consumedAt !== null) return "used";
  if (decision === "refused") return "refused";
  if (!isAhead(expiresAt, now, PLAN_LIFE)) return "expired";
  return needsApproval && !preview.isPaper && decision !== "approved" ? "waiting" : "free";
}
