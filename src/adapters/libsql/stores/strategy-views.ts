import type { InValue, ResultSet, Row } from "@libsql/client";
import { getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ownerName } from "../../../model/account.ts";
import type { StrategyStore, StrategyView } from "../../../ports/stores/strategy-store.ts";
import { type Context, eachWay, rowsFrom, selectedColumns } from "../../../storage/client/context.ts";
import { keptReads } from "../../../storage/client/read-cache.ts";
import { accounts, isRunning, isUnsettled, orders, strategies } from "../../../storage/tables/tables.ts";

type ViewsRead = StrategyStore["strategies"];
type AccountRow = typeof accounts.$inferSelect;

/** Position after a strategy's columns: its open orders, the time, and its account's columns. */
const COUNT_PLACE = Object.keys(getTableColumns(strategies)).length;
const ACCOUNT_PLACE = COUNT_PLACE + 2;

/**
 * A libSQL server refuses responses of ten million bytes. Up to this many strategies are returned at once; for more,
 * their lengths are read first, and then parts of limited size.
 */
const FIRST_ROWS = 100;
const PART_ROWS = 1000;
/** Maximum number of cached queries: those that the page, a list and a status repeat. */
const MOST_VIEWS_KEPT = 6;
const PART_BYTES = 4_000_000;

/** One query variant; `names` are its values. */
interface Way {
  readonly names: readonly string[];
  readonly stopped: boolean;
  /** Whether it reads by account, along the index of running strategies; otherwise newest first. */
  readonly byAccount: boolean;
}

/**
 * Reads strategies with related data; the text of each query variant is built once. Each part is read at one moment,
 * and positions do not change: a strategy that runs throughout appears exactly once.
 */
export function readViews(context: Context): ViewsRead {
  const read = readingViews(context);
  const kept = keptReads<readonly StrategyView[]>(context, {
    most: MOST_VIEWS_KEPT,
    isWorth: ({ length }) => length <= FIRST_ROWS,
  });
  return async (filter) => {
    const { value: strategyViews, now } = await kept(JSON.stringify(filter), () => read(filter));
    return now === undefined ? strategyViews : strategyViews.map((view) => ({ ...view, now }));
  };
}

function readingViews(context: Context): ViewsRead {
  const { client, prepare } = context;
  const part = partsRead(context);
  return async ({ id, request, account, kind, stopped = true, page }) => {
    const given = { id, request, account, kind };
    const ask = (what: "told" | "sizes", strategyPlace: StrategyPlace, limit: number) => {
      const values = defined({ ...given, ...strategyPlace });
      const way = { names: Object.keys(values), stopped, byAccount: !stopped && page === undefined };
      const text = prepare((what === "told" ? viewsText : sizesText)(way));
      return client.execute(text({ ...values, limit }));
    };
    const most = page?.limit ?? Number.POSITIVE_INFINITY;
    const first = Math.min(most, FIRST_ROWS);
    const { rows } = await ask("told", { before: page?.before }, first);
    const views = viewsIn(rows, accountsBeside(rows));
    const last = views.at(-1)?.strategy;
    if (last && rows.length === first && first < most) {
      const place =
        stopped || page ? { before: last.number } : { afterAccount: last.account, afterNumber: last.number };
      const sizes = await ask("sizes", place, page ? most - first : -1);
      for (const viewsPart of partsOf(sizes.rows)) views.push(...(await part(viewsPart, stopped)));
    }
    return views.sort((a, b) => (a.strategy.number - b.strategy.number) * (page ? -1 : 1));
  };
}

/** Position after a strategy. */
interface StrategyPlace {
  readonly before?: number | undefined;
  readonly afterAccount?: string;
  readonly afterNumber?: number;
}

