import { AppError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { Local } from "./local.ts";

export interface HeavyCaller {
  /** Whose places are counted together. */
  readonly actor: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface HeavyPlace {
  /** Keeps the place: called at least every few seconds of calculation. */
  readonly renew: () => void;
  /** Of the time for calculations, what belongs to this place. */
  readonly share: () => number;
}

/** Where operations that calculate for long wait for each other. */
export interface HeavyLane {
  /**
   * Runs `act` when it is the caller's turn. Throws Too many requests where the queue is full, or the caller has its share
   * of it.
   */
  run<T>(caller: HeavyCaller, act: (place: HeavyPlace) => Promise<T>): Promise<T>;
}

/** How a calculation ends early: after `longest` with what there is, on `signal` without anything. */
export interface CalculationLimits {
  readonly longest: Millis;
  readonly signal: AbortSignal | undefined;
}

/** Runs one named calculation of plain data in a thread of its own. Long lists are in `lists` of the job. */
export type CalculationThread = (name: string, job: object, limits: CalculationLimits) => Promise<unknown>;

/** What ends a request whose client has left: nobody reads it. */
export const canceledRequest = () => new AppError("Invalid request", "the client has canceled this request");

interface HeavyCall {
  readonly signal?: AbortSignal | undefined;
  readonly waiting?: { readonly hear: (done: number) => void } | undefined;
}

/** Lets others be answered between two parts of heavy work. Throws where the client has left. */
export async function betweenParts(
  { heard, sleep }: Pick<Local, "heard" | "sleep">,
  { signal, waiting }: HeavyCall,
): Promise<void> {
  if (signal?.aborted) throw canceledRequest();
  waiting?.hear(0);
  await (heard ? heard() : sleep(0));
}
