import { type Mutant, one } from "./mutant.ts";

const ofQuotes = (mutant: Mutant): Mutant => ({ ...mutant, strategy: "quote" });

/** Of what quotes do: their price, their bounds, their books, and that they move. */
export const QUOTE_MUTANTS: readonly Mutant[] = [
  {
    name: "quotes cross the account's own orders",
    edits: [
      {
        file: "src/quote/cut.ts",
        from: 'firstMet(reachOf({ ...quoteLevel, type: "limit" }), own) !== undefined;',
        to: 'firstMet(reachOf({ ...quoteLevel, type: "limit" }), []) !== undefined;',
      },
      {
        file: "src/engine/position/place.ts",
        from: 'const met = firstMet(reachOf({ side, price, type: "limit" }), others);',
        to: "const met = others.find(({ price: other }) => other < 0n);",
      },
    ],
  },
  {
    name: "quotes forget how much base they may hold",
    edits: [
      {
        file: "src/quote/cut.ts",
        from: 'const bound = side === "buy" ? most : least;',
        to: 'const bound = side === "buy" ? null : least;',
      },
      {
        file: "src/engine/position/place.ts",
        from: "const room = inventory.most === undefined ?",
        to: "const room = inventory.most !== null ?",
      },
    ],
  },
  {
    name: "quotes forget how much base they want to keep",
    edits: [
      {
        file: "src/quote/cut.ts",
        from: 'const bound = side === "buy" ? most : least;',
        to: 'const bound = side === "buy" ? most : null;',
      },
      {
        file: "src/engine/position/place.ts",
        from: "const least = inventory.least ?? ZERO;",
        to: "const least = ZERO;",
      },
    ],
  },
  one(
    "a stale price is taken for a fresh one",
    "src/quote/reference.ts",
    'if (age !== null && age > maxAge) return { ...result, because: "stale" };',
    "",
  ),
  one(
    "the middle of a crossed or locked book is a price",
    "src/engine/position/ledger.ts",
    "bid === undefined || ask === undefined || bid >= ask ? undefined",
    "bid === undefined || ask === undefined ? undefined",
  ),
  one(
    "without any price it is quoted around the last one",
    "src/quote/plan.ts",
    "const reference = referencePrice(view.sources, view.now);",
    "const told = referencePrice(view.sources, view.now);\n  const reference = { ...told, price: told.price ?? 100n * ONE };",
  ),
  one(
    "whoever holds too much leans the wrong way",
    "src/quote/plan.ts",
    "return mul(reference, ONE - boundedSkew(skew, most)",
    "return mul(reference, ONE + boundedSkew(skew, most)",
  ),
  one(
    "an order far from its place is never renewed",
    "src/engine/position/ledger.ts",
    'abs(price - wish.price) <= mul(wish.price, tolerance.price, "down") &&',
    "price > 0n &&",
  ),
  one(
    "quotes may take",
    "src/model/strategy.ts",
    'postOnly ? "post_only" : "gtc"',
    'postOnly ? "gtc" : "gtc"',
  ),
  one(
    "bids forget what their budget has spent",
    "src/engine/position/place.ts",
    "min(config.budget.quote + state.ledger.quote - spent - ours,",
    "min(config.budget.quote + state.ledger.quote,",
  ),
  one(
    "asks forget what unsettled ones may still take",
    "src/engine/position/place.ts",
    "const own = min(state.base - bound, state.base - least - bound);",
    "const own = min(state.base, state.base - least);",
  ),
  one(
    "a busy slot is given another order",
    "src/quote/kind.ts",
    "ofSide(side)(slot) && !busy.has(slot.index)",
    "ofSide(side)(slot) && !busy.has(slot.index + 1000)",
  ),
  one(
    "paused quotes rest on",
    "src/quote/kind.ts",
    "outdated: (_state: QuoteState, live: readonly Order[]) => cancellable(live),",
    "outdated: (_state: QuoteState, live: readonly Order[]) => cancellable(live).slice(0, 0),",
  ),
  one(
    "a fee in base stays in the books of quotes",
    "src/engine/position/ledger.ts",
    "base: sign * fill.amount - feeIn(base),",
    "base: sign * fill.amount,",
  ),
  one(
    "a loss ends nothing",
    "src/quote/kind.ts",
    "stays || total < -config.maxLoss ? resumes : null",
    "stays && total < -config.maxLoss ? resumes : null",
  ),
].map(ofQuotes);
