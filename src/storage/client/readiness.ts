import { sql } from "drizzle-orm";
import { StoreError } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { control, fenceGuard } from "../tables/tables.ts";
import { type Context, statement } from "./context.ts";
import { refuseNewer } from "./migrate.ts";

/** How long a confirmed write proves that the next one would work. */
const FRESH: Millis = 5 * SECOND;
/** Maximum wait of a readiness check for a lock. */
const LONGEST_READINESS_WAIT: Millis = 2 * SECOND;

/** Checks that the database can be read and written and has a known version; throws `unavailable` with the reason. */
export function readiness(context: Context): () => Promise<void> {
  const { client, db } = context;
  let probing: Promise<unknown> | undefined;

  // A row that is inserted and removed: a full disk or a lock does not show in a read, nor in an update that changes
  // nothing.
  const write = lazy(() => [db.insert(fenceGuard).values({ ok: 1 }), db.delete(fenceGuard)].map(statement));
  const probe = () => {
    probing ??= client.batch(write(), "write").finally(() => {
      probing = undefined;
    });
    return probing;
  };

  return async function ready() {
    const known = client.trouble();
    if (known === undefined && client.sinceWrite() > FRESH) {
      await Promise.race([probe(), failWhenLate()]);
    } else if (known !== undefined) {
      // This detects the end of a problem.
      await Promise.race([probe().catch(() => undefined), failWhenLate()]).catch(() => undefined);
    }
    const trouble = client.trouble();
    if (trouble !== undefined) throw new StoreError("unavailable", trouble);
    const result = await client.execute(statement(sql`select ${control.kind} from ${control}`));
    if (result.rows.length === 0) throw new StoreError("unavailable", "the database is not migrated");
    await refuseNewer(context);
  };
}

async function failWhenLate(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, LONGEST_READINESS_WAIT));
  throw new StoreError(
    "unavailable",
    `the database has accepted no write for ${LONGEST_READINESS_WAIT / SECOND} s`,
  );
}
