import { eq, getTableColumns, sql } from "drizzle-orm";
import type { MarketKeeper } from "../../ccxt/client/keeping.ts";
import { type Context, rowsOf, selectedColumns, statement } from "../client/context.ts";
import { accountKinds, keyRights } from "../tables/live-tables.ts";

type Facts = Pick<MarketKeeper, "kind" | "keepKind" | "rights" | "keepRights">;

const AGE_PLACE = Object.keys(getTableColumns(keyRights)).length;

/** What the exchange has told of an account: as many rows as there are accounts. */
export const accountFacts = ({ client, db, now, prepare }: Context): Facts => {
  const allRights = prepare(
    (at) => sql`select ${selectedColumns(keyRights)}, ${at} - ${keyRights.loadedAt} from ${keyRights}`,
  );
  return {
    async kind(account) {
      const { key, kind, loadedAt } = accountKinds;
      const [row] = await db
        .select({ value: { key, kind }, age: sql<number>`${now()} - ${loadedAt}` })
        .from(accountKinds)
        .where(eq(accountKinds.account, account));
      return row;
    },

    async keepKind(account, known) {
      const set = { ...known, loadedAt: now() };
      await client.execute(
        statement(
          db
            .insert(accountKinds)
            .values({ account, ...set })
            .onConflictDoUpdate({ target: accountKinds.account, set }),
        ),
      );
    },

    async rights() {
      const told = await client.execute(allRights());
      return new Map(
        rowsOf(keyRights, told).map(({ account, key, mayWithdraw }, place) => [
          account,
          {
            value: { key, mayWithdraw: mayWithdraw ?? undefined },
            age: Number(told.rows[place]?.[AGE_PLACE]),
          },
        ]),
      );
    },

    async keepRights(account, { key, mayWithdraw }) {
      const set = { key, mayWithdraw: mayWithdraw ?? null, loadedAt: now() };
      await client.execute(
        statement(
          db
            .insert(keyRights)
            .values({ account, ...set })
            .onConflictDoUpdate({ target: keyRights.account, set }),
        ),
      );
    },
  };
};
