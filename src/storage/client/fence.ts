import { type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../kernel/errors.ts";
import { STOP_FLAGS, type StopFlags } from "../../kernel/stop-flags.ts";
import type { Changes, Lease } from "../../ports/stores/step-store.ts";
import { accounts, fenceGuard, strategies } from "../tables/tables.ts";
import { type Context, type Statement, statement } from "./context.ts";

/**
 * Returns the statements as one batch that fails without effect if the lease is no longer ours. An update without
 * rows would not end a batch; an insert that violates a constraint does.
 */
export const guarded = (
  { prepare }: Context,
  { account, token, owner }: Lease,
  statements: readonly Statement[],
): Statement[] => [prepare(unlessLeased)({ account, token, owner }), ...statements];

const lease = {
  account: sql.placeholder("account"),
  token: sql.placeholder("token"),
  owner: sql.placeholder("owner"),
};
const unlessLeased = () =>
  refusedUnless(
    sql`exists(select 1 from ${accounts} where ${accounts.account} = ${lease.account} and ${accounts.token} = ${lease.token} and ${accounts.owner} = ${lease.owner})`,
  );

/** Statements that end their batch if a person has requested something else meanwhile. */
export const wishUnchanged = ({ id, wants, keepOrders, ...flags }: NonNullable<Changes["wish"]>) =>
  unless(
    sql`exists(select 1 from ${strategies} where ${strategies.id} = ${id} and ${strategies.wants} = ${wants} and ${strategies.keepOrders} = ${keepOrders}${sameFlags(flags)})`,
  );

const sameFlags = (flags: StopFlags): SQL =>
  sql.join(STOP_FLAGS.map((flag) => sql` and ${strategies[flag]} = ${flags[flag]}`));

/** Statements that end their batch if a condition is false. */
export const unless = (holds: SQL): Statement[] => [statement(refusedUnless(holds))];

/** Returns whether a batch was written; false if one of its conditions was false. */
export const isWritten = (batch: Promise<unknown>): Promise<boolean> =>
  batch.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoreError && error.failure === "fenced") return false;
      throw error;
    },
  );

/** Fails if a condition is false or unknown; if it is true, nothing is written. */
export const refusedUnless = (holds: SQL): SQL =>
  sql`insert into ${fenceGuard} select 0 where (${holds}) is not 1`;