const defined = (values: Readonly<Record<string, string | number | undefined>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** Strategies by number, and their accounts. */
interface ViewsPart {
  readonly numbers: readonly number[];
  readonly accounts: ReadonlySet<string>;
}

function partsOf(sizes: readonly Row[]): ViewsPart[] {
  const parts: { numbers: number[]; accounts: Set<string>; bytes: number }[] = [];
  for (const row of sizes) {
    const [number, account] = [Number(row[0]), String(row[1])];
    const [own, around] = [Number(row[2]), Number(row[3])];
    const last = parts.at(-1);
    const more = own + (last?.accounts.has(account) ? 0 : around);
    if (last && last.bytes + more <= PART_BYTES && last.numbers.length < PART_ROWS) {
      last.numbers.push(number);
      last.accounts.add(account);
      last.bytes += more;
    } else parts.push({ numbers: [number], accounts: new Set([account]), bytes: own + around });
  }
  return parts;
}

function partsRead({ client, prepare }: Context) {
  const texts = {
    all: prepare((now) => partText(now, sql``)),
    running: prepare((now) => partText(now, sql` and ${isRunning()}`)),
    accounts: prepare(
      () =>
        sql`select ${selectedColumns(accounts)} from ${accounts} where ${accounts.account} in (select value from json_each(${sql.placeholder("accounts")}))`,
    ),
  };
  return async (part: ViewsPart, stopped: boolean): Promise<StrategyView[]> => {
    const numbers: InValue = JSON.stringify(part.numbers);
    const statements = [
      (stopped ? texts.all : texts.running)({ numbers }),
      texts.accounts({ accounts: JSON.stringify([...part.accounts]) }),
    ];
    const [result, around] = (await client.batch(statements, "read")) as [ResultSet, ResultSet];
    return viewsIn(result.rows, rowsFrom(accounts, around.rows));
  };
}

const accountsBeside = (rows: readonly Row[]): AccountRow[] => rowsFrom(accounts, rows, ACCOUNT_PLACE);

function viewsIn(rows: readonly Row[], around: readonly AccountRow[]): StrategyView[] {
  const byName = new Map(around.map((row) => [row.account, row]));
  return rowsFrom(strategies, rows).map((strategy, at) => {
    const { memory, steppedAt, error, owner, costs } = byName.get(strategy.account) as AccountRow;
    const row = rows[at];
    return {
      strategy,
      memory,
      steppedAt,
      accountError: error,
      steppedBy: ownerName(owner),
      costs: costs ?? [],
      openOrders: Number(row?.[COUNT_PLACE]),
      now: Number(row?.[COUNT_PLACE + 1]),
    };
  });
}

const open = () =>
  sql`(select count(*) from ${orders} where ${orders.strategy} = ${strategies.id} and ${isUnsettled()} and ${orders.state} in ('submitted', 'open', 'partially_filled'))`;

const withAccount = sql`inner join ${accounts} on ${accounts.account} = ${strategies.account}`;

const viewsText = eachWay(
  (now, way: Way) =>
    sql`select ${selectedColumns(strategies)}, ${open()}, ${now}, ${selectedColumns(accounts)} from ${strategies} ${withAccount} ${selection(way)}`,
);

const sizesText = eachWay(
  (_now, way: Way) =>
    sql`select ${strategies.number}, ${strategies.account}, ${octetsOf([strategies.config, strategies.state, strategies.edit])}, ${octetsOf([accounts.memory, accounts.costs])} from ${strategies} ${withAccount} ${selection(way)}`,
);

const partText = (now: SQL<number>, condition: SQL): SQL =>
  sql`select ${selectedColumns(strategies)}, ${open()}, ${now} from ${strategies} where ${strategies.number} in (select value from json_each(${sql.placeholder("numbers")}))${condition}`;

const octetsOf = (columns: readonly SQLWrapper[]): SQL =>
  sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  );

function selection({ names, stopped, byAccount }: Way): SQL {
  // Without the plus, SQLite would scan all strategies by number to find the few that run.
  const number = stopped ? sql`${strategies.number}` : sql`+${strategies.number}`;
  const conditions: Record<string, SQL> = {
    id: sql`${strategies.id} = ${sql.placeholder("id")}`,
    request: sql`${strategies.request} = ${sql.placeholder("request")}`,
    account: sql`${strategies.account} = ${sql.placeholder("account")}`,
    kind: sql`${strategies.kind} = ${sql.placeholder("kind")}`,
    before: sql`${number} < ${sql.placeholder("before")}`,
    afterNumber: sql`(${strategies.account}, ${strategies.number}) > (${sql.placeholder("afterAccount")}, ${sql.placeholder("afterNumber")})`,
  };
  const matching = [...names.flatMap((name) => conditions[name] ?? []), ...(stopped ? [] : [isRunning()])];
  const where = matching.length > 0 ? sql`where ${sql.join(matching, sql` and `)}` : sql``;
  const order = byAccount ? sql`${strategies.account}, ${strategies.number}` : sql`${number} desc`;
  return sql`${where} order by ${order} limit ${sql.placeholder("limit")}`;
}
