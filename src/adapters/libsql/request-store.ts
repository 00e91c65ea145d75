import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { DAY, MINUTE } from "../../kernel/time.ts";
import type { RequestStore } from "../../ports/stores/store.ts";
import { building, type Context, hasRows, statement } from "../../storage/client/context.ts";
import { strategies } from "../../storage/tables/trading-tables.ts";
import { requests } from "../../storage/tables/venue-tables.ts";

/** Time after which a running request counts as abandoned. */
const ABANDONED = MINUTE;

export function requestStore({ client, db, now, prepare }: Context): RequestStore {
  // Its process has died. Its actions are keyed by the request, so running it again finds them done.
  const takeOver = async (key: string): Promise<boolean> => {
    const isAbandoned = sql`${requests.key} = ${key} and ${requests.status} is null and ${requests.createdAt} < ${now()} - ${ABANDONED}`;
    const insertion = db
      .update(requests)
      .set({ createdAt: now() })
      .where(isAbandoned)
      .returning({ key: requests.key });
    if (hasRows(await client.execute(statement(insertion)))) return true;
    // If it was claimed while the clock was ahead, it would be running until then; its minute begins now.
    const isLater = sql`${requests.key} = ${key} and ${requests.createdAt} > ${now()}`;
    await client.execute(statement(db.update(requests).set({ createdAt: now() }).where(isLater)));
    return false;
  };

  return {
    async claimRequest({ key, bodyHash }) {
      const claim = prepare(claimed)({ key, bodyHash });
      // If a power failure loses it, it also loses everything after it: what the request placed is recorded only then.
      const results = await client.unwaited(prepare(oldReleased)(), prepare(oldForgotten)(), claim);
      if (hasRows(results[2])) return { state: "new" };
      const [row] = await db.select().from(requests).where(eq(requests.key, key));
      if (!row) return { state: "running" };
      if (row.status === null && row.bodyHash === bodyHash && (await takeOver(key))) return { state: "new" };
      if (row.bodyHash !== bodyHash) return { state: "conflict" };
      return row.status === null || row.body === null
        ? { state: "running" }
        : { state: "done", status: row.status, body: row.body };
    },

    async finishRequest(key, answer) {
      // If a power failure loses it, it is as if the process had died before: running again finds everything done.
      await client.unwaited(prepare(finished)({ key, ...answer }));
    },

    async reopenRequest(key) {
      const open = { createdAt: sql`${now()} - ${ABANDONED} - 1` };
      await client.execute(statement(db.update(requests).set(open).where(eq(requests.key, key))));
    },
  };
}

const isOfPastDay = (now: SQL): SQL => sql`${requests.createdAt} < ${now} - ${DAY}`;

const oldReleased = (now: SQL) => {
  const old = building.select({ key: requests.key }).from(requests).where(isOfPastDay(now));
  return building.update(strategies).set({ request: null }).where(inArray(strategies.request, old));
};

const oldForgotten = (now: SQL) => building.delete(requests).where(isOfPastDay(now));

const boundTo = <T>(name: string) => sql<T>`${sql.placeholder(name)}`;

const claimed = (now: SQL<number>) =>
  building
    .insert(requests)
    .values({ key: boundTo("key"), bodyHash: boundTo("bodyHash"), createdAt: now })
    .onConflictDoNothing()
    .returning({ key: requests.key });

const finished = () =>
  building
    .update(requests)
    .set({ status: boundTo<number>("status"), body: boundTo<string>("body") })
    .where(eq(requests.key, boundTo("key")));
