import { asc, eq, sql } from "drizzle-orm";
import { type By, EVERY_ACCOUNT } from "../../model/events.ts";
import type { AgreementTerms, AgreementVersion } from "../../model/samples/agreement.ts";
import { type Context, hasRows, statement } from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { agreements } from "../../storage/tables/agreement-tables.ts";

/** Agreements. A version is never changed or deleted. */
export type AgreementStore = ReturnType<typeof createAgreementStore>;

export function createAgreementStore(context: Context) {
  const { db } = context;
  const { name, version } = agreements;
  return {
    /** Returns the newest version of each agreement, by name. */
    async agreements(): Promise<readonly AgreementVersion[]> {
      const newest = sql`agreements.version = (select max(version) from agreements as newer where newer.name = agreements.name)`;
      return db.select().from(agreements).where(newest).orderBy(asc(name));
    },

    /** Returns all versions of an agreement, oldest first. */
    async versions(of: string): Promise<readonly AgreementVersion[]> {
      return db.select().from(agreements).where(eq(name, of)).orderBy(asc(version));
    },

    /** Returns false if the agreement has this version already. The event gets the message. */
    async add(
      terms: AgreementTerms & Pick<AgreementVersion, "name" | "version">,
      message: string,
      by: By,
    ): Promise<boolean> {
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
