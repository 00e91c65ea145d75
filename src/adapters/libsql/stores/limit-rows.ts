import { getTableColumns, type Placeholder, type SQL, sql } from "drizzle-orm";
import { DAY } from "../../../kernel/time.ts";
import type { LimitTerms, ScopeTerms } from "../../../model/limits.ts";
import type { Order } from "../../../model/order.ts";
import { type Context, eachWay, type Statement, statement } from "../../../storage/client/context.ts";
import { limitUses, notionalUnits, withinColumn } from "../../../storage/tables/limit-tables.ts";
import { control, isUnsettled, orders } from "../../../storage/tables/tables.ts";

/** The last two columns of an intent's row: the number of orders in its group so far, and their notional. */
const ORDER_COLUMN_COUNT = Object.keys(getTableColumns(orders)).length;
const [COUNT, NOTIONAL] = [ORDER_COLUMN_COUNT + 1, ORDER_COLUMN_COUNT + 2].map((index) =>
  sql.raw(`intent.column${index}`),
);

const today = ({ now }: Pick<Context, "now">): SQL => sql`cast(${now()} / ${DAY} as integer)`;

/** Condition for rows of intents: the limits are unchanged, and nobody has used them up since. */
export const withinLimits = (
  context: Context,
  { version, asset, scopes }: LimitTerms,
  account: string,
): SQL =>
  sql.join(
    [
      sql`${control.limits} = ${version}`,
      ...scopes.flatMap((terms) => [
        ...withinDay(context, terms, asset),
        ...withinOpenOrders(terms, account),
        ...afterGap(context, terms),
      ]),
    ],
    sql` and `,
  );

function withinDay(context: Context, { scope, dayNotional }: ScopeTerms, asset: string): SQL[] {
  if (dayNotional === null) return [];
  const used = sql`select ${limitUses.notional} from ${limitUses} where ${limitUses.scope} = ${scope} and ${limitUses.day} = ${today(context)} and ${limitUses.asset} = ${asset}`;
  return [sql`coalesce((${used}), 0) + ${NOTIONAL} <= ${notionalUnits(dayNotional, "down")}`];
}

/** Counts open orders; without a named index, SQLite would read every order. */
const ofOpen = (whose: SQL): SQL =>
  sql`from ${orders} indexed by orders_unsettled where ${whose} and ${isUnsettled()}`;

const isOfAccount = (account: string | Placeholder): SQL => sql`${orders.account} = ${account}`;
/**
 * Condition for a token's orders on every account: one account can have many keys, and each key of a request makes an
 * account.
 */
const isOfActor = (actor: string | Placeholder): SQL => sql`${orders.actor} = ${actor}`;

/** Counts unsettled orders of an account, or of one actor on all accounts. */
const countOpen = (account: string, actor: string | null): SQL =>
  sql`(select count(*) ${ofOpen(actor === null ? isOfAccount(account) : isOfActor(actor))})`;

/** Returns both counts as JSON from one scan of the index. */
export const countBoth = (account: Placeholder, actor: Placeholder): SQL =>
  sql`(select json_array(count(case when ${isOfAccount(account)} then 1 end), count(case when ${isOfActor(actor)} then 1 end)) ${ofOpen(sql`1`)})`;

const withinOpenOrders = ({ openOrders, actor }: ScopeTerms, account: string): SQL[] =>
  openOrders === null ? [] : [sql`${countOpen(account, actor)} + ${COUNT} <= ${openOrders}`];

function afterGap(context: Context, { scope, orderGapMillis }: ScopeTerms): SQL[] {
  if (orderGapMillis === null) return [];
  const last = sql`select max(${limitUses.at}) from ${limitUses} where ${limitUses.scope} = ${scope} and ${limitUses.day} >= ${today(context)} - 1 and ${limitUses.at} <= ${context.now()}`;
  return [sql`${COUNT} = 1 and coalesce((${last}), 0) + ${orderGapMillis} <= ${context.now()}`];
}

/** Adds the recorded orders of a group to their scopes' usage, in the batch that records them. */
export function countUses(
  context: Context,
  { asset, scopes, counted }: LimitTerms,
  group: readonly Order[],
): Statement[] {
  const insertUses = context.prepare(insertUsesOf(group.length));
  let sum = 0n;
  const values = group.flatMap(({ account, clientId }, index) => {
    const before = sum;
    // A sum that exceeds the column's maximum stays at the maximum.
    sum = withinColumn(sum + notionalUnits(counted[clientId] ?? 0n, "up"));
    return [
      [`id${index}`, clientId],
      [`notional${index}`, sum - before],
      [`account${index}`, account],
    ];
  });
  return scopes.map(({ scope }) => insertUses({ scope, asset, ...Object.fromEntries(values) }));
}

/** The insert for a group of `size` orders. */
const insertUsesOf = eachWay((now, size: number) => {
  const { placeholder } = sql;
  const row = (index: number) =>
    sql`(${placeholder(`id${index}`)}, ${placeholder(`notional${index}`)}, ${placeholder(`account${index}`)})`;
  const rows = sql.join(
    Array.from({ length: size }, (_, index) => row(index)),
    sql`, `,
  );
  return sql`insert into ${limitUses} (scope, day, asset, notional, orders, at) select ${placeholder("scope")}, ${today({ now: () => now })}, ${placeholder("asset")}, sum(part.column2), count(*), ${now} from (values ${rows}) as part where exists(select 1 from ${orders} where ${orders.account} = part.column3 and ${orders.clientId} = part.column1) group by 1 on conflict (scope, day, asset) do update set notional = min(notional + excluded.notional, 9223372036854775807), orders = orders + excluded.orders, at = excluded.at`;
});

/** Adds one use without an order if the daily limit allows it; returns a row if it does. */
export const useOnce = (
  context: Context,
  use: {
    readonly scope: string;
    readonly asset: string;
    readonly notional: bigint;
    readonly most: bigint | null;
  },
): Statement => {
  const { scope, asset, notional, most } = use;
  const before = sql`select ${limitUses.notional} from ${limitUses} where ${limitUses.scope} = ${scope} and ${limitUses.day} = ${today(context)} and ${limitUses.asset} = ${asset}`;
  const fits = most === null ? sql`1` : sql`coalesce((${before}), 0) + ${notional} <= ${most}`;
  return statement(
    sql`insert into ${limitUses} (scope, day, asset, notional, orders, at) select ${scope}, ${today(context)}, ${asset}, ${notional}, 1, ${context.now()} where ${fits} on conflict (scope, day, asset) do update set notional = min(notional + excluded.notional, 9223372036854775807), orders = orders + 1, at = excluded.at returning scope`,
  );
};
