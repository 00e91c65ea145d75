import { and, between, eq, inArray, isNull, lt, notExists, or, type SQL, sql } from "drizzle-orm";
import { encode } from "../../kernel/codec.ts";
import type { Pair } from "../../kernel/pair.ts";
import { DAY, MAX_BACKOFF_MS, MAX_LEASE_MS, MINUTE, type Millis } from "../../kernel/time.ts";
import { type AccountKey, exchangeName } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import { isBlockedByKill } from "../../model/kill.ts";
import { type DatabaseUse, newUse, withPass } from "../../model/limits.ts";
import type { Order } from "../../model/order.ts";
import { MINUTES_PER_DAY, type OfferedMinute } from "../../model/samples/sample.ts";
import type {
  Changes,
  FillMids,
  HorizonMid,
  Lease,
  PassStore,
  Settlement,
  Snapshot,
  StrategyUpdate,
} from "../../ports/stores/pass-store.ts";
import {
  building,
  type Context,
  eachWay,
  guarded,
  rowsOf,
  type Statement,
  statement,
  wishUnchanged,
} from "../../storage/client/context.ts";
import { headOfRow, writePass, writeText } from "../../storage/client/event-chain.ts";
import { isAheadRow, knownSwitch } from "../../storage/client/known-switch.ts";
import { refuseNewer } from "../../storage/client/migrate.ts";
import { fillMids, liquidityMinutes, liquidityProofs } from "../../storage/tables/liquidity-tables.ts";
import {
  accounts,
  control,
  cursors,
  events,
  fills,
  isRunning,
  isUnsettled,
  orders,
  strategies,
} from "../../storage/tables/trading-tables.ts";
import { takeCallsAfterChange, WAITED } from "./adapter-store.ts";
import { insertIntents, isOrder, readUnsettled, updateOrder } from "./order-rows.ts";
import {
  firstRows,
  isCut,
  type KillChange,
  READ_SNAPSHOT,
  type RunningPass,
  readInParts,
  snapshot,
  switchReader,
  turnStatements,
} from "./snapshot.ts";

/** How long mids are stored: thirteen months. */
const MIDS_KEPT: Millis = 396 * DAY;

const midsOf = (account: AccountKey, symbol: Pair) =>
  and(eq(fillMids.account, account), eq(fillMids.symbol, symbol));

/** Reads only the fills of its span, along the key. */
export const horizonMidUpdate = (
  { db }: Pick<Context, "db">,
  account: AccountKey,
  { symbol, name, mid, from, to }: HorizonMid,
) =>
  db
    .update(fillMids)
    .set({ [name]: mid })
    .where(and(midsOf(account, symbol), between(fillMids.at, from, to), isNull(fillMids[name])));

/** Stores for how long own orders were on both sides, if the minute has a sample and its day is not signed. */
export const offerUpdate = (
  { db }: Pick<Context, "db">,
  exchange: string,
  { symbol, minute, offer }: OfferedMinute,
): Statement => {
  const day = Math.floor(minute / MINUTES_PER_DAY);
  const ofPair = (table: typeof liquidityMinutes | typeof liquidityProofs) =>
    and(eq(table.exchange, exchange), eq(table.symbol, symbol));
  const signed = db
    .select({ day: liquidityProofs.day })
    .from(liquidityProofs)
    .where(and(ofPair(liquidityProofs), eq(liquidityProofs.day, day)));
  return statement(
    db
      .update(liquidityMinutes)
      .set({ offer })
      .where(
        and(
          ofPair(liquidityMinutes),
          eq(liquidityMinutes.minute, minute),
          isNull(liquidityMinutes.offer),
          notExists(signed),
        ),
      ),
  );
};

const settledStatements = (
  context: Context,
  lease: Lease,
  { outcomes, phases, mids, offers = [] }: Settlement,
): Statement[] => [
  ...outcomes.map(({ clientId, ...outcome }) =>
    statement(
      context.db
        .update(orders)
        .set(outcome)
        .where(isOrder({ account: lease.account, clientId })),
    ),
  ),
  ...phases.map(({ id, phase }) =>
    statement(context.db.update(strategies).set({ phase }).where(eq(strategies.id, id))),
  ),
  ...(mids ? midStatements(context, lease.account, mids) : []),
  ...offers.map((offered) => offerUpdate(context, exchangeName(lease.account), offered)),
];

/** Maximum time ahead of a schedule; a time further ahead was written while the clock was ahead. */
const SCHEDULED_AHEAD = 10 * MINUTE;

