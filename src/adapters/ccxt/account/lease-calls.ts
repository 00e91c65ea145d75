import { AppError, BudgetSpent, messageOf } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests } from "../../../ports/venue.ts";
import type { PrivateCall, PrivateRate } from "../client/quirks.ts";
import {
  type AccountLease,
  type AccountLine,
  createLine,
  isUsable,
  leaseUntil,
} from "../client/transport.ts";
import type { ExchangeLink } from "./exchange-link.ts";

/** How often a pass checks whether another process waits. */
const LEASE_CHECK_INTERVAL_MS: Millis = SECOND;

interface TurnHold {
  readonly requestedAt: Millis;
  readonly yieldsAfter: Millis | undefined;
}

/**
 * If nonces must arrive in order, private calls of one key are serial: in this process by a queue with people first,
 * and between processes by the account's lease. A person's call runs under the lease of this process's pass, between
 * two of its calls; without a pass it takes the lease. A pass of another process releases the lease between two
 * calls. On other exchanges, calls run directly.
 */
export function callsInLeaseTurn(link: ExchangeLink, account: AccountKey, hold: TurnHold | undefined) {
  const { quirks, keeping, local, timing } = link;
  const queue = accountQueue(link, account);
  const byPerson = personCall(link, account, queue);
  let lookAt = (hold?.requestedAt ?? 0) + (hold?.yieldsAfter ?? Number.POSITIVE_INFINITY);
  let isAwaited = false;
  const ofPass = quirks.serial && hold ? queue.enter(hold.requestedAt + timing.leaseTtl) : undefined;

  return {
    nonce: queue.nonce,
    renew: queue.renew,
    run<T>(work: LeasedCall<T>): Promise<T> {
      if (!quirks.serial) return work(() => true);
      return ofPass ? queue.inLine("pass", work, () => true) : byPerson(work);
    },
    /**
     * Runs before each call of a pass: throws BudgetSpent for the rest of the pass once a person waits in another
     * process.
     */
    async giveWay(): Promise<void> {
      if (!ofPass) return;
      if (!isAwaited && local.monotonic() >= lookAt) {
        lookAt = local.monotonic() + LEASE_CHECK_INTERVAL_MS;
        isAwaited = await keeping.leases.awaited(account);
      }
      if (isAwaited) throw new BudgetSpent(`a manual request waits for this account of ${quirks.name}`, 0);
    },
    wait: async (): Promise<void> => {
      if (!quirks.serial) return;
      await keeping.leases.wait(account).catch((error: unknown) => {
        // The call still waits.
        link.log("warn", "the wait for a lease could not be recorded", { account, reason: messageOf(error) });
      });
    },
    /** Resolves when the calls under the pass's lease have ended; the pass makes no further calls. */
    leave: async (): Promise<void> => {
      if (ofPass) await queue.leave(ofPass);
    },
  };
}

/** Number of nonces that are reserved at once: more than one call of the adapter ever signs. */
const NONCES = 100;

/** A call; `inTime` reports whether a request that leaves now ends within the lease. */
type LeasedCall<T> = (inTime: () => boolean) => Promise<T>;

type AccountQueue = ReturnType<typeof accountQueue>;

/** The serial calls of an account in this process, with their nonces and the lease that they run under. */
function accountQueue({ keeping, local, timing, lines }: ExchangeLink, account: AccountKey) {
  function lineOf(): AccountLine {
    const line = lines.get(account) ?? createLine();
    lines.set(account, line);
    return line;
  }

  async function renew(): Promise<void> {
    const next = await keeping.leases.nonces(account, NONCES);
    lineOf().nonces = { next, left: NONCES };
  }

  return {
    lineOf,
    /** Returns the lease, if it is in use. */
    lease: (): AccountLease | undefined => lines.get(account)?.lease,
    nonce(): number {
      const { nonces } = lineOf();
      nonces.left--;
      return nonces.next++;
    },
    renew,
    enter(until: Millis): AccountLease {
      const line = lineOf();
      line.nonces = { next: 0, left: 0 };
      line.lease = leaseUntil(local.monotonic, until - timing.requestTimeout);
      return line.lease;
    },
    /** Resolves when the calls under the lease have ended. */
    async leave(lease: AccountLease): Promise<void> {
      lease.isClosing = true;
      await Promise.allSettled(lease.riders);
      if (lines.get(account)?.lease === lease) lines.delete(account);
    },
    inLine<T>(who: "person" | "pass", work: LeasedCall<T>, inTime: () => boolean): Promise<T> {
      return lineOf().run(who, async () => {
        if (lineOf().nonces.left < NONCES / 2) await renew();
        return work(inTime);
      });
    },
  };
}

