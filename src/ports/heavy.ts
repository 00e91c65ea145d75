import { AppError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { Local } from "./local.ts";

export interface HeavyCaller {
  /** Callers with the same key share their places. */
  readonly actor: string;
  /** Aborts when the caller has disconnected. */
  readonly signal?: AbortSignal | undefined;
}

export interface HeavyPlace {
  /** Keeps the place; call it at least every few seconds of calculation. */
  readonly renew: () => void;
  /** This place's share of the calculation time. */
  readonly share: () => number;
}

/** Queue for operations with long calculations. */
export interface HeavyLane {
  /**
   * Runs `act` when it is the caller's turn. Throws Too many requests where the queue is full, or the caller has its share
   * of it.
   */
  run<T>(caller: HeavyCaller, act: (place: HeavyPlace) => Promise<T>): Promise<T>;
}

/** Ends a calculation early: after `longest` with a partial result, on `signal` without one. */
export interface CalculationLimits {
  readonly longest: Millis;
  readonly signal: AbortSignal | undefined;
}

/** Runs one named calculation of plain data in a thread of its own. Long lists are in `lists` of the job. */
export type CalculationThread = (name: string, job: object, limits: CalculationLimits) => Promise<unknown>;

/** Error of a request whose client has disconnected. */
export const canceledRequest = () => new AppError("Invalid request", "the client has canceled this request");

interface HeavyCall {
  readonly signal?: AbortSignal | undefined;
  readonly waiting?: { readonly hear: (done: number) => void } | undefined;
}

/** Lets other requests run between two parts of heavy work. Throws if the client has disconnected. */
export async function betweenParts(
  { heard, sleep }: Pick<Local, "heard" | "sleep">,
  { signal, waiting }: HeavyCall,
): Promise<void> {
  if (signal?.aborted) throw canceledRequest();
  waiting?.hear(0);
  await (heard ? heard() : sleep(0));
}