/** Takes the lease if it is free; a lease that people wait for is left to them unless the pass is urgent. */
const leaseUpdate = eachWay((now, { isUrgent, isScheduled }: LeaseForm) => {
  const [account, owner, ttl, scheduled] = ["account", "owner", "ttl", "scheduled"].map(
    (name) => sql`${sql.placeholder(name)}`,
  ) as [SQL<AccountKey>, SQL<string>, SQL<number>, SQL<number>];
  const isWaited = isAheadRow(accounts.waitedUntil, now, WAITED);
  const isLeft = isUrgent ? sql`` : sql` and not ${isWaited}`;
  const isLeased = isAheadRow(accounts.until, now, MAX_LEASE_MS);
  const isFree = sql`${accounts.account} = ${account} and (not ${isLeased}${isLeft} or ${accounts.owner} = ${owner})`;
  const isBackingOff = isAheadRow(accounts.retryAt, now, MAX_BACKOFF_MS);
  const isNewer = sql`(${accounts.scheduled} < ${scheduled} or ${accounts.scheduled} > ${scheduled} + ${SCHEDULED_AHEAD})`;
  const isDue = sql`${isFree} and ${isNewer} and not ${isBackingOff}`;
  return building
    .update(accounts)
    .set({
      token: sql`${accounts.token} + 1`,
      owner,
      until: sql`${now} + ${ttl}`,
      waitedUntil: 0,
      ...(isScheduled ? { scheduled } : {}),
    })
    .where(isScheduled ? isDue : isFree)
    .returning({ token: accounts.token, until: accounts.until, now });
});

/** Releases the lease and stores the pass's result. */
const leaseReleased = eachWay((now, of: ReleaseForm) => {
  const memory = sql.placeholder("memory");
  return (
    building
      .update(accounts)
      // The owner stays, because it shows which process ran the last pass.
      .set({
        until: 0,
        passMillis: sql`${now} - ${sql.placeholder("leasedAt")}`,
        failures: of.isFailed ? sql`${accounts.failures} + 1` : 0,
        retryAt: sql`${sql.placeholder("retryAt")}`,
        error: sql`${sql.placeholder("error")}`,
        ...(of.isStepped ? { steppedAt: now } : {}),
        // Only this part: what the pass recorded before it failed stays.
        memory: of.hasMemory ? sql`${memory}` : sql`json_patch(${accounts.memory}, ${memory})`,
        ...(of.hasCosts ? { costs: sql`${sql.placeholder("costs")}` } : {}),
      })
      .where(sql`${accounts.account} = ${sql.placeholder("account")}`)
  );
});

/**
 * Adds the cost of the settlement's own request: two rows read and one written, and one of each for its other
 * statements.
 */
const withSettlement = (use = newUse(), more: number): DatabaseUse => ({
  databaseRequests: use.databaseRequests + 1,
  rowsRead: use.rowsRead === null ? null : use.rowsRead + 2 + more,
  rowsWritten: use.rowsWritten === null ? null : use.rowsWritten + 1 + more,
});

/** Other requests run after a batch of so many changes. */
const MANY_CHANGES = 100;

/**
 * A revision that no row has had, exact in JavaScript. A counter would repeat after a restore, with other content. A
 * trigger sets it for all other updates, with a second write of the row.
 */
export const NEXT_REVISION = sql`random() & 4503599627370495`;

function updateStrategy({ db }: Context, { id, ...changes }: StrategyUpdate) {
  const set = { ...changes, revision: NEXT_REVISION };
  return db.update(strategies).set(set).where(eq(strategies.id, id));
}

export const passStore = (context: Context): PassStore => ({
  ...passWrites(context),
  ...killSwitch(context),
  ...passReads(context),
});

