import type { Candles } from "../../candles/candles.ts";
import { backtestingQuotes, type QuoteBacktestOptions, type QuotesRequest } from "../quote-backtest.ts";
import { type GridRecord, type ReplayOptions, replaying } from "../replay.ts";
import { type BacktestOptions, type BacktestPast, backtesting } from "../run/backtest.ts";
import type { GridRequest } from "../run/begin.ts";
import { type AnsweredOver, type BacktestAnswer, gridAnswer, positionAnswer } from "../schema/answer.ts";
import { replayOut, suggestionOut } from "../schema/replay.ts";
import { type SuggestOptions, searching } from "../suggest.ts";
import { walkedTime } from "../ticks.ts";

type IsOver = () => boolean;
type Job<Options> = { readonly options: Omit<Options, "isOver"> };

export interface GridJob extends Job<BacktestOptions> {
  readonly request: GridRequest;
  readonly past: BacktestPast;
  readonly over: AnsweredOver;
}

function* gridCalculation(
  { request, past, options, over }: GridJob,
  isOver: IsOver,
): Generator<number, BacktestAnswer> {
  const result = yield* backtesting(request, past, { ...options, isOver });
  return gridAnswer(over, result, walkedTime("prints" in past ? past.prints : past, result.run.bars));
}

interface QuotesJob extends Job<QuoteBacktestOptions> {
  readonly request: QuotesRequest;
  readonly candles: Candles;
  readonly over: AnsweredOver;
}

function* quotesCalculation(
  { request, candles, options, over }: QuotesJob,
  isOver: IsOver,
): Generator<number, BacktestAnswer> {
  const result = yield* backtestingQuotes(request, candles, { ...options, isOver });
  return positionAnswer(over, result, walkedTime(candles, result.run.bars));
}

export interface SearchJob extends Job<SuggestOptions> {
  readonly candles: Candles;
  readonly over: Parameters<typeof suggestionOut>[0];
}

function* searchCalculation({ candles, options, over }: SearchJob, isOver: IsOver) {
  return suggestionOut(over, yield* searching(candles, { ...options, isOver }));
}

export interface ReplayJob extends Job<ReplayOptions> {
  readonly strategy: GridRecord["strategy"];
  readonly lists: Omit<GridRecord, "strategy">;
  readonly candles: Candles;
  readonly over: AnsweredOver;
}

function* replayCalculation({ strategy, lists, candles, options, over }: ReplayJob, isOver: IsOver) {
  const replayed = yield* replaying({ strategy, ...lists }, candles, { ...options, isOver });
  const answer = gridAnswer(over, replayed.over, walkedTime(candles, replayed.over.run.bars));
  return replayOut(answer, replayed, { strategy, limit: over.fills });
}

/**
 * Calculations by name: from plain data to a plain result, which can be sent to another thread. Each yields the
 * completed share. Throws AppError.
 */
export const CALCULATIONS = {
  grid: gridCalculation,
  quotes: quotesCalculation,
  search: searchCalculation,
  replay: replayCalculation,
};
