import type { FieldWords } from "./words.ts";

/** Descriptions for quotes and their reference price. */
export const QUOTE_WORDS: FieldWords = {
  "refused.level": "Position of the order on its side; 0 is nearest",
  counted: "true if its price counted",
  leastBase: "Smallest base position in any pass",
  mostBase: "Largest base position in any pass",
  passes: "Number of price reads",
};
