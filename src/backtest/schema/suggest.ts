import * as z from "zod";
import { countField, decimalField, exchangeField, pairField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { MOST_CANDIDATES } from "../suggest/candidates.ts";
import type { Looked, Suggestion } from "../suggest/suggest.ts";
import { rangeBacktestInput } from "./input.ts";

/** Input of a search for grid settings, with the fields of a backtest. */
export function suggestInput(ids: readonly string[]) {
  const { timeframe, since, until, makerFee, takerFee, feeIn, tick, lot, minNotional } =
    rangeBacktestInput(ids).shape;
  return z.object({
    exchange: exchangeField(ids),
    symbol: pairField(),
    budget: decimalField("Invalid amount").describe("Quote that the grid can use in total"),
    timeframe: wordField("Invalid request", ["1m", "5m", "15m", "30m", "1h", "4h", "1d"])
      .default("1m")
      .describe(timeframe.description ?? ""),
    since,
    until,
    windows: countField("Invalid request", { least: 3, most: 24 })
      .default(6)
      .describe("Number of time windows; the last one only tests the result"),
    candidates: countField("Invalid request", { least: 2, most: MOST_CANDIDATES })
      .default(MOST_CANDIDATES)
      .describe(`Number of grids to try, of ${MOST_CANDIDATES}`),
    seed: countField("Invalid request", { least: 0, most: 2 ** 32 - 1 })
      .default(1)
      .describe("Random seed, used if not all grids are tried"),
    seconds: countField("Invalid request", { least: 1, most: 600 })
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
  const gridOf = (looked: Looked) => gridOut(looked, request.budget);
  return {
    ...request,
    verdict: found.winner ? "the best grid is better than chance" : NOTHING,
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
const gridOut = ({ candidate, bounds, last, returns, ...rest }: Looked, budget: number) => ({
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
  const { verdict, reasons, winner, looked } = answer as SuggestAnswer;
  if (!winner) return `${looked} grids tested: ${verdict}. ${reasons.join(". ")}.`;
  return `${looked} grids tested; best: ${winner.lowerPrice} to ${winner.upperPrice} with ${winner.gridLevels} levels. Past results do not guarantee future results; preview and backtest this grid before you start it.`;
}

const percentWords = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** Formats the verdict first; shares as percentages. */
export function suggestView(answer: unknown): unknown {
  const { verdict, reasons, winner, overfitting, best, looked, refused, complete } = answer as SuggestAnswer;
  const row = (one: SuggestAnswer["best"][number]) => ({
    lower: one.lowerPrice,
    upper: one.upperPrice,
    levels: one.gridLevels,
    size: one.orderSize,
    spacing: one.spacingModel,
    mean: percentWords(one.meanReturn),
    worst: percentWords(one.worstReturn),
    last: percentWords(one.lastReturn),
    lastCycles: one.lastCycles,
    deflated: percentWords(one.deflatedSharpe),
    plateau: one.plateau.toFixed(2),
  });
  return {
    verdict,
    overfitting: percentWords(overfitting),
    looked: complete ? looked : `${looked}, then the time limit ended the search`,
    refused,
    ...(reasons.length > 0 ? { because: reasons.map((why) => ({ reason: why })) } : {}),
    ...(winner ? { winner: [row(winner)] } : {}),
    best: best.map(row),
  };
}
