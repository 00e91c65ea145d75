import { type AppError, VenueError } from "../../../kernel/errors.ts";
import { lazy } from "../../../kernel/lazy.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests, Keys, Permit } from "../../../ports/venue.ts";
import type { Ccxt } from "../client/ccxt.ts";
import { clockCheck } from "../client/clock-check.ts";
import type { AccountKind } from "../client/keeping.ts";
import type { PrivateCall } from "../client/quirks.ts";
import { CallFailed, CLOCK_BEHIND, NotSent, TOO_LATE } from "../client/refusals.ts";
import { venueErrorOf } from "../client/venue-error.ts";
import { accountKindReader } from "./account-kind.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { inLeaseTurn } from "./lease-turn.ts";
import { privateExchange } from "./private-exchange.ts";
import { type PaidCalls, type Spender, spender } from "./spending.ts";

/** The account's lease while a pass holds it. */
export interface LeaseHold {
  /** Protocol time of its start. */
  readonly now: Millis;
  /** This process's clock just before the lease was requested. */
  readonly requestedAt: Millis;
  readonly isUrgent: boolean;
  /** Time after which it yields to people in other processes; undefined if it does not. */
  readonly yieldsAfter: Millis | undefined;
  /** Calls deducted from the rate limit with the lease. */
  readonly paid?: CallRequests | undefined;
}

export interface SessionCaller {
  readonly account: AccountKey;
  readonly keys: () => Promise<Keys | undefined>;
  readonly hold?: LeaseHold | undefined;
}

/** When a request can be sent, and when the exchange must refuse it. */
export interface Expiry {
  readonly now: Millis;
  readonly by: Millis;
}

/** The private calls of one invocation: one call at a time, and a pass's read of the balances beside the others. */
export interface PrivateSession {
  /** For a pass, before its first read: throws BudgetSpent if the rate limit lacks the calls of a whole pass. */
  enter(): Promise<void>;
  /** For a pass: marks its last call as made. */
  leave(): Promise<void>;
  /** Signals the lease's holder that a person waits for it. */
  wait(): Promise<void>;
  readonly now: () => Millis;
  keys(): Promise<Keys | undefined>;
  /** Returns the account's kind, if the exchange has two and the kind was read. */
  kind(): AccountKind | undefined;
  /** Throws VenueError. */
  read<T>(kind: PrivateCall, symbol: Pair | undefined, call: (exchange: Ccxt) => Promise<T>): Promise<T>;
  /** Returns what is known without a call when this pair's market is loaded. */
  knowing<T>(symbol: Pair, tell: (exchange: Ccxt) => T): Promise<T>;
  /** Throws NotSent, CallFailed, or ccxt's error for a response that it cannot read. Never sends twice. */
  write<T>(query: Write, call: (exchange: Ccxt, expiry: Expiry) => Promise<T>): Promise<T>;
}

/** An instance that signs one call at a time. */
interface Lane {
  readonly own: ReturnType<typeof privateExchange>;
  readonly oneByOne: ReturnType<typeof queue>;
  /** The account's kind, as set in the instance. */
  kind?: AccountKind;
}

interface Write {
  readonly kind: PrivateCall;
  readonly symbol: Pair;
  readonly permit: Permit;
  /** Called when the request leaves; a failure before that had no effect. */
  readonly leaving: () => void;
}

/** Number of signings. An invalid nonce is a definite rejection, so signing again cannot place an order twice. */
const SIGNINGS = 3;

