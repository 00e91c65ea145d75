import * as z from "zod";
import { profitOf } from "../../grid/booking.ts";
import { NO_DRIFT } from "../../grid/start/worst-case.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { type Decimal, decimal, roundToStep, text, texts, withNumbers } from "../../kernel/decimal.ts";
import { countField, decimalField, exchangeField, pairField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { MAX_CANDIDATES } from "../candidates.ts";
import { type Cause, type CauseCode, forLack } from "../cause.ts";
import type { Difference, Replayed } from "../replay.ts";
import type { Suggestion, TestedCandidate } from "../suggest.ts";
import type { BacktestAnswer } from "./answer.ts";
import { pastShape } from "./input.ts";
import type { ReplayDetails } from "./replay-shape.ts";

/** Returns a grid's backtest with the comparison, and at most `limit` differences. */
export function replayOut(
  answer: BacktestAnswer,
  { over, changed, same, executed, differences, lastPrice }: Replayed,
  { strategy, limit }: { readonly strategy: GridStrategy; readonly limit: number },
): BacktestAnswer {
  const all = same + differences.length;
  const matchPercent = all === 0 ? 100 : Math.floor((same / all) * 10_000) / 100;
  const causes = causesOf(differences);
  const { bars } = over.run;
  const replay: ReplayDetails = {
    matchPercent,
    text: describeMatch(
      matchPercent,
      causes,
      bars < over.bars ? ` of the first ${bars} of ${over.bars} candles` : "",
    ),
    executed: { same, ...executed },
    causes,
    differences: differences.slice(0, limit).map(differenceOut),
    record: sideOut(strategy, lastPrice),
    set: changed && {
      bars: changed.run.bars,
      ...sideOut(changed.run.account.strategy, changed.figures.endPrice),
    },
  };
  return {
    ...answer,
    isWhole: [over, changed].every((one) => !one || one.run.bars === one.bars),
    details: { ...answer.details, replay } as BacktestAnswer["details"],
  };
}

function sideOut({ state }: GridStrategy, mark: Decimal): ReplayDetails["record"] {
  const { total, realized, position } = profitOf(state, mark);
  const { cycles, filledOrders, fees } = state.ledger;
  return {
    total: text(total),
    realized: text(realized),
    cycles,
    filledOrders,
    fees: texts(fees),
    position: text(position),
  };
}

const differenceOut = ({ where, order, cause }: Difference): ReplayDetails["differences"][number] => ({
  timestamp: order.at,
  slot: order.slot,
  side: order.side,
  price: text(order.price),
  amount: text(order.amount),
  where,
  cause: cause.code,
  text: cause.text,
});

/** Returns each cause with its count: one late pass can affect many orders. */
function causesOf(differences: readonly Difference[]): ReplayDetails["causes"] {
  const found = new Map<string, { readonly cause: Cause; readonly of: Set<string> }>();
  for (const { cause } of differences) {
    const key = `${cause.code} ${cause.reason}`;
    const known = found.get(key) ?? { cause, of: new Set() };
    found.set(key, known);
    known.of.add(cause.of);
  }
  return [...found.values()]
    .map(({ cause, of }) => ({ cause: cause.code, count: of.size, text: describeCause(cause, of.size) }))
    .sort((a, b) => b.count - a.count);
}

/** Noun and result for each counted cause. */
const COUNTED: Readonly<Record<CauseCode, readonly [one: string, text: string]>> = {
  parts: ["fill", "filled in parts"],
  refused: ["slot", "refused"],
  late_pass: ["pass", "late"],
  rejected: ["order", "refused by the exchange"],
  canceled: ["order", "canceled"],
  paused: ["fill", "missed while it was paused"],
  stopped: ["sale", "of a requested stop"],
  edited: ["change", "of the grid's settings before this time"],
  centered: ["layout", "centered at another price"],
  resting: ["order", "unfilled at a price that the candles pass"],
  not_placed: ["slot", "without an order for some time, reason not stored"],
  within_bar: ["fill", "on a price path that a candle does not show"],
  not_shown: ["fill", "at a price that the candles do not show"],
  missing_bars: ["fill", "in a period without candles"],
  amount: ["fill", "of another amount"],
  price: ["fill", "at another price"],
  follows: ["fill", "caused by an earlier difference"],
};

function describeCause({ code, reason }: Cause, count: number): string {
  const [one, output] = COUNTED[code];
  const many = one.endsWith("s") ? `${one}es` : `${one}s`;
  return `${count} ${count === 1 ? one : many} ${output}${reason ? ` ${forLack(reason)}` : ""}`;
}

const describeMatch = (percent: number, causes: ReplayDetails["causes"], part: string): string =>
  causes.length === 0
    ? `match ${percent} %${part}`
    : `match ${percent} %${part}: ${causes.map(({ text: output }) => output).join(", ")}`;

const HUNDREDTH = decimal("0.01");

/** Returns the comparison of a backtest, if a stored grid was compared. */
export const replayIn = ({ details }: Pick<BacktestAnswer, "details">): ReplayDetails | undefined =>
  "replay" in details ? details.replay : undefined;

const otherSettings = ({ config }: BacktestAnswer): string =>
  Object.entries(config)
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(",");

/** Formats the agreement first, then both results; undefined without a comparison. */
export function replayView(of: unknown): unknown {
  const answer = of as BacktestAnswer;
  const replay = replayIn(answer);
  if (!replay) return undefined;
  const { text: output, executed, record, set, differences } = replay;
  const cents = (value: string) => text(roundToStep(decimal(value), HUNDREDTH, "half"));
  const figures = ({
    total,
    realized,
    cycles,
    filledOrders,
  }: Pick<BacktestAnswer, "total" | "realized" | "cycles" | "filledOrders">) =>
    `total ${cents(total)}, realized ${cents(realized)}, ${pluralize(cycles, "cycle")}, ${pluralize(filledOrders, "filled order")}`;
  return {
    match: output.replace(/^match /, ""),
    record: figures(record),
    candles: figures(answer),
    ...(set
      ? {
          [`with ${otherSettings(answer)}`]:
            figures(set) + (answer.isWhole ? "" : `, ${pluralize(set.bars, "candle")}`),
        }
      : {}),
    executed: `${executed.same} the same, ${executed.record} only in the record, ${executed.candles} only in the backtest`,
    market: `${answer.symbol} at ${answer.exchange}`,
    fromAt: answer.fromAt,
    untilAt: answer.untilAt,
    bars: `${answer.bars}${answer.isWhole ? "" : ", ended before the last"}, ${answer.missingBars} missing`,
    ...(differences.length > 0 ? { differences: differences.map((one) => withNumbers(one, ["price"])) } : {}),
  };
}

/** Describes the comparison in one sentence; undefined without one. */
export function describeReplay(of: unknown): string | undefined {
  const answer = of as BacktestAnswer;
  const replay = replayIn(answer);
  if (!replay) return undefined;
  const { text: output, record, set } = replay;
  const would = set ? ` With ${otherSettings(answer)} the grid would have made ${set.total}.` : "";
  return `Record and backtest: ${output}. The record's total is ${record.total} in quote, the backtest's is ${answer.total}.${would}`;
}

/** Input of a search for grid settings, with the fields of a backtest. */
export function suggestInput(ids: readonly string[]) {
  const { timeframe, since, until, makerFee, takerFee, feeIn, tick, lot, minNotional } = pastShape();
  return z.object({
    exchange: exchangeField(ids),
    symbol: pairField(),
    budget: decimalField("Invalid amount").describe("Quote that the grid can use in total"),
    timeframe: wordField("Invalid request", ["1m", "5m", "15m", "30m", "1h", "4h", "1d"])
      .default("1m")
      .describe(timeframe.description ?? ""),
    since,
    until,
    windows: countField("Invalid request", { min: 3, max: 24 })
      .default(6)
      .describe("Number of time windows; the last one only tests the result"),
    candidates: countField("Invalid request", { min: 2, max: MAX_CANDIDATES })
      .default(MAX_CANDIDATES)
      .describe(`Number of grids to try, of ${MAX_CANDIDATES}`),
    seed: countField("Invalid request", { min: 0, max: 2 ** 32 - 1 })
      .default(1)
      .describe("Random seed, used if not all grids are tried"),
    seconds: countField("Invalid request", { min: 1, max: 600 })
      .default(20)
      .describe("Time limit in seconds"),
    makerFee,
    takerFee,
    feeIn,
    tick,
    lot,
    minNotional,
  });
}

const GridShape = () =>
  z.object({
    lowerPrice: z.number(),
    upperPrice: z.number(),
    gridLevels: z.number(),
    orderSize: z.number(),
    spacingModel: z.string(),
    meanReturn: z.number(),
    worstReturn: z.number(),
    returns: z.array(z.number()),
    sharpe: z.number(),
    deflatedSharpe: z.number(),
    plateau: z.number(),
    lastReturn: z.number(),
    lastCycles: z.number(),
  });

export const SuggestShape = lazy(() =>
  z.object({
    exchange: z.string(),
    symbol: z.string(),
    budget: z.number(),
    bars: z.number(),
    verdict: z.string(),
    note: z.string().describe("What past prices do not show"),
    reasons: z.array(z.string()),
    hasWinner: z.boolean().describe("true if the first of `best` is better than chance; otherwise none is"),
    overfitting: z.number(),
    looked: z.number(),
    refused: z.number(),
    complete: z.boolean(),
    windows: z.array(z.object({ from: z.number(), until: z.number() })),
    best: z.array(GridShape()),
  }),
);

type SuggestAnswer = z.input<ReturnType<typeof SuggestShape>>;

const NOTHING = "no grid is better than chance";

export function suggestionOut(
  request: Pick<SuggestAnswer, "exchange" | "symbol" | "budget" | "bars">,
  found: Suggestion,
): SuggestAnswer {
  const gridOf = (looked: TestedCandidate) => gridOut(looked, request.budget);
  return {
    ...request,
    verdict: found.winner ? "the best grid is better than chance" : NOTHING,
    note: NO_DRIFT,
    reasons: [...found.reasons],
    hasWinner: found.winner !== null,
    overfitting: found.overfitting,
    looked: found.looked,
    refused: found.refused,
    complete: found.isComplete,
    windows: found.windows.map((window) => ({ ...window })),
    best: found.best.map(gridOf),
  };
}

/** Formats a grid as start input; bounds are rounded to six digits, because they are approximate anyway. */
const gridOut = ({ candidate, bounds, last, returns, ...rest }: TestedCandidate, budget: number) => ({
  lowerPrice: Number(bounds.lower.toPrecision(6)),
  upperPrice: Number(bounds.upper.toPrecision(6)),
  gridLevels: candidate.slots,
  orderSize: Math.floor((budget / candidate.slots) * 100) / 100,
  spacingModel: candidate.spacing,
  ...rest,
  returns: [...returns],
  lastReturn: last.return,
  lastCycles: last.cycles,
});

export function describeSuggestion(answer: unknown): string {
  const { verdict, note, reasons, hasWinner, best, looked } = answer as SuggestAnswer;
  const [winner] = hasWinner ? best : [];
  if (!winner) return `${pluralize(looked, "grid")} tested: ${verdict}. ${reasons.join(". ")}; ${note}.`;
  return `${pluralize(looked, "grid")} tested; best: ${winner.lowerPrice} to ${winner.upperPrice} with ${winner.gridLevels} levels. Past results do not guarantee future results; preview and backtest this grid before you start it; ${note}.`;
}

const percentWords = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** Formats the verdict first; shares as percentages. */
export function suggestView(answer: unknown): unknown {
  const { verdict, note, reasons, hasWinner, overfitting, best, looked, refused, complete } =
    answer as SuggestAnswer;
  const row = (one: SuggestAnswer["best"][number]) => ({
    lower: one.lowerPrice,
    upper: one.upperPrice,
    levels: one.gridLevels,
    size: one.orderSize,
    spacing: one.spacingModel,
    mean: percentWords(one.meanReturn),
    worst: percentWords(one.worstReturn),
    last: percentWords(one.lastReturn),
    "last cycles": one.lastCycles,
    deflated: percentWords(one.deflatedSharpe),
    plateau: one.plateau.toFixed(2),
  });
  return {
    verdict,
    note,
    "probability of overfitting": percentWords(overfitting),
    "grids tried": complete ? looked : `${looked}, then the time limit ended the search`,
    skipped: `${refused}, for fees or minimum orders`,
    ...(reasons.length > 0 ? { because: reasons.map((why) => ({ reason: why })) } : {}),
    ...(hasWinner ? { winner: best.slice(0, 1).map(row) } : {}),
    best: best.map(row),
  };
}
