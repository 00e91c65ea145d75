import { type AppError, VenueError } from "../../../kernel/errors.ts";
import { lazy } from "../../../kernel/lazy.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests, Keys, Permit } from "../../../ports/venue.ts";
import type { AccountKind, CachedValue, Ccxt } from "../client/ccxt.ts";
import {
  CallFailed,
  CLOCK_BEHIND,
  type PrivateCall,
  RequestNotSentError,
  TOO_LATE,
  venueErrorOf,
} from "../client/quirks.ts";
import { type ClockCheck, clockCheck } from "../client/transport.ts";
import { type ExchangeLink, privateExchange } from "./exchange-link.ts";
import { callsInLeaseTurn, type RateLimitedCalls, type Spender, spender } from "./lease-calls.ts";

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
  /** Undefined without keys. */
  readonly keys: () => Promise<Keys | undefined>;
  readonly hold?: LeaseHold | undefined;
}

/** When a request can be sent, and when the exchange must refuse it. */
interface Expiry {
  readonly now: Millis;
  readonly by: Millis;
}

/** The private calls of one invocation: one call at a time, and a pass's read of the balances beside the others. */
export interface PrivateSession {
  /** For a pass, before its first read: throws BudgetSpent if the rate limit lacks the calls of a whole pass. */
  enter(): Promise<void>;
  /** For an urgent pass: whether its next calls leave the reserved ones to others. */
  spare(isOn: boolean): void;
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
  /** Throws RequestNotSentError, CallFailed, or ccxt's error for a response that it cannot read. Never sends twice. */
  write<T>(query: Write, call: (exchange: Ccxt, expiry: Expiry) => Promise<T>): Promise<T>;
}

interface Write {
  readonly kind: PrivateCall;
  readonly symbol: Pair;
  readonly permit: Permit;
  /** Called when the request leaves; a failure before that had no effect. */
  readonly leaving: () => void;
}

export function createSession(link: ExchangeLink, { account, keys, hold }: SessionCaller): PrivateSession {
  const { now, check } = clockOf(link, hold);
  const spend = spender(link, account, { who: spenderOf(hold), paid: paidOf(hold) });
  const turn = callsInLeaseTurn(link, account, hold);
  const keysOnce = lazy(keys);
  const kinds = accountKindReader(link, account, keysOnce);
  const signer = createSigner(link, { spend, turn, kinds });
  const access = { keys: keysOnce, now, nonce: turn.nonce, check };
  const { usual, beside } = createLanes(link, access, hold !== undefined);
  const parts: SessionParts = { link, isPass: hold !== undefined, now, check, spend, turn, kinds, signer };

  return {
    now,
    enter: spend.begin,
    spare: spend.spare,
    leave: turn.leave,
    wait: turn.wait,
    keys: keysOnce,
    kind: signer.kind,
    read(kind, symbol, call) {
      const lane = kind === "balances" ? beside : usual;
      return lane.oneByOne(() =>
        sendRead(parts, lane, { kind, symbol, call }).catch(async (error: unknown) => {
          throw withOrigin(venueErrorOf(error, link.quirks), await keysOnce().catch(() => undefined));
        }),
      );
    },
    knowing: async (symbol, tell) => tell(await usual.own.with(symbol)),
    write: (query, call) => usual.oneByOne(() => sendWrite(parts, usual, { ...query, call })),
  };
}

interface SessionParts {
  readonly link: ExchangeLink;
  readonly isPass: boolean;
  readonly now: () => Millis;
  readonly check: ClockCheck;
  readonly spend: ReturnType<typeof spender>;
  readonly turn: ReturnType<typeof callsInLeaseTurn>;
  readonly kinds: ReturnType<typeof accountKindReader>;
  readonly signer: CallSigner;
}

interface ReadRequest<T> {
  readonly kind: PrivateCall;
  readonly symbol: Pair | undefined;
  readonly call: (exchange: Ccxt) => Promise<T>;
}

