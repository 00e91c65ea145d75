import type { Pair } from "../../kernel/pair.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Keys, Permit } from "../../ports.ts";
import type { AccountKey } from "../../records.ts";
import type { Ccxt } from "./ccxt.ts";
import { clockCheck } from "./clock-check.ts";
import type { Place } from "./place.ts";
import { privateExchange } from "./private-exchange.ts";
import type { PrivateCall } from "./quirks.ts";
import { spender } from "./spending.ts";
import { CallFailed } from "./told.ts";
import { inTurn } from "./turns.ts";
import { venueErrorOf } from "./venue-error.ts";

/** The account's lease, where a pass holds it. */
export interface Hold {
  /** Protocol time at which it was taken. */
  readonly now: Millis;
  /** This process's own clock just before it was asked for. */
  readonly askedAt: Millis;
}

export interface Caller {
  readonly account: AccountKey;
  readonly keys: () => Promise<Keys | undefined>;
  readonly hold?: Hold | undefined;
}

/** When a request leaves, and when the exchange is to refuse it. */
export interface Expiry {
  readonly now: Millis;
  readonly by: Millis;
}

/** The private calls of one invocation: one instance with one key, one call at a time. */
export interface Session {
  readonly now: () => Millis;
  keys(): Promise<Keys | undefined>;
  /** Throws VenueError. */
  read<T>(kind: PrivateCall, symbol: Pair | undefined, call: (exchange: Ccxt) => Promise<T>): Promise<T>;
  /** Throws NotSent, CallFailed, or whatever ccxt makes of an answer that it cannot read. Never tries twice. */
  write<T>(asked: Write, call: (exchange: Ccxt, expiry: Expiry) => Promise<T>): Promise<T>;
}

interface Write {
  readonly kind: PrivateCall;
  readonly symbol: Pair;
  readonly permit: Permit;
}

/** An invalid nonce is a definite refusal, so signing again cannot place an order twice. */
const SIGNINGS = 3;

export function createSession(place: Place, { account, keys, hold }: Caller): Session {
  const { quirks, timing, local, clock } = place;
  const now = hold ? () => Math.floor(hold.now + local.monotonic() - hold.askedAt) : clock;
  const check = hold ? clockCheck(quirks.name, timing.skew, now) : place.check;
  const spend = spender(place, account, hold !== undefined);
  const turn = inTurn(place, account, hold !== undefined);
  let given: Promise<Keys | undefined> | undefined;
  const keysOnce = () => {
    given ??= keys();
    return given;
  };
  const own = privateExchange(place, { keys: keysOnce, now, nonce: turn.nonce, check });
  const oneByOne = queue();

  /** Signs again after a nonce that came too late; nothing else is tried twice. */
  async function signed<T>(call: () => Promise<T>): Promise<T> {
    for (let signing = 1; ; signing++) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        if (error.told.failure === "rate_limited") await spend.exhausted();
        if (!error.told.nonce || signing === SIGNINGS) throw error;
        await turn.renew();
      }
    }
  }

  async function read<T>(kind: PrivateCall, symbol: Pair | undefined, call: (exchange: Ccxt) => Promise<T>) {
    const exchange = await own.with(symbol);
    await spend.take(kind);
    const found = await turn.run((inTime) => {
      Object.assign(own.next, { mayLeave: inTime, headers: {} });
      return signed(() => call(exchange));
    });
    // A pass whose clock is wrong would send orders that expire too early or too late.
    if (hold) check.refuse();
    return found;
  }

  async function write<T>(
    { kind, symbol, permit }: Write,
    call: (exchange: Ccxt, expiry: Expiry) => Promise<T>,
  ): Promise<T> {
    const exchange = await own.with(symbol);
    await spend.take(kind);
    if (kind === "create") check.refuse();
    return turn.run((inTime) =>
      signed(() => {
        const expiry = { now: now(), by: now() + Math.max(timing.expiry, SECOND) };
        const headers = kind === "create" ? (quirks.createHeaders?.(expiry) ?? {}) : {};
        Object.assign(own.next, { mayLeave: () => inTime() && permit.mayLeave(), headers });
        return call(exchange, expiry);
      }),
    );
  }

  return {
    now,
    keys: keysOnce,
    read: (kind, symbol, call) =>
      oneByOne(() =>
        read(kind, symbol, call).catch((error: unknown) => {
          throw venueErrorOf(error, quirks);
        }),
      ),
    write: (asked, call) => oneByOne(() => write(asked, call)),
  };
}

/** Runs what it is given one after the other, whatever becomes of each. */
function queue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
