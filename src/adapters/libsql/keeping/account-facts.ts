import { eq, getTableColumns, sql } from "drizzle-orm";
import { ageOf, type Millis } from "../../../kernel/time.ts";
import { type Context, rowsOf, selectedColumns, statement } from "../../../storage/client/context.ts";
import { keptReads } from "../../../storage/client/read-cache.ts";
import { ageOfRow } from "../../../storage/client/stored-times.ts";
import { accountKinds, keyRights } from "../../../storage/tables/live-tables.ts";
import type { MarketKeeper } from "../../ccxt/client/keeping.ts";

type Facts = Pick<MarketKeeper, "kind" | "keepKind" | "rights" | "keepRights">;

interface RightsRow {
  readonly row: typeof keyRights.$inferSelect;
  /** When it was read. */
  readonly age: Millis;
}

/** With more accounts, they are read each time. */
const MOST_RIGHTS_KEPT = 50;

const AGE_PLACE = Object.keys(getTableColumns(keyRights)).length;

/** Stores what the exchange reported about an account; one row per account. */
export const accountFacts = (context: Context): Facts => {
  const { client, db, now, prepare } = context;
  const allRights = prepare(
    (at) => sql`select ${selectedColumns(keyRights)}, ${ageOfRow(keyRights.loadedAt, at)} from ${keyRights}`,
  );
  const kept = keptReads<readonly RightsRow[]>(context, {
    most: 1,
    isWorth: ({ length }) => length <= MOST_RIGHTS_KEPT,
  });
  const readRights = async (): Promise<readonly RightsRow[]> => {
    const result = await client.execute(allRights());
    return rowsOf(keyRights, result).map((row, index) => ({
      row,
      age: Number(result.rows[index]?.[AGE_PLACE]),
    }));
  };
  return {
    async kind(account) {
      const { key, kind, loadedAt } = accountKinds;
      const [row] = await db
        .select({ value: { key, kind }, age: ageOfRow(loadedAt, now()) })
        .from(accountKinds)
        .where(eq(accountKinds.account, account));
      return row;
    },

    async keepKind(account, known) {
      const set = { ...known, loadedAt: now() };
      const added = db.insert(accountKinds).values({ account, ...set });
      await client.execute(statement(added.onConflictDoUpdate({ target: accountKinds.account, set })));
    },

    async rights() {
      const { value: rightsRows, now: at } = await kept("", readRights);
      return new Map(
        rightsRows.map(({ row: { account, key, mayWithdraw, loadedAt }, age }) => [
          account,
          {
            value: { key, mayWithdraw: mayWithdraw ?? undefined },
            age: at === undefined ? age : ageOf(loadedAt, at),
          },
        ]),
      );
    },

    async keepRights(account, { key, mayWithdraw }) {
      const set = { key, mayWithdraw: mayWithdraw ?? null, loadedAt: now() };
      const added = db.insert(keyRights).values({ account, ...set });
      await client.execute(statement(added.onConflictDoUpdate({ target: keyRights.account, set })));
    },
  };
};
