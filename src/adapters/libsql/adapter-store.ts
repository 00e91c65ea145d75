import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Pair } from "../../kernel/pair.ts";
import { ageOf, DAY, MAX_LEASE_MS, type Millis, SECOND } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import { NO_MEMORY } from "../../model/memory.ts";
import type { CallRequests } from "../../ports/venue.ts";
import {
  building,
  type Context,
  cachedReads,
  queries,
  rowsOf,
  type Statement,
  selectedColumns,
  statement,
} from "../../storage/client/context.ts";
import { ageOfRow, isAheadRow } from "../../storage/client/known-switch.ts";
import { accounts, cursors, fills, orders } from "../../storage/tables/trading-tables.ts";
import {
  accountFees,
  accountKinds,
  keyRights,
  listings,
  markets,
  nonces,
  rates,
} from "../../storage/tables/venue-tables.ts";
import type {
  AdapterStore,
  Dict,
  LeaseStore,
  MarketCache,
  RateStore,
  TradedFees,
} from "../ccxt/client/ccxt.ts";

/** A buy older than this many fills of its pair counts as unknown. */
const NEWEST_FILLS = 100;

/** Version of the stored format of markets and listings. */
const KEPT_VERSION = 1;

/** How long a waiting process counts as waiting without a new signal. */
export const WAITED = 3 * SECOND;

/** With more accounts, they are read each time. */
const MAX_CACHED_KEY_RIGHTS = 50;

const AGE_PLACE = Object.keys(getTableColumns(keyRights)).length;

/** Stores what the exchange reported about an account; one row per account. */
const accountFacts = (context: Context): Facts => {
  const { client, db, now, prepare } = context;
  const allRights = prepare(
    (at) => sql`select ${selectedColumns(keyRights)}, ${ageOfRow(keyRights.loadedAt, at)} from ${keyRights}`,
  );
  const kept = cachedReads<readonly RightsRow[]>(context, {
    maxEntries: 1,
    isWorth: ({ length }) => length <= MAX_CACHED_KEY_RIGHTS,
  });
  const readRights = async (): Promise<readonly RightsRow[]> => {
    const result = await client.execute(allRights());
    return rowsOf(keyRights, result).map((row, index) => ({
      row,
      age: Number(result.rows[index]?.[AGE_PLACE]),
    }));
  };
  return {
    async kind(account) {
      const { key, kind, loadedAt } = accountKinds;
      const [row] = await db
        .select({ value: { key, kind }, age: ageOfRow(loadedAt, now()) })
        .from(accountKinds)
        .where(eq(accountKinds.account, account));
      return row;
    },

    async keepKind(account, known) {
      const set = { ...known, loadedAt: now() };
      const added = db.insert(accountKinds).values({ account, ...set });
      await client.execute(statement(added.onConflictDoUpdate({ target: accountKinds.account, set })));
    },

    async rights() {
      const { value: rightsRows, now: at } = await kept("", readRights);
      return new Map(
        rightsRows.map(({ row: { account, key, mayWithdraw, loadedAt }, age }) => [
          account,
          {
            value: { key, mayWithdraw: mayWithdraw ?? undefined },
            age: at === undefined ? age : ageOf(loadedAt, at),
          },
        ]),
      );
    },

    async keepRights(account, { key, mayWithdraw }) {
      const set = { key, mayWithdraw: mayWithdraw ?? null, loadedAt: now() };
      const added = db.insert(keyRights).values({ account, ...set });
      await client.execute(statement(added.onConflictDoUpdate({ target: keyRights.account, set })));
    },
  };
};

const [ACCOUNT, COST, WHOLE, MAX_TIME] = ["account", "cost", "whole", "longest"].map(
  (name) => sql`${sql.placeholder(name)}`,
) as [SQL<AccountKey>, SQL<number>, SQL<number>, SQL<number>];

/**
 * Returns the time in which the rate limit regains the calls, and the maximum for all of them; longer than any rate
 * needs.
 */
const timeOf = ({ calls, kept, rate: { burst, perSecond } }: CallRequests) => {
  const each = SECOND / perSecond;
  return {
    cost: Math.ceil(calls * each),
    whole: Math.ceil((burst - kept) * each),
    // Another process can have another tier for the account.
    longest: Math.ceil(2 * burst * each),
  };
};

/**
 * Returns when the rate limit was full before this call. An impossible time was written while the clock was ahead:
 * one more take is allowed, and uses up the rate limit.
 */