/** Takes the account's lease, and writes under it. */
function passWrites(context: Context): Pick<PassStore, "takeLease" | "record" | "settle"> {
  const { uses } = context;
  const passes = new Map<AccountKey, RunningPass>();

  /** Writes a fenced batch of the account's pass with its events. */
  const write = async (
    lease: Lease,
    news: readonly Event[],
    make: (inserts: readonly Statement[]) => readonly Statement[],
  ) => {
    const pass = passes.get(lease.account);
    const chain = { account: lease.account, head: pass?.head, use: uses.get(lease.account) };
    const done = await writePass(context, chain, news, (inserts) => guarded(context, lease, make(inserts)));
    if (pass) pass.head = done.head;
    return done.results;
  };

  return {
    async takeLease(request) {
      const isLarge = passes.get(request.account)?.isLarge;
      const begun = await beginPass(context, request, firstRows(isLarge));
      if (begun) passes.set(request.account, begun.pass);
      return begun?.found;
    },

    async record(lease, changes) {
      const statements = changes.flatMap((change) => changeStatements(context, lease, change));
      const news = changes.flatMap(({ events }) => events);
      const results = await write(lease, news, (inserts) => [...statements, ...inserts]);
      if (changes.length >= MANY_CHANGES) await context.pause();
      // Only the insert of intents returns rows: their client ids.
      return new Set(results.flatMap(({ rows }) => rows.map((row) => String(row[0]))));
    },

    async settle(lease, settlement) {
      const statements = settledStatements(context, lease, settlement);
      const news = settlement.events;
      const released = releaseOf(context, lease, settlement, {
        pass: passes.get(lease.account),
        more: statements.length + news.length,
      });
      await write(lease, news, (inserts) => [...statements, ...inserts, released]);
    },
  };
}

/** Returns the account as the pass found it, and the pass; undefined if the lease is not free. */
async function beginPass(
  context: Context,
  request: Parameters<PassStore["takeLease"]>[0],
  first: ReturnType<typeof firstRows>,
): Promise<{ found: Snapshot; pass: RunningPass } | undefined> {
  const { client, prepare, uses } = context;
  const { account, owner, ttl, overlap, scheduled, isUrgent = false, calls } = request;
  const use = newUse();
  const isScheduled = scheduled !== undefined;
  const lease = prepare(leaseUpdate({ isUrgent, isScheduled }));
  const values = { account, owner, ttl, ...(isScheduled ? { scheduled } : {}) };
  const taking = [lease(values), ...(calls ? [takeCallsAfterChange(context, account, calls)] : [])];
  const reading = READ_SNAPSHOT.with({ account, overlap, ...first });
  const results = await client.batch([...taking, reading], "write", use);
  const [claimed, paid, read] = [results[0], calls && results[1], results.at(-1)];
  const row = claimed?.rows[0];
  if (!row) return undefined;
  const [token, until, at] = [Number(row[0]), Number(row[1]), Number(row[2])];
  const whole = snapshot({ account, token, owner, until, now: at }, read, context.convert);
  const found = isCut(whole, first) ? { ...whole, ...(await readInParts(context, account, use)) } : whole;
  const [{ costs = null } = {}] = READ_SNAPSHOT.rows(accounts, read);
  const [newest] = READ_SNAPSHOT.rows(events, read);
  uses.set(account, use);
  return {
    found: paid?.rows.length ? { ...found, isPaid: true } : found,
    pass: {
      costs: costs ?? [],
      strategies: found.strategies.map(({ id }) => id),
      isLarge: isCut(found, firstRows()),
      head: headOfRow(newest),
    },
  };
}

/** Returns the statement that releases the lease and stores what the pass cost; `more` are its other statements. */
function releaseOf(
  { prepare, uses }: Context,
  lease: Lease,
  { memory, failure, resumeAt, unwatched, calls }: Settlement,
  { pass, more }: { readonly pass: RunningPass | undefined; readonly more: number },
): Statement {
  const release = {
    isFailed: Boolean(failure),
    isStepped: !failure && resumeAt === undefined,
    hasMemory: Boolean(memory),
    hasCosts: pass !== undefined,
  };
  return prepare(leaseReleased(release))({
    account: lease.account,
    leasedAt: lease.now,
    retryAt: failure?.retryAt ?? resumeAt ?? 0,
    error: failure?.message ?? null,
    memory: memory ? encode(memory) : JSON.stringify({ unwatched, failed: failure?.of ?? null }),
    ...(pass
      ? {
          costs: encode(
            withPass(pass.costs, lease.now, {
              ...pass,
              calls,
              use: withSettlement(uses.get(lease.account), more),
            }),
          ),
        }
      : {}),
  });
}

