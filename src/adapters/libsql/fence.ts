import { sql } from "drizzle-orm";
import type { Lease } from "../../store.ts";
import { type Context, type Statement, statement } from "./context.ts";
import { accounts, fenceGuard } from "./tables.ts";

/**
 * The statements as one batch that raises, and so does nothing, unless the lease is still ours.
 * An update of no row would not end a batch; an insert that breaks a constraint does.
 */
export function guarded({ db }: Context, lease: Lease, statements: readonly Statement[]): Statement[] {
  const held = sql`insert into ${fenceGuard} select exists(select 1 from ${accounts} where ${accounts.account} = ${lease.account} and ${accounts.token} = ${lease.token})`;
  return [statement(held), statement(db.delete(fenceGuard)), ...statements];
}
