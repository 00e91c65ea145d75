import { sql } from "drizzle-orm";
import { SettingsError, StoreError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import { type Context, rowsOf, statement } from "../../../storage/client/context.ts";
import { tokens } from "../../../storage/tables/access-tables.ts";
import { strategies } from "../../../storage/tables/tables.ts";
import { sandbox, shocks, venueBalances, venueOrders, venues } from "../../../storage/tables/venue-tables.ts";
import { startingBalances } from "../../sandbox/catalog.ts";

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
      db.insert(venues).values({ exchange: id, version: 1, settledAt: origin }).onConflictDoNothing(),
      ...startingBalances(venue).map(({ asset, total }) =>
        db.insert(venueBalances).values({ exchange: id, asset, total, used: 0n }).onConflictDoNothing(),
      ),
    ]),
  ];
  const look = async () => {
    const [one, all] = await client.batch(
      [db.select().from(sandbox), db.select().from(venues)].map(statement),
      "read",
    );
    const known = new Set(rowsOf(venues, all).map(({ exchange }) => exchange));
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
