import type * as z from "zod";
import { nearestNumber } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { describeRefusals } from "../../model/refusal-text.ts";
import type { StrategyText } from "../../ports/kind-reading.ts";
import type { PlannedQuoteShape, QuoteDetailsShape } from "./input.ts";

type QuoteDetails = z.output<ReturnType<typeof QuoteDetailsShape>>;
type QuoteText = QuoteDetails & Pick<StrategyText, "orders">;

type QuotePlanResponse = z.output<ReturnType<typeof PlannedQuoteShape>>;

/** Formats a previewed plan, and the command that starts it. */
export const plannedQuoteView = (answer: unknown) => ({
  ...formatQuotePlan(answer),
  "to start": `--plan-hash ${(answer as QuotePlanResponse).planHash} starts exactly this plan`,
});

/** Formats a plan like a grid's: its orders, the reference price, and the possible loss. */
export function formatQuotePlan(answer: unknown): Readonly<Record<string, string>> {
  const plan = answer as QuotePlanResponse;
  const [base, asset = ""] = plan.symbol.split("/");
  const { refused, warnings, budget, cadence, worstCase } = plan;
  return {
    market: `${plan.symbol} on ${plan.exchange}`,
    price: formatPrice(plan),
    spread: formatSpread(plan),
    bids: describeSide(plan, "buy"),
    asks: describeSide(plan, "sell"),
    ...(refused.length > 0 ? { "not placed": describeRefusals(refused) } : {}),
    "quotes with": `${budget.base} ${base} and ${budget.quote} ${asset}`,
    cadence: cadence.message,
    "loss limit": lossLimitText(plan, asset),
    ...defenceLine(plan),
    "worst case": worstCase,
    ...(warnings.length > 0 ? { warnings: warnings.map(({ message }) => message).join(". ") } : {}),
  };
}

/** Returns the lines that only quotes have. */
export function quoteLines({ symbol, orders, details }: StrategyText): Readonly<Record<string, string>> {
  const [base, asset = ""] = symbol.split("/");
  const quote: QuoteText = { ...(details as QuoteDetails), orders };
  return {
    "loss limit": lossLimitText(quote, asset),
    ...defenceLine(quote),
    price: formatPrice(quote),
    spread: formatSpread(quote),
    bids: describeSide(quote, "buy"),
    asks: describeSide(quote, "sell"),
    "quotes with": `${quote.budget.base} ${base} and ${quote.budget.quote} ${asset}`,
  };
}

interface QuotedPrice extends Pick<QuoteText, "sources"> {
  readonly reference: number | string | null;
}

/** Formats the reference price, its sources, and why others do not count. */
function formatPrice({ reference, sources }: QuotedPrice): string {
  const counted = sources.filter((one) => one.counted).map(({ source }) => describePlace(source));
  const left = sources.filter((one) => !one.counted);
  const without = left.map(({ source, because }) => `${describePlace(source)} (${because})`).join(", ");
  const tail = left.length === 0 ? "" : `; not counted: ${without}`;
  return reference === null
    ? `none; nothing is quoted until there is one${tail}`
    : `${nearestNumber(reference)}, from ${counted.join(", ")}${tail}`;
}

const lossLimitText = ({ maxLoss }: Pick<QuoteText, "maxLoss">, quote: string): string =>
  maxLoss === null ? "none; --max-loss sets one" : `cancels both sides at a loss of ${maxLoss} ${quote}`;

/** Formats the answer to a side that is picked off, if there is one. */
function defenceLine({ defend }: Pick<QuoteText, "defend">): { defence?: string } {
  if (defend === null) return {};
  const [ticks = "", passes = ""] = defend.split(":");
  const answer = ticks === "pause" ? "is paused" : `moves ${pluralize(ticks, "tick")} away`;
  return { defence: `a side that is picked off ${answer}, for ${pluralize(passes, "pass")}` };
}

const describePlace = (source: string): string => (source === "own" ? "its own book" : source);

function formatSpread({
  spreadPercent,
  halfSpreadPercent,
  widenedBy,
}: Pick<QuoteText, "spreadPercent" | "halfSpreadPercent" | "widenedBy">): string {
  const request = `${spreadPercent} % requested`;
  if (halfSpreadPercent === null || widenedBy === null || widenedBy === "asked") return request;
  return `${2 * halfSpreadPercent} %, by ${widenedBy}; ${request}`;
}

type DescribedOrder = StrategyText["orders"][number] | QuotePlanResponse["orders"][number];

function describeSide(
  { orders }: { readonly orders: readonly DescribedOrder[] },
  side: "buy" | "sell",
): string {
  const mine = orders.filter((order) => order.side === side);
  return mine.map(({ price, amount }) => `${amount} at ${price}`).join(", ") || "no open orders";
}