function passReads(
  context: Context,
): Pick<PassStore, "due" | "unsettledOrders" | "nextEpoch" | "ordersByIds"> {
  const { client, db, now, uses } = context;
  return {
    async due() {
      await refuseNewer(context);
      // With named indexes, each finds one row of the account; SQLite would read all of them.
      const running = sql`exists(select 1 from ${strategies} indexed by strategies_running where ${strategies.account} = ${accounts.account} and ${isRunning()})`;
      const unsettled = sql`exists(select 1 from ${orders} indexed by orders_unsettled where ${orders.account} = ${accounts.account} and ${isUnsettled()})`;
      return (
        db
          .select({
            account: accounts.account,
            retryAt: accounts.retryAt,
            failures: accounts.failures,
            now: now(),
          })
          .from(accounts)
          .where(sql`${running} or ${unsettled}`)
          // If not all can run, the accounts that have waited longest come first.
          .orderBy(sql`iif(${accounts.steppedAt} > ${now()}, 0, ${accounts.steppedAt})`, accounts.account)
      );
    },

    unsettledOrders: (account) => readUnsettled(context, account),

    async nextEpoch() {
      await client.execute(statement(db.update(control).set({ epoch: sql`${control.epoch} + 1` })));
    },

    async ordersByIds(account, { exchange, client: own }) {
      if (exchange.length + own.length === 0) return [];
      const named = or(inArray(orders.exchangeId, [...exchange]), inArray(orders.clientId, [...own]));
      const matching = db
        .select()
        .from(orders)
        .where(and(eq(orders.account, account), named));
      return rowsOf(orders, await client.fresh(statement(matching), uses.get(account)));
    },
  };
}

interface LeaseForm {
  readonly isUrgent: boolean;
  readonly isScheduled: boolean;
}

interface ReleaseForm {
  readonly isFailed: boolean;
  readonly isStepped: boolean;
  readonly hasMemory: boolean;
  readonly hasCosts: boolean;
}

function changeStatements(context: Context, lease: Lease, changes: Changes): Statement[] {
  const { db } = context;
  const { strategy, memory } = changes;
  const written = [
    ...changes.fills.map((fill) => db.insert(fills).values(fill)),
    ...(strategy ? [updateStrategy(context, strategy)] : []),
    ...Object.entries(changes.cursors).map(([symbol, { at, ahead }]) => {
      const set = { at, aheadFrom: ahead?.from ?? null, aheadTo: ahead?.to ?? null };
      return db
        .insert(cursors)
        .values({ account: lease.account, symbol: symbol as Order["symbol"], ...set })
        .onConflictDoUpdate({ target: [cursors.account, cursors.symbol], set });
    }),
    ...(memory ? [db.update(accounts).set({ memory }).where(eq(accounts.account, lease.account))] : []),
  ].map(statement);
  return [
    ...(changes.wish ? wishUnchanged(changes.wish) : []),
    // A slot's order ends before another one is adopted for it, and the adopted one exists before its fills.
    ...changes.orders.map((order) => updateOrder(context, order)),
    ...(changes.adopted.length > 0 ? [statement(db.insert(orders).values([...changes.adopted]))] : []),
    ...written,
    ...insertIntents(context, changes.intents, changes.terms),
  ];
}

/**
 * Returns the writes of mids. A new fill deletes the outdated ones of its pair. One whose row the last pass could not
 * record has its mid already; a conflict here would undo the whole settlement.
 */
export function midStatements(
  context: Context,
  account: AccountKey,
  { atFills, later }: FillMids,
): Statement[] {
  const { db } = context;
  const newest = new Map(atFills.map(({ symbol, at }) => [symbol, at]));
  return [
    ...atFills.map((fill) => db.insert(fillMids).values(fill).onConflictDoNothing()),
    ...later.map((mid) => horizonMidUpdate(context, account, mid)),
    ...[...newest].map(([symbol, at]) =>
      db.delete(fillMids).where(and(midsOf(account, symbol), lt(fillMids.at, at - MIDS_KEPT))),
    ),
  ].map(statement);
}

/** Reads and turns the kill switch, and remembers what this process knows of it. */
function killSwitch(context: Context): Pick<PassStore, "killed" | "setKill" | "panic" | "knownKilled"> {
  const known = knownSwitch();
  const readSwitch = switchReader(context);

  const turn = (request: KillChange) =>
    known.turn(request.on, request.panic, () =>
      writeText(context, request.by, ({ tell }) => turnStatements(context, tell, request), {
        isFirst: true,
      }),
    );

  return {
    async killed(account, kind = "slot") {
      if (known.isTurning() && known.keepsBack(kind)) return true;
      const requestCount = known.turns();
      const found = await readSwitch(account);
      known.read(found, requestCount);
      return isBlockedByKill(found, kind);
    },

    async setKill(on, by) {
      await turn({ on, by, panic: {} });
    },

    async panic(panic, by) {
      const results = await turn({ on: true, by, panic });
      return Number(results[1]?.rows[0]?.[0]);
    },

    knownKilled: (kind = "slot") => known.keepsBack(kind),
  };
}
