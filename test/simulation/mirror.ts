import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { fileConnection } from "../../cli/host/file-connection.ts";
import { sandboxBooks } from "../../src/adapters/libsql/sandbox-books.ts";
import { createStore } from "../../src/adapters/libsql/store.ts";
import type { Books } from "../../src/adapters/sandbox/booked-venue.ts";
import { StoreError } from "../../src/kernel/errors.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import type { Local } from "../../src/ports/within-time.ts";
import { type Context, statement } from "../../src/storage/client/context.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { cursors, events, fills, orders, strategies } from "../../src/storage/tables/trading-tables.ts";
import { limitUses, venueBalances, venues } from "../../src/storage/tables/venue-tables.ts";
import { migrations } from "../support/migrations.ts";
import type { SimStore } from "./ports.ts";
import type { Tables } from "./store/tables.ts";

/** A strategy that the backup calls stopped and that went on since. */
export type StopAgain = Pick<Strategy, "id" | "status" | "phase">;

/** Does on libSQL all that a run does in memory, and tells where the two differ. */
export interface Mirror {
  store(inner: SimStore): SimStore;
  books(inner: Books): Books;
  backup(): Promise<void>;
  restore(again: readonly StopAgain[]): Promise<void>;
  /** Compares all rows, and closes. */
  finish(tables: Tables): Promise<void>;
}

export interface MirrorOptions {
  readonly now: () => number;
  readonly exchange: string;
  readonly start: number;
  readonly holdings: Readonly<Record<string, { readonly total: bigint; readonly used: bigint }>>;
  /** Trades are shown late in memory: then they are not compared. */
  readonly late: boolean;
  readonly differs: (what: string) => void;
}

const local: Local = {
  name: "simulated",
  monotonic: () => 0,
  randomText: (length) => "0".repeat(length),
  sleep: async () => {},
};

export async function createMirror(options: MirrorOptions): Promise<Mirror> {
  const { now, exchange, start, holdings, late, differs } = options;
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-mirror-"));
  const open = (file: string): Promise<Context> =>
    openDatabase({
      client: fileConnection(join(folder, file)),
      local,
      migrations,
      kind: "sandbox",
      clock: now,
    });
  let context = await open("store.db");
  let store = createStore(context);
  const venue = await open("books.db");
  await venue.client.batch(
    [
      statement(venue.db.insert(venues).values({ exchange, version: 1, settledAt: start })),
      ...Object.entries(holdings).map(([asset, holding]) =>
        statement(venue.db.insert(venueBalances).values({ exchange, asset, ...holding })),
      ),
    ],
    "write",
  );
  const books = sandboxBooks(venue);
  let backups = 0;

  return {
    store: (inner) => both(inner, () => store, differs, new Set()),
    books: (inner) => both(inner, () => books, differs, new Set(late ? ["fills"] : [])),
    async backup() {
      await context.client.execute(statement(sql`vacuum into ${join(folder, `backup-${++backups}.db`)}`));
    },
    async restore(again) {
      if (backups === 0) return;
      const { rows } = await context.client.execute(statement(sql`select epoch from control`));
      context.client.close();
      context = await open(`backup-${backups}.db`);
      const later = sql`update control set epoch = max(epoch, ${Number(rows[0]?.epoch)})`;
      await context.client.execute(statement(later));
      for (const { id, status, phase } of again)
        await context.client.execute(
          statement(
            sql`update strategies set status = ${status}, phase = ${phase}, stopped_at = null where id = ${id}`,
          ),
        );
      store = createStore(context);
      await store.nextEpoch();
    },
    async finish(tables) {
      await compareRows(context, tables, differs);
      context.client.close();
      venue.client.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Every call goes to both; the caller gets the first one's answer, and a difference is told. */
function both<T extends object>(
  inner: T,
  other: () => T,
  differs: (what: string) => void,
  except: ReadonlySet<string>,
): T {
  const wrapped = Object.keys(inner).map((name) => {
    const call =
      (of: T) =>
      (...args: never[]) =>
        outcome(() => (of as unknown as Methods)[name]?.(...args) ?? Promise.resolve());
    return [
      name,
      async (...args: never[]) => {
        const [first, second] = [await call(inner)(...args), await call(other())(...args)];
        if (!except.has(name) && !isDeepStrictEqual(plain(first), plain(second)))
          differs(`${name}: memory answered ${show(first)}, libSQL ${show(second)}`);
        if ("error" in first) throw first.error;
        return first.value;
      },
    ];
  });
  return Object.fromEntries(wrapped) as T;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

const outcome = async (call: () => Promise<unknown>): Promise<Outcome> =>
  call().then(
    (value) => ({ value }),
    (error: unknown) => {
      return { error };
    },
  );

/** Of errors only what a caller can tell apart, and of lists of rows nothing but their order by id. */
const plain = (result: Outcome): unknown => {
  if (!("error" in result)) return ordered(result.value);
  return result.error instanceof StoreError ? result.error.failure : "error";
};

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (value instanceof Set) return [...value].sort();
  if (value === null || typeof value !== "object") return value;
  // Rows of a venue's books name their exchange; in memory each has books of its own, nothing costs, and nothing is cached.
  const own = ["exchange", "costs", "revision"];
  const entries = Object.entries(value).filter(([key, one]) => one !== undefined && !own.includes(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, ordered(one)]));
};

const keyOf = (row: unknown): string => {
  const { clientId, tradeId, id } = (row ?? {}) as Record<string, unknown>;
  return String(clientId ?? tradeId ?? id ?? row);
};

const show = (value: unknown): string =>
  JSON.stringify(value, (_key, one) =>
    typeof one === "bigint" ? `${one}` : one instanceof Set ? [...one] : one,
  )?.slice(0, 1500) ?? "nothing";

/** In memory there is no chain. */
const withoutPlace = ({
  id: _id,
  chain: _chain,
  seq: _seq,
  hash: _hash,
  ...event
}: typeof events.$inferSelect) => event;

/** Every row that the store holds at the end. */
async function compareRows(context: Context, tables: Tables, differs: (what: string) => void): Promise<void> {
  // By name: a column that a migration has added stands last in the database.
  const all = (table: SQLiteTable): Promise<unknown[]> => context.db.select().from(table);
  const pairs: [string, unknown[], unknown[]][] = [
    ["orders", [...tables.orders.values()], await all(orders)],
    ["strategies", [...tables.strategies.values()], await all(strategies)],
    ["fills", [...tables.fills.values()], await all(fills)],
    ["events", tables.events, (await context.db.select().from(events)).map(withoutPlace)],
    ["limit uses", [...tables.limitUses.values()], await all(limitUses)],
    [
      "cursors",
      [...tables.cursors.values()].map(({ at, ahead }) => [at, ahead?.from ?? null, ahead?.to ?? null]),
      (await context.db.select().from(cursors)).map((row) => [row.at, row.aheadFrom, row.aheadTo]),
    ],
  ];
  for (const [name, memory, libsql] of pairs) {
    const [a, b] = [ordered(memory) as unknown[], ordered(libsql) as unknown[]];
    const place = a.findIndex((row, i) => !isDeepStrictEqual(row, b[i]));
    if (place >= 0 || a.length !== b.length)
      differs(`${name} ${place}: memory has ${show(a[place])}, libSQL ${show(b[place])}`);
  }
}
