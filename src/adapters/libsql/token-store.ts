import { asc, getTableColumns, sql } from "drizzle-orm";
import type { TokenStore } from "../../store.ts";
import { type Context, statement } from "./context.ts";
import { tokens } from "./tables.ts";

const { hash: _hash, ...shown } = getTableColumns(tokens);

export function tokenStore({ client, db, now }: Context): TokenStore {
  return {
    async addToken(token) {
      await client.execute(statement(db.insert(tokens).values({ ...token, createdAt: now() })));
    },

    async tokens() {
      return db.select(shown).from(tokens).orderBy(asc(tokens.createdAt));
    },

    async tokenByHash(hash) {
      const live = sql`${tokens.hash} = ${hash} and ${tokens.revokedAt} is null and (${tokens.expiresAt} is null or ${tokens.expiresAt} > ${now()})`;
      const [token] = await db.select(shown).from(tokens).where(live);
      return token;
    },

    async revokeToken(id) {
      const revoke = db
        .update(tokens)
        .set({ revokedAt: now() })
        .where(sql`${tokens.id} = ${id} and ${tokens.revokedAt} is null`);
      const result = await client.execute(statement(revoke.returning({ id: tokens.id })));
      return result.rows.length > 0;
    },
  };
}