const wholeAt = (now: SQL<number>): SQL<number> =>
  sql`iif(${rates.fullAt} > ${now} + ${MAX_TIME}, max(${now}, ${now} + ${WHOLE} - ${COST}), max(${rates.fullAt}, ${now}))`;

/** Takes calls; returns a row if enough were available. */
const takeOfRate = (now: SQL<number>, condition = sql`true`) =>
  building
    .insert(rates)
    .select(sql`select ${ACCOUNT}, ${now} + ${COST} where ${condition}`)
    .onConflictDoUpdate({
      target: rates.account,
      set: { fullAt: sql`${wholeAt(now)} + ${COST}` },
      setWhere: sql`${wholeAt(now)} + ${COST} <= ${now} + ${WHOLE}`,
    })
    .returning({ account: rates.account });

/** Returns the time until enough are available. */
const waitForRate = (now: SQL<number>) =>
  queries
    .select({ wait: sql<number>`${wholeAt(now)} + ${COST} - ${now} - ${WHOLE}` })
    .from(rates)
    .where(eq(rates.account, ACCOUNT));

/** Stores the data of the exchange adapter in the same database as everything else. */
export const libsqlAdapterStore = (context: Context): AdapterStore => ({
  markets: marketCacheOf(context),
  leases: leaseStoreOf(context),
  rates: rateStoreOf(context),
  traded: {
    symbols: (account) => tradedSymbols(context, account),
    buyFees: (account) => newestBuyFees(context, account),
  },
});

/** Returns pairs of unsettled and recently ended orders. */
async function tradedSymbols({ db, now }: Context, account: AccountKey): Promise<readonly Pair[]> {
  const isRecent = sql`${orders.account} = ${account} and (${orders.settled} = 0 or ${orders.endedAt} > ${now()} - ${30 * DAY})`;
  const rows = await db.selectDistinct({ symbol: orders.symbol }).from(orders).where(isRecent);
  return rows.map(({ symbol }) => symbol);
}

// From the few cursors to one fill of each; the other direction reads every fill that was ever booked.
async function newestBuyFees({ client, uses }: Context, account: AccountKey): Promise<readonly TradedFees[]> {
  const newest = sql`select rowid, side from ${fills} as f where f.account = ${cursors.account} and f.symbol = ${cursors.symbol} order by f.at desc limit ${NEWEST_FILLS}`;
  const buy = sql`(select rowid from (${newest}) where side = 'buy' limit 1)`;
  const found = sql`select ${selectedColumns(fills)} from ${cursors} cross join ${fills} on ${fills}.rowid = ${buy} where ${cursors.account} = ${account}`;
  return rowsOf(fills, await client.execute(statement(found), uses.get(account)));
}

function marketCacheOf(context: Context): MarketCache {
  const { client, db, now } = context;
  return {
    async market(host, symbol) {
      const [row] = await db
        .select({ market: markets.market, age: ageOfRow(markets.loadedAt, now()) })
        .from(markets)
        .where(and(eq(markets.host, host), eq(markets.symbol, symbol), eq(markets.version, KEPT_VERSION)));
      return row && { value: JSON.parse(row.market) as Dict, age: row.age };
    },

    async listing(host) {
      const [row] = await db
        .select({ names: listings.names, age: ageOfRow(listings.loadedAt, now()) })
        .from(listings)
        .where(and(eq(listings.host, host), eq(listings.version, KEPT_VERSION)));
      return row && { value: JSON.parse(row.names) as Record<string, string>, age: row.age };
    },

    async keepMarkets(host, { listing, markets: list }) {
      const loaded = { version: KEPT_VERSION, loadedAt: now() };
      const row = { names: JSON.stringify(listing), ...loaded };
      const added = db.insert(listings).values({ host, ...row });
      const names = added.onConflictDoUpdate({ target: listings.host, set: row });
      const rows = list.map((one) => {
        const row = { market: JSON.stringify(one), ...loaded };
        return db
          .insert(markets)
          .values({ host, symbol: one.symbol as `${string}/${string}`, ...row })
          .onConflictDoUpdate({ target: [markets.host, markets.symbol], set: row });
      });
      const statements = [...(listing ? [statement(names)] : []), ...rows.map(statement)];
      await client.batch(statements, "write");
    },

    async spoil(host, symbol) {
      const isIts = and(eq(markets.host, host), eq(markets.symbol, symbol));
      await client.execute(statement(db.update(markets).set({ loadedAt: 0 }).where(isIts)));
    },

    async fees(account, symbol) {
      const [row] = await db
        .select({
          maker: accountFees.maker,
          taker: accountFees.taker,
          age: ageOfRow(accountFees.loadedAt, now()),
        })
        .from(accountFees)
        .where(and(eq(accountFees.account, account), eq(accountFees.symbol, symbol)));
      return row && { value: { maker: row.maker, taker: row.taker }, age: row.age };
    },

    async keepFees(account, symbol, fees) {
      const set = { ...fees, loadedAt: now() };
      const added = db.insert(accountFees).values({ account, symbol, ...set });
      const target = [accountFees.account, accountFees.symbol];
      await client.execute(statement(added.onConflictDoUpdate({ target, set })));
    },

    ...accountFacts(context),
  };
}

