import type * as z from "zod";
import type { PlannedShape, StartedShape } from "../../src/grid/schema/schema.ts";
import type { EditedShape, PlannedEditShape } from "../../src/grid/schema/shapes.ts";
import { decimal, plainNumber, ZERO } from "../../src/kernel/decimal.ts";
import { noLongerHolds } from "../../src/kernel/errors.ts";
import { countWithVerb, pluralize } from "../../src/kernel/plain-text.ts";
import { describeWaits } from "../../src/model/refusal-text.ts";
import type { Operation } from "../../src/operation.ts";
import type { PlannedQuoteChangeShape } from "../../src/quote/schema/input.ts";
import type { Answer } from "../../src/transport/run.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";
import { reportOnInterrupt, type StartedGroup } from "./report-on-interrupt.ts";

type ResponseOf<Shape extends () => z.ZodType> = z.output<ReturnType<Shape>>;

export type ShownPlan = ResponseOf<typeof PlannedShape>;
export type StartedGrid = ResponseOf<typeof StartedShape>;
export type ShownEdit = ResponseOf<typeof PlannedEditShape>;
export type ShownQuoteEdit = ResponseOf<typeof PlannedQuoteChangeShape>;
type EditAnswer = ResponseOf<typeof EditedShape>;

/** Formats the plan: the most that it can use, orders, required funds, profit, worst case, armed options and warnings. */
export function formatPlan(plan: ShownPlan): Readonly<Record<string, string>> {
  const { config, options, maxQuoteUsed, slots, worstCase, warnings } = plan;
  const [base, quote] = config.symbol.split("/") as [string, string];
  const net = slots.map(({ netProfit }) => netProfit);
  const percent = slots.map(({ netPercent }) => netPercent);
  const lost = worstCase.map(({ price, loss }) =>
    price === 0
      ? `${moneyFigure(loss)} ${quote} lost if the price falls to 0`
      : `${moneyFigure(loss)} ${quote} lost at ${price}`,
  );
  const armed = formatArmed(options);
  return {
    "at most": formatMost(maxQuoteUsed, quote),
    orders: formatOrders(plan, { base, quote }),
    sum: formatSum(plan, quote),
    "set aside": formatAside(plan, { base, quote }),
    "each cycle": `earns ${range(net, 4)} ${quote} after fees (${range(percent, 2)} %)`,
    "break-even": plan.lastWeek.message,
    "worst case": lost.join("; "),
    ...(armed.length > 0 ? { armed: armed.join("; ") } : {}),
    ...formatNotes(warnings),
  };
}

/** Describes a started grid: its type, market, and maximum use of funds. */
export function describeStarted(started: StartedGrid): Readonly<Record<string, string>> {
  const { id, message, config, maxQuoteUsed, ownBaseUsed, warnings } = started;
  const { exchange, symbol, lowerPrice, upperPrice, gridLevels, orderSize } = config;
  const [base, quote] = symbol.split("/") as [string, string];
  const own = ownBaseUsed === "0" ? "" : `, and ${ownBaseUsed} ${base} of your own`;
  return {
    grid: id,
    message,
    market: `${symbol} on ${exchange}`,
    range: `${lowerPrice} – ${upperPrice}, ${gridLevels} slots of ${orderSize} ${quote}`,
    "at most": `${formatMost(maxQuoteUsed, quote)}${own}`,
    ...formatNotes(warnings),
  };
}

/**
 * Formats money to the cent, and small values to their first digits, because one unit of some quote assets is worth a
 * lot.
 */
const moneyFigure = (value: string | number): string => {
  const amount = Number(value);
  return String(Number(Math.abs(amount) >= 100 ? amount.toFixed(2) : amount.toPrecision(4)));
};

const formatMost = (most: string, quote: string): string => `${moneyFigure(most)} ${quote} in use`;

/** Formats notes; base of the account that is used appears next to the quote. */
function formatNotes(warnings: ShownPlan["warnings"]): Readonly<Record<string, string>> {
  return notesOf(warnings.filter(({ code }) => code !== "own_base_used"));
}

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
  ...formatNotes(warnings),
});

interface PairAssets {
  readonly base: string;
  readonly quote: string;
}

/** Describes the orders, the initial buy first and alone. */
function formatOrders({ orders, slots, refused, options }: ShownPlan, { base, quote }: PairAssets): string {
  const of = (side: "buy" | "sell") => {
    const prices = orders.filter((one) => one.side === side && !one.crosses).map(({ price }) => price);
    return prices.length === 0
      ? []
      : [
          `${prices.length} ${side}s at ${plainNumber(Math.min(...prices))} to ${plainNumber(Math.max(...prices))} ${quote}`,
        ];
  };
  const initial = orders
    .filter(({ crosses }) => crosses)
    .map(
      ({ price, amount }) =>
        `an initial buy of ${amount} ${base} at once, at up to ${plainNumber(price)} ${quote}`,
    );
  const text = [...initial, ...of("buy"), ...of("sell")].join(", ") || "none at first";
  const source = options.initialBuy ? { isBought: initial.length > 0 } : { other: "add --initial-buy" };
  const waits = describeWaits(refused, slots, source);
  return waits === "" ? text : `${text}; ${waits}`;
}

