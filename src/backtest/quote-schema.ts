import * as z from "zod";
import { lazy } from "../kernel/lazy.ts";
import { pluralize } from "../kernel/plain-text.ts";
import type { Millis } from "../kernel/time.ts";
import { quotePreviewInput, quoteRequestFields } from "../quote/schema/input.ts";
import { quoteRequestOut } from "../quote/start/planned-quote.ts";
import {
  pastFields,
  positionBacktestFields,
  positionBacktestOut,
  positionBacktestView,
} from "./position/schema.ts";
import type { QuoteBacktest } from "./quote-backtest.ts";

/** Input of a quote backtest: a start's input and the past data. `spread` is between the two own orders. */
export const quoteBacktestInput = (ids: readonly string[]) => quotePreviewInput(ids).safeExtend(pastFields());

export const QuoteBacktestShape = lazy(() =>
  z.object({
    ...positionBacktestFields(),
    ...quoteRequestFields(),
  }),
);

export type QuoteBacktestAnswer = z.input<ReturnType<typeof QuoteBacktestShape>>;

export const quoteBacktestOut = (
  over: { readonly exchange: string; readonly fills: number },
  quoteBacktest: QuoteBacktest,
  walked: { readonly from: Millis; readonly until: Millis },
): QuoteBacktestAnswer => ({
  ...quoteRequestOut(over.exchange, quoteBacktest.market.symbol, quoteBacktest.config),
  ...positionBacktestOut(over, quoteBacktest, walked),
});

export function quoteBacktestView(answer: unknown): unknown {
  const { spreadPercent, levels, ...position } = answer as QuoteBacktestAnswer;
  return positionBacktestView(position, `${spreadPercent} % apart, ${levels} a side,`);
}

/** Describes the result in one sentence. */
export function describeQuoteBacktest(answer: unknown): string {
  const { total, totalPercent, keeping, filledOrders, twoSidedPercent, warnings } =
    answer as QuoteBacktestAnswer;
  return `The quotes would have made ${total} in quote (${totalPercent} %) with ${pluralize(filledOrders, "filled order")}; keeping the initial balances would have made ${keeping}. Both sides were open ${twoSidedPercent} % of the time. Warnings: ${warnings.map(({ message }) => message).join("; ")}.`;
}
