import { asc, eq, sql } from "drizzle-orm";
import { EVERY_ACCOUNT } from "../../model/events.ts";
import type { AgreementStore } from "../../ports/stores/agreement-store.ts";
import { type Context, hasRows, statement } from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { agreements } from "../../storage/tables/agreement-tables.ts";

export function agreementStore(context: Context): AgreementStore {
  const { db } = context;
  const { name, version } = agreements;
  return {
    async agreements() {
      const newest = sql`agreements.version = (select max(version) from agreements as newer where newer.name = agreements.name)`;
      return db.select().from(agreements).where(newest).orderBy(asc(name));
    },

    async versions(of) {
      return db.select().from(agreements).where(eq(name, of)).orderBy(asc(version));
    },

    async add(terms, message, by) {
      const isNew = sql`not exists(select 1 from ${agreements} where ${name} = ${terms.name} and ${version} = ${terms.version})`;
      const [, added] = await writeText(context, by, async ({ now: at, tell }) => {
        const row = { ...terms, at, actor: by.actor };
        const insert = db.insert(agreements).values(row).onConflictDoNothing().returning({ name });
        return [
          await tell({ account: EVERY_ACCOUNT, strategy: null, kind: "agreement", message }, isNew),
          statement(insert),
        ];
      });
      return hasRows(added);
    },
  };
}
