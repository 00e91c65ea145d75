import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { encode } from "../../../kernel/codec.ts";
import { LONGEST_LEASE, LONGEST_PAUSE, MINUTE } from "../../../kernel/time.ts";
import { type AccountKey, exchangeName } from "../../../model/account.ts";
import type { Event } from "../../../model/events.ts";
import { type DatabaseUse, newUse, withPass } from "../../../model/usage.ts";
import type { Lease, Settlement, Snapshot, StepStore } from "../../../ports/stores/step-store.ts";
import {
  building,
  type Context,
  eachWay,
  rowsOf,
  type Statement,
  statement,
} from "../../../storage/client/context.ts";
import { headOfRow, writePass } from "../../../storage/client/event-chain.ts";
import { guarded } from "../../../storage/client/fence.ts";
import { refuseNewer } from "../../../storage/client/migrate.ts";
import { isAheadRow } from "../../../storage/client/stored-times.ts";
import {
  accounts,
  control,
  events,
  isRunning,
  isUnsettled,
  orders,
  strategies,
} from "../../../storage/tables/tables.ts";
import { WAITED } from "../keeping/keeping.ts";
import { countCalls } from "../keeping/rates.ts";
import { changeStatements, midStatements, offerUpdate } from "./change-rows.ts";
import { killSwitch } from "./kill-switch.ts";
import { isOrder, readUnsettled } from "./order-rows.ts";
import { READ_SNAPSHOT, type RunningPass, snapshot } from "./snapshot.ts";

export const stepStore = (context: Context): StepStore => ({
  ...passWrites(context),
  ...killSwitch(context),
  ...passReads(context),
});

/** Takes the account's lease, and writes under it. */
function passWrites(context: Context): Pick<StepStore, "takeLease" | "record" | "settle"> {
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
      const begun = await beginPass(context, request);
      if (begun) passes.set(request.account, begun.pass);
      return begun?.found;
    },

    async record(lease, changes) {
      const statements = changes.flatMap((change) => changeStatements(context, lease, change));
      const news = changes.flatMap(({ events }) => events);
      const results = await write(lease, news, (inserts) => [...statements, ...inserts]);
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
  request: Parameters<StepStore["takeLease"]>[0],
): Promise<{ found: Snapshot; pass: RunningPass } | undefined> {
  const { client, prepare, uses } = context;
  const { account, owner, ttl, overlap, scheduled, isUrgent = false, calls } = request;
  const use = newUse();
  const isScheduled = scheduled !== undefined;
  const lease = prepare(leaseUpdate({ isUrgent, isScheduled }));
  const values = { account, owner, ttl, ...(isScheduled ? { scheduled } : {}) };
  const taking = [lease(values), ...(calls ? [countCalls(context, account, calls)] : [])];
  const results = await client.batch([...taking, READ_SNAPSHOT.with({ account, overlap })], "write", use);
  const [claimed, paid, read] = [results[0], calls && results[1], results.at(-1)];
  const row = claimed?.rows[0];
  if (!row) return undefined;
  const [token, until, at] = [Number(row[0]), Number(row[1]), Number(row[2])];
  const found = snapshot({ account, token, owner, until, now: at }, read);
  const [{ costs = null } = {}] = READ_SNAPSHOT.rows(accounts, read);
  const [newest] = READ_SNAPSHOT.rows(events, read);
  uses.set(account, use);
  return {
    found: paid?.rows.length ? { ...found, isPaid: true } : found,
    pass: {
      costs: costs ?? [],
      strategies: found.strategies.map(({ id }) => id),
      head: headOfRow(newest),
    },
  };
}

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
): Pick<StepStore, "due" | "unsettledOrders" | "nextEpoch" | "ordersByIds"> {
  const { client, db, now, uses } = context;
  return {
    async due() {
      await refuseNewer(context);
      const running = db.select({ account: strategies.account }).from(strategies).where(isRunning());
      const unsettled = db.select({ account: orders.account }).from(orders).where(isUnsettled());
      return (
        db
          .select({
            account: accounts.account,
            retryAt: accounts.retryAt,
            failures: accounts.failures,
            now: now(),
          })
          .from(accounts)
          .where(sql`${accounts.account} in (${running}) or ${accounts.account} in (${unsettled})`)
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

/** Maximum time ahead of a schedule; a time further ahead was written while the clock was ahead. */
const SCHEDULED_AHEAD = 10 * MINUTE;

/** Takes the lease if it is free; a lease that people wait for is left to them unless the pass is urgent. */
const leaseUpdate = eachWay((now, { isUrgent, isScheduled }: LeaseForm) => {
  const [account, owner, ttl, scheduled] = ["account", "owner", "ttl", "scheduled"].map(
    (name) => sql`${sql.placeholder(name)}`,
  ) as [SQL<AccountKey>, SQL<string>, SQL<number>, SQL<number>];
  const isWaited = isAheadRow(accounts.waitedUntil, now, WAITED);
  const isLeft = isUrgent ? sql`` : sql` and not ${isWaited}`;
  const isLeased = isAheadRow(accounts.until, now, LONGEST_LEASE);
  const isFree = sql`${accounts.account} = ${account} and (not ${isLeased}${isLeft} or ${accounts.owner} = ${owner})`;
  const isBackingOff = isAheadRow(accounts.retryAt, now, LONGEST_PAUSE);
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