function leaseStoreOf({ client, db, now, uses }: Context): LeaseStore {
  // The last nonce can be ahead of the clock, but never behind it.
  const reserve = (account: string, count: number) =>
    db
      .insert(nonces)
      .values({ account, last: sql`${now()} + ${count}` })
      .onConflictDoUpdate({
        target: nonces.account,
        set: { last: sql`max(${nonces.last}, ${now()}) + ${count}` },
      })
      .returning({ last: nonces.last });

  // Whoever still waits repeats the signal, but not every signal is written.
  const waiting = (account: string, owner: string) =>
    db
      .update(accounts)
      .set({ waitedUntil: sql`${now()} + ${WAITED}` })
      .where(
        sql`${accounts.account} = ${account} and ${accounts.owner} <> ${owner} and ${accounts.until} > ${now()} and not (${accounts.waitedUntil} between ${now()} + ${WAITED / 2} and ${now()} + ${WAITED})`,
      );

  return {
    async takeLease(account, { owner, ttl, count }) {
      const made = db.insert(accounts).values({ account, memory: NO_MEMORY }).onConflictDoNothing();
      const lease = db
        .update(accounts)
        .set({ token: sql`${accounts.token} + 1`, owner, until: sql`${now()} + ${ttl}`, waitedUntil: 0 })
        .where(
          sql`${accounts.account} = ${account} and not ${isAheadRow(accounts.until, now(), MAX_LEASE_MS)}`,
        )
        .returning({ token: accounts.token });
      const [, counted, reserved] = await client.batch(
        [made, lease, reserve(account, count), waiting(account, owner)].map(statement),
        "write",
      );
      return counted?.rows.length ? Number(reserved?.rows[0]?.[0]) - count + 1 : undefined;
    },

    async giveBack(account, owner) {
      const isMine = and(eq(accounts.account, account), eq(accounts.owner, owner));
      await client.execute(statement(db.update(accounts).set({ until: 0 }).where(isMine)));
    },

    async wait(account) {
      await client.execute(statement(waiting(account, "")));
    },

    async awaited(account) {
      const isWaited = isAheadRow(accounts.waitedUntil, now(), WAITED);
      const request = db.select({ isWaited }).from(accounts).where(eq(accounts.account, account));
      const result = await client.execute(statement(request), uses.get(account));
      return Number(result.rows[0]?.[0]) === 1;
    },

    async nonces(account, count) {
      const result = await client.execute(statement(reserve(account, count)), uses.get(account));
      return Number(result.rows[0]?.[0]) - count + 1;
    },
  };
}

type Facts = Pick<MarketCache, "kind" | "keepKind" | "rights" | "keepRights">;

interface RightsRow {
  readonly row: typeof keyRights.$inferSelect;
  /** When it was read. */
  readonly age: Millis;
}

function rateStoreOf({ client, db, now, prepare, uses }: Context): RateStore {
  return {
    async spend(account, calls) {
      const requests = [takeOfRate, waitForRate].map((made) => prepare(made)({ account, ...timeOf(calls) }));
      const [counted, rest] = await client.batch(requests, "write", uses.get(account));
      return counted?.rows.length ? 0 : Math.max(1, Number(rest?.rows[0]?.[0]));
    },

    async exhaust(account, { burst, perSecond }) {
      const fullAt = sql`${now()} + ${Math.ceil((burst * SECOND) / perSecond)}`;
      const added = db.insert(rates).values({ account, fullAt });
      await client.execute(statement(added.onConflictDoUpdate({ target: rates.account, set: { fullAt } })));
    },
  };
}

/** Does the same if the previous statement has changed something. */
const takeAfterChange = (now: SQL<number>) => takeOfRate(now, sql`changes() > 0`);

/** For a batch: takes calls if the previous statement changed something. */
export const takeCallsAfterChange = (
  { prepare }: Context,
  account: AccountKey,
  request: CallRequests,
): Statement => prepare(takeAfterChange)({ account, ...timeOf(request) });