async function sendRead<T>(
  { turn, spend, signer, isPass, check }: SessionParts,
  lane: Lane,
  { kind, symbol, call }: ReadRequest<T>,
): Promise<T> {
  await turn.giveWay();
  const exchange = await signer.ready(lane, symbol);
  const paid = await spend.take(kind);
  const found = await turn.run((inTime) =>
    signer.ofItsKind(lane, exchange, () => {
      Object.assign(lane.own.next, { paid, mayLeave: inTime, headers: {} });
      return signer.signed(kind, () => call(exchange));
    }),
  );
  // A pass with a wrong clock would send orders that expire too early or too late.
  if (isPass) check.refuse();
  return found;
}

interface Sending<T> extends Write {
  readonly call: (exchange: Ccxt, expiry: Expiry) => Promise<T>;
}

async function sendWrite<T>(parts: SessionParts, lane: Lane, sending: Sending<T>): Promise<T> {
  const { turn, spend, signer, kinds, check } = parts;
  const { kind, symbol } = sending;
  await turn.giveWay();
  const exchange = await signer.ready(lane, symbol);
  const paid = await spend.take(kind);
  if (kind === "create") check.refuse();
  return turn
    .run((inTime) =>
      signer.ofItsKind(lane, exchange, () =>
        signer.signed(kind, () => sendSigned(parts, sending, { lane, exchange, paid, inTime })),
      ),
    )
    .catch(async (error: unknown) => {
      if (error instanceof CallFailed && error.failure.short) await kinds.doubt();
      throw error;
    });
}

interface Dispatch {
  readonly lane: Lane;
  readonly exchange: Ccxt;
  readonly paid: Awaited<ReturnType<ReturnType<typeof spender>["take"]>>;
  readonly inTime: () => boolean;
}

/** Sends one signed request, unless its permit or its lease has ended. */
async function sendSigned<T>(
  { link: { quirks, timing }, now }: SessionParts,
  { kind, permit, leaving, call }: Sending<T>,
  { lane, exchange, paid, inTime }: Dispatch,
): Promise<T> {
  await permit.look?.();
  const stands = () => inTime() && permit.mayLeave();
  if (!stands()) throw new RequestNotSentError(TOO_LATE);
  // A clock that was behind wrote the row: its times would end an order that the exchange has.
  if (kind === "create" && now() > permit.sendBy + timing.skew) throw new RequestNotSentError(CLOCK_BEHIND);
  const mayLeave = () => {
    const may = stands();
    if (may) leaving();
    return may;
  };
  const expiry = { now: now(), by: now() + Math.max(timing.expiry, SECOND) };
  const headers = kind === "create" ? (quirks.createHeaders?.(expiry) ?? {}) : {};
  Object.assign(lane.own.next, { paid, mayLeave, headers });
  return call(exchange, expiry);
}

/** Adds to a refused key where it is, because several places can have one. */
const withOrigin = (error: VenueError | AppError, keys: Keys | undefined): VenueError | AppError =>
  error instanceof VenueError && error.failure === "invalid_credentials" && keys?.origin
    ? new VenueError(error.failure, `${error.message} (the key is ${keys.origin})`, { cause: error })
    : error;

const spenderOf = (hold: LeaseHold | undefined): Spender =>
  hold ? (hold.isUrgent ? "urgent pass" : "pass") : "person";

const paidOf = (hold: LeaseHold | undefined): RateLimitedCalls | undefined =>
  hold?.paid && { ...hold.paid, at: hold.requestedAt };

/** Returns the clock: a pass uses protocol time, a person's call this machine's time. */
function clockOf({ quirks, timing, local, clock, check }: ExchangeLink, hold: LeaseHold | undefined) {
  if (!hold) return { now: clock, check };
  const now = () => Math.floor(hold.now + local.monotonic() - hold.requestedAt);
  return { now, check: clockCheck(quirks.name, timing.skew, now) };
}