function formatSum({ sums }: ShownPlan, quote: string): string {
  const [buys, sells] = [Number(sums.buys), Number(sums.sells)];
  const initial = sums.initialBuy === "0" ? "" : ` (${moneyFigure(sums.initialBuy)} in the initial buy)`;
  return `${moneyFigure(buys + sells)} ${quote}: ${moneyFigure(buys)} in buys${initial}, ${moneyFigure(sells)} in sells`;
}

/** Describes the funds that keep every slot funded, and what then remains besides other strategies' needs. */
function formatAside({ investment, free, ownBaseUsed }: ShownPlan, { base, quote }: PairAssets): string {
  const own = ownBaseUsed === "0" ? "" : ` and ${ownBaseUsed} of ${free.base} ${base} of your own`;
  const aside = `${moneyFigure(investment.quote)} of ${moneyFigure(free.quote)} ${quote} unreserved (${shareText(investment.quote, free.quote)})${own}`;
  const left = Number(free.quote) - Number(investment.quote);
  return left < 0
    ? `${aside}; ${moneyFigure(-left)} ${quote} are missing`
    : `${aside}; ${moneyFigure(left)} ${quote} stay free (${shareText(left, free.quote)})`;
}

const bounds = (trail: Readonly<Record<string, unknown>>): string =>
  Object.entries(trail)
    .map(([way, price]) => `${way} to ${price}`)
    .join(" and ");

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

const ARMED: Readonly<Record<string, (value: unknown) => string>> = {
  stopLossPrice: (price) => `stops and sells its base at or below ${price}`,
  takeProfitPrice: (price) => `stops and sells its base at or above ${price}`,
  stopAtOnce: (is) => (is ? "exits at the first such price, without a second look 5 seconds later" : ""),
  triggerPrice: (price) => `waits until the market reaches ${price}`,
  trail: (trail) => `follows the market ${bounds(trail as Readonly<Record<string, unknown>>)}`,
  initialBuy: (is) => (is ? "buys missing base for its sells at once" : ""),
  maxPosition: (most) => `at most ${round(Number(most) * 100, 2)} % of the capital in base`,
  safetyReserve: (kept) => `${round(Number(kept) * 100, 2)} % of the capital stay in quote`,
};

const formatArmed = (options: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(ARMED).flatMap(([name, tell]) => {
    const value = options[name];
    const text = value === undefined || value === null ? "" : tell(value);
    return text === "" ? [] : [text];
  });

const shareText = (part: string | number, whole: string): string =>
  Number(whole) > 0 ? `${round((Number(part) / Number(whole)) * 100, 1)} %` : "none";

const range = (values: readonly number[], digits: number): string => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((one) => round(one, digits));
  return least === most ? String(least) : `${least} to ${most}`;
};

type Input = Readonly<Record<string, unknown>>;

interface Asks {
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

const planPrice = ({ marketPrice, reference }: PricedPlan) => marketPrice ?? reference;

const isNear = (price: number | undefined, before: number | undefined): boolean =>
  price !== undefined && before !== undefined && Math.abs(price / before - 1) <= SMALL_MOVE;

const isOtherPlan = ({ body }: Answer): boolean =>
  (body as { message?: string }).message === noLongerHolds().message;

/**
 * Starts a grid. In a terminal it shows the plan first, and starts exactly that; if the market has changed the plan
 * meanwhile, it shows the new one. Undefined if the user declines.
 */
export const confirmStart = (input: Input, values: Values, asks: Asks): Promise<Answer | undefined> =>
  isApproved(input, values)
    ? reportOnInterrupt(asks.start(input), "grid", values)
    : shownStart(input, values, asks);

/** Returns whether the start needs no confirmation. Throws if it needs one and there is no terminal. */
function isApproved(input: Input, { json, yes }: Values): boolean {
  if (yes || input.planHash !== undefined || input.dryRun) return true;
  if (json || !isAtTerminal())
    throw new UsageError(
      "this can place or cancel orders, and nobody can confirm the plan: add --yes, or the --plan-hash of a preview",
    );
  return false;
}

/** Shows the plan until the user starts it, starts it with the account's own base, or declines. */
export async function shownStart(input: Input, values: Values, asks: Asks): Promise<Answer | undefined> {
  let request: Input = { ...input, useOwnBase: input.useOwnBase ?? false };
  for (;;) {
    const shown = await asks.preview(request);
    // Never start a plan that was not shown, whatever prevented it.
    if (shown.status !== 200) return shown;
    const plan = shown.body as ShownPlan;
    process.stdout.write(`${render(formatPlan(plan))}\n`);
    const answer = await choose(plan);
    if (answer === "cancel") return undefined;
    if (answer === "with" || answer === "without") request = { ...request, useOwnBase: answer === "with" };
    else {
      const start = (approved: Input) => reportOnInterrupt(asks.start(approved), "grid", values);
      const started = await startPlan(request, plan, { ...asks, start });
      if (started) return started;
      process.stdout.write("The market has moved and the plan has changed:\n");
    }
  }
}

/** A plan with its price: of a grid, or of quotes. */
type PricedPlan = Pick<ShownPlan, "planHash"> & {
  readonly marketPrice?: number;
  readonly reference?: number;
};

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
  /** For a start, what it starts; Ctrl-C then waits for the result. */
  readonly starts?: StartedGroup;
}

