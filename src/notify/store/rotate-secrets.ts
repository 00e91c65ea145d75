import { sql } from "drizzle-orm";
import { type Context, statement } from "../../storage/client/context.ts";
import { type Kek, rewrap } from "../../storage/client/envelope.ts";
import { channels } from "../../storage/tables/notify-tables.ts";

/** Owner name under which a channel's secrets are encrypted. */
export const ownerOf = (name: string): string => `channel ${name}`;

/** Encrypts every channel's secrets with the first of `keks`; returns how many were encrypted with another. */
export async function rotateSecrets({ client, db }: Context, keks: readonly Kek[]): Promise<number> {
  let count = 0;
  for (const row of await db.select().from(channels)) {
    if (row.kek === keks[0]?.id) continue;
    const sealed = { kek: row.kek, wrapped: row.wrapped, fields: row.secrets };
    const { kek, wrapped } = await rewrap(keks, ownerOf(row.name), sealed);
    const isSame = sql`${channels.name} = ${row.name} and ${channels.wrapped} = ${row.wrapped}`;
    const changed = await client.execute(statement(db.update(channels).set({ kek, wrapped }).where(isSame)));
    count += changed.rowsAffected;
  }
  return count;
}
