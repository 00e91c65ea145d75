import * as z from "zod";
import { profitOf } from "../../grid/booking.ts";
import { NO_DRIFT } from "../../grid/start/worst-case.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { type Decimal, decimal, roundToStep, text, texts, withNumbers } from "../../kernel/decimal.ts";
import {
  countField,
  decimalField,
  exchangeField,
  idField,
  pairField,
  textField,
  wordField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import type { Millis } from "../../kernel/time.ts";
import { SIDES } from "../../model/market.ts";
import { MAX_CANDIDATES } from "../candidates.ts";
import { type Cause, type CauseCode, forLack } from "../cause.ts";
import type { Difference, Replayed } from "../replay.ts";
import type { BacktestResult } from "../run/backtest.ts";
import type { Suggestion, TestedCandidate } from "../suggest.ts";
import { barField, pastShape } from "./input.ts";

export const replayInput = lazy(() => {
  const { extremes } = pastShape();
  return z.object({
    id: idField("Invalid request").describe("Strategy id"),
    timeframe: barField(),
    set: textField(
      "Invalid request",
      /^[A-Za-z-]{1,30}=[\w.-]{1,40}(,[A-Za-z-]{1,30}=[\w.-]{1,40}){0,19}$/,
      "must be options of the grid, for example size=80,levels=20",
    )
      .optional()
      .describe("Other settings to compare, for example size=80"),
    fill: wordField("Invalid request", ["cross", "touch"])
      .optional()
      .describe(
        "When an order fills: when the price passes it (cross) or reaches it (touch); default: touch in the sandbox, else cross",
      ),
    extremes,
    limit: countField("Invalid limit", { min: 0, max: 1000 })
      .default(100)
      .describe("Number of differences in the response, oldest first"),
  });
});

const FiguresShape = () =>
  z.object({
    total: z.string(),
    realized: z.string(),
    cycles: z.number(),
    filledOrders: z.number(),
    fees: z.record(z.string(), z.string()),
    position: z.string(),
  });

const DifferenceShape = () =>
  z.object({
    timestamp: z.number(),
    slot: z.number(),
    side: z.enum(SIDES),
    price: z.string(),
    amount: z.string(),
    where: z.enum(["record", "candles", "both"]).describe("Who filled it: the grid, the backtest or both"),
    cause: z.string(),
    text: z.string(),
  });

export const ReplayShape = lazy(() =>
  z.object({
    id: z.string(),
    exchange: z.string(),
    symbol: z.string(),
    status: z.string(),
    fromAt: z.number(),
    untilAt: z.number(),
    timeframe: z.string(),
    bars: z.number(),
    missingBars: z.number(),
    isWhole: z
      .boolean()
      .describe("false if the backtest, or the one with other settings, ended before the last candle"),
    matchPercent: z
      .number()
      .describe("Share of filled orders that are equal in both, up to the end of the backtest"),
    text: z.string(),
    executed: z
      .object({ same: z.number(), record: z.number(), candles: z.number() })
      .describe("Filled orders of the grid and of the backtest"),
    causes: z.array(z.object({ cause: z.string(), count: z.number(), text: z.string() })),
    differences: z.array(DifferenceShape()),
    record: FiguresShape().describe("The whole stored result, valued at the last close"),
    candles: FiguresShape().describe("The same grid in a backtest"),
    set: FiguresShape()
      .extend({ settings: z.string(), bars: z.number() })
      .nullable()
      .describe("The backtest with other settings; null without any"),
  }),
);

type ReplayAnswer = z.input<ReturnType<typeof ReplayShape>>;

interface ReplayedOf {
  readonly strategy: GridStrategy;
  readonly exchange: string;
  readonly timeframe: string;
  readonly set: string | undefined;
  readonly limit: number;
  readonly since: Millis;
  readonly until: Millis;
}

export function replayOut(replayed: Replayed, of: ReplayedOf): ReplayAnswer {
  const { over, changed, same, executed, differences, lastPrice } = replayed;
  const { strategy, exchange, timeframe, set, limit, since, until } = of;
  const all = same + differences.length;
  const matchPercent = all === 0 ? 100 : Math.floor((same / all) * 10_000) / 100;
  const causes = causesOf(differences);
  const { bars } = over.run;
  const isWhole = [over, changed].every((one) => !one || one.run.bars === one.bars);
  return {
    id: strategy.id,
    exchange,
    symbol: strategy.symbol,
    status: strategy.status,
    fromAt: since,
    untilAt: until,
    timeframe,
    bars,
    missingBars: over.missing,
    isWhole,
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
    candles: runOut(over),
    set: changed && { settings: set ?? "", bars: changed.run.bars, ...runOut(changed) },
  };
}

function sideOut({ state }: GridStrategy, mark: Decimal): ReplayAnswer["record"] {
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

const runOut = ({ run, figures }: BacktestResult): ReplayAnswer["candles"] =>
  sideOut(run.account.strategy, figures.endPrice);

const differenceOut = ({ where, order, cause }: Difference): ReplayAnswer["differences"][number] => ({
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
function causesOf(differences: readonly Difference[]): ReplayAnswer["causes"] {
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

const describeMatch = (percent: number, causes: ReplayAnswer["causes"], part: string): string =>
  causes.length === 0
    ? `match ${percent} %${part}`
    : `match ${percent} %${part}: ${causes.map(({ text: output }) => output).join(", ")}`;

const HUNDREDTH = decimal("0.01");

/** Formats the agreement first, then both results. */
export function replayView(answer: unknown): unknown {
  const { text: output, executed, record, candles, set, differences, ...rest } = answer as ReplayAnswer;
  const cents = (value: string) => text(roundToStep(decimal(value), HUNDREDTH, "half"));
  const figures = ({ total, realized, cycles, filledOrders }: ReplayAnswer["record"]) =>
    `total ${cents(total)}, realized ${cents(realized)}, ${pluralize(cycles, "cycle")}, ${pluralize(filledOrders, "filled order")}`;
  return {
    match: output.replace(/^match /, ""),
    record: figures(record),
    candles: figures(candles),
    ...(set
      ? {
          [`with ${set.settings}`]: figures(set) + (rest.isWhole ? "" : `, ${pluralize(set.bars, "candle")}`),
        }
      : {}),
    executed: `${executed.same} the same, ${executed.record} only in the record, ${executed.candles} only in the backtest`,
    market: `${rest.symbol} at ${rest.exchange}`,
    fromAt: rest.fromAt,
    untilAt: rest.untilAt,
    bars: `${rest.bars} of ${rest.timeframe}${rest.isWhole ? "" : ", ended before the last"}, ${rest.missingBars} missing`,
    status: rest.status,
    ...(differences.length > 0 ? { differences: differences.map((one) => withNumbers(one, ["price"])) } : {}),
  };
}

/** Describes the comparison in one sentence. */
export function describeReplay(answer: unknown): string {
  const { text: output, record, candles, set } = answer as ReplayAnswer;
  const would = set ? ` With ${set.settings} the grid would have made ${set.total}.` : "";
  return `Record and backtest: ${output}. The record's total is ${record.total} in quote, the backtest's is ${candles.total}.${would}`;
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
    winner: GridShape().nullable(),
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
    winner: found.winner && gridOf(found.winner),
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
  const { verdict, note, reasons, winner, looked } = answer as SuggestAnswer;
  if (!winner) return `${pluralize(looked, "grid")} tested: ${verdict}. ${reasons.join(". ")}; ${note}.`;
  return `${pluralize(looked, "grid")} tested; best: ${winner.lowerPrice} to ${winner.upperPrice} with ${winner.gridLevels} levels. Past results do not guarantee future results; preview and backtest this grid before you start it; ${note}.`;
}

const percentWords = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** Formats the verdict first; shares as percentages. */
export function suggestView(answer: unknown): unknown {
  const { verdict, note, reasons, winner, overfitting, best, looked, refused, complete } =
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
    ...(winner ? { winner: [row(winner)] } : {}),
    best: best.map(row),
  };
}
