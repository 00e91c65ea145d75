import type { InValue } from "@libsql/client";
import { type Column, getTableColumns, notInArray, type Placeholder, type SQL, sql } from "drizzle-orm";
import { lazy } from "../../kernel/lazy.ts";
import { DAY } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { LimitTerms, ScopeTerms } from "../../model/limits.ts";
import { groupBy, type Order } from "../../model/order.ts";
import type { ManualOrderTerms } from "../../ports/stores/store.ts";
import {
  type Context,
  eachWay,
  rowsFrom,
  type Statement,
  selectedColumns,
  statement,
} from "../../storage/client/context.ts";
import { isMetBy, isMetWithin, mayBeMetRow } from "../../storage/tables/own-orders.ts";
import { control, isUnsettled, orders, strategies } from "../../storage/tables/trading-tables.ts";
import { limitUses, notionalUnits, withinColumn } from "../../storage/tables/venue-tables.ts";

const ORDER_COLUMNS = Object.entries(getTableColumns(orders)) as [keyof Order, Column][];
const names = sql.raw(ORDER_COLUMNS.map(([, column]) => `"${column.name}"`).join(", "));

/**
 * Inserts intents of one strategy, each with its condition in the same statement: users' later requests win, and
 * limits apply whoever else places orders. Only orders whose client ids are returned can be sent.
 */
export function insertIntents(
  context: Context,
  intents: readonly Order[],
  terms: LimitTerms | null,
): Statement[] {
  const groups = groupBy(intents, ({ strategy, kind }) => `${strategy} ${kind}`);
  return [...groups.values()].flatMap((group) => {
    const [{ kind, strategy }] = group as readonly [Order];
    const matching = kind === "slot" ? sql`${strategies.wants} = 'run'` : sql`${strategies.wants} <> 'pause'`;
    const request = sql`exists(select 1 from ${strategies} where ${strategies.id} = ${strategy} and ${matching})`;
    return insertWhere(context, group, { terms, condition: sql`${request} and not ${MEETS_MANUAL_ORDER}` });
  });
}

/** Inserts the intent of a manual order, and returns the account's orders that prevent it. */
export function insertManualOrder(context: Context, order: Order, { terms, limit, ended }: ManualOrderTerms) {
  const others = sql`${orders.account} = ${order.account} and ${orders.symbol} = ${order.symbol} and ${mayBeMetRow()} and ${isMetBy({ side: order.side, limit })} and ${notInArray(orders.clientId, [...ended])}`;
  // Without a named index, SQLite would read every order that the account ever had.
  const from = sql`from ${orders} indexed by orders_unsettled where ${others}`;
  const condition = sql`not exists(select 1 ${from})`;
  return {
    insert: insertWhere(context, [order], { terms, condition }),
    others: statement(sql`select ${names} ${from}`),
  };
}

function insertWhere(
  context: Context,
  group: readonly Order[],
  { terms, condition }: { terms: LimitTerms | null; condition: SQL },
): Statement[] {
  const [{ kind, account }] = group as [Order];
  // An exit reduces risk: it is counted, and never refused.
  const within = terms && kind !== "exit" ? sql` and ${withinLimits(context, terms, account)}` : sql``;
  const rest = statement(
    sql`) as intent, ${control} where ${mayPlace(kind)} and ${condition}${within} returning client_id`,
  );
  const { rows, args } = intentRows(group, terms);
  return [
    { sql: `${intoOrders().sql}${rows}${rest.sql}`, args: [...args, ...rest.args] },
    ...(terms ? countUses(context, terms, group) : []),
  ];
}

/** SQL form of `isBlockedByKill`, for the insert of an intent. */
const mayPlace = (kind: Order["kind"]): SQL =>
  kind === "exit" ? sql`(${control.kill} = 0 or ${control.sells} = 1)` : sql`${control.kill} = 0`;

/** Returns a column of the intents to insert, which have no names in `values`. */
const intended = (key: keyof Order): SQL =>
  sql.raw(`intent.column${ORDER_COLUMNS.findIndex(([name]) => name === key) + 1}`);

/**
 * Condition that the intent could fill a manual order. The plan was checked against everything that its pass knew,
 * but people can place orders meanwhile. Without a named index, SQLite would read all unsettled orders of the account
 * for each intent.
 */
const MEETS_MANUAL_ORDER = sql`exists(select 1 from ${orders} indexed by orders_unsettled_by_hand where ${orders.account} = ${intended("account")} and ${orders.symbol} = ${intended("symbol")} and ${orders.kind} = 'hand' and ${mayBeMetRow()} and ${isMetWithin(intended("side"), intended("price"))})`;

const intentColumns = sql.raw(ORDER_COLUMNS.map((_column, index) => `intent.column${index + 1}`).join(", "));

const intoOrders = lazy(() =>
  statement(sql`insert into ${orders} (${names}) select ${intentColumns} from (values `),
);
/** Row of an order, with the number and the notional of its group so far. */
const INTENT_ROW = `(${Array(ORDER_COLUMNS.length + 2)
  .fill("?")
  .join(", ")})`;

