import type { InValue, ResultSet, Row } from "@libsql/client";
import {
  and,
  eq,
  exists,
  getTableColumns,
  inArray,
  notExists,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { ofEachStopFlag, type StopRequest } from "../../kernel/fields.ts";
import { STRATEGY_TAGS } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import { type AccountKey, ownerName } from "../../model/account.ts";
import type { ActorAndRequest, Event } from "../../model/events.ts";
import { NO_MEMORY } from "../../model/memory.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { StrategyStore, StrategyView } from "../../ports/stores/store.ts";
import type { TurnCalls } from "../../storage/client/call-queue.ts";
import {
  type Context,
  cachedReads,
  eachWay,
  rowsFrom,
  rowsOf,
  type StoreMethod,
  selectedColumns,
  statement,
} from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import {
  accounts,
  control,
  isRunning,
  isUnsettled,
  orders,
  strategies,
} from "../../storage/tables/trading-tables.ts";

type StrategyWish = Pick<Strategy, "wants"> & Partial<StopRequest> & { readonly resumes?: SQL };

/**
 * Chooses the millisecond in the write: of two simultaneous starts, the second counts up. Ids of its orders match no
 * other strategy of the account.
 */
async function freeNumber(calls: TurnCalls, account: AccountKey, startedAt: Millis): Promise<number> {
  const next = sql`select max(${startedAt}, coalesce(max(${strategies.number}) + 1, 0)) from ${strategies}`;
  let number = Number((await calls.execute(statement(next))).rows[0]?.[0]);
  const withTag = () => sql.raw(`number % ${STRATEGY_TAGS} = ${number % STRATEGY_TAGS}`);
  const same = () =>
    sql`select 1 from ${strategies} where ${strategies.account} = ${account} and ${withTag()}`;
  while ((await calls.execute(statement(same()))).rows.length > 0) number++;
  return number;
}

const stopWishOf = (how: StopRequest): StopRequest => ({
  keepOrders: how.keepOrders,
  ...ofEachStopFlag((flag) => how[flag]),
});

interface UserWrite {
  readonly id: string;
  readonly query: SQL | undefined;
  readonly event: Pick<Event, "kind" | "message">;
  readonly by: ActorAndRequest;
  /** Whether a postponed pass is resumed. */
  readonly isResumed?: boolean;
}

/** Writes a user's request for a strategy with its event, if it is still possible. */
function writeChange(
  context: Context,
  { id, query, event, by, isResumed = true }: UserWrite,
  set: SQLiteUpdateSetSource<typeof strategies>,
) {
  const { db } = context;
  const resumes = isResumed ? [resumed(context, id)] : [];
  return writeText(context, by, async ({ calls, tell }) => {
    const matching = db.select({ account: strategies.account }).from(strategies).where(query);
    const [row] = (await calls.execute(statement(matching))).rows;
    if (!row) return resumes;
    return [
      await tell({ account: String(row[0]), strategy: id, ...event }, exists(matching)),
      statement(db.update(strategies).set(set).where(query)),
      ...resumes,
    ];
  });
}

export function strategyStore(context: Context): StrategyStore {
  const { db } = context;

  const wish = (id: string, query: SQL | undefined, set: StrategyWish, by: ActorAndRequest) =>
    writeChange(context, { id, query, event: { kind: "wants", message: set.wants }, by }, set);

  return {
    createStrategy: (strategy, by) => insertStrategy(context, strategy, by),

    strategies: readViews(context),

    async strategiesNamed(name) {
      const { id, status } = strategies;
      return db
        .select({ id, status })
        .from(strategies)
        .where(eq(strategies.name, name))
        .orderBy(strategies.number);
    },

    async rename(id, name, by) {
      const message = name === null ? "has no name now" : `is called ${name}`;
      const query = eq(strategies.id, id);
      await writeChange(
        context,
        { id, query, event: { kind: "renamed", message }, by, isResumed: false },
        { name },
      );
    },

    async setWants(id, wants, how, by) {
      const query = and(eq(strategies.id, id), isRunning());
      await wish(id, query, { wants, ...stopWishOf(how) }, by);
    },

    async setPaused(id, isPaused, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop'`;
      const resumes = sql`${strategies.resumes} + ${isPaused ? 0 : 1}`;
      await wish(id, query, { wants: isPaused ? "pause" : "run", resumes }, by);
    },

    async setEdit(id, { config, after, description: message }, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop' and ${strategies.edits} = ${after}`;
      const edits = sql`${strategies.edits} + 1`;
      const event = { kind: "edited", message } as const;
      const results = await writeChange(context, { id, query, event, by }, { edit: config, edits });
      return results[1]?.rowsAffected === 1;
    },

    async releasedOrdersOf(strategy) {
      const left = and(
        eq(orders.strategy, strategy),
        eq(orders.settled, true),
        inArray(orders.state, ["open", "partially_filled"]),
      );
      return db.select().from(orders).where(left).orderBy(orders.price);
    },
  };
}

const isKilled = async (calls: TurnCalls, db: Context["db"]): Promise<boolean> =>
  (await calls.execute(statement(db.select({ kill: control.kill }).from(control)))).rows[0]?.[0] === 1;

const insertStrategy: StoreMethod<StrategyStore["createStrategy"]> = async (
  context,
  { prefix, isKilledHere = () => false, ...strategy },
  by,
) => {
  const { db } = context;
  const { account, symbol, request } = strategy;
  const known = () =>
    db
      .select()
      .from(strategies)
      .where(eq(strategies.request, request ?? ""));
  const results = await writeText(context, by, async ({ calls, tell }) => {
    const number = await freeNumber(calls, account, strategy.startedAt);
    const id = `${prefix}-${number}`;
    const insert = db
      .insert(strategies)
      .values({ ...strategy, epoch: sql`(select ${control.epoch} from ${control})`, number, id })
      .onConflictDoNothing({ target: strategies.request })
      .returning();
    const isNew = notExists(known());
    // Read in the same turn as the write: a switch that is turned on in between takes the newest event, and this is
    // built again.
    if ((await isKilled(calls, db)) || isKilledHere()) return [];
    return [
      statement(db.insert(accounts).values({ account, memory: NO_MEMORY }).onConflictDoNothing()),
      // Before the strategy: it rejects the second of two strategies with the same number.
      await tell({ account, strategy: id, kind: "started", message: symbol }, isNew),
      statement(insert),
    ];
  });
  return rowsOf(strategies, results[2])[0] ?? (await known())[0];
};

/** Resumes a pass that was postponed for lack of calls, because a person has requested something. */
const resumed = ({ db }: Context, strategy: string) => {
  const account = sql`(select ${strategies.account} from ${strategies} where ${strategies.id} = ${strategy})`;
  const isPutOff = sql`${accounts.account} = ${account} and ${accounts.failures} = 0`;
  return statement(db.update(accounts).set({ retryAt: 0 }).where(isPutOff));
};

type ViewsRead = StrategyStore["strategies"];
type AccountRow = typeof accounts.$inferSelect;

/** Position after a strategy's columns: its open orders, and the time. */
const COUNT_PLACE = Object.keys(getTableColumns(strategies)).length;

/**
 * A libSQL server refuses responses of ten million bytes. Up to this many strategies are returned at once; for more,
 * their lengths are read first, and then parts of limited size.
 */
const FIRST_ROWS = 100;
const PART_ROWS = 1000;
/** Maximum number of cached queries: those that the page, a list and a status repeat. */
const MAX_CACHED_VIEWS = 6;
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
function readViews(context: Context): ViewsRead {
  const read = readingViews(context);
  const kept = cachedReads<readonly StrategyView[]>(context, {
    maxEntries: MAX_CACHED_VIEWS,
    isWorth: ({ length }) => length <= FIRST_ROWS,
  });
  return async (filter) => {
    const { value: strategyViews, now } = await kept(JSON.stringify(filter), () => read(filter));
    return now === undefined ? strategyViews : strategyViews.map((view) => ({ ...view, now }));
  };
}

function readingViews(context: Context): ViewsRead {
  const { client, prepare, convert } = context;
  const part = partsRead(context);
  return async ({ id, request, account, kind, stopped = true, page }) => {
    const given = { id, request, account, kind };
    const ask = (texts: readonly TextOfWay[], strategyPlace: StrategyPlace, limit: number) => {
      const values = defined({ ...given, ...strategyPlace });
      const way = { names: Object.keys(values), stopped, byAccount: !stopped && page === undefined };
      const statements = texts.map((textOf) => prepare(textOf(way))({ ...values, limit }));
      return client.batch(statements, "read");
    };
    const most = page?.limit ?? Number.POSITIVE_INFINITY;
    const first = Math.min(most, FIRST_ROWS);
    const [found, around] = await ask([viewsText, accountsText], { before: page?.before }, first);
    const views = viewsIn(found, around, convert);
    const last = views.at(-1)?.strategy;
    if (last && views.length === first && first < most) {
      const place =
        stopped || page ? { before: last.number } : { afterAccount: last.account, afterNumber: last.number };
      const [sizes] = await ask([sizesText], place, page ? most - first : -1);
      for (const viewsPart of partsOf(sizes?.rows ?? [])) views.push(...(await part(viewsPart, stopped)));
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

function partsRead({ client, prepare, convert, pause }: Context) {
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
    await pause();
    const [result, around] = await client.batch(statements, "read");
    return viewsIn(result, around, convert);
  };
}

function viewsIn(
  { rows = [] }: Partial<ResultSet> = {},
  around: ResultSet | undefined,
  convert: Context["convert"],
): StrategyView[] {
  const byName = new Map(rowsOf(accounts, around).map((row) => [row.account, row]));
  return rowsFrom(strategies, rows, convert).map((strategy, at) => {
    const { memory, steppedAt, error, failures, retryAt, owner, costs } = byName.get(
      strategy.account,
    ) as AccountRow;
    const row = rows[at];
    return {
      strategy,
      memory,
      steppedAt,
      accountError: error,
      retryAt: failures > 0 ? retryAt : 0,
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
    sql`select ${selectedColumns(strategies)}, ${open()}, ${now} from ${strategies} ${selection(way)}`,
);

/** Each account once: its memory and costs grow with its strategies. */
const accountsText = eachWay(
  (_now, way: Way) =>
    sql`select ${selectedColumns(accounts)} from ${accounts} where ${accounts.account} in (select ${strategies.account} from ${strategies} ${selection(way)})`,
);

type TextOfWay = typeof viewsText;

const octetsOf = (columns: readonly SQLWrapper[]): SQL =>
  sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  );

const sizesText = eachWay(
  (_now, way: Way) =>
    sql`select ${strategies.number}, ${strategies.account}, ${octetsOf([strategies.config, strategies.state, strategies.edit])}, ${octetsOf([accounts.memory, accounts.costs])} from ${strategies} ${withAccount} ${selection(way)}`,
);

const partText = (now: SQL<number>, condition: SQL): SQL =>
  sql`select ${selectedColumns(strategies)}, ${open()}, ${now} from ${strategies} where ${strategies.number} in (select value from json_each(${sql.placeholder("numbers")}))${condition}`;

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
