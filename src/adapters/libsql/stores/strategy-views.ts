import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { ownerName } from "../../../model/account.ts";
import type { StrategyStore } from "../../../ports/stores/strategy-store.ts";
import { type Context, preparedTexts, rowsOf, selectedColumns } from "../client/context.ts";
import { accounts, isRunning, isUnsettled, orders, strategies } from "../tables/tables.ts";

type ViewsRead = StrategyStore["strategies"];
type ViewsAsked = Parameters<ViewsRead>[0];

const ACCOUNT_PLACE = Object.keys(getTableColumns(strategies)).length;
const COUNT_PLACE = ACCOUNT_PLACE + Object.keys(getTableColumns(accounts)).length;

/** Reads strategies with what is told beside them; each way of asking has a text of its own, built once. */
export function readViews({ client, prepare }: Context): ViewsRead {
  const texts = preparedTexts(prepare);
  return async (asked) => {
    const { id, request, account, page } = asked;
    const values = { id, request, account, before: page?.before };
    const given = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const { stopped = true } = asked;
    const names = given.map(([name]) => name);
    const way = [stopped, page !== undefined, ...names].join();
    const text = texts(way, (now) => viewsText({ ...asked, stopped }, names, now));
    const limit = page?.limit ?? -1;
    const result = await client.execute(text({ ...Object.fromEntries(given), limit }));
    const ofAccounts = rowsOf(accounts, result, ACCOUNT_PLACE);
    return rowsOf(strategies, result).map((strategy, place) => {
      const { memory, steppedAt, error, owner, costs } = ofAccounts[place] as typeof accounts.$inferSelect;
      const row = result.rows[place];
      return {
        ...{ strategy, memory, steppedAt, accountError: error, steppedBy: ownerName(owner) },
        ...{
          costs: costs ?? [],
          openOrders: Number(row?.[COUNT_PLACE]),
          now: Number(row?.[COUNT_PLACE + 1]),
        },
      };
    });
  };
}

function viewsText({ stopped, page }: ViewsAsked, names: readonly string[], now: SQL<number>): SQL {
  const conditions: Record<string, SQL> = {
    id: sql`${strategies.id} = ${sql.placeholder("id")}`,
    request: sql`${strategies.request} = ${sql.placeholder("request")}`,
    account: sql`${strategies.account} = ${sql.placeholder("account")}`,
    before: sql`${strategies.number} < ${sql.placeholder("before")}`,
  };
  const wanted = [...names.flatMap((name) => conditions[name] ?? []), ...(stopped ? [] : [isRunning()])];
  // With the plus, or SQLite walks all that ever ran in the order of their numbers to sort the few that run.
  const number = stopped ? sql`${strategies.number}` : sql`+${strategies.number}`;
  const inOrder = page ? sql`${number} desc` : number;
  const open = sql`select count(*) from ${orders} where ${orders.strategy} = ${strategies.id} and ${isUnsettled()} and ${orders.state} in ('submitted', 'open', 'partially_filled')`;
  const where = wanted.length > 0 ? sql`where ${sql.join(wanted, sql` and `)}` : sql``;
  return sql`select ${selectedColumns(strategies)}, ${selectedColumns(accounts)}, (${open}), ${now} from ${strategies} inner join ${accounts} on ${accounts.account} = ${strategies.account} ${where} order by ${inOrder} limit ${sql.placeholder("limit")}`;
}
