import { eq, sql } from "drizzle-orm";
import type { MarketKeeper } from "../../ccxt/client/keeping.ts";
import { type Context, statement } from "../client/context.ts";
import { accountKinds, keyRights } from "../tables/live-tables.ts";

type Facts = Pick<MarketKeeper, "kind" | "keepKind" | "rights" | "keepRights">;

/** What the exchange has told of an account: as many rows as there are accounts. */
export const accountFacts = ({ client, db, now }: Context): Facts => ({
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
    const { account, key, mayWithdraw, loadedAt } = keyRights;
    const age = sql<number>`${now()} - ${loadedAt}`;
    const rows = await db.select({ account, key, mayWithdraw, age }).from(keyRights);
    return new Map(
      rows.map((row) => [
        row.account,
        { value: { key: row.key, mayWithdraw: row.mayWithdraw ?? undefined }, age: row.age },
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
});