const MAX_LEASE_WAIT_MS: Millis = 10 * SECOND;
const LEASE_TRY_INTERVAL_MS: Millis = 50;

/** Runs a person's call under the lease that this process has, or takes the lease for it. */
function personCall(link: ExchangeLink, account: AccountKey, queue: AccountQueue) {
  const { local, keeping } = link;

  async function leased<T>(
    lease: AccountLease & { readonly owner?: string },
    work: LeasedCall<T>,
  ): Promise<T> {
    try {
      return await queue.inLine("person", work, lease.inTime);
    } finally {
      await queue.leave(lease);
      await keeping.leases.giveBack(account, lease.owner ?? "").catch((error: unknown) => {
        // The lease expires by itself.
        link.log("warn", "a lease could not be released", { account, reason: messageOf(error) });
      });
    }
  }

  return async <T>(work: LeasedCall<T>): Promise<T> => {
    const requestedAt = local.monotonic();
    for (;;) {
      const line = queue.lineOf();
      if (isUsable(line.lease)) return riding(queue, line.lease, work);
      if (!line.taking) {
        const lease = await taking(line, takeLease(link, account, queue));
        if (lease) return leased(lease, work);
      } else await line.taking;
      if (isUsable(queue.lease())) continue;
      if (local.monotonic() - requestedAt > MAX_LEASE_WAIT_MS)
        throw new AppError("Too many requests", `${link.id} is busy with this account's other calls`, {
          retryAfterSeconds: 5,
        });
      await local.sleep(LEASE_TRY_INTERVAL_MS);
    }
  };
}

function riding<T>(queue: AccountQueue, lease: AccountLease, work: LeasedCall<T>): Promise<T> {
  const ridden = queue.inLine("person", work, lease.inTime);
  const ended: Promise<unknown> = ridden.catch(() => undefined).finally(() => lease.riders.delete(ended));
  lease.riders.add(ended);
  return ridden;
}

function taking(
  line: AccountLine,
  claim: Promise<AccountLease | undefined>,
): Promise<AccountLease | undefined> {
  const request = claim.finally(() => {
    line.taking = undefined;
  });
  line.taking = request.catch(() => undefined);
  return request;
}

async function takeLease(
  { local, timing, keeping }: ExchangeLink,
  account: AccountKey,
  queue: AccountQueue,
): Promise<AccountLease | undefined> {
  const ttl = timing.requestTimeout * 2;
  const owner = local.randomText(16);
  const startedAt = local.monotonic();
  const next = await keeping.leases.takeLease(account, { owner, ttl, count: NONCES });
  if (next === undefined) return undefined;
  const lease = { ...leaseUntil(local.monotonic, startedAt + ttl - timing.requestTimeout), owner };
  Object.assign(queue.lineOf(), { lease, nonces: { next, left: NONCES } });
  return lease;
}

/** Maximum wait of a person's call for the rate limit. */
const MAX_RATE_LIMIT_WAIT_MS: Millis = 8 * SECOND;

/** The caller: a pass leaves the reserved calls to people, and to passes that people wait for. */
export type Spender = "person" | "pass" | "urgent pass";

/**
 * Returns the calls that a pass takes before its first call. If a whole pass has a known number of calls, that is one
 * call once so many are available; otherwise passes with too few calls would use them up, and none could ever act.
 * Elsewhere it is one second's worth, because each take writes to the database.
 */
export function openingOf({ rate }: Pick<ExchangeLink, "rate">, isUrgent: boolean): CallRequests | undefined {
  if (!rate) return undefined;
  const kept = isUrgent ? 0 : rate.reserve;
  if (rate.pass) return { calls: 1, kept: kept + rate.pass - 1, rate };
  const calls = secondsWorth(rate);
  return calls > 0 ? { calls, kept, rate } : undefined;
}

const secondsWorth = ({ perSecond, burst, reserve }: PrivateRate): number =>
  Math.min(Math.floor(perSecond), burst - reserve);

/** Calls that a pass took with its lease, at a time of this process's clock. */
export interface RateLimitedCalls extends CallRequests {
  readonly at: Millis;
}

/**
 * How long after the lease a pass uses prepaid calls without another look at the rate limit. A 429 of another process
 * empties the rate limit, and a pass must notice that before its first call.
 */
