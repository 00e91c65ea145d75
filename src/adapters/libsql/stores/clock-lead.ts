import { max, sql } from "drizzle-orm";
import { LONGEST_LEASE, LONGEST_PAUSE, type Millis } from "../../../kernel/time.ts";
import { type Context, statement } from "../../../storage/client/context.ts";
import { requests } from "../../../storage/tables/access-tables.ts";
import { rates } from "../../../storage/tables/live-tables.ts";
import { accounts } from "../../../storage/tables/tables.ts";

/** Returns how far the newest stored time is beyond what its rule allows; 0 unless the database's clock was ahead. */
export const clockLead =
  ({ client, db, now }: Context) =>
  async (): Promise<Millis> => {
    const newest = [
      db.select({ at: max(accounts.steppedAt) }).from(accounts),
      db.select({ at: sql`max(${accounts.until}) - ${LONGEST_LEASE}` }).from(accounts),
      db.select({ at: sql`max(${accounts.retryAt}) - ${LONGEST_PAUSE}` }).from(accounts),
      db.select({ at: sql`max(${rates.fullAt}) - ${LONGEST_PAUSE}` }).from(rates),
      db.select({ at: max(requests.createdAt) }).from(requests),
    ].map((query) => sql`coalesce((${query}), 0) - ${now()}`);
    const { rows } = await client.execute(statement(sql`select max(0, ${sql.join(newest, sql`, `)})`));
    return Number(rows[0]?.[0]);
  };
