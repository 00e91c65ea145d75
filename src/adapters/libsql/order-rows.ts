import { type Column, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Terms } from "../../limits/standing.ts";
import type { Event, Order } from "../../records.ts";
import { type Context, type Statement, statement } from "./context.ts";
import { countUses, withinLimits } from "./limit-rows.ts";
import { unitsOf } from "./limit-tables.ts";
import { control, events, orders, strategies } from "./tables.ts";

const COLUMNS = Object.entries(getTableColumns(orders)) as [keyof Order, Column][];
const names = sql.join(
  COLUMNS.map(([, column]) => sql.identifier(column.name)),
  sql`, `,
);

/**
 * Intents of one strategy, each on its own condition in the statement that writes it: what a person
 * has asked in the meantime wins, and limits hold whoever else places orders. Only client ids that come back may be sent.
 */
export function insertIntents(context: Context, intents: readonly Order[], terms: Terms | null): Statement[] {
  return [...grouped(intents).values()].flatMap((group) => {
    const [first] = group as [Order];
    const wanted =
      first.kind === "grid" ? sql`${strategies.wants} = 'run'` : sql`${strategies.wants} <> 'pause'`;
    const condition =
      first.strategy === null
        ? sql`${control.kill} = 0`
        : sql`${control.kill} = 0 and exists(select 1 from ${strategies} where ${strategies.id} = ${first.strategy} and ${wanted})`;
    // An exit lessens what is at risk: it is counted, and never refused.
    const within =
      terms && first.kind !== "exit" ? sql` and ${withinLimits(context, terms, first.account)}` : sql``;
    return [
      statement(
        sql`insert into ${orders} (${names}) select ${columns} from (values ${rowsOf(group, terms)}) as intent, ${control} where ${condition}${within} returning client_id`,
      ),
      ...(terms ? countUses(context, terms, group) : []),
    ];
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

const columns = sql.join(
  COLUMNS.map((_column, place) => sql.raw(`intent.column${place + 1}`)),
  sql`, `,
);

/** Orders as rows, each with how many of the group and how much of their notional it completes. */
function rowsOf(group: readonly Order[], terms: Terms | null): SQL {
  let notional = 0n;
  const rows = group.map((order, place) => {
    notional += unitsOf(terms?.counted[order.clientId] ?? 0n, "up");
    const values = COLUMNS.map(([key, column]) =>
      order[key] === null ? sql`null` : sql`${sql.param(order[key], column)}`,
    );
    return sql`(${sql.join([...values, sql`${place + 1}`, sql`${notional}`], sql`, `)})`;
  });
  return sql.join(rows, sql`, `);
}

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
    actor,
    ...life
  } = order;
  return statement(db.update(orders).set(life).where(eq(orders.clientId, clientId)));
}

export const insertEvents = ({ db }: Context, list: readonly Event[]): Statement[] =>
  list.length === 0 ? [] : [statement(db.insert(events).values([...list]))];