const UNCHECKED_FOR_MS: Millis = 250;

/** Takes calls from the account's rate limit, which all processes share; a pass can have prepaid calls. */
export function spender(
  link: ExchangeLink,
  account: AccountKey,
  { who, paid }: { readonly who: Spender; readonly paid?: RateLimitedCalls | undefined },
) {
  const { quirks, rate, keeping, local } = link;
  const hand = callsInHand(local, rate, paid);
  let isSparing = who === "pass";
  return {
    /**
     * For a pass: takes its first call, if the calls of a whole pass are available. An urgent one waits for them as
     * well: with fewer it could not act, and would use up what the next one needs.
     */
    async begin(): Promise<void> {
      if (who === "person" || !rate?.pass) return;
      hand.usePaid();
      if (hand.count() > 0) return;
      await addCalls(1, reserved() + rate.pass - 1, 0);
    },
    /** For an urgent pass: whether its next calls leave the reserved ones to others. */
    spare(isOn: boolean): void {
      isSparing = who === "pass" || isOn;
    },
    /**
     * Waits for the rate limit before the call gets its turn, so it does not block others. Returns what runs before each
     * request of the call; the first one is already paid.
     */
    async take(kind: PrivateCall): Promise<() => Promise<void>> {
      await takeUp(kind, patience());
      let first = true;
      return async () => {
        if (!first) await takeUp(kind, quirks.serial ? 0 : patience());
        first = false;
      };
    },
    async exhausted(kind: PrivateCall): Promise<void> {
      if (!rate || costOf(kind) === 0) return;
      hand.empty();
      await keeping.rates.exhaust(account, rate);
    },
  };

  function costOf(kind: PrivateCall): number {
    return quirks.costs[kind] ?? 1;
  }

  function reserved(): number {
    return isSparing ? (rate?.reserve ?? 0) : 0;
  }

  // A pass waits only if a second regains several calls, because others wait for its lease.
  function patience(): Millis {
    return who === "person" ? MAX_RATE_LIMIT_WAIT_MS : Math.floor(rate?.perSecond ?? 0) * (SECOND / 10);
  }

  async function takeUp(kind: PrivateCall, most: Millis): Promise<void> {
    const cost = costOf(kind);
    if (!rate || cost === 0) return;
    hand.usePaid();
    const kept = kind === "cancel" ? 0 : reserved();
    if (hand.count() < cost)
      await addCalls(who === "person" ? cost : Math.max(cost, secondsWorth(rate)), kept, most);
    hand.add(-cost);
  }

  async function addCalls(calls: number, kept: number, most: Millis): Promise<void> {
    if (rate) await takeCalls(link, account, { calls, kept, rate }, most);
    hand.count();
    hand.add(calls);
  }
}

/** Takes calls from the account's rate limit. Waits for them, but at most `most` in all; otherwise throws BudgetSpent. */
async function takeCalls(
  { quirks, keeping, local }: ExchangeLink,
  account: AccountKey,
  request: CallRequests,
  most: Millis,
): Promise<void> {
  for (let waited = 0; ; ) {
    const wait = await keeping.rates.spend(account, request);
    if (wait <= 0) return;
    waited += wait;
    const seconds = Math.ceil(wait / SECOND);
    if (waited > most)
      throw new BudgetSpent(`the rate of calls to ${quirks.name} is used up for ${seconds} s`, wait);
    await local.sleep(wait);
  }
}

/** The calls that were taken from the rate limit and not used yet. */
function callsInHand(
  { monotonic }: Pick<ExchangeLink["local"], "monotonic">,
  rate: PrivateRate | undefined,
  paid: RateLimitedCalls | undefined,
) {
  const since = monotonic();
  let [left, leftAt, unused] = [0, since, paid];
  return {
    /** Runs once: the calls after the first one are counted as taken. */
    usePaid(): void {
      if (unused && monotonic() <= since + UNCHECKED_FOR_MS) {
        left = unused.calls;
        leftAt = unused.at;
      }
      unused = undefined;
    },
    /**
     * Returns how many calls that were taken earlier can still be used. They expire as fast as the rate limit regains
     * them, because other callers can use what it has regained.
     */
    count(): number {
      const now = monotonic();
      left = Math.max(0, left - ((now - leftAt) * (rate?.perSecond ?? 0)) / SECOND);
      leftAt = now;
      return Math.ceil(left);
    },
    add(calls: number): void {
      left += calls;
    },
    empty(): void {
      left = 0;
    },
  };
}
