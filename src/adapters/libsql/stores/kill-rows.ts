import { sql } from "drizzle-orm";
import { StoreError } from "../../../kernel/errors.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { By } from "../../../model/events.ts";
import { type Kill, killEvent, type Panic } from "../../../model/kill.ts";
import type { DatabaseUse } from "../../../model/usage.ts";
import { type Context, queries, rowsOf, type Statement, statement } from "../../../storage/client/context.ts";
import type { Moment } from "../../../storage/client/event-chain.ts";
import { keptReads } from "../../../storage/client/read-cache.ts";
import { accounts, control, isRunning, strategies } from "../../../storage/tables/tables.ts";

export const killOf = ({ kill, cancels, sells }: typeof control.$inferSelect): Kill => ({
  on: kill,
  cancels,
  sells,
});

type SwitchRow = typeof control.$inferSelect;
const selectSwitch = () => queries.select().from(control);

/** Reads the switch; a read of a pass is charged to its account, any other is cached until something changes. */
export function switchReader(context: Context): (account: AccountKey | undefined) => Promise<Kill> {
  const { client, prepare, uses } = context;
  const text = prepare(selectSwitch);
  const kept = keptReads<SwitchRow | undefined>(context, { most: 1, isWorth: (row) => row !== undefined });
  const read = async (use?: DatabaseUse) => rowsOf(control, await client.fresh(text(), use))[0];
  return async (account) => {
    const row = account === undefined ? (await kept("", read)).value : await read(uses.get(account));
    if (!row) throw new StoreError("unavailable", "the database is not migrated: it has no control row");
    return killOf(row);
  };
}

export interface KillChange {
  readonly on: boolean;
  readonly by: By;
  readonly panic: Panic;
}

/**
 * Returns the statements for the new switch and all requests of a panic; a later pass finishes what this process
 * cannot.
 */
export async function turnStatements(
  { db, now }: Context,
  tell: Moment["tell"],
  { on, by, panic }: KillChange,
): Promise<Statement[]> {
  const { stops = false } = panic;
  const [cancels, sells] = [panic.cancels ? 1 : 0, panic.sells ? 1 : 0];
  const isNews = sql`(kill <> ${on ? 1 : 0} or cancels < ${cancels} or sells < ${sells})`;
  const since = sql`turned_at = iif(${isNews}, ${now()}, turned_at)`;
  const turned = on
    ? sql`update ${control} set kill = 1, cancels = max(cancels, ${cancels}), sells = max(sells, ${sells}), ${since} returning turned_at`
    : sql`update ${control} set kill = 0, cancels = 0, sells = 0, ${since} returning turned_at`;
  const stopped = [
    sql`update ${strategies} set wants = 'stop', keep_orders = 0, sell_base = max(sell_base, ${sells}) where ${isRunning()}`,
    db.update(accounts).set({ retryAt: 0 }).where(sql`${accounts.failures} = 0`).getSQL(),
  ];
  return [
    await tell(killEvent(on, by, panic), sql`exists(select 1 from ${control} where ${isNews})`),
    ...[turned, ...(stops ? stopped : [])].map(statement),
  ];
}
