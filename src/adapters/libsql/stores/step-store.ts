import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { encode } from "../../../kernel/codec.ts";
import { LONGEST_LEASE, LONGEST_PAUSE, MINUTE } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Event } from "../../../model/events.ts";
import { isKeptBack } from "../../../model/kill.ts";
import { type DatabaseUse, newUse, withPass } from "../../../model/usage.ts";
import type { Changes, Lease, StepStore } from "../../../ports/stores/step-store.ts";
import { building, type Context, eachWay, rowsOf, type Statement, statement } from "../client/context.ts";
import { guarded } from "../client/fence.ts";
import { knownSwitch } from "../client/known-switch.ts";
import { refuseNewer } from "../client/migrate.ts";
import { isAheadRow } from "../client/stored-times.ts";
import { WAITED } from "../keeping/keeping.ts";
import { countCalls } from "../keeping/rates.ts";
import { accounts, control, events, isRunning, isUnsettled, orders, strategies } from "../tables/tables.ts";
import { changeStatements, midStatements } from "./change-rows.ts";
import { headOfRow, writePass, writeText } from "./event-chain.ts";
import { type KillChange, switchReader, turnStatements } from "./kill-rows.ts";
import { isOrder, readUnsettled } from "./order-rows.ts";
import { READ_SNAPSHOT, type RunningPass, snapshot } from "./snapshot.ts";

export function stepStore(context: Context): StepStore {
  const { client, db, now, prepare, uses } = context;
  const passes = new Map<AccountKey, RunningPass>();
  const known = knownSwitch();
  const readSwitch = switchReader(context);

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

  const record = async (lease: Lease, changes: readonly Changes[]) => {
    const statements = changes.flatMap((change) => changeStatements(context, lease, change));
    const news = changes.flatMap(({ events }) => events);
    const results = await write(lease, news, (inserts) => [...statements, ...inserts]);
    // Only the insert of intents returns rows: their client ids.
    return new Set(results.flatMap(({ rows }) => rows.map((row) => String(row[0]))));
  };

  const turn = (request: KillChange) =>
    known.turn(request.on, request.panic, () =>
      writeText(context, request.by, ({ tell }) => turnStatements(context, tell, request), {
        isFirst: true,
      }),
    );

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

    async takeLease({ account, owner, ttl, overlap, scheduled, isUrgent = false, calls }) {
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
      passes.set(account, {
        costs: costs ?? [],
        strategies: found.strategies.map(({ id }) => id),
        head: headOfRow(newest),
      });
      return paid?.rows.length ? { ...found, isPaid: true } : found;
    },

    record,

    async killed(account, kind = "slot") {
      if (known.isTurning() && known.keepsBack(kind)) return true;
      const requestCount = known.turns();
      const found = await readSwitch(account);
      known.read(found, requestCount);
      return isKeptBack(found, kind);
    },

    async setKill(on, by) {
      await turn({ on, by, panic: {} });
    },

    async panic(panic, by) {
      const results = await turn({ on: true, by, panic });
      return Number(results[1]?.rows[0]?.[0]);
    },

    knownKilled: (kind = "slot") => known.keepsBack(kind),

    unsettledOrders: (account) => readUnsettled(context, account),

    async nextEpoch() {
      await client.execute(statement(db.update(control).set({ epoch: sql`${control.epoch} + 1` })));
    },

    async settle(lease, settlement) {
      const { outcomes, phases, events: news, mids, memory, failure, resumeAt } = settlement;
      const { unwatched, calls } = settlement;
      const statements = [
        ...outcomes.map(({ clientId, ...outcome }) =>
          statement(
            db
              .update(orders)
              .set(outcome)
              .where(isOrder({ account: lease.account, clientId })),
          ),
        ),
        ...phases.map(({ id, phase }) =>
          statement(db.update(strategies).set({ phase }).where(eq(strategies.id, id))),
        ),
        ...(mids ? midStatements(context, lease.account, mids) : []),
      ];
      const pass = passes.get(lease.account);
      const release = {
        isFailed: Boolean(failure),
        isStepped: !failure && resumeAt === undefined,
        hasMemory: Boolean(memory),
        hasCosts: pass !== undefined,
      };
      const released = prepare(leaseReleased(release))({
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
                  use: withSettlement(uses.get(lease.account), statements.length + news.length),
                }),
              ),
            }
          : {}),
      });
      await write(lease, news, (inserts) => [...statements, ...inserts, released]);
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
