import { and, eq, sql } from "drizzle-orm";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, LONGEST_LEASE, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import { NO_MEMORY } from "../../../model/memory.ts";
import { type Context, rowsOf, selectedColumns, statement } from "../../../storage/client/context.ts";
import { ageOfRow, isAheadRow } from "../../../storage/client/stored-times.ts";
import { accountFees, listings, markets, nonces } from "../../../storage/tables/live-tables.ts";
import { accounts, cursors, fills, orders } from "../../../storage/tables/tables.ts";
import type { Dict } from "../../ccxt/client/ccxt.ts";
import type { Keeping, LeaseKeeper, MarketKeeper, TradedFees } from "../../ccxt/client/keeping.ts";
import { accountFacts } from "./account-facts.ts";
import { rateKeeper } from "./rates.ts";

/** Stores the data of the exchange adapter in the same database as everything else. */
export const libsqlKeeping = (context: Context): Keeping => ({
  markets: marketKeeper(context),
  leases: leaseKeeper(context),
  rates: rateKeeper(context),
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

/** A buy older than this many fills of its pair counts as unknown. */
const NEWEST_FILLS = 100;

// From the few cursors to one fill of each; the other direction reads every fill that was ever booked.
async function newestBuyFees({ client, uses }: Context, account: AccountKey): Promise<readonly TradedFees[]> {
  const newest = sql`select rowid, side from ${fills} as f where f.account = ${cursors.account} and f.symbol = ${cursors.symbol} order by f.at desc limit ${NEWEST_FILLS}`;
  const buy = sql`(select rowid from (${newest}) where side = 'buy' limit 1)`;
  const found = sql`select ${selectedColumns(fills)} from ${cursors} cross join ${fills} on ${fills}.rowid = ${buy} where ${cursors.account} = ${account}`;
  return rowsOf(fills, await client.execute(statement(found), uses.get(account)));
}

/** Version of the stored format of markets and listings. */
const KEPT_VERSION = 1;

function marketKeeper(context: Context): MarketKeeper {
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

/** How long a waiting process counts as waiting without a new signal. */
export const WAITED = 3 * SECOND;

function leaseKeeper({ client, db, now, uses }: Context): LeaseKeeper {
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
          sql`${accounts.account} = ${account} and not ${isAheadRow(accounts.until, now(), LONGEST_LEASE)}`,
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
