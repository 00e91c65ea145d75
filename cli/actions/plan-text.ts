import type * as z from "zod";
import type { EditedShape, PlannedEditShape } from "../../src/grid/schema/edit.ts";
import type { PlannedShape, StartedShape } from "../../src/grid/schema/schema.ts";
import type { PlannedQuoteChangeShape } from "../../src/quote/schema/shapes.ts";

type ResponseOf<Shape extends () => z.ZodType> = z.output<ReturnType<Shape>>;

export type ShownPlan = ResponseOf<typeof PlannedShape>;
export type StartedGrid = ResponseOf<typeof StartedShape>;
export type ShownEdit = ResponseOf<typeof PlannedEditShape>;
export type ShownQuoteEdit = ResponseOf<typeof PlannedQuoteChangeShape>;
export type EditAnswer = ResponseOf<typeof EditedShape>;

/** Formats the plan: orders, required funds, profit, worst case, armed options and warnings. */
export function formatPlan(plan: ShownPlan): Readonly<Record<string, string>> {
  const { config, options, maxQuoteUsed, slots, worstCase, warnings } = plan;
  const [base, quote] = config.symbol.split("/") as [string, string];
  const net = slots.map(({ netProfit }) => netProfit);
  const percent = slots.map(({ netPercent }) => netPercent);
  const lost = worstCase.map(({ price, loss }) =>
    price === 0
      ? `everything, up to ${moneyFigure(loss)} ${quote}`
      : `${moneyFigure(loss)} ${quote} lost at ${price}`,
  );
  const armed = formatArmed(options);
  return {
    orders: formatOrders(plan, quote),
    sum: formatSum(plan, quote),
    "set aside": formatAside(plan, { base, quote }),
    "at most": formatMost(maxQuoteUsed, quote),
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

const formatMost = (most: string, quote: string): string => `${moneyFigure(most)} ${quote} in use`;

/** Formats notes; base of the account that is used appears next to the quote. */
function formatNotes(warnings: ShownPlan["warnings"]): Readonly<Record<string, string>> {
  return notesOf(warnings.filter(({ code }) => code !== "own_base_used"));
}

const notesOf = (warnings: readonly { readonly message: string }[]): Readonly<Record<string, string>> =>
  warnings.length > 0 ? { "but note": warnings.map(({ message }) => message).join("; ") } : {};

/** Returns whether a warning says that a change sells the grid's base, which nobody can undo. */
export const sellsAtOnce = ({ code }: { readonly code: string }): boolean => code === "stops_at_once";

/** Formats a change: old and new values, canceled and new orders, and what stays. */
export function formatEdit(plan: ShownEdit): Readonly<Record<string, string>> {
  const { changes, cancelled, orders, refused, investment, free, realized, worstCase, warnings } = plan;
  const count = (side: "buy" | "sell") => orders.filter((one) => one.side === side).length;
  const isRelaid = cancelled > 0 || orders.length > 0;
  const waiting = refused.length === 0 ? "" : `; ${refused.length} slots wait`;
  const sale = warnings.find(sellsAtOnce);
  return {
    changes: formatChangeList(changes),
    ...(sale ? { "sells at once": sale.message } : {}),
    orders: isRelaid
      ? `${cancelled} are canceled, then ${count("buy")} buys and ${count("sell")} sells placed${waiting}`
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

/** Describes a requested change in the words of its preview. */
export const describeEdited = ({
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

const formatChangeList = (changes: ShownEdit["changes"]): string =>
  changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join("; ");

function formatOrders({ orders, slots, refused }: ShownPlan, quote: string): string {
  const of = (side: "buy" | "sell") => {
    const prices = orders.filter((one) => one.side === side).map(({ price }) => price);
    return prices.length === 0
      ? []
      : [`${prices.length} ${side}s at ${Math.min(...prices)} to ${Math.max(...prices)} ${quote}`];
  };
  const text = [...of("buy"), ...of("sell")].join(", ") || "none at first";
  const reasons = [...new Set(refused.map(({ reason }) => reason))].join(", ");
  const waiting =
    refused.length === 0 ? "" : `; ${refused.length} of ${slots.length} slots wait (${reasons})`;
  return `${text}${waiting}`;
}

function formatSum({ sums }: ShownPlan, quote: string): string {
  const [buys, sells] = [Number(sums.buys), Number(sums.sells)];
  return `${moneyFigure(buys + sells)} ${quote}: ${moneyFigure(buys)} in buys, ${moneyFigure(sells)} in sells`;
}

/** Describes the funds that keep every slot funded, and what then remains besides other strategies' needs. */
function formatAside(
  { investment, free, ownBaseUsed }: ShownPlan,
  { base, quote }: { readonly base: string; readonly quote: string },
): string {
  const own = ownBaseUsed === "0" ? "" : ` and ${ownBaseUsed} of ${free.base} ${base} of your own`;
  const aside = `${moneyFigure(investment.quote)} of ${moneyFigure(free.quote)} ${quote} unreserved (${shareText(investment.quote, free.quote)})${own}`;
  const left = Number(free.quote) - Number(investment.quote);
  return left < 0
    ? `${aside}; ${moneyFigure(-left)} ${quote} are missing`
    : `${aside}; ${moneyFigure(left)} ${quote} stay free (${shareText(left, free.quote)})`;
}

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

const bounds = (trail: Readonly<Record<string, unknown>>): string =>
  Object.entries(trail)
    .map(([way, price]) => `${way} to ${price}`)
    .join(" and ");

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

/**
 * Formats money to the cent, and small values to their first digits, because one unit of some quote assets is worth a
 * lot.
 */
const moneyFigure = (value: string | number): string => {
  const amount = Number(value);
  return String(Number(Math.abs(amount) >= 100 ? amount.toFixed(2) : amount.toPrecision(4)));
};

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
