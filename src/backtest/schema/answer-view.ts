import { nearestNumber, roundToStep, text, withNumbers } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { formatSpan } from "../../kernel/time.ts";
import { describeRefusals } from "../../model/refusal-text.ts";
import type { BacktestAnswer, GridDetails, PositionDetails } from "./answer.ts";

/** Returns whether details are those of a grid. */
export const isOfGrid = (details: BacktestAnswer["details"]): details is GridDetails => "slots" in details;

/** Formats the data behind a result. */
function pastView({ bars, missingBars, isWhole, details, tape }: BacktestAnswer): Record<string, string> {
  const ended = isWhole ? "" : ", ended before the last";
  const how = isOfGrid(details) ? `engine ${details.engine}` : pluralize(details.passes, "pass");
  if (!tape) return { bars: `${bars}${ended}, ${missingBars} missing, ${how}` };
  const { gaps, longestGap, duplicates, refusedRows, books, hash } = tape;
  return {
    prints: `${bars}${ended}, ${gaps} gaps of more than a minute (longest ${formatSpan(longestGap)}), ${duplicates} duplicates, ${refusedRows} invalid rows, hash ${hash.slice(0, 16)}`,
    ...(books > 0 ? { books: `${books}, ${QUEUE_TEXTS[tape.queue ?? "trades"]}` } : {}),
    ...(tape.hasAmounts ? {} : { amounts: "unknown: each trade fills a whole order" }),
  };
}

export const QUEUE_TEXTS = {
  trades: "an order queues behind the amount at its price; only trades reduce it",
  proportional: "an order queues behind the amount at its price; trades and cancellations reduce it",
} as const;

export const NO_WIDTH = "none: trades show the price path";

const inCents = (value: string): string =>
  text(roundToStep(BigInt(Math.round(Number(value) * 100)) * 10n ** 16n, 10n ** 16n, "half"));

const bandView = ({ band, details }: BacktestAnswer): string | null =>
  band &&
  `${inCents(band.total.least)} to ${inCents(band.total.most)}, ${band.count.least} to ${band.count.most} ${isOfGrid(details) ? "cycles" : "filled orders"}`;

/** Formats what fills earned and cost, and the position on the way. */
function positionView({ quality, ...details }: PositionDetails, { config, symbol }: BacktestAnswer) {
  const [base, quote] = symbol.split("/");
  const cents = (value: string | number) => Number(value).toFixed(2);
  return {
    causes: `${cents(quality.spread)} spread, ${cents(quality.inventory)} inventory, ${cents(-Number(quality.fees))} fees`,
    "toxic fills": `${quality.toxicPercent === null ? "unknown" : `${quality.toxicPercent} %`}; ${quality.unmeasured} of ${quality.fills} fills unknown`,
    "both sides": `${details.twoSidedPercent} % of the time`,
    "base range": `${details.leastBase} to ${details.mostBase}`,
    budget: `${details.budget.base} ${base} and ${details.budget.quote} ${quote}`,
    config,
    ...(Object.keys(details.notes).length > 0 ? { notes: details.notes } : {}),
    ...(details.logLines > 0
      ? { log: `${pluralize(details.logLines, "line")}; --json shows the last ${details.log.length}` }
      : {}),
  };
}

/** Formats the result: profit first, then its details; the series is for charts. */
export function backtestView(answer: unknown): unknown {
  const backtest = answer as BacktestAnswer;
  const { fills, warnings, refused, holding, drawdown, details, ...figures } = backtest;
  return {
    ...(figures.lastError === null ? {} : { error: figures.lastError }),
    total: `${inCents(figures.total)} (${figures.totalPercent} %)`,
    realized: inCents(figures.realized),
    unrealized: inCents(figures.unrealized),
    "buy and hold": `${inCents(holding.base)} with all in base, ${inCents(holding.start)} with the first base, 0 with quote only`,
    band: figures.tape ? NO_WIDTH : bandView(backtest),
    drawdown: `${inCents(drawdown.amount)} (${drawdown.percent} %)`,
    sharpe: figures.sharpe,
    cycles: figures.cycles,
    "filled orders": figures.filledOrders,
    fees: figures.fees,
    invested: inCents(figures.invested),
    position: figures.position,
    "break-even": figures.breakEvenPrice && nearestNumber(figures.breakEvenPrice),
    ...(isOfGrid(details)
      ? { "time in range": `${details.timeInRangePercent} %` }
      : positionView(details, backtest)),
    market: `${figures.symbol} at ${figures.exchange}, ${figures.startPrice} to ${figures.endPrice}`,
    from: figures.fromAt,
    to: figures.untilAt,
    ...pastView(backtest),
    status: figures.status,
    ...(refused.length > 0 ? { refused: describeRefusals(refused) } : {}),
    fills: `${fills.length} of them in --json and --format csv`,
    ...(warnings.length > 0 ? { warnings: warnings.map(({ message }) => message).join("; ") } : {}),
    ...(isOfGrid(details)
      ? { slots: details.slots.map((slot) => withNumbers(slot, ["lowerPrice", "upperPrice"])) }
      : {}),
  };
}

/** Describes the result in one sentence. */
export function describeBacktest(answer: unknown): string {
  const { definition, total, totalPercent, cycles, filledOrders, holding, drawdown, warnings } =
    answer as BacktestAnswer;
  const doubts =
    warnings.length > 0 ? ` Warnings: ${warnings.map(({ message }) => message).join("; ")}.` : "";
  return `The strategy ${definition} would have made ${total} in quote (${totalPercent} %) with ${pluralize(filledOrders, "filled order")} in ${pluralize(cycles, "cycle")}; buy and hold would have made ${holding.base}. Its equity fell by up to ${drawdown.percent} %.${doubts}`;
}
