import { type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../kernel/errors.ts";
import { EVERY_ACCOUNT } from "../../model/events.ts";
import type { LimitStore } from "../../ports/stores/store.ts";
import {
  type Context,
  hasRows,
  isWritten,
  rowsFrom,
  statement,
  unless,
} from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { control } from "../../storage/tables/trading-tables.ts";
import { limits, limitUses, notionalUnits } from "../../storage/tables/venue-tables.ts";
import { countBoth, useOnce } from "./order-rows.ts";

export function limitStore(context: Context): LimitStore {
  const { client, db, prepare } = context;
  const read = prepare(limitsText);
  return {
    async readLimits({ scopes, account, actor, countsOpen = false }) {
      const request = { scopes: JSON.stringify(scopes), account, actor, countsOpen };
      const { rows } = await client.execute(read(request));
      const [row] = rows;
      if (!row) throw new StoreError("unavailable", "the database is not migrated: it has no control row");
      const [clock, version] = [0, 1].map((index) => Number(row[index]));
      const [open, set, uses] = [2, 3, 4].map((index) => JSON.parse(String(row[index])) as unknown[]);
      const [openOrders, openOfActor] = open as [number?, number?];
      return {
        now: clock as number,
        stored: {
          version: version as number,
          set: Object.fromEntries(
            rowsFrom(limits, set as unknown[][]).map(({ scope, settings }) => [scope, settings]),
          ),
        },
        uses: rowsFrom(limitUses, (uses as unknown[][][]).flat()),
        openOrders: openOrders ?? null,
        openOfActor: openOfActor ?? null,
      };
    },

    async setLimits({ version, scope, settings, message }, by) {
      const isSame = sql`exists(select 1 from ${control} where ${control.limits} = ${version})`;
      const put = db
        .insert(limits)
        .values({ scope, settings })
        .onConflictDoUpdate({ target: limits.scope, set: { settings } });
      const count = db.update(control).set({ limits: version + 1 });
      const result = { account: EVERY_ACCOUNT, strategy: null, kind: "limits" as const, message };
      const written = writeText(context, by, async ({ tell }) => [
        ...unless(isSame),
        ...[put, count].map(statement),
        await tell(result),
      ]);
      return isWritten(written);
    },

    async useLimit({ scope, asset, notional, most }) {
      const use = { scope, asset, notional: notionalUnits(notional, "up") };
      const room = most === null ? null : notionalUnits(most, "down");
      return hasRows(await client.execute(useOnce(context, { ...use, most: room })));
    },
  };
}

/** Returns all limits of an order as one row, read at one moment. */
function limitsText(now: SQL): SQL {
  const [account, actor] = [sql.placeholder("account"), sql.placeholder("actor")];
  const set = sql`select json_group_array(json_array(scope, settings)) from ${limits}`;
  const uses = sql`select json_group_array(json((${newestUses(sql`asked.value`)}))) from json_each(${sql.placeholder("scopes")}) as asked`;
  // An account with thousands of them would count them for each new one.
  const isRequested = sql`${sql.placeholder("countsOpen")} or exists(select 1 from ${limits} where ${limits.settings} ->> 'openOrders' is not null)`;
  const open = sql`case when ${isRequested} then ${countBoth(account, actor)} else '[]' end`;
  return sql`select ${now}, ${control.limits}, ${open}, (${set}), (${uses}) from ${control}`;
}

/**
 * Returns the newest usage of a scope as JSON: at most one per quote asset and day; sums as text, because they exceed
 * a number's precision.
 */
const newestUses = (scope: SQL): SQL =>
  sql`select json_group_array(json_array(scope, day, asset, cast(notional as text), orders, at)) from (select * from ${limitUses} where ${limitUses.scope} = ${scope} order by ${limitUses.day} desc limit 20)`;