interface ShownChangePlan {
  readonly warnings?: readonly { readonly code: string }[];
}

/** Does the same for a change of a running strategy: shows canceled and new orders, and executes exactly that. */
export async function confirmEdit(
  input: Input,
  values: Values,
  { preview, start: send, isSimulated, formatAs, question, starts }: Asks & ShownChange,
): Promise<Answer | undefined> {
  const start = (approved: Input) =>
    starts ? reportOnInterrupt(send(approved), starts, values) : send(approved);
  if (isApproved(input, values)) return start(input);
  for (;;) {
    const shown = await preview(input);
    if (shown.status !== 200) return shown;
    process.stdout.write(`${render(formatAs(shown.body))}\n`);
    const { isCancel, confirm } = await import("@clack/prompts");
    const initialValue = !(shown.body as ShownChangePlan).warnings?.some(sellsAtOnce);
    const answer = await confirm({ message: question, inactive: starts ? "Cancel" : "No", initialValue });
    if (isCancel(answer) || !answer) return undefined;
    const changed = await startPlan(input, shown.body as PricedPlan, { preview, start, isSimulated });
    if (changed) return changed;
    process.stdout.write("The market has moved and the plan has changed:\n");
  }
}

type StartChoice = "yes" | "with" | "without" | "cancel";

/** Asks what to do with the plan. The default choice never sells base that the account already has. */
async function choose(plan: ShownPlan): Promise<StartChoice> {
  // Load the prompts only for a question, because most commands have none.
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({ message: "Start this grid?", options: choicesFor(plan) });
  return isCancel(answer) ? "cancel" : answer;
}

function choicesFor({ config, ownBaseUsed, free }: ShownPlan): { value: StartChoice; label: string }[] {
  const base = config.symbol.split("/")[0];
  const cancel = { value: "cancel" as const, label: "Cancel" };
  if (ownBaseUsed !== "0")
    return [
      { value: "without", label: `Without my ${base}` },
      { value: "yes", label: `Yes, and sell ${ownBaseUsed} ${base} of my own` },
      cancel,
    ];
  const own = decimal(free.base) > ZERO ? [{ value: "with" as const, label: `With my ${base}` }] : [];
  return [{ value: "yes", label: "Yes" }, ...own, cancel];
}

/** Formats a preview, and the command that starts it. */
function formatPreview(plan: ShownPlan, start: string): Readonly<Record<string, string>> {
  const base = plan.config.symbol.split("/")[0];
  const without = plan.ownBaseUsed === "0" ? "" : `; it sells ${plan.ownBaseUsed} ${base} of your own`;
  return { ...formatPlan(plan), "to start": `${start}${without}` };
}

/** Describes a range grid's plan, which stays valid while the market allows it. */
const formatRange = (plan: ShownPlan) =>
  formatPreview(plan, `--plan-hash ${plan.planHash} starts exactly this plan`);

/** Describes a centered grid's plan, which depends on the market, so a start shows it again. */
const formatCentered = (plan: ShownPlan) =>
  formatPreview(plan, "run the same command without --preview; it shows the plan first");

/** Formats of plans, starts and changes, in the words of their confirmation. */
const IN_WORDS: Readonly<Record<string, (body: unknown) => unknown>> = {
  preview_grid: (body) => formatRange(body as ShownPlan),
  preview_centered_grid: (body) => formatCentered(body as ShownPlan),
  start_grid: (body) => describeStarted(body as StartedGrid),
  start_centered_grid: (body) => describeStarted(body as StartedGrid),
  edit_grid: (body) => describeEdited(body as EditAnswer),
};

/** Formats a response for people. */
export const wordsOf = ({ name, cli }: Operation, body: unknown): unknown =>
  (IN_WORDS[name] ?? cli?.view)?.(body) ?? body;
