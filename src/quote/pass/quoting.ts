/** Plans one pass. The same function decides whether orders could be needed, and which. */
import { max, ZERO } from "../../kernel/decimal.ts";
import { HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { PlacingContext } from "../../ports/kind.ts";
import { defendedSides } from "../defence.ts";
import { realizedVolatility, type Volatility } from "../half-spread.ts";
import { type QuotePlan, quotePlan } from "../plan.ts";
import { type ReferencePrice, referencePrice } from "../reference.ts";
import type { LastQuoted, QuoteState, QuoteStrategy } from "../state/state.ts";
import { statistic } from "../statistic.ts";
import { compareSide, type RestedSide } from "./rested.ts";
import { type PriceContext, votersOf } from "./sources.ts";

export interface Quoting {
  readonly plan: QuotePlan;
  readonly bids: RestedSide;
  readonly asks: RestedSide;
}

/** The account's orders that belong to other strategies or to the user. */
export type OtherOrders = readonly Pick<Order, "side" | "price" | "type">[];

export function quotingOf(
  strategy: QuoteStrategy,
  market: Market,
  pass: PriceContext & Pick<PlacingContext, "interval">,
  { live, own }: { readonly live: readonly Order[]; readonly own: OtherOrders },
  result?: Volatility | undefined,
): Quoting {
  const { config, state } = strategy;
  const { rules, tolerance, budget } = config;
  const fills = (pass.observed.fills ?? []).filter((fill) => fill.strategy === strategy.id);
  const position = max(ZERO, state.base);
  const voters = votersOf(config, pass);
  const plan = quotePlan(rules, {
    now: pass.now,
    interval: pass.interval,
    market,
    ...voters,
    volatility: result ?? recentVolatility(strategy, referencePrice(voters.sources, pass.now), pass.now),
    inventory: position,
    freeBase: position,
    freeQuote: max(ZERO, budget.quote + state.ledger.quote),
    own,
    halted: (state.halted ?? null) !== null || state.lostAt !== null,
    defended: defendedSides(rules.defence, fills, {
      at: pass.observed.book?.at ?? pass.now,
      interval: pass.interval,
    }),
  });
  return {
    plan,
    bids: compareSide("buy", plan.bids, live, tolerance),
    asks: compareSide("sell", plan.asks, live, tolerance),
  };
}

/**
 * Returns the volatility of the last hour's prices and the current one. Without price changes it decreases without a
 * stored row.
 */
function recentVolatility(
  { config, state }: QuoteStrategy,
  { price }: ReferencePrice,
  now: Millis,
): Volatility | undefined {
  if (config.rules.volatilityFactor <= ZERO || price === null) return undefined;
  const prices = [...ofLastHour(state.recentPrices, now), { at: now, price }];
  return realizedVolatility(
    prices.map(({ at, price: one }) => ({ at, price: statistic(one) })),
    MINUTE,
  );
}

/** Adds the price at the start of the hour. */
function ofLastHour(recent: QuoteState["recentPrices"], now: Millis): QuoteState["recentPrices"] {
  const since = now - HOUR;
  const past = recent.filter(({ at }) => at <= now);
  const first = past.findLastIndex(({ at }) => at <= since);
  return past.slice(Math.max(0, first)).map(({ at, price }) => ({ at: Math.max(at, since), price }));
}

/**
 * Stores a price if it has changed since the last one, at most once per minute, and only if volatility widens the
 * spread.
 */
export function withRecentPrice(
  { config, state }: QuoteStrategy,
  { reference: { price } }: QuotePlan,
  now: Millis,
): QuoteState["recentPrices"] {
  const last = state.recentPrices.findLast(({ at }) => at <= now);
  if (config.rules.volatilityFactor <= ZERO || price === null) return state.recentPrices;
  if (last && (now - last.at < MINUTE || last.price === price)) return state.recentPrices;
  return [...ofLastHour(state.recentPrices, now), { at: now, price }];
}

/** Returns the stored basis of the plan; unchanged while no order moves and the same sources count. */
export function lastQuoted(
  before: LastQuoted | null,
  { reference, prices, widenedBy }: QuotePlan,
  { now, moves }: { readonly now: number; readonly moves: boolean },
): LastQuoted {
  const sources = reference.sources.map(({ source, because }) => ({ source, because }));
  const describe = (list: LastQuoted["sources"]) =>
    list.map(({ source, because }) => `${source} ${because}`).join();
  const hasPrice = (prices === null) === (before?.reference === null);
  if (before && !moves && hasPrice && describe(before.sources) === describe(sources)) return before;
  return {
    at: now,
    reference: reference.price,
    reservation: prices?.reservation ?? null,
    halfSpread: prices?.halfSpread ?? null,
    widenedBy,
    sources,
  };
}
