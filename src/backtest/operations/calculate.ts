import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Call } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { canceledRequest } from "../../ports/heavy.ts";
import type { CALCULATIONS } from "./calculations.ts";
import { inSlices } from "./slices.ts";

/** Maximum time on a server, which must run passes; after it, the result is partial. The command line has no limit. */
export const longestCalculation = ({ actor }: Call, most: Millis = 2 * SECOND): Millis =>
  actor === "local" ? Number.POSITIVE_INFINITY : most;

/** What all operations on historical prices have in common. */
export const READS_PAST = {
  effect: "read",
  access: "token",
  lane: "heavy",
  failure: "Fetch failed",
} as const;

type Calculations = typeof CALCULATIONS;
type Name = keyof Calculations;
type JobOf<N extends Name> = Parameters<Calculations[N]>[0];
type AnswerOf<N extends Name> = ReturnType<Calculations[N]> extends Generator<number, infer A> ? A : never;

/** Runs a calculation, in a thread if there is one, otherwise in slices between which other requests are served. */
export async function calculate<N extends Name>(
  { calculationThread, local }: Pick<Deps, "calculationThread" | "local">,
  [name, job]: readonly [N, JobOf<N>],
  call: Call,
  longest = longestCalculation(call),
): Promise<AnswerOf<N>> {
  const { signal, waiting } = call;
  if (signal?.aborted) throw canceledRequest();
  if (calculationThread) return (await calculationThread(name, job, { longest, signal })) as AnswerOf<N>;
  // Loaded only where it calculates: a server has a thread for it.
  const { CALCULATIONS: calculations } = await import("./calculations.ts");
  const until = local.monotonic() + longest;
  const isOver = () => local.monotonic() > until || waiting?.isEnough() === true;
  const work = calculations[name](job as never, isOver) as Generator<number, AnswerOf<N>>;
  return inSlices(work, local, waiting);
}