/**
 * Returns orders as rows, each with the number and notional of its group so far. Building them like other queries,
 * value by value, would take longer than SQLite's write.
 */
function intentRows(group: readonly Order[], terms: LimitTerms | null) {
  let notional = 0n;
  const args = group.flatMap((order, index) => {
    notional = withinColumn(notional + notionalUnits(terms?.counted[order.clientId] ?? 0n, "up"));
    const counted = terms?.counted[order.clientId] === 0n ? null : notional;
    return [...ORDER_COLUMNS.map(([key, column]) => storedValue(order[key], column)), index + 1, counted];
  });
  return { rows: group.map(() => INTENT_ROW).join(", "), args };
}

const storedValue = (value: unknown, column: Column): InValue =>
  value === null ? null : (column.mapToDriverValue(value) as InValue);

/** Returns the condition for one order's row; client ids are unique per account. */
export const isOrder = ({ account, clientId }: Readonly<Record<"account" | "clientId", string | SQL>>): SQL =>
  sql`${orders.account} = ${account} and ${orders.clientId} = ${clientId}`;

/** Updates what can change of an order: never its identity, side, price or amount. */
export function updateOrder({ db }: Context, order: Order): Statement {
  const {
    clientId,
    account,
    strategy,
    kind,
    generation,
    slot,
    symbol,
    side,
    type,
    price,
    amount,
    timeInForce,
    sendBy,
    notAfter,
    createdAt,
    actor,
    label,
    ...life
  } = order;
  return statement(db.update(orders).set(life).where(isOrder({ account, clientId })));
}

/** Maximum rows per response; a libSQL server refuses responses of ten million bytes. */
const UNSETTLED_ROWS = 5000;

/**
 * Reads by account, in the order of writing, in consistent parts. An order that stays open throughout appears exactly
 * once.
 */
export async function readUnsettled({ client, prepare }: Context, account?: AccountKey): Promise<Order[]> {
  const text = prepare(account === undefined ? unsettledText : unsettledOfText);
  const found: Order[] = [];
  for (let after = { account: account ?? "", row: 0 }; ; ) {
    const { rows } = await client.execute(text({ ...after, limit: UNSETTLED_ROWS }));
    found.push(...rowsFrom(orders, rows));
    const last = found.at(-1);
    if (!last || rows.length < UNSETTLED_ROWS) return found;
    after = { account: last.account, row: Number(rows.at(-1)?.[ORDER_COLUMNS.length]) };
  }
}

const unsettledAfter = (place: SQL): SQL =>
  sql`select ${selectedColumns(orders)}, ${orders}.rowid from ${orders} indexed by orders_unsettled where ${isUnsettled()} and ${place} order by ${orders.account}, ${orders}.rowid limit ${sql.placeholder("limit")}`;

const unsettledText = () =>
  unsettledAfter(
    sql`(${orders.account}, ${orders}.rowid) > (${sql.placeholder("account")}, ${sql.placeholder("row")})`,
  );

const unsettledOfText = () =>
  unsettledAfter(
    sql`${orders.account} = ${sql.placeholder("account")} and ${orders}.rowid > ${sql.placeholder("row")}`,
  );

/**
 * The last two columns of an intent's row: the number of orders in its group so far, and their notional; null for an
 * order that counts as nothing, which no daily limit refuses.
 */
const ORDER_COLUMN_COUNT = Object.keys(getTableColumns(orders)).length;
const [COUNT, NOTIONAL] = [ORDER_COLUMN_COUNT + 1, ORDER_COLUMN_COUNT + 2].map((index) =>
  sql.raw(`intent.column${index}`),
);

const today = ({ now }: Pick<Context, "now">): SQL => sql`cast(${now()} / ${DAY} as integer)`;

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

const withinOpenOrders = ({ openOrders, actor }: ScopeTerms, account: string): SQL[] =>
  openOrders === null ? [] : [sql`${countOpen(account, actor)} + ${COUNT} <= ${openOrders}`];

/** Condition for rows of intents: the limits are unchanged, and nobody has used them up since. */
const withinLimits = (context: Context, { version, asset, scopes }: LimitTerms, account: string): SQL =>
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
  return [sql`coalesce(coalesce((${used}), 0) + ${NOTIONAL} <= ${notionalUnits(dayNotional, "down")}, 1)`];
}

/** Returns both counts as JSON from one scan of the index. */
export const countBoth = (account: Placeholder, actor: Placeholder): SQL =>
  sql`(select json_array(count(case when ${isOfAccount(account)} then 1 end), count(case when ${isOfActor(actor)} then 1 end)) ${ofOpen(sql`1`)})`;

function afterGap(context: Context, { scope, orderGapMillis }: ScopeTerms): SQL[] {
  if (orderGapMillis === null) return [];
  const last = sql`select max(${limitUses.at}) from ${limitUses} where ${limitUses.scope} = ${scope} and ${limitUses.day} >= ${today(context)} - 1 and ${limitUses.at} <= ${context.now()}`;
  return [sql`${COUNT} = 1 and coalesce((${last}), 0) + ${orderGapMillis} <= ${context.now()}`];
}

/** Adds the recorded orders of a group to their scopes' usage, in the batch that records them. */
function countUses(
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
