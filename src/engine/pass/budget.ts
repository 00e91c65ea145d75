import { BudgetSpent } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { VenueCalls } from "../../model/limits.ts";

/** Calls to the exchange that a pass has made and can still make. */
export interface Budget extends VenueCalls {
  made: number;
  /** Calls in progress, and how many began while another one was. */
  running: number;
  beside: number;
  /** When the pass began, by the local clock. */
  readonly opened: Millis;
  /** When its first call began, by the local clock. */
  began: Millis | undefined;
  /** Calls for one strategy's orders only, by its id. */
  readonly own: Record<string, number>;
  readonly left: number;
  readonly clock: () => Millis;
  /** Number of calls that still fit, if each takes as long as those before. */
  readonly fitting: number;
  /** Message if calls take so long, or the first one left so late, that only few fit in a pass. */
  readonly slow: string | null;
}

/** The local clock, and the latest time at which a call of this pass can leave. */
interface CallTime {
  readonly clock: () => Millis;
  readonly last: Millis;
}

/** Store requests that a pass still makes after its last call: the record, a read of the kill switch, the settlement. */
const RESERVED = 3;

/** A pass with time for fewer calls than this reports it. */
const MIN_CALLS_PER_PASS = 20;

// Orders are sent one after another, so calls at the same time count as one.
const perCall = ({ made, beside, began }: Budget, now: Millis): Millis =>
  began === undefined ? 0 : (now - began) / (made - beside);

const formatSeconds = (millis: Millis): string => `${Math.max(1, Math.ceil(millis / SECOND))} s`;

/** A class, because the remaining calls change with each call and are computed on each read. */
class PassBudget implements Budget {
  made = 0;
  running = 0;
  beside = 0;
  readonly opened: Millis;
  began: Millis | undefined = undefined;
  readonly own: Record<string, number> = {};
  readonly clock: () => Millis;
  readonly #last: Millis;
  readonly #calls: number;
  readonly #requests: (() => number) | undefined;

  constructor({ clock, last }: CallTime, calls: number, requests: (() => number) | undefined) {
    this.opened = clock();
    this.clock = clock;
    this.#last = last;
    this.#calls = calls;
    this.#requests = requests;
  }

  get left(): number {
    return Math.min(this.#calls - this.made, this.#requests ? this.#requests() - RESERVED : this.#calls);
  }

  get fitting(): number {
    const each = perCall(this, this.clock());
    const left = this.#last - this.clock();
    if (each === 0) return Number.MAX_SAFE_INTEGER;
    return left < 0 ? 0 : 1 + Math.floor(left / each);
  }

  get slow(): string | null {
    if (this.began === undefined) return null;
    const each = perCall(this, this.clock());
    if (each * MIN_CALLS_PER_PASS < this.#last - this.began) return null;
    return each * MIN_CALLS_PER_PASS < this.#last - this.opened
      ? `the first request of a pass was sent after about ${formatSeconds(this.began - this.opened)}, so there was time for only a few orders; the others wait`
      : `the exchange takes about ${formatSeconds(each)} to respond, so a pass has time for only a few orders; the others wait`;
  }
}

/** Returns a budget of `calls` to the exchange, within the `requests` of all kinds that the process can still make. */
export const budgetOf = (time: CallTime, calls = Number.MAX_SAFE_INTEGER, requests?: () => number): Budget =>
  new PassBudget(time, calls, requests);

export async function spend<T>(budget: Budget, call: () => Promise<T>, strategy?: string | null): Promise<T> {
  budget.began ??= budget.clock();
  budget.made++;
  if (budget.running > 0) budget.beside++;
  if (strategy) budget.own[strategy] = (budget.own[strategy] ?? 0) + 1;
  budget.running++;
  try {
    return await call();
  } finally {
    budget.running--;
  }
}

/** Waits for all reads before it throws, so none of them outlives its pass. */
export async function together<T extends readonly unknown[]>(
  ...reads: T
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/**
 * Makes a call to the exchange; undefined if our budget or the exchange's rate limit has none left. Then no request
 * was sent.
 */
export async function callWithinBudget<T>(
  budget: Budget,
  call: () => Promise<T>,
  strategy?: string | null,
): Promise<{ readonly answer: T } | undefined> {
  // A pass with time for no further call stops reading, so its decisions can still be executed.
  if (budget.left <= 0 || budget.fitting < 2) return undefined;
  try {
    return { answer: await spend(budget, call, strategy) };
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}
