import { AppError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import { type Local, letOthersRun } from "./within-time.ts";

export interface HeavyCaller {
  /** Callers with the same key share one quota. */
  readonly actor: string;
  /** Aborts when the caller has disconnected. */
  readonly signal?: AbortSignal | undefined;
}

export interface HeavyPlace {
  /** Extends the reservation; call it at least every few seconds of calculation. */
  readonly renew: () => void;
  /** Returns this caller's share of the calculation time. */
  readonly share: () => number;
}

/** Queue for operations with long calculations. */
export interface HeavyLane {
  /**
   * Runs `act` when it is the caller's turn. Throws `Too many requests` if the queue or the caller's share of it is
   * full.
   */
  run<T>(caller: HeavyCaller, act: (heavyPlace: HeavyPlace) => Promise<T>): Promise<T>;
}

/** Limits of a calculation: it ends after `maxMillis` with a partial result, and on `signal` without a result. */
interface CalculationLimits {
  readonly maxMillis: Millis;
  readonly signal: AbortSignal | undefined;
}

/** Runs one named calculation on plain data in a separate thread. The job's `lists` contains its long lists. */
export type CalculationThread = (name: string, job: object, limits: CalculationLimits) => Promise<unknown>;

/** Error of a request whose client has disconnected. */
export const canceledRequest = () => new AppError("Invalid request", "the client has canceled this request");

interface HeavyCall {
  readonly signal?: AbortSignal | undefined;
  readonly waiting?: { readonly hear: (done: number) => void } | undefined;
}

/** Lets other requests run between two parts of a long calculation. Throws if the client has disconnected. */
export async function betweenParts(
  local: Pick<Local, "heard" | "sleep">,
  { signal, waiting }: HeavyCall,
): Promise<void> {
  if (signal?.aborted) throw canceledRequest();
  waiting?.hear(0);
  await letOthersRun(local);
}
