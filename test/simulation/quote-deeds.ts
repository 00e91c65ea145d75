/** Quotes as people ask for them. */
import type { Pair } from "../../src/kernel/pair.ts";
import type { Deed, Fields } from "./deeds.ts";
import type { Random } from "./random.ts";

/** So old a price still counts. */
export const QUOTED_MAX_AGE = 30_000;

const some = (random: Random, probability: number, make: () => Fields): Fields =>
  random.chance(probability) ? make() : {};

function sizesOf(random: Random): Fields {
  if (random.chance(0.5)) return { size: random.whole(20, 80) };
  return { depth: random.whole(100, 400), withinPercent: 2 };
}

function pricesOf(random: Random): Fields {
  const from = random.pick(["own", "both", "others"]);
  return { useOwn: from !== "others", useOthers: from !== "own", useDex: false, maxAge: QUOTED_MAX_AGE };
}

export const startQuoteDeed = (random: Random, symbol: Pair): Deed => ({
  kind: "start_quote",
  symbol,
  fields: {
    spreadPercent: random.pick([0.4, 0.8]),
    levels: random.whole(1, 3),
    ...sizesOf(random),
    ...pricesOf(random),
    gapPercent: 0.2,
    volatilityFactor: random.pick([0, 1]),
    target: random.pick([0.3, 0.5, 1]),
    ...some(random, 0.5, () => ({ maxBase: random.whole(2, 12) })),
    ...some(random, 0.3, () => ({ minBase: 0.5 })),
    ...some(random, 0.3, () => ({ maxLoss: random.whole(2, 8) })),
    baseBudget: random.whole(1, 5),
    quoteBudget: random.whole(200, 1500),
  },
});

export const editQuoteDeed = (random: Random): Deed => ({
  kind: "edit_quote",
  nth: random.whole(0, 4),
  fields: {
    spreadPercent: random.pick([0.4, 0.6, 1]),
    ...some(random, 0.5, () => ({ levels: random.whole(1, 3), ...sizesOf(random) })),
    ...some(random, 0.3, () => ({ maxBase: random.whole(2, 12) })),
  },
});