const MAX_CACHED_ACCOUNT_KINDS = 1000;
/** An account kind that was read this recently is not checked again. */
const ACCOUNT_KIND_CACHE_MS: Millis = 10 * MINUTE;

/**
 * Reads which of an exchange's two kinds of account a key belongs to: once a day, stored with the account. ccxt would
 * take a failed request for a result. Another key of the same account is checked again.
 */
export function accountKindReader(
  link: ExchangeLink,
  account: AccountKey,
  keys: () => Promise<Keys | undefined>,
) {
  const { keeping, local, quirks } = link;
  const keyOf = async () => (await keys())?.hash ?? "";

  const remember = (key: string, kind: AccountKind, age: Millis): AccountKind => {
    if (link.kinds.size >= MAX_CACHED_ACCOUNT_KINDS) link.kinds.clear();
    link.kinds.set(account, { key, kind, at: local.monotonic() - age });
    return kind;
  };

  /** Returns the stored kind of this key, of any age. */
  async function kept(): Promise<CachedValue<AccountKind> | undefined> {
    const key = await keyOf();
    const found = link.kinds.get(account);
    if (found?.key === key) return { value: found.kind, age: local.monotonic() - found.at };
    const row = await keeping.markets.kind(account);
    if (row?.value.key !== key) return undefined;
    remember(key, row.value.kind, row.age);
    return { value: row.value.kind, age: row.age };
  }

  return {
    /** Returns the kind if it was read within a day, otherwise from `ask`; if that fails, the stored one. */
    async settled(ask: () => Promise<AccountKind>): Promise<AccountKind> {
      const before = await kept();
      if (before && before.age < DAY) return before.value;
      try {
        return await ask();
      } catch (error) {
        if (!before) throw error;
        return remember(await keyOf(), before.value, DAY - ACCOUNT_KIND_CACHE_MS);
      }
    },

    async ask(exchange: Ccxt): Promise<AccountKind> {
      const kind = (await quirks.kinds?.ask(exchange)) ?? "classic";
      const key = await keyOf();
      await keeping.markets.keepKind(account, { key, kind });
      return remember(key, kind, 0);
    },

    /**
     * Requests another check, because missing funds can be in an account of the other kind. Repeated at most every
     * few minutes.
     */
    async doubt(): Promise<void> {
      const found = link.kinds.get(account);
      if (!found || local.monotonic() - found.at < ACCOUNT_KIND_CACHE_MS) return;
      link.kinds.delete(account);
      await keeping.markets.keepKind(account, { key: "", kind: found.kind });
    },
  };
}

/** An instance that signs one call at a time. */
interface Lane {
  readonly own: ReturnType<typeof privateExchange>;
  readonly oneByOne: ReturnType<typeof queue>;
  /** The account's kind, as set in the instance. */
  kind?: AccountKind;
}

function createLanes(
  link: ExchangeLink,
  access: Parameters<typeof privateExchange>[1],
  isPass: boolean,
): { readonly usual: Lane; readonly beside: Lane } {
  const create = (): Lane => ({ own: privateExchange(link, access), oneByOne: queue() });
  const usual = create();
  return { usual, beside: link.quirks.serial || !isPass ? usual : create() };
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

/** Number of signings. An invalid nonce is a definite rejection, so signing again cannot place an order twice. */
const SIGNINGS = 3;

interface SignerParts {
  readonly spend: ReturnType<typeof spender>;
  readonly turn: ReturnType<typeof callsInLeaseTurn>;
  readonly kinds: ReturnType<typeof accountKindReader>;
}

type CallSigner = ReturnType<typeof createSigner>;

/** Signs the calls of one invocation in the form that the account's kind requires. */
export function createSigner({ quirks }: ExchangeLink, { spend, turn, kinds }: SignerParts) {
  let accountKind: AccountKind | undefined;

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

  return { kind: () => accountKind, signed, ready, ofItsKind };
}
