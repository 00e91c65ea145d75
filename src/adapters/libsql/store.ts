import { desc, eq, getTableColumns, max, sql } from "drizzle-orm";
import { MAX_BACKOFF_MS, MAX_LEASE_MS, type Millis } from "../../kernel/time.ts";
import { HEARTBEAT_LIFE, type ServerStore, type Store } from "../../ports/stores/store.ts";
import { type Context, statement } from "../../storage/client/context.ts";
import { readiness } from "../../storage/client/migrate.ts";
import { accounts, servers } from "../../storage/tables/trading-tables.ts";
import { rates, requests } from "../../storage/tables/venue-tables.ts";
import { auditStore } from "./audit-store.ts";
import { historyStore } from "./history-store.ts";
import { limitStore } from "./limit-store.ts";
import { manualOrderStore } from "./manual-order-store.ts";
import { passStore } from "./pass-store.ts";
import { planStore } from "./plan-store.ts";
import { requestStore } from "./request-store.ts";
import { strategyStore } from "./strategy-store.ts";
import { tokenStore } from "./token-store.ts";

/** Returns how far the newest stored time is beyond what its rule allows; 0 unless the database's clock was ahead. */
export const clockLead =
  ({ client, db, now }: Context) =>
  async (): Promise<Millis> => {
    const newest = [
      db.select({ at: max(accounts.steppedAt) }).from(accounts),
      db.select({ at: sql`max(${accounts.until}) - ${MAX_LEASE_MS}` }).from(accounts),
      db.select({ at: sql`max(${accounts.retryAt}) - ${MAX_BACKOFF_MS}` }).from(accounts),
      db.select({ at: sql`max(${rates.fullAt}) - ${MAX_BACKOFF_MS}` }).from(rates),
      db.select({ at: max(requests.createdAt) }).from(requests),
    ].map((query) => sql`coalesce((${query}), 0) - ${now()}`);
    const { rows } = await client.execute(statement(sql`select max(0, ${sql.join(newest, sql`, `)})`));
    return Number(rows[0]?.[0]);
  };

const { heartbeatAt: _heartbeatAt, ...shown } = getTableColumns(servers);

/** Creates the store on libSQL: a file, or a server over HTTP. The database must be migrated. */
export const createStore = (context: Context): Store => ({
  ...passStore(context),
  ...strategyStore(context),
  ...historyStore(context),
  ...manualOrderStore(context),
  ...requestStore(context),
  ...serverStore(context),
  ...tokenStore(context),
  ...planStore(context),
  ...auditStore(context),
  ...limitStore(context),
  ready: readiness(context),
  clockLead: clockLead(context),
  lockedFor: context.client.keptWaiting,
  trouble: () => context.client.trouble() ?? context.version?.newer,
});

export function serverStore({ client, db, now }: Context): ServerStore {
  // A time ahead of the clock was written before the clock was set back: it says as little as an old one.
  const isRecent = () => sql`abs(${now()} - ${servers.heartbeatAt}) < ${HEARTBEAT_LIFE}`;
  return {
    async recordServer(server) {
      const row = { ...server, heartbeatAt: now() };
      const written = db
        .insert(servers)
        .values(row)
        .onConflictDoUpdate({ target: servers.instance, set: row });
      const ended = db.delete(servers).where(sql`not ${isRecent()}`);
      await client.unwaited(statement(ended), statement(written));
    },

    async removeServer(instance) {
      await client.unwaited(statement(db.delete(servers).where(eq(servers.instance, instance))));
    },

    async runningServers() {
      return db
        .select(shown)
        .from(servers)
        .where(isRecent())
        .orderBy(desc(sql`${servers}.rowid`));
    },
  };
}
