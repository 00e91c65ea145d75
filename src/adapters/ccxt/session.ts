import { VenueError } from "../../errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Keys, Permit } from "../../ports.ts";
import type { AccountKey } from "../../records.ts";
import type { Ccxt, Dict } from "./ccxt.ts";
import { clockCheck } from "./clock-check.ts";
import { createExchange, type Place } from "./place.ts";
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
  write<T>(
    asked: { readonly kind: PrivateCall; readonly symbol: Pair; readonly permit: Permit },
    call: (exchange: Ccxt, expiry: Expiry) => Promise<T>,
  ): Promise<T>;
}

/** An invalid nonce is a definite refusal, so signing again cannot place an order twice. */
const SIGNINGS = 3;

export function createSession(place: Place, { account, keys, hold }: Caller): Session {
  const { quirks, timing, local, clock } = place;
  const now = hold ? () => Math.floor(hold.now + local.monotonic() - hold.askedAt) : clock;
  const markets = new Map<Pair, Dict>();
  const spend = spender(place, account, hold !== undefined);
  const turn = inTurn(place, account, hold !== undefined);
  const check = hold ? clockCheck(quirks.name, timing.skew, now) : place.check;

  let given: Promise<Keys | undefined> | undefined;
  const keysOnce = () => {
    given ??= keys();
    return given;
  };
  let made: Promise<Ccxt> | undefined;
  let mayLeave: () => boolean = () => true;
  let headers: Readonly<Record<string, string>> = {};

  const make = async (): Promise<Ccxt> => {
    const known = await keysOnce();
    if (!known) throw new VenueError("missing_credentials", `there are no keys for ${place.id}`);
    if (quirks.passphrase && !known.passphrase)
      throw new VenueError("missing_credentials", `keys of ${quirks.name} need their passphrase too`);
    const exchange = await createExchange({
      ...place,
      clock: now,
      keys: known,
      mayLeave: () => mayLeave(),
      headers: () => headers,
      onDate: check.answered,
    });
    exchange.setMarkets([]);
    if (quirks.serial) exchange.nonce = turn.nonce;
    return exchange;
  };

  const ready = async (symbol: Pair | undefined): Promise<Ccxt> => {
    made ??= make();
    const exchange = await made;
    if (symbol === undefined || markets.has(symbol)) return exchange;
    markets.set(symbol, await place.catalog.known(symbol));
    const all = [...markets.values()];
    exchange.setMarkets(all);
    quirks.withMarkets?.(exchange, all);
    return exchange;
  };

  const signed = async <T>(call: () => Promise<T>): Promise<T> => {
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
  };

  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    now,
    keys: keysOnce,
    read: (kind, symbol, call) =>
      oneByOne(async () => {
        try {
          const exchange = await ready(symbol);
          await spend.take(kind);
          const found = await turn.run((inTime) => {
            mayLeave = inTime;
            return signed(() => call(exchange));
          });
          // A pass whose clock is wrong would send orders that expire too early or too late.
          if (hold) check.refuse();
          return found;
        } catch (error) {
          throw venueErrorOf(error, quirks);
        }
      }),
    write: ({ kind, symbol, permit }, call) =>
      oneByOne(async () => {
        const exchange = await ready(symbol);
        await spend.take(kind);
        if (kind === "create") check.refuse();
        return turn.run((inTime) => {
          mayLeave = () => inTime() && permit.mayLeave();
          return signed(async () => {
            const expiry = { now: now(), by: now() + Math.max(timing.expiry, SECOND) };
            headers = kind === "create" ? (quirks.createHeaders?.(expiry) ?? {}) : {};
            try {
              return await call(exchange, expiry);
            } finally {
              headers = {};
            }
          });
        });
      }),
  };
}
