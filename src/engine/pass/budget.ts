import { type Millis, SECOND } from "../../kernel/time.ts";
import type { VenueCalls } from "../../model/usage.ts";

/** Calls to the venue that a pass has made, and may still make. */
export interface Budget extends VenueCalls {
  made: number;
  /** When the pass itself began, by the local clock. */
  readonly opened: Millis;
  /** When the first of them was begun, by the same. */
  began: Millis | undefined;
  /** Of them, those for one strategy's orders alone, by its id. */
  readonly own: Record<string, number>;
  readonly left: number;
  readonly clock: () => Millis;
  /** How many more still leave in time, each taking as long as those so far. */
  readonly fitting: number;
  /** The same said, where they take so long, or the first of them left so late, that a pass has time for few. */
  readonly slow: string | null;
}

/** The local clock, and the last moment at which a call of this pass may leave. */
interface CallTime {
  readonly clock: () => Millis;
  readonly last: Millis;
}

/** What a pass still asks of the store after its last call: the record, a look at the kill switch, the settlement. */
const RESERVED = 3;

/** A pass with time for fewer calls says so. */
const MANY = 20;

/** `calls` to the venue in this pass, and no more `requests` of all kinds than the process may still make. */
export const budgetOf = (time: CallTime, calls = Number.MAX_SAFE_INTEGER, requests?: () => number): Budget =>
  new PassBudget(time, calls, requests);

/** A class, because what is left and what fits change with each call and are asked anew. */
class PassBudget implements Budget {
  made = 0;
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
    if (each * MANY < this.#last - this.began) return null;
    return each * MANY < this.#last - this.opened
      ? `the first request of a pass was sent after about ${formatSeconds(this.began - this.opened)}, so there was time for only a few orders; the others wait`
      : `the exchange takes about ${formatSeconds(each)} to respond, so a pass has time for only a few orders; the others wait`;
  }
}

const perCall = ({ made, began }: Budget, now: Millis): Millis =>
  began === undefined ? 0 : (now - began) / made;

export function spend<T>(budget: Budget, call: () => Promise<T>, strategy?: string | null): Promise<T> {
  budget.began ??= budget.clock();
  budget.made++;
  if (strategy) budget.own[strategy] = (budget.own[strategy] ?? 0) + 1;
  return call();
}

const formatSeconds = (millis: Millis): string => `${Math.max(1, Math.ceil(millis / SECOND))} s`;
