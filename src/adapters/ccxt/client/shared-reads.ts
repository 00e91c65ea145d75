import { VenueError } from "../../../kernel/errors.ts";
import { pluralize } from "../../../kernel/plain-text.ts";
import { createBuckets } from "../../../kernel/rate-limit.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { CallRate } from "../../../ports/venue.ts";
import type { Local } from "../../../ports/within-time.ts";

/** How long a response serves identical requests. */
export const SHARED_FOR_MS: Millis = SECOND;
/** Maximum age of a response if the rate limit allows no newer one. */
const STALE_FOR_MS: Millis = 10 * SECOND;
const MAX_CACHED_RESPONSES = 500;

interface SharedQuestion {
  /** Kind of request, such as `ticker`; failures of one kind do not affect others. */
  readonly kind: string;
  readonly about: string;
}

export interface SharedReads {
  /** Returns a shared response. A failure is reported to everyone who waits for it, and not cached. */
  read<T>(question: SharedQuestion, ask: () => Promise<T>): Promise<T>;
}

interface Sharing {
  readonly name: string;
  readonly local: Pick<Local, "monotonic">;
  readonly keptFor?: Millis | undefined;
  readonly pause: Pause;
  /** Rate limit for requests that leave; if it refuses, a cached response is used, or none. */
  readonly budget?: PublicBudget | undefined;
}

/** Shares public reads of one exchange: identical requests run once at a time, and pause while they keep failing. */
export function sharedReads({ name, local, keptFor = SHARED_FOR_MS, pause, budget }: Sharing): SharedReads {
  const { monotonic } = local;
  const asking = new Map<string, Promise<unknown>>();
  const kept = new Map<string, { readonly at: Millis; readonly value: unknown }>();
  const circuits = new Map<string, ReturnType<typeof createCircuit>>();

  const circuitOf = (kind: string) => {
    const circuit = circuits.get(kind) ?? createCircuit(name, monotonic, pause);
    circuits.set(kind, circuit);
    return circuit;
  };

  const keep = (key: string, value: unknown) => {
    kept.delete(key);
    kept.set(key, { at: monotonic(), value });
    // Map order is insertion order, so the first is the oldest.
    for (const [oldest, { at }] of kept) {
      if (kept.size <= MAX_CACHED_RESPONSES && monotonic() - at < STALE_FOR_MS) break;
      kept.delete(oldest);
    }
  };

  const ask = async <T>(key: string, kind: string, call: () => Promise<T>): Promise<T> => {
    const value = await circuitOf(kind)(call);
    keep(key, value);
    return value;
  };

  return {
    read<T>({ kind, about }: SharedQuestion, call: () => Promise<T>): Promise<T> {
      if (keptFor === 0) return circuitOf(kind)(call);
      const key = `${kind} ${about}`;
      const found = kept.get(key);
      const age = found ? monotonic() - found.at : Number.POSITIVE_INFINITY;
      if (found && age < keptFor) return Promise.resolve(found.value as T);
      const under = asking.get(key);
      if (under) return under as Promise<T>;
      const refusal = budget?.refusal();
      if (refusal && found && age < STALE_FOR_MS) return Promise.resolve(found.value as T);
      if (refusal) return Promise.reject(refusal);
      const answer = ask(key, kind, call).finally(() => asking.delete(key));
      asking.set(key, answer);
      return answer;
    },
  };
}

/** Number of consecutive failures after which requests pause. */
const FAILURES_TO_OPEN = 5;

/** First and maximum duration of the pause. */
export interface Pause {
  readonly first: Millis;
  readonly max: Millis;
}

/** Creates a circuit breaker: it opens after consecutive failures, reports that, and allows one call after each pause. */
function createCircuit(name: string, monotonic: () => Millis, pause: Pause) {
  let failures = 0;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let isTrying = false;

  return async function through<T>(call: () => Promise<T>): Promise<T> {
    const isOpen = failures >= FAILURES_TO_OPEN;
    const wait = closedUntil - monotonic();
    if (isOpen && (wait > 0 || isTrying)) {
      const when = Math.max(1, Math.ceil(wait / SECOND));
      throw new VenueError(
        "unavailable",
        `${name} has failed ${pluralize(failures, "time")} in a row; edgemaker retries in ${when} s`,
      );
    }
    isTrying = isOpen;
    try {
      const value = await call();
      failures = 0;
      return value;
    } catch (error) {
      if (isOutage(error)) {
        failures++;
        const pauses = Math.max(0, failures - FAILURES_TO_OPEN);
        closedUntil = monotonic() + Math.min(pause.max, pause.first * 2 ** Math.min(pauses, 10));
      } else failures = 0;
      throw error;
    } finally {
      isTrying = false;
    }
  };
}

// An exchange that refuses one request still answers others.
const isOutage = (error: unknown): boolean =>
  error instanceof VenueError && (error.failure === "unavailable" || error.failure === "rate_limited");

/** Common rate limit of all public data that requests read from one exchange. */
export interface PublicBudget {
  /** Takes one call; returns an error if none is left. */
  refusal(): VenueError | undefined;
}

/** Returns the exchange's rate of public reads, or the operator's setting. */
export const outboundRate = (own: CallRate, set: number | undefined): CallRate =>
  set === undefined ? own : { burst: set, perSecond: set };

/** More hosts than a process has exchanges. */
const MAX_HOSTS = 1000;

/** Rate limits by host, because an exchange counts by IP address, whatever our accounts are called. */
export function publicBudgets(monotonic: () => Millis) {
  const budgets = new Map<string, PublicBudget>();
  return (host: string, name: string, { burst, perSecond }: CallRate): PublicBudget => {
    const buckets = createBuckets({ count: perSecond, millis: SECOND, burst }, MAX_HOSTS);
    const budget: PublicBudget = budgets.get(host) ?? {
      refusal() {
        const wait = buckets.take(host, monotonic());
        if (wait <= 0) return undefined;
        const retryAfterSeconds = Math.ceil(wait / SECOND);
        return new VenueError(
          "too_many",
          `${name} gets at most ${perSecond} public requests per second; retry in ${retryAfterSeconds} s`,
          { retryAfterSeconds },
        );
      },
    };
    budgets.set(host, budget);
    return budget;
  };
}

export type PublicBudgets = ReturnType<typeof publicBudgets>;
