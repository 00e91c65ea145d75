import { roundToStep, text } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { formatSpan } from "../../kernel/time.ts";
import type { BacktestAnswer } from "./answer.ts";

/** Formats the data behind a result. */
function pastView({ bars, missingBars, isWhole, engine, tape }: BacktestAnswer): Record<string, string> {
  const ended = isWhole ? "" : ", ended before the last";
  if (!tape) return { bars: `${bars}${ended}, ${missingBars} missing, engine ${engine}` };
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

const bandView = (band: BacktestAnswer["band"]): string | null =>
  band &&
  `${inCents(band.total.least)} to ${inCents(band.total.most)}, ${band.cycles.least} to ${band.cycles.most} cycles`;

/** Formats the result: profit first, then its details; the series is for charts. */
export function backtestView(answer: unknown): unknown {
  const {
    series: _series,
    fills,
    slots,
    warnings,
    holding,
    drawdown,
    band,
    ...rest
  } = answer as BacktestAnswer;
  const { exchange, symbol, fromAt, untilAt, total, totalPercent, ...figures } = rest;
  return {
    total: `${inCents(total)} (${totalPercent} %)`,
    realized: inCents(figures.realized),
    unrealized: inCents(figures.unrealized),
    "vs buy and hold": `${inCents(holding.base)} buy only base, ${inCents(holding.start)} keep the first base, 0 keep quote`,
    band: figures.tape ? NO_WIDTH : bandView(band),
    drawdown: `${drawdown.amount} (${drawdown.percent} %)`,
    sharpe: figures.sharpe,
    cycles: figures.cycles,
    "filled orders": figures.filledOrders,
    fees: figures.fees,
    invested: inCents(figures.invested),
    position: figures.position,
    "break-even": figures.breakEvenPrice,
    "time in range": `${figures.timeInRangePercent} %`,
    market: `${symbol} at ${exchange}, ${figures.startPrice} to ${figures.endPrice}`,
    from: fromAt,
    to: untilAt,
    ...pastView(answer as BacktestAnswer),
    status: figures.status,
    fills: `${fills.length} of them in --json and --format csv`,
    ...(warnings.length > 0 ? { warnings: warnings.map(({ message }) => message).join("; ") } : {}),
    slots,
  };
}

/** Describes the result in one sentence. */
export function describeBacktest(answer: unknown): string {
  const { total, totalPercent, cycles, holding, drawdown, warnings } = answer as BacktestAnswer;
  const doubts =
    warnings.length > 0 ? ` Warnings: ${warnings.map(({ message }) => message).join("; ")}.` : "";
  return `The grid would have made ${total} in quote (${totalPercent} %) in ${pluralize(cycles, "cycle")}; buy and hold would have made ${holding.base}. Its equity fell by up to ${drawdown.percent} %.${doubts}`;
}
