import type { ResultSet, Row } from "@libsql/client";
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
import { NEXT_REVISION } from "./pass-store.ts";

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

    async setPaused(id, pause, by) {
      const query = sql`${strategies.id} = ${id} and ${isRunning()} and ${strategies.wants} <> 'stop'`;
      const resumes = sql`${strategies.resumes} + ${pause ? 0 : 1}`;
      const keepOrders = pause?.keepOrders ?? false;
      await wish(id, query, { wants: pause ? "pause" : "run", keepOrders, resumes }, by);
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
      .values({
        ...strategy,
        epoch: sql`(select ${control.epoch} from ${control})`,
        number,
        id,
        revision: NEXT_REVISION,
      })
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
type StoredStrategy = typeof strategies.$inferSelect;

/** From so many read strategies on, a list reads only those that have changed. Fewer are read in one request. */
const MIN_KNOWN = 50;
/** Maximum length of the documents of all strategies that are remembered. */
const MAX_KNOWN_LENGTH = 8_000_000;

const STRATEGY_COLUMNS = Object.keys(getTableColumns(strategies));
const [CONFIG_PLACE, STATE_PLACE] = [STRATEGY_COLUMNS.indexOf("config"), STRATEGY_COLUMNS.indexOf("state")];
/** Position after a strategy's columns: its open orders, and the time. */
const COUNT_PLACE = STRATEGY_COLUMNS.length;
/** Position after an account's columns: the time. */
const ACCOUNT_COLUMNS = Object.keys(getTableColumns(accounts)).length;

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
  readonly counted: boolean;
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
  const { client, prepare } = context;
  const known = knownStrategies(context.convert);
  const part = partsRead(context, known);
  return async ({ id, request, account, kind, stopped = true, counted = true, page }) => {
    const given = { id, request, account, kind };
    const ask = (texts: readonly TextOfWay[], strategyPlace: StrategyPlace, limit: number) => {
      const values = defined({ ...given, ...strategyPlace });
      const way = { names: Object.keys(values), stopped, counted, byAccount: !stopped && page === undefined };
      const statements = texts.map((textOf) => prepare(textOf(way))({ ...values, limit }));
      return client.batch(statements, "read");
    };
    const most = page?.limit ?? Number.POSITIVE_INFINITY;
    const isSingle = id !== undefined || request !== undefined;
    const first = isSingle || known.count() < MIN_KNOWN ? Math.min(most, FIRST_ROWS) : 0;
    const views: StrategyView[] = [];
    if (first > 0) {
      const [found, around] = await ask([viewsText, accountsText], { before: page?.before }, first);
      views.push(...viewsIn(found, around, known));
    }
    const last = views.at(-1)?.strategy;
    if (views.length === first && first < most) {
      const after = last && { afterAccount: last.account, afterNumber: last.number };
      const place = stopped || page ? { before: last?.number ?? page?.before } : after;
      const [sizes] = await ask([sizesText], place ?? {}, page ? most - first : -1);
      for (const viewsPart of partsOf(sizes?.rows ?? [], known))
        views.push(...(await part(viewsPart, { stopped, counted })));
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

/** The strategies that were read, by number; until its revision changes, none is read again. */
type KnownStrategies = ReturnType<typeof knownStrategies>;

function knownStrategies(convert: Context["convert"]) {
  const known = new Map<number, { readonly strategy: StoredStrategy; readonly length: number }>();
  let length = 0;
  const forget = (number: number) => {
    length -= known.get(number)?.length ?? 0;
    known.delete(number);
  };
  return {
    count: () => known.size,
    of(number: number, revision: number): StoredStrategy | undefined {
      const found = known.get(number)?.strategy;
      return found?.revision === revision ? found : undefined;
    },
    /** Returns the strategies of rows; nobody may change them. */
    read(rows: readonly Row[]): StoredStrategy[] {
      const found = rowsFrom(strategies, rows, convert);
      for (const [at, strategy] of found.entries()) {
        const own = String(rows[at]?.[STATE_PLACE]).length + String(rows[at]?.[CONFIG_PLACE]).length;
        forget(strategy.number);
        known.set(strategy.number, { strategy, length: own });
        length += own;
      }
      for (const number of known.keys()) {
        if (length <= MAX_KNOWN_LENGTH) break;
        forget(number);
      }
      return found;
    },
  };
}

/** Strategies to read by number, those that are known, and the accounts of all. */
interface ViewsPart {
  readonly numbers: number[];
  readonly unchanged: StoredStrategy[];
  readonly accounts: Set<string>;
}

function partsOf(sizes: readonly Row[], known: KnownStrategies): ViewsPart[] {
  const parts: { numbers: number[]; unchanged: StoredStrategy[]; accounts: Set<string>; bytes: number }[] =
    [];
  for (const row of sizes) {
    const [number, account] = [Number(row[0]), String(row[1])];
    const strategy = known.of(number, Number(row[4]));
    const [own, around] = [strategy ? 0 : Number(row[2]), Number(row[3])];
    const last = parts.at(-1);
    const more = own + (last?.accounts.has(account) ? 0 : around);
    const isFull = !last || last.bytes + more > PART_BYTES || last.numbers.length === PART_ROWS;
    const part = isFull ? { numbers: [], unchanged: [], accounts: new Set<string>(), bytes: 0 } : last;
    if (isFull) parts.push(part);
    if (strategy) part.unchanged.push(strategy);
    else part.numbers.push(number);
    part.accounts.add(account);
    part.bytes += isFull ? own + around : more;
  }
  return parts;
}

function partsRead({ client, prepare, pause }: Context, known: KnownStrategies) {
  const accountsOf = prepare(
    (now) =>
      sql`select ${selectedColumns(accounts)}, ${now} from ${accounts} where ${accounts.account} in (select value from json_each(${sql.placeholder("accounts")}))`,
  );
  const countsOf = prepare(
    () =>
      sql`select ${strategies.number}, ${open({ counted: true })} from ${strategies} where ${isNumbered()}`,
  );
  return async (part: ViewsPart, form: PartForm): Promise<StrategyView[]> => {
    const unchanged = form.counted ? part.unchanged.map(({ number }) => number) : [];
    const statements = [
      prepare(partText(form))({ numbers: JSON.stringify(part.numbers) }),
      accountsOf({ accounts: JSON.stringify([...part.accounts]) }),
      ...(unchanged.length > 0 ? [countsOf({ numbers: JSON.stringify(unchanged) })] : []),
    ];
    await pause();
    const [result, around, counted] = await client.batch(statements, "read");
    const counts = new Map((counted?.rows ?? []).map((row) => [Number(row[0]), Number(row[1])]));
    const now = Number(around?.rows[0]?.[ACCOUNT_COLUMNS]);
    const before = part.unchanged.map((strategy) => {
      return { strategy, openOrders: counts.get(strategy.number) ?? Number.NaN, now };
    });
    return viewsIn(result, around, known, before);
  };
}

interface FoundStrategy extends Pick<StrategyView, "openOrders" | "now"> {
  readonly strategy: StoredStrategy;
}

function viewsIn(
  { rows = [] }: Partial<ResultSet> = {},
  around: ResultSet | undefined,
  known: KnownStrategies,
  unchanged: readonly FoundStrategy[] = [],
): StrategyView[] {
  const byName = new Map(rowsOf(accounts, around).map((row) => [row.account, row]));
  const read = known.read(rows).map((strategy, at): FoundStrategy => {
    const [openOrders, now] = [rows[at]?.[COUNT_PLACE], rows[at]?.[COUNT_PLACE + 1]];
    return { strategy, openOrders: openOrders === null ? Number.NaN : Number(openOrders), now: Number(now) };
  });
  return [...unchanged, ...read].map(({ strategy, openOrders, now }) => {
    const { memory, steppedAt, error, failures, retryAt, owner, costs } = byName.get(
      strategy.account,
    ) as AccountRow;
    return {
      strategy,
      memory,
      steppedAt,
      accountError: error,
      retryAt: failures > 0 ? retryAt : 0,
      steppedBy: ownerName(owner),
      costs: costs ?? [],
      openOrders,
      now,
    };
  });
}

const open = ({ counted }: Pick<Way, "counted">) =>
  counted
    ? sql`(select count(*) from ${orders} where ${orders.strategy} = ${strategies.id} and ${isUnsettled()} and ${orders.state} in ('submitted', 'open', 'partially_filled'))`
    : sql`null`;

const withAccount = sql`inner join ${accounts} on ${accounts.account} = ${strategies.account}`;

const viewsText = eachWay(
  (now, way: Way) =>
    sql`select ${selectedColumns(strategies)}, ${open(way)}, ${now} from ${strategies} ${selection(way)}`,
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
    sql`select ${strategies.number}, ${strategies.account}, ${octetsOf([strategies.config, strategies.state, strategies.edit])}, ${octetsOf([accounts.memory, accounts.costs])}, ${strategies.revision} from ${strategies} ${withAccount} ${selection(way)}`,
);

const isNumbered = () =>
  sql`${strategies.number} in (select value from json_each(${sql.placeholder("numbers")}))`;

type PartForm = Pick<Way, "stopped" | "counted">;

const partText = eachWay(
  (now, { stopped, counted }: PartForm) =>
    sql`select ${selectedColumns(strategies)}, ${open({ counted })}, ${now} from ${strategies} where ${isNumbered()}${stopped ? sql`` : sql` and ${isRunning()}`}`,
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
