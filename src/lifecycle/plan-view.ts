/** A plan of a start for people. */
import { decimal, max, min, moneyFigure, text } from "../kernel/decimal.ts";
import { pluralize } from "../kernel/plain-text.ts";
import { describeRefusals } from "../model/refusal-text.ts";
import type { Kind } from "../ports/kind.ts";
import { changeLines, type PlanAnswer, type PlannedEditAnswer } from "./plan.ts";

/** Formats a plan: the most that it can use, its orders, what its definition adds, the worst case and warnings. */
export function planText(
  plan: PlanAnswer,
  { planLines }: Pick<Kind, "planLines">,
): Readonly<Record<string, string>> {
  const { definition, symbol, exchange, refused, worstCase, endings, losses, warnings, triggerPrice } = plan;
  const [base = "", quote = ""] = symbol.split("/");
  const lost = losses.map(({ price, loss }) =>
    price === "0"
      ? `${moneyFigure(loss)} ${quote} lost if the price falls to 0`
      : `${moneyFigure(loss)} ${quote} lost at ${price}`,
  );
  // Base of the account that is used appears next to the quote.
  const noted = warnings.filter(({ code }) => code !== "own_base_used");
  return {
    "at most": mostText(plan, { base, quote }),
    market: `${definition} on ${symbol} at ${exchange}`,
    orders: planOrdersText(plan, { base, quote }),
    ...(triggerPrice === null ? {} : { trigger: `waits until the market reaches ${triggerPrice}` }),
    ...(refused.length > 0 ? { "not placed": describeRefusals(refused) } : {}),
    sum: sumText(plan, { base, quote }),
    ...planLines(plan),
    ...(endings.length > 0 ? { "by itself": endings.join("; ") } : {}),
    "worst case": lost.length > 0 ? lost.join("; ") : worstCase,
    ...(noted.length > 0 ? { "but note": noted.map(({ message }) => message).join("; ") } : {}),
  };
}

/** Code of the warning that a change sells the strategy's base, which nobody can undo. */
export const SELLS_AT_ONCE = "stops_at_once";

/** Formats a plan of a change: old and new values, canceled orders, and the plan after it. */
export function editText(
  plan: PlannedEditAnswer,
  kind: Pick<Kind, "planLines">,
): Readonly<Record<string, string>> {
  const { id, changes, cancelled, kept, warnings } = plan;
  const isSale = ({ code }: { readonly code: string }) => code === SELLS_AT_ONCE;
  const sale = warnings.find(isSale);
  const other = warnings.filter((warning) => !isSale(warning));
  const { market = "", orders = "", sum = "", ...rest } = planText({ ...plan, warnings: other }, kind);
  const moved = {
    canceled: `${pluralize(cancelled, "order")}; ${kept} ${kept === 1 ? "stays" : "stay"}`,
    orders,
    sum,
  };
  return {
    strategy: `${id}: ${market}`,
    changes: changeLines(changes).join("; "),
    ...(sale ? { "sells at once": sale.message } : {}),
    ...(cancelled + plan.orders.length > 0 ? moved : { orders: "all orders stay open" }),
    ...rest,
  };
}

interface PairAssets {
  readonly base: string;
  readonly quote: string;
}

const ownText = (own: string, { base }: Pick<PairAssets, "base">): string =>
  own === "0" ? "" : ` and ${own} ${base} of your own`;

/** Describes the most that a strategy can use. */
export const mostText = ({ uses }: Pick<PlanAnswer, "uses">, { base, quote }: PairAssets): string =>
  `${moneyFigure(uses.quote)} ${quote}${ownText(uses.base, { base })} in use`;

/** Describes the orders, those that fill at once first and alone. */
function planOrdersText({ orders }: PlanAnswer, { base, quote }: PairAssets): string {
  const of = (side: "buy" | "sell") => {
    const prices = orders
      .filter((one) => one.side === side && !one.crosses)
      .map(({ price }) => decimal(price));
    const [first, ...others] = prices;
    if (first === undefined) return [];
    const [least, most] = [text(others.reduce(min, first)), text(others.reduce(max, first))];
    return [
      `${pluralize(prices.length, side)} at ${least === most ? least : `${least} to ${most}`} ${quote}`,
    ];
  };
  const atOnce = orders
    .filter(({ crosses }) => crosses)
    .map(({ side, price, amount }) =>
      side === "buy"
        ? `a buy of ${amount} ${base} at once, at up to ${price} ${quote}`
        : `a sell of ${amount} ${base} at once, at ${price} ${quote} or more`,
    );
  return [...atOnce, ...of("buy"), ...of("sell")].join(", ") || "none at first";
}

function sumText({ sums }: PlanAnswer, { quote }: PairAssets): string {
  const all = text(decimal(sums.buys) + decimal(sums.sells));
  const initial = sums.atOnce === "0" ? "" : ` (${moneyFigure(sums.atOnce)} of it at once)`;
  return `${moneyFigure(all)} ${quote}: ${moneyFigure(sums.buys)} in buys${initial}, ${moneyFigure(sums.sells)} in sells`;
}
