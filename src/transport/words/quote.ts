import type { FieldWords } from "./words.ts";

/** Descriptions for quotes and their reference price. */
export const QUOTE_WORDS: FieldWords = {
  levels: "Orders per side",
  "refused.level": "Position of the order on its side; 0 is nearest",
  "preview_quote.budget": "Budgets of base and quote",
  maxLoss: "Loss limit, in quote; null without one",
  reference: "Median of the sources that count, in quote; null without any",
  halfSpreadPercent: "Distance from the middle of the quotes to the nearest order, in percent",
  widenedBy: "Source of the half-spread: asked (your spread), fees, volatility or model",
  counted: "true if its price counted",
  because: "Why it did not count; null if it did",
  cadence: "Price move between two passes",
  seconds: "Time between two passes",
  movePercent: "One standard deviation of the price in that time, in percent; null if unknown",
  quotedAt: "Time of the last order move, in milliseconds; null before the first",
  "backtest_quote.budget": "Budgets of the quotes",
  "backtest_quote.fills": "Oldest first",
  twoSidedPercent: "Percent of passes that found both sides still open",
  keeping: "Profit of keeping the initial balances, in quote",
  leastBase: "Smallest base position in any pass",
  mostBase: "Largest base position in any pass",
  passes: "Number of price reads",
  "preview_quote.worstCase": "Maximum loss, as a sentence",
};
