import { and, asc, desc, eq, gte, type SQL, type SQLWrapper, sql, type Table } from "drizzle-orm";
import { SettingsError, StoreError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { BookedOrder } from "../../market/matching.ts";
import { isActiveFault, type VenueFault } from "../../model/venue-fault.ts";
import {
  bundle,
  type Context,
  isWritten,
  queries,
  refusedUnless,
  rowsOf,
  type StoreMethod,
  statement,
} from "../../storage/client/context.ts";
import { type Migration, migrationStatements } from "../../storage/client/migrate.ts";
import { control, strategies } from "../../storage/tables/trading-tables.ts";
import {
  sandbox,
  shocks,
  tokens,
  venueBalances,
  venueFills,
  venueOrders,
  venues,
} from "../../storage/tables/venue-tables.ts";
import type { Books } from "../sandbox/booked-venue.ts";
import { startingBalances } from "../sandbox/listings.ts";
import type { Shock } from "../sandbox/matching.ts";

const exchangeIs = sql.placeholder("exchange");

const moment = (): [Table, SQLWrapper][] => [
  [venues, queries.select().from(venues).where(eq(venues.exchange, exchangeIs))],
  [shocks, queries.select().from(shocks).orderBy(asc(shocks.at))],
  [sandbox, queries.select().from(sandbox)],
];

const TIME = bundle(moment);

const READ_BOOKS = bundle(() => {
  const open = sql`${venueOrders.status} in ('open', 'partially_filled')`;
  const resting = and(eq(venueOrders.exchange, exchangeIs), open);
  return [
    ...moment(),
    [venueOrders, queries.select().from(venueOrders).where(resting)],
    [venueBalances, queries.select().from(venueBalances).where(eq(venueBalances.exchange, exchangeIs))],
  ];
});

const currentTime = (now: SQL<number>) => sql`select ${now}`;

/**
 * Stores the simulated venues' books in the database; every process sees committed changes. `missing` are the books of
 * a venue that does not exist yet; without it, such a venue cannot be read.
 */
export function sandboxBooks(
  context: Context,
  missing?: { readonly version: number; readonly settledAt: Millis; readonly fault: null },
): Books {
  const { client, db, prepare } = context;
  const clock = prepare(currentTime);
  const read = async ({ with: fill, rows }: typeof READ_BOOKS, exchange: string) => {
    // The clock first, so the data are never older than their time.
    const [clocked, result] = await client.batch([clock(), fill({ exchange })], "read");
    const venue = rows(venues, result)[0] ?? missing;
    if (!venue) throw new StoreError("unavailable", `the sandbox has no exchange ${exchange}`);
    const now = Number(clocked?.rows[0]?.[0]);
    const { fault } = venue;
    return {
      result,
      venue,
      when: {
        shocks: bySymbol(rows(shocks, result)),
        now,
        passed: rows(sandbox, result)[0]?.passed ?? 0,
        fault: fault && isActiveFault(fault, now) ? fault : undefined,
      },
    };
  };
  return {
    async load(exchange) {
      const { result, venue, when } = await read(READ_BOOKS, exchange);
      const holdings = READ_BOOKS.rows(venueBalances, result).map(
        ({ asset, total, used }) => [asset, { total, used }] as const,
      );
      const { version, settledAt } = venue;
      const books = {
        version,
        settledAt,
        open: READ_BOOKS.rows(venueOrders, result),
        holdings: Object.fromEntries(holdings),
      };
      return { ...when, books };
    },

    async time(exchange) {
      const { venue, when } = await read(TIME, exchange);
      return { settledAt: venue.settledAt, ...when };
    },

    commit: (exchange, version, change, sendBy) => commitBooks(context, exchange, version, change, sendBy),

    async order(exchange, { id, clientId }) {
      const key = id === undefined ? eq(venueOrders.clientId, clientId ?? "") : eq(venueOrders.id, id);
      const [row] = await db
        .select()
        .from(venueOrders)
        .where(and(eq(venueOrders.exchange, exchange), key))
        .orderBy(desc(venueOrders.id))
        .limit(1);
      return row;
    },

    async fills(exchange, symbol, since) {
      const matching = and(
        eq(venueFills.exchange, exchange),
        eq(venueFills.symbol, symbol),
        gte(venueFills.at, since),
      );
      const inOrder = queries.select().from(venueFills).where(matching);
      const fills = bundle(() => [[venueFills, inOrder.orderBy(asc(venueFills.at), asc(venueFills.id))]]);
      return fills.rows(venueFills, await client.execute(fills.with({})));
    },
  };
}

const changing = ({ filled, notional, reserved, fee, fills, status, meetsFrom }: BookedOrder) => ({
  filled,
  notional,
  reserved,
  fee,
  fills,
  status,
  meetsFrom,
});

const commitBooks: StoreMethod<Books["commit"]> = async (
  { client, db, now },
  exchange,
  version,
  { settledAt, orders, fills, holdings },
  sendBy,
) => {
  const inTime = sendBy === undefined ? sql`1` : sql`${now()} <= ${sendBy}`;
  const still = sql`exists(select 1 from ${venues} where ${venues.exchange} = ${exchange} and ${venues.version} = ${version}) and ${inTime}`;
  const statements = [
    refusedUnless(still),
    db
      .update(venues)
      .set({ version: version + 1, settledAt })
      .where(eq(venues.exchange, exchange)),
    ...orders.map((order) =>
      db
        .insert(venueOrders)
        .values({ exchange, ...order })
        .onConflictDoUpdate({ target: [venueOrders.exchange, venueOrders.id], set: changing(order) }),
    ),
    ...fills.map((fill) => db.insert(venueFills).values({ exchange, ...fill })),
    ...Object.entries(holdings).map(([asset, holding]) =>
      db
        .insert(venueBalances)
        .values({ exchange, asset, ...holding })
        .onConflictDoUpdate({ target: [venueBalances.exchange, venueBalances.asset], set: holding }),
    ),
  ];
  return isWritten(client.batch(statements.map(statement), "write"));
};

function bySymbol(rows: readonly { symbol: string; at: number; factor: number }[]): Record<string, Shock[]> {
  const found: Record<string, Shock[]> = {};
  for (const { symbol, at, factor } of rows) {
    found[symbol] ??= [];
    found[symbol].push({ at, factor });
  }
  return found;
}

/** Settings of a sandbox. An absent value means the stored one, or the default for a new database. */
export interface SandboxSettings {
  readonly seed?: number | undefined;
  readonly origin?: Millis | undefined;
  readonly speed?: number | undefined;
  readonly replays?: readonly Replay[] | undefined;
}

export interface Replay {
  readonly symbol: Pair;
  readonly file: string;
  readonly digest: string;
}

export type SandboxRow = Omit<typeof sandbox.$inferSelect, "id">;

/** Creates the sandbox's row and its venues' books if they are missing. Refuses values that differ from the stored ones. */
export async function setUpSandbox(
  context: Context,
  settings: SandboxSettings,
  listed: readonly { id: string; venue: string }[],
): Promise<SandboxRow> {
  const { client, db, now } = context;
  const made = {
    id: 1,
    created: now(),
    origin: settings.origin ?? now(),
    seed: settings.seed ?? 1,
    speed: settings.speed ?? 1,
    replays: settings.replays ?? [],
  };
  const origin = sql`(select ${sandbox.origin} from ${sandbox})`;
  const statements = [
    db.insert(sandbox).values(made).onConflictDoNothing(),
    ...listed.flatMap(({ id, venue }) => [
      // Only the oldest columns: the kill switch works on an older database, which is not migrated.
      sql`insert or ignore into ${venues} (exchange, version, settled_at) values (${id}, 1, ${origin})`,
      ...startingBalances(venue).map(({ asset, total }) =>
        db.insert(venueBalances).values({ exchange: id, asset, total, used: 0n }).onConflictDoNothing(),
      ),
    ]),
  ];
  const look = async () => {
    const [one, all] = await client.batch(
      [db.select().from(sandbox), db.select({ exchange: venues.exchange }).from(venues)].map(statement),
      "read",
    );
    const known = new Set(all?.rows.map((row) => row[0]));
    return listed.every(({ id }) => known.has(id)) ? rowsOf(sandbox, one)[0] : undefined;
  };
  let stored = await look();
  if (!stored) {
    await client.batch(statements.map(statement), "write");
    stored = await look();
  }
  if (!stored) throw new StoreError("unavailable", "the sandbox's settings were not stored");
  if (differing(stored, settings).length > 0) {
    await client.batch(remade(context, stored, settings).map(statement), "write");
    stored = (await look()) ?? stored;
  }
  refuseOthers(stored, settings);
  return stored;
}

/** Updates the settings of an unused sandbox: no trades, no moved prices, no running server. */
function remade({ db, now }: Context, stored: SandboxRow, settings: SandboxSettings) {
  const isUnused = sql`not exists (select 1 from ${venueOrders}) and not exists (select 1 from ${strategies}) and not exists (select 1 from ${shocks}) and not exists (select 1 from ${tokens} where ${tokens.server} is not null and ${tokens.revokedAt} is null)`;
  const set = {
    created: now(),
    origin: settings.origin ?? now(),
    seed: settings.seed ?? stored.seed,
    speed: settings.speed ?? stored.speed,
    replays: settings.replays ?? stored.replays,
    passed: 0,
  };
  const origin = sql`(select ${sandbox.origin} from ${sandbox})`;
  return [
    db.update(sandbox).set(set).where(isUnused),
    db.update(venues).set({ settledAt: origin }).where(isUnused),
  ];
}

const SETTINGS = ["seed", "origin", "speed", "replays"] as const;

/** Returns the settings that differ from the stored ones. */
function differing(stored: SandboxRow, { seed, origin, speed, replays }: SandboxSettings) {
  const request = { seed, origin, speed, replays: replays && replaysText(replays) };
  const kept = { ...stored, replays: replaysText(stored.replays) };
  return SETTINGS.filter((key) => request[key] !== undefined && request[key] !== kept[key]);
}

function refuseOthers(stored: SandboxRow, settings: SandboxSettings): void {
  refuseChanged(stored.replays, settings.replays ?? []);
  const [first] = differing(stored, settings);
  if (!first) return;
  const flag = first === "replays" ? "--replay" : `--${first}`;
  throw new SettingsError(
    `this sandbox was created with another ${flag}; remove the flag, use another database with --db, or run \`edgemaker sandbox reset\``,
  );
}

/** Refuses a changed candle file, because prices that were already traded must stay the same. */
export function refuseChanged(begun: readonly Replay[], read: readonly Replay[]): void {
  const changed = read.find(({ symbol, file, digest }) =>
    begun.some((replay) => replay.symbol === symbol && replay.file === file && replay.digest !== digest),
  );
  if (!changed) return;
  const { symbol, file } = changed;
  const named = symbol === "BTC/USDT" ? file : `${symbol}=${file}`;
  throw new SettingsError(
    `${symbol} cannot be replayed: ${file} has changed since this sandbox started with it; restore the file, use another database with --db, or reset the sandbox with \`edgemaker sandbox reset --replay ${named}\``,
  );
}

const replaysText = (replays: readonly Replay[]): string =>
  replays
    .map(({ symbol, digest }) => `${symbol}=${digest}`)
    .sort()
    .join(" ");

/** Multiplies a symbol's price by a factor from a market time on. */
export async function shock(
  { client, db }: Context,
  { symbol, factor, at }: { symbol: Pair; factor: number; at: Millis },
): Promise<void> {
  const insert = db.insert(shocks).values({ symbol, at, factor });
  const again = insert.onConflictDoUpdate({
    target: [shocks.symbol, shocks.at],
    set: { factor: sql`${shocks.factor} * ${factor}` },
  });
  await client.execute(statement(again));
}

/** Sets or ends the fault of one exchange, or of all. Returns false if the sandbox has no such exchange. */
export async function setFault(
  { client, db }: Context,
  exchange: string | undefined,
  fault: VenueFault | null,
): Promise<boolean> {
  const chosen = exchange === undefined ? undefined : eq(venues.exchange, exchange);
  const { rowsAffected } = await client.execute(statement(db.update(venues).set({ fault }).where(chosen)));
  return rowsAffected > 0;
}

/** Returns the faults that have not ended. */
export async function activeFaults({ db }: Context, now: Millis) {
  const all = await db.select({ exchange: venues.exchange, fault: venues.fault }).from(venues);
  return all.flatMap(({ exchange, fault }) =>
    fault && isActiveFault(fault, now) ? [{ exchange, ...fault }] : [],
  );
}

/** Returns the file that a symbol's prices are replayed from; undefined if they are simulated. */
export async function replayedFile({ db }: Context, symbol: Pair): Promise<string | undefined> {
  const [row] = await db.select({ replays: sandbox.replays }).from(sandbox);
  return row?.replays.find((replay) => replay.symbol === symbol)?.file;
}

/** Advances market time, up to a total maximum. Returns the total so far. */
export async function letPass(
  { client, db }: Context,
  { by, maxTotal }: { by: Millis; maxTotal: Millis },
): Promise<Millis> {
  const update = db
    .update(sandbox)
    .set({ passed: sql`min(${sandbox.passed} + ${by}, ${maxTotal})` })
    .returning({ passed: sandbox.passed });
  const { rows } = await client.execute(statement(update));
  return Number(rows[0]?.[0]);
}

/** Resets a sandbox's whole database in one batch: strategies, orders, tokens and all. */
export async function reset({ client, db }: Context, migrations: readonly Migration[]): Promise<void> {
  const tables = await client.execute(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'libsql_%' and name <> 'migrations'",
  );
  const drops = tables.rows.map((row) => ({ sql: `drop table "${String(row[0])}"`, args: [] }));
  await client.batch(
    [
      { sql: "pragma defer_foreign_keys = on", args: [] },
      ...drops,
      { sql: "delete from migrations", args: [] },
      ...migrations.flatMap(migrationStatements),
      statement(db.insert(control).values({ id: 1, kind: "sandbox" })),
    ],
    "write",
  );
}
