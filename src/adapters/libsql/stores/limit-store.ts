import type { ResultSet } from "@libsql/client";
import { sql } from "drizzle-orm";
import { StoreError } from "../../../kernel/errors.ts";
import { EVERY_ACCOUNT } from "../../../model/events.ts";
import type { LimitStore } from "../../../ports/stores/limit-store.ts";
import { type Context, hasRows, rowsOf, type Statement, statement } from "../client/context.ts";
import { unless } from "../client/fence.ts";
import { limits, limitUses, notionalUnits } from "../tables/limit-tables.ts";
import { control } from "../tables/tables.ts";
import { writeTold } from "./event-chain.ts";
import { countOpen, useOnce } from "./limit-rows.ts";

export function limitStore(context: Context): LimitStore {
  const { client, db, now } = context;
  return {
    async readLimits({ scopes, account, actor }) {
      const at = sql`select ${now()}, ${control.limits}, ${countOpen(account, null)}, ${countOpen(account, actor)} from ${control}`;
      const statements = [statement(at), statement(db.select().from(limits)), ...scopes.map(newestUses)];
      const [found, set, ...uses] = await client.batch(statements, "read");
      const row = found?.rows[0];
      if (!row) throw new StoreError("unavailable", "the database has no control row: it is not migrated");
      const [clock, version, openOrders, openOfActor] = [0, 1, 2, 3].map((place) => Number(row[place]));
      return {
        now: clock as number,
        stored: {
          version: version as number,
          set: Object.fromEntries(rowsOf(limits, set).map(({ scope, settings }) => [scope, settings])),
        },
        uses: uses.flatMap((one: ResultSet) => rowsOf(limitUses, one)),
        openOrders: openOrders as number,
        openOfActor: openOfActor as number,
      };
    },

    async setLimits({ version, scope, settings, message }, by) {
      const isSame = sql`exists(select 1 from ${control} where ${control.limits} = ${version})`;
      const put = db
        .insert(limits)
        .values({ scope, settings })
        .onConflictDoUpdate({ target: limits.scope, set: { settings } });
      const count = db.update(control).set({ limits: version + 1 });
      const told = { account: EVERY_ACCOUNT, strategy: null, kind: "limits" as const, message };
      try {
        await writeTold(context, by, async ({ tell }) => [
          ...unless(context, isSame),
          statement(put),
          statement(count),
          await tell(told),
        ]);
        return true;
      } catch (error) {
        if (error instanceof StoreError && error.failure === "fenced") return false;
        throw error;
      }
    },

    async useLimit({ scope, asset, notional, most }) {
      const use = { scope, asset, notional: notionalUnits(notional, "up") };
      const room = most === null ? null : notionalUnits(most, "down");
      return hasRows(await client.execute(useOnce(context, { ...use, most: room })));
    },
  };
}

/** The newest uses of a scope, of a day at most one a quote asset; sums as text, which no number could hold. */
const newestUses = (scope: string): Statement =>
  statement(
    sql`select scope, day, asset, cast(notional as text) as notional, orders, at from ${limitUses} where ${limitUses.scope} = ${scope} order by ${limitUses.day} desc limit 20`,
  );
