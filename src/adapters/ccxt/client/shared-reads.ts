import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { Local } from "../../../ports/local.ts";
import { createCircuit, type Pause } from "./circuit.ts";
import type { PublicBudget } from "./public-budget.ts";

/** How long a response serves identical requests. */
export const SHARED_FOR: Millis = SECOND;
/** Maximum age of a response if the rate limit allows no newer one. */
const STALE_FOR: Millis = 10 * SECOND;
const MOST_ANSWERS_KEPT = 500;

export interface SharedQuestion {
  /** Kind of request, such as `ticker`; failures of one kind do not affect others. */
  readonly kind: string;
  readonly about: string;
}

export interface SharedReads {
  /** Returns a shared response. A failure is reported to everyone who waits for it, and not cached. */
  read<T>(question: SharedQuestion, ask: () => Promise<T>): Promise<T>;
}

export interface Sharing {
  readonly name: string;
  readonly local: Pick<Local, "monotonic">;
  readonly keptFor?: Millis | undefined;
  readonly pause: Pause;
  /** Rate limit for requests that leave; if it refuses, a cached response is used, or none. */
  readonly budget?: PublicBudget | undefined;
}

/** Shares public reads of one exchange: identical requests run once at a time, and pause while they keep failing. */
export function sharedReads({ name, local, keptFor = SHARED_FOR, pause, budget }: Sharing): SharedReads {
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
      if (kept.size <= MOST_ANSWERS_KEPT && monotonic() - at < STALE_FOR) break;
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
      if (refusal && found && age < STALE_FOR) return Promise.resolve(found.value as T);
      if (refusal) return Promise.reject(refusal);
      const answer = ask(key, kind, call).finally(() => asking.delete(key));
      asking.set(key, answer);
      return answer;
    },
  };
}
