import { expect, it } from "vitest";
import {
  describeSuggestion,
  SuggestShape,
  suggestionOut,
  suggestView,
} from "../../../src/backtest/schema/replay.ts";
import type { Suggestion, TestedCandidate } from "../../../src/backtest/suggest.ts";

const looked = (slots: number): TestedCandidate => ({
  candidate: { width: 0.1, slots, shift: 0, spacing: "linear" },
  bounds: { lower: 89.999_999_9, upper: 110.123_456 },
  returns: [0.01, 0.03],
  meanReturn: 0.02,
  worstReturn: 0.01,
  sharpe: 2.5,
  plateau: 0.876,
  deflatedSharpe: 0.97,
  last: { return: 0.005, cycles: 42 },
});
const FOUND: Suggestion = {
  winner: looked(30),
  reasons: [],
  best: [looked(30), looked(8)],
  overfitting: 0.125,
  looked: 7,
  refused: 3,
  isComplete: true,
  windows: [{ from: 1, until: 2 }],
};
const OVER = { exchange: "kraken", symbol: "BTC/USDT", budget: 1000, bars: 5000 };
const NOTE = "where the price has no drift, a grid earns nothing on average before fees (arXiv 2506.11921)";
const NONE = { ...FOUND, winner: null, reasons: ["luck", "a peak"], isComplete: false };

const grid = (gridLevels: number, orderSize: number) => ({
  lowerPrice: 90,
  upperPrice: 110.123,
  gridLevels,
  orderSize,
  spacingModel: "linear",
  meanReturn: 0.02,
  worstReturn: 0.01,
  returns: [0.01, 0.03],
  sharpe: 2.5,
  deflatedSharpe: 0.97,
  plateau: 0.876,
  lastReturn: 0.005,
  lastCycles: 42,
});

it("a suggestion is the input of a start: six digits of a price, and a size in cents", () => {
  const answer = {
    ...OVER,
    verdict: "the best grid is better than chance",
    note: NOTE,
    reasons: [],
    hasWinner: true,
    overfitting: 0.125,
    looked: 7,
    refused: 3,
    complete: true,
    windows: [{ from: 1, until: 2 }],
    best: [grid(30, 33.33), grid(8, 125)],
  };
  expect(suggestionOut(OVER, FOUND)).toEqual(answer);
  expect(SuggestShape().parse(answer)).toEqual(answer);
  expect(suggestionOut(OVER, NONE)).toEqual({
    ...answer,
    verdict: "no grid is better than chance",
    reasons: ["luck", "a peak"],
    hasWinner: false,
    complete: false,
  });
});

it("a suggestion is shown with its verdict, and why there is none", () => {
  const row = (levels: number, size: number) => ({
    lower: 90,
    upper: 110.123,
    levels,
    size,
    spacing: "linear",
    mean: "2.00 %",
    worst: "1.00 %",
    last: "0.50 %",
    "last cycles": 42,
    deflated: "97.00 %",
    plateau: "0.88",
  });
  const best = [row(30, 33.33), row(8, 125)];
  expect(suggestView(suggestionOut(OVER, FOUND))).toEqual({
    verdict: "the best grid is better than chance",
    note: NOTE,
    "probability of overfitting": "12.50 %",
    "grids tried": 7,
    skipped: "3, for fees or minimum orders",
    winner: [row(30, 33.33)],
    best,
  });
  expect(suggestView(suggestionOut(OVER, NONE))).toEqual({
    verdict: "no grid is better than chance",
    note: NOTE,
    "probability of overfitting": "12.50 %",
    "grids tried": "7, then the time limit ended the search",
    skipped: "3, for fees or minimum orders",
    best,
    because: [{ reason: "luck" }, { reason: "a peak" }],
  });
});

it("a suggestion is described in a sentence", () => {
  expect(describeSuggestion(suggestionOut(OVER, FOUND))).toBe(
    `7 grids tested; best: 90 to 110.123 with 30 levels. Past results do not guarantee future results; preview and backtest this grid before you start it; ${NOTE}.`,
  );
  expect(describeSuggestion(suggestionOut(OVER, NONE))).toBe(
    `7 grids tested: no grid is better than chance. luck. a peak; ${NOTE}.`,
  );
});
