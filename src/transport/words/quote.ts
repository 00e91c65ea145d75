import type { FieldWords } from "./words.ts";

/** Of quotes: what is quoted, and around which price. */
export const QUOTE_WORDS: FieldWords = {
  levels: "Orders a side",
  "refused.level": "Which order of its side, the nearest being 0",
  "preview_quote.budget": "What of the account's own it quotes with",
  reference: "Median of the places that count, in quote; null where none does",
  halfSpreadPercent: "From the middle of the quotes to the nearest order, in percent",
  widenedBy: "What the half-spread is of: asked, fees, volatility or model",
  counted: "Whether its price counted",
  because: "Why it did not count; null where it did",
  cadence: "What the price moves by between two passes",
  seconds: "Between two passes",
  movePercent: "One standard deviation of the price in that time, in percent; null where nobody tells",
  quotedAt: "When orders were moved last, in milliseconds; null before the first",
  "backtest_quote.budget": "What it quotes with",
  "backtest_quote.fills": "Oldest first",
  twoSidedPercent: "Of the passes those before which both sides still rested, in percent",
  keeping: "What keeping its budget as it was would have made, in quote",
  leastBase: "The least base that it has held, at the passes",
  mostBase: "The most base that it has held, at the passes",
  passes: "So often it has looked at the price",
  "preview_quote.worstCase": "What can be lost, in a sentence",
};
