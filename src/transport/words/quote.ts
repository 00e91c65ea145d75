import type { FieldWords } from "./words.ts";

/** Descriptions for quotes and their reference price. */
export const QUOTE_WORDS: FieldWords = {
  levels: "Orders per side",
  "refused.level": "Position of the order on its side; 0 is nearest",
  counted: "true if its price counted",
  "backtest_quote.budget": "Budgets of the quotes",
  leastBase: "Smallest base position in any pass",
  mostBase: "Largest base position in any pass",
  passes: "Number of price reads",
};
