import type * as z from "zod";
import { nearestNumber, plainNumber } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import type { StrategyText } from "../../ports/kind.ts";
import type { PlanText } from "../../ports/plan.ts";
import type { QuoteDetailsShape, QuotePlanShape } from "./input.ts";

type QuoteDetails = z.output<ReturnType<typeof QuoteDetailsShape>>;
type QuoteText = QuoteDetails & Pick<StrategyText, "orders">;

/** Formats the reference price, spread, bids and asks of a plan. */
export function quotePlanLines({ symbol, orders, details }: PlanText): Readonly<Record<string, string>> {
  const plan = details as z.output<ReturnType<typeof QuotePlanShape>>;
  return {
    price: formatPrice(plan),
    spread: formatSpread(plan),
    bids: describeSide({ orders }, "buy"),
    asks: describeSide({ orders }, "sell"),
    cadence: plan.cadence.message,
    "loss limit": lossLimitText(plan, symbol.split("/")[1] ?? ""),
    ...defenceLine(plan),
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

/** Formats the reference price, its sources, and why others do not count. */
function formatPrice({ reference, sources }: Pick<QuoteText, "reference" | "sources">): string {
  const counted = sources.filter((one) => one.counted).map(({ source }) => describePlace(source));
  const left = sources.filter((one) => !one.counted);
  const without = left.map(({ source, because }) => `${describePlace(source)} (${because})`).join(", ");
  const tail = left.length === 0 ? "" : `; not counted: ${without}`;
  return reference === null
    ? `none; nothing is quoted until there is one${tail}`
    : `${plainNumber(nearestNumber(reference))}, from ${counted.join(", ")}${tail}`;
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

type DescribedOrder = StrategyText["orders"][number] | PlanText["orders"][number];

function describeSide(
  { orders }: { readonly orders: readonly DescribedOrder[] },
  side: "buy" | "sell",
): string {
  const mine = orders.filter((order) => order.side === side);
  return mine.map(({ price, amount }) => `${amount} at ${price}`).join(", ") || "no open orders";
}
