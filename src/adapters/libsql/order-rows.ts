import { type Column, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Event, Order } from "../../records.ts";
import { type Context, type Statement, statement } from "./context.ts";
import { control, events, orders, strategies } from "./tables.ts";

const COLUMNS = Object.entries(getTableColumns(orders)) as [keyof Order, Column][];
const names = sql.join(
  COLUMNS.map(([, column]) => sql.identifier(column.name)),
  sql`, `,
);

/**
 * Intents of one strategy, each on its own condition in the statement that writes it: what a person
 * has asked in the meantime wins. Only client ids that come back may be sent.
 */
export function insertIntents(intents: readonly Order[]): Statement[] {
  return [...grouped(intents).values()].map((group) => {
    const [first] = group as [Order];
    const rows = sql.join(group.map(row), sql`, `);
    const wanted =
      first.kind === "grid" ? sql`${strategies.wants} = 'run'` : sql`${strategies.wants} <> 'pause'`;
    const condition =
      first.strategy === null
        ? sql`${control.kill} = 0`
        : sql`${control.kill} = 0 and exists(select 1 from ${strategies} where ${strategies.id} = ${first.strategy} and ${wanted})`;
    return statement(
      sql`insert into ${orders} (${names}) select intent.* from (values ${rows}) as intent, ${control} where ${condition} returning client_id`,
    );
  });
}

const grouped = (intents: readonly Order[]): Map<string, Order[]> => {
  const groups = new Map<string, Order[]>();
  for (const intent of intents) {
    const key = `${intent.strategy} ${intent.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), intent]);
  }
  return groups;
};

const row = (order: Order): SQL =>
  sql`(${sql.join(
    COLUMNS.map(([key, column]) => (order[key] === null ? sql`null` : sql`${sql.param(order[key], column)}`)),
    sql`, `,
  )})`;

/** What may change of an order: never its identity, side, price or amount. */
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
    sendBy,
    notAfter,
    createdAt,
    ...life
  } = order;
  return statement(db.update(orders).set(life).where(eq(orders.clientId, clientId)));
}

export const insertEvents = ({ db }: Context, list: readonly Event[]): Statement[] =>
  list.length === 0 ? [] : [statement(db.insert(events).values([...list]))];
