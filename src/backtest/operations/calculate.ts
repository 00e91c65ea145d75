import type { Millis } from "../../kernel/time.ts";
import type { Call } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { canceledRequest } from "../../ports/heavy.ts";
import { CALCULATIONS } from "./calculations.ts";
import { inSlices } from "./slices.ts";

type Calculations = typeof CALCULATIONS;
type Name = keyof Calculations;
type JobOf<N extends Name> = Parameters<Calculations[N]>[0];
type AnswerOf<N extends Name> = ReturnType<Calculations[N]> extends Generator<number, infer A> ? A : never;

/** Runs a calculation, in a thread if there is one, otherwise in slices between which other requests are served. */
export async function calculate<N extends Name>(
  { calculationThread, local }: Pick<Deps, "calculationThread" | "local">,
  [name, job]: readonly [N, JobOf<N>],
  { signal, waiting, longest }: Call & { readonly longest: Millis },
): Promise<AnswerOf<N>> {
  if (signal?.aborted) throw canceledRequest();
  if (calculationThread) return (await calculationThread(name, job, { longest, signal })) as AnswerOf<N>;
  const until = local.monotonic() + longest;
  const isOver = () => local.monotonic() > until || waiting?.isEnough() === true;
  const work = CALCULATIONS[name](job as never, isOver) as Generator<number, AnswerOf<N>>;
  return inSlices(work, local, waiting);
}
