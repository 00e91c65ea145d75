import { noLongerHolds } from "../../src/kernel/errors.ts";
import type { Operation } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";

type Input = Readonly<Record<string, unknown>>;

export interface Asks {
  preview(input: Input): Promise<Answer>;
  start(input: Input): Promise<Answer>;
  /** Whether the exchanges are simulated, where a fast market would change each plan before it is confirmed. */
  readonly isSimulated?: boolean | undefined;
}

/** Returns whether a user can answer at a terminal. */
export const isAtTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Largest move, as a share, after which a simulated start still counts as the plan that was shown. */
const SMALL_MOVE = 0.02;
const MAX_CONFIRM_TRIES = 20;

const planPrice = ({ price }: PricedPlan): number | undefined => (price == null ? undefined : Number(price));

const isNear = (price: number | undefined, before: number | undefined): boolean =>
  price !== undefined && before !== undefined && Math.abs(price / before - 1) <= SMALL_MOVE;

const isOtherPlan = ({ body }: Answer): boolean =>
  (body as { message?: string }).message === noLongerHolds().message;

/** Returns whether the start needs no confirmation. Throws if it needs one and there is no terminal. */
export function isApproved(input: Input, { json, yes }: Values): boolean {
  if (yes || input.planHash !== undefined || input.dryRun) return true;
  if (json || !isAtTerminal())
    throw new UsageError(
      "this can place or cancel orders, and nobody can confirm the plan: add --yes, or the --plan-hash of a preview",
    );
  return false;
}

/** A plan with its market price. */
interface PricedPlan {
  readonly planHash: string;
  readonly price?: string | null;
}

/**
 * Starts a plan. Returns undefined if the market has changed it. On simulated exchanges it follows small moves, because
 * at high speed no plan would hold long enough to be read.
 */
export async function startPlan(
  input: Input,
  shown: PricedPlan,
  { preview, start, isSimulated = false }: Asks,
): Promise<Answer | undefined> {
  let plan = shown;
  for (let attempt = 0; attempt < MAX_CONFIRM_TRIES; attempt++) {
    const started = await start({ ...input, planHash: plan.planHash });
    if (started.status !== 409 || !isOtherPlan(started)) return started;
    const next = isSimulated ? await preview(input) : undefined;
    if (next?.status !== 200) return undefined;
    plan = next.body as PricedPlan;
    const [price, before] = [planPrice(plan), planPrice(shown)];
    if (!isNear(price, before)) return undefined;
    process.stdout.write(`The simulated price has moved from ${before} to ${price}; the start follows it.\n`);
  }
  return undefined;
}

/** Formats a response for people. */
export const wordsOf = ({ cli }: Operation, body: unknown): unknown => cli?.view?.(body) ?? body;
