import { ageOf } from "../../kernel/time.ts";
/** What a pass has seen, as the places that vote for the reference price. */

import { midOfOthers, withoutOwn } from "../../engine/position/own-book.ts";
import { ZERO } from "../../kernel/decimal.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import type { Others } from "../cut.ts";
import type { PriceSource } from "../reference.ts";
import type { QuoteConfig } from "../state/state.ts";

export type SeenPrices = Pick<StrategyContext, "sight" | "now" | "isSimulated">;

/** The name of the chain's exchanges among the other places. */
const DEX = "dex";

/** Best prices of others, and the votes. The time of a simulated price is one of its own: it is of now. */
export function votersOf(
  { weights, fixed, maxAge, collar }: QuoteConfig,
  { sight, now, isSimulated }: SeenPrices,
): { readonly others: Others; readonly sources: readonly PriceSource[] } {
  const { book, open, elsewhere } = sight;
  const own = open.map(({ side, price, amount, filled }) => ({ side, price, amount: amount - filled }));
  const rest = book && withoutOwn(book, own);
  const trusted = { maxAge, collar: collar ?? null };
  const ownSource: PriceSource = {
    source: "own",
    price: book && midOfOthers(book, own),
    at: isSimulated ? now : (book?.at ?? now),
    weight: weights.own,
    ...trusted,
  };
  const places = (elsewhere?.prices ?? []).map(
    ({ source, price, at }): PriceSource => ({
      source,
      price,
      at,
      weight: source === DEX ? weights.dex : weights.others,
      ...trusted,
    }),
  );
  const standing: PriceSource[] = fixed
    ? [{ source: "fixed", price: fixed.price, at: null, maxAge: 0, weight: fixed.weight, collar: null }]
    : [];
  return {
    others: { bid: rest?.bids[0]?.price, ask: rest?.asks[0]?.price },
    sources: [ownSource, ...places, ...standing].filter(({ weight }) => weight > ZERO),
  };
}

/** Asked again at half of the age at which an answer would no longer count. */
export const requestedElsewhere = ({ weights, maxAge }: QuoteConfig) =>
  weights.others > ZERO || weights.dex > ZERO ? { every: Math.floor(maxAge / 2) } : undefined;

/** The book could not be read, and was a moment ago: what rests stays as it is. */
export const isBlind = ({ maxAge }: QuoteConfig, { sight, now }: SeenPrices): boolean =>
  sight.book === undefined && ageOf(sight.elsewhere?.bookAt ?? 0, now) <= maxAge;
