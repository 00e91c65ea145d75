import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import { HEARTBEAT_LIFE, type ServerStore } from "../../../ports/stores/store.ts";
import { type Context, statement } from "../../../storage/client/context.ts";
import { servers } from "../../../storage/tables/tables.ts";

const { heartbeatAt: _heartbeatAt, ...shown } = getTableColumns(servers);

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
