import { eq, inArray, sql } from "drizzle-orm";
import { DAY, MINUTE } from "../../../kernel/time.ts";
import type { RequestStore } from "../../../ports/stores/request-store.ts";
import { type Context, hasRows, statement } from "../client/context.ts";
import { requests } from "../tables/access-tables.ts";
import { strategies } from "../tables/tables.ts";

/** No request runs for so long. */
const ABANDONED = MINUTE;

export function requestStore({ client, db, now }: Context): RequestStore {
  // Its process has died: what it did is keyed by the request, so that doing it again finds it done.
  const takeOver = async (key: string): Promise<boolean> => {
    const isAbandoned = sql`${requests.key} = ${key} and ${requests.status} is null and ${requests.createdAt} < ${now()} - ${ABANDONED}`;
    const taken = db
      .update(requests)
      .set({ createdAt: now() })
      .where(isAbandoned)
      .returning({ key: requests.key });
    return hasRows(await client.execute(statement(taken)));
  };

  return {
    async claimRequest({ key, bodyHash }) {
      const isOld = sql`${requests.createdAt} < ${now()} - ${DAY}`;
      const old = db.select({ key: requests.key }).from(requests).where(isOld);
      const release = db.update(strategies).set({ request: null }).where(inArray(strategies.request, old));
      const forget = db.delete(requests).where(isOld);
      const claim = db
        .insert(requests)
        .values({ key, bodyHash, createdAt: now() })
        .onConflictDoNothing()
        .returning({ key: requests.key });
      const [, , claimed] = await client.batch([release, forget, claim].map(statement), "write");
      if (hasRows(claimed)) return { state: "new" };
      const [row] = await db.select().from(requests).where(eq(requests.key, key));
      if (!row) return { state: "running" };
      if (row.status === null && row.bodyHash === bodyHash && (await takeOver(key))) return { state: "new" };
      if (row.bodyHash !== bodyHash) return { state: "conflict" };
      return row.status === null || row.body === null
        ? { state: "running" }
        : { state: "done", status: row.status, body: row.body };
    },

    async finishRequest(key, answer) {
      await client.execute(statement(db.update(requests).set(answer).where(eq(requests.key, key))));
    },

    async reopenRequest(key) {
      const open = { createdAt: sql`${now()} - ${ABANDONED} - 1` };
      await client.execute(statement(db.update(requests).set(open).where(eq(requests.key, key))));
    },

    async dropRequest(key) {
      await client.execute(statement(db.delete(requests).where(eq(requests.key, key))));
    },
  };
}
