import type * as z from "zod";
import type { EditedShape, PlannedEditShape } from "../../src/grid/schema/shapes.ts";
import { noLongerHolds } from "../../src/kernel/errors.ts";
import { countWithVerb, pluralize } from "../../src/kernel/plain-text.ts";
import type { Operation } from "../../src/operation.ts";
import type { PlannedQuoteChangeShape } from "../../src/quote/schema/input.ts";
import type { Answer } from "../../src/transport/run.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";

type ResponseOf<Shape extends () => z.ZodType> = z.output<ReturnType<Shape>>;

export type ShownEdit = ResponseOf<typeof PlannedEditShape>;
export type ShownQuoteEdit = ResponseOf<typeof PlannedQuoteChangeShape>;
type EditAnswer = ResponseOf<typeof EditedShape>;

const notesOf = (warnings: readonly { readonly message: string }[]): Readonly<Record<string, string>> =>
  warnings.length > 0 ? { "but note": warnings.map(({ message }) => message).join("; ") } : {};

/** Returns whether a warning says that a change sells the grid's base, which nobody can undo. */
const sellsAtOnce = ({ code }: { readonly code: string }): boolean => code === "stops_at_once";

/** Formats a change: old and new values, canceled and new orders, and what stays. */
export function formatEdit(plan: ShownEdit): Readonly<Record<string, string>> {
  const { changes, cancelled, orders, refused, investment, free, realized, worstCase, warnings } = plan;
  const count = (side: "buy" | "sell") => orders.filter((one) => one.side === side).length;
  const isRelaid = cancelled > 0 || orders.length > 0;
  const waiting = refused.length === 0 ? "" : `; ${countWithVerb(refused.length, "slot", "waits", "wait")}`;
  const sale = warnings.find(sellsAtOnce);
  return {
    changes: formatChangeList(changes),
    ...(sale ? { "sells at once": sale.message } : {}),
    orders: isRelaid
      ? `${cancelled} ${cancelled === 1 ? "is" : "are"} canceled, then ${pluralize(count("buy"), "buy")} and ${pluralize(count("sell"), "sell")} placed${waiting}`
      : "all orders stay open",
    ...(isRelaid ? { needs: `${investment.quote} of ${free} free, including the canceled orders` } : {}),
    keeps: `${round(realized, 2)} realized, and base that cost ${investment.base}${sale ? "" : "; the change sells nothing"}`,
    "worst case": worstCase.map(({ price, loss }) => `${round(loss, 2)} lost at ${price}`).join("; "),
    ...notesOf(warnings.filter((warning) => !sellsAtOnce(warning))),
  };
}

/** Formats a change of quotes: old and new values, orders that stay, end or start, and what the spread must cover. */
export function formatQuoteEdit(plan: ShownQuoteEdit): Readonly<Record<string, string>> {
  const { changes, kept, cancelled, orders, cadence, warnings } = plan;
  return {
    changes: formatChangeList(changes),
    orders: `${kept} stay, ${cancelled} are canceled, ${orders.length} are placed`,
    spread: cadence.message,
    ...notesOf(warnings),
  };
}

const formatChangeList = (changes: ShownEdit["changes"]): string =>
  changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join("; ");

/** Describes a requested change in the words of its preview. */
const describeEdited = ({
  id,
  message,
  changes,
  warnings,
}: EditAnswer): Readonly<Record<string, string>> => ({
  grid: id,
  message,
  changes: formatChangeList(changes),
  ...notesOf(warnings),
});

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

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

/** The text of a change, and its confirmation question. */
export interface ShownChange {
  formatAs(plan: unknown): Readonly<Record<string, string>>;
  readonly question: string;
}

interface ShownChangePlan {
  readonly warnings?: readonly { readonly code: string }[];
}

/** Does the same for a change of a running strategy: shows canceled and new orders, and executes exactly that. */
export async function confirmEdit(
  input: Input,
  values: Values,
  { preview, start: send, isSimulated, formatAs, question }: Asks & ShownChange,
): Promise<Answer | undefined> {
  if (isApproved(input, values)) return send(input);
  for (;;) {
    const shown = await preview(input);
    if (shown.status !== 200) return shown;
    process.stdout.write(`${render(formatAs(shown.body))}\n`);
    const { isCancel, confirm } = await import("@clack/prompts");
    const initialValue = !(shown.body as ShownChangePlan).warnings?.some(sellsAtOnce);
    const answer = await confirm({ message: question, initialValue });
    if (isCancel(answer) || !answer) return undefined;
    const changed = await startPlan(input, shown.body as PricedPlan, { preview, start: send, isSimulated });
    if (changed) return changed;
    process.stdout.write("The market has moved and the plan has changed:\n");
  }
}

/** Formats of changes, in the words of their confirmation. */
const IN_WORDS: Readonly<Record<string, (body: unknown) => unknown>> = {
  edit_grid: (body) => describeEdited(body as EditAnswer),
};

/** Formats a response for people. */
export const wordsOf = ({ name, cli }: Operation, body: unknown): unknown =>
  (IN_WORDS[name] ?? cli?.view)?.(body) ?? body;