export function createSession(link: ExchangeLink, { account, keys, hold }: SessionCaller): PrivateSession {
  const { quirks, timing } = link;
  const { now, check } = clockOf(link, hold);
  const spend = spender(link, account, { who: spenderOf(hold), paid: paidOf(hold) });
  const turn = inLeaseTurn(link, account, hold);
  const keysOnce = lazy(keys);
  const kinds = accountKindReader(link, account, keysOnce);
  let accountKind: AccountKind | undefined;
  const access = { keys: keysOnce, now, nonce: turn.nonce, check };
  const { usual, beside } = createLanes(link, access, hold);

  /** Signs again after a late nonce; never repeats anything else. */
  async function signed<T>(kind: PrivateCall, call: () => Promise<T>): Promise<T> {
    for (let signing = 1; ; signing++) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        if (error.failure.failure === "rate_limited") await spend.exhausted(kind);
        if (!error.failure.nonce || signing === SIGNINGS) throw error;
        await turn.renew();
      }
    }
  }

  /** Returns the lane's instance after setting the account's kind. */
  async function ready(lane: Lane, symbol: Pair | undefined): Promise<Ccxt> {
    const exchange = await lane.own.with(symbol);
    if (!quirks.kinds || (accountKind && lane.kind === accountKind)) return exchange;
    settle(lane, exchange, accountKind ?? (await kinds.settled(() => askKind(lane, exchange))));
    return exchange;
  }

  function settle(lane: Lane, exchange: Ccxt, found: AccountKind) {
    accountKind = lane.kind = found;
    quirks.kinds?.set(exchange, found);
  }

  async function askKind({ own }: Lane, exchange: Ccxt): Promise<AccountKind> {
    const paid = await spend.take("kind");
    Object.assign(own.next, { paid, mayLeave: () => true, headers: {} });
    return signed("kind", () => kinds.ask(exchange));
  }

  /** Repeats a call in the other form if the exchange rejected it, without effect, because of the account's kind. */
  async function ofItsKind<T>(lane: Lane, exchange: Ccxt, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallFailed && error.failure.otherKind)) throw error;
      const before = lane.kind;
      settle(lane, exchange, await askKind(lane, exchange));
      if (lane.kind === before) throw error;
      return call();
    }
  }

  async function read<T>(
    lane: Lane,
    { kind, symbol }: { readonly kind: PrivateCall; readonly symbol: Pair | undefined },
    call: (exchange: Ccxt) => Promise<T>,
  ) {
    await turn.giveWay();
    const exchange = await ready(lane, symbol);
    const paid = await spend.take(kind);
    const found = await turn.run((inTime) =>
      ofItsKind(lane, exchange, () => {
        Object.assign(lane.own.next, { paid, mayLeave: inTime, headers: {} });
        return signed(kind, () => call(exchange));
      }),
    );
    // A pass with a wrong clock would send orders that expire too early or too late.
    if (hold) check.refuse();
    return found;
  }

  async function write<T>(
    { kind, symbol, permit, leaving }: Write,
    call: (exchange: Ccxt, expiry: Expiry) => Promise<T>,
  ): Promise<T> {
    await turn.giveWay();
    const exchange = await ready(usual, symbol);
    const paid = await spend.take(kind);
    if (kind === "create") check.refuse();
    const send = (inTime: () => boolean) => () =>
      signed(kind, async () => {
        await permit.look?.();
        const stands = () => inTime() && permit.mayLeave();
        if (!stands()) throw new NotSent(TOO_LATE);
        // A clock that was behind wrote the row: its times would end an order that the exchange has.
        if (kind === "create" && now() > permit.sendBy + timing.skew) throw new NotSent(CLOCK_BEHIND);
        const mayLeave = () => {
          const may = stands();
          if (may) leaving();
          return may;
        };
        const expiry = { now: now(), by: now() + Math.max(timing.expiry, SECOND) };
        const headers = kind === "create" ? (quirks.createHeaders?.(expiry) ?? {}) : {};
        Object.assign(usual.own.next, { paid, mayLeave, headers });
        return call(exchange, expiry);
      });
    return turn
      .run((inTime) => ofItsKind(usual, exchange, send(inTime)))
      .catch(async (error: unknown) => {
        if (error instanceof CallFailed && error.failure.short) await kinds.doubt();
        throw error;
      });
  }

  return {
    now,
    enter: spend.begin,
    leave: turn.leave,
    wait: turn.wait,
    keys: keysOnce,
    kind: () => accountKind,
    read(kind, symbol, call) {
      const lane = kind === "balances" ? beside : usual;
      return lane.oneByOne(() =>
        read(lane, { kind, symbol }, call).catch(async (error: unknown) => {
          throw withOrigin(venueErrorOf(error, quirks), await keysOnce().catch(() => undefined));
        }),
      );
    },
    knowing: async (symbol, tell) => tell(await usual.own.with(symbol)),
    write: (query, call) => usual.oneByOne(() => write(query, call)),
  };
}

function createLanes(
  link: ExchangeLink,
  access: Parameters<typeof privateExchange>[1],
  hold: LeaseHold | undefined,
): { readonly usual: Lane; readonly beside: Lane } {
  const create = (): Lane => ({ own: privateExchange(link, access), oneByOne: queue() });
  const usual = create();
  return { usual, beside: link.quirks.serial || !hold ? usual : create() };
}

/** Adds to a refused key where it is, because several places can have one. */
const withOrigin = (error: VenueError | AppError, keys: Keys | undefined): VenueError | AppError =>
  error instanceof VenueError && error.failure === "invalid_credentials" && keys?.origin
    ? new VenueError(error.failure, `${error.message} (the key is ${keys.origin})`, { cause: error })
    : error;

const spenderOf = (hold: LeaseHold | undefined): Spender =>
  hold ? (hold.isUrgent ? "urgent pass" : "pass") : "person";

const paidOf = (hold: LeaseHold | undefined): PaidCalls | undefined =>
  hold?.paid && { ...hold.paid, at: hold.requestedAt };

/** Returns the clock: a pass uses protocol time, a person's call this machine's time. */
function clockOf({ quirks, timing, local, clock, check }: ExchangeLink, hold: LeaseHold | undefined) {
  if (!hold) return { now: clock, check };
  const now = () => Math.floor(hold.now + local.monotonic() - hold.requestedAt);
  return { now, check: clockCheck(quirks.name, timing.skew, now) };
}

/** Runs tasks one after another, and continues after failures. */
function queue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
