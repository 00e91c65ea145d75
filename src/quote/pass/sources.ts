/** Converts a pass's observations to sources of the reference price. */

import { midOfOthers, withoutOwn } from "../../engine/position/position.ts";
import { ZERO } from "../../kernel/decimal.ts";
import { ageOf } from "../../kernel/time.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import type { Others } from "../levels.ts";
import type { PriceSource } from "../reference.ts";
import type { QuoteConfig } from "../state.ts";

export type PriceContext = Pick<StrategyContext, "observed" | "now" | "isSimulated">;

/** Source name of the chain's exchanges. */
const DEX = "dex";

/** Returns the best prices of others, and the sources. A simulated price has its own clock and counts as current. */
export function votersOf(
  { weights, fixed, maxAge, collar }: QuoteConfig,
  { observed, now, isSimulated }: PriceContext,
): { readonly others: Others; readonly sources: readonly PriceSource[] } {
  const { book, open, elsewhere } = observed;
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

/** Returns when other sources are queried again: at half the age at which a price stops counting. */
export const requestedElsewhere = ({ weights, maxAge }: QuoteConfig) =>
  weights.others > ZERO || weights.dex > ZERO ? { every: Math.floor(maxAge / 2) } : undefined;

/** Returns whether the book could not be read now but was read recently; open orders then stay unchanged. */
export const isBlind = ({ maxAge }: QuoteConfig, { observed, now }: PriceContext): boolean =>
  observed.book === undefined && ageOf(observed.elsewhere?.bookAt ?? 0, now) <= maxAge;
