/** The plan of one pass: by the same function whether an order may be wanted, and which. */
import { max, ZERO } from "../../kernel/decimal.ts";
import { HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { PlacingSight } from "../../ports/kind.ts";
import { realizedVolatility, type Volatility } from "../half-spread.ts";
import { type QuotePlan, quotePlan } from "../plan.ts";
import { type ReferencePrice, referencePrice } from "../reference.ts";
import type { LastQuoted, QuoteState, QuoteStrategy } from "../state/state.ts";
import { statistic } from "../statistic.ts";
import { compareSide, type RestedSide } from "./rested.ts";
import { type SeenPrices, votersOf } from "./sources.ts";

export interface Quoting {
  readonly plan: QuotePlan;
  readonly bids: RestedSide;
  readonly asks: RestedSide;
}

/** The account's orders that are none of this strategy's. */
export type OtherOrders = readonly Pick<Order, "side" | "price" | "type">[];

export function quotingOf(
  strategy: QuoteStrategy,
  market: Market,
  pass: SeenPrices & Pick<PlacingSight, "interval">,
  { live, own }: { readonly live: readonly Order[]; readonly own: OtherOrders },
  result?: Volatility | undefined,
): Quoting {
  const { config, state } = strategy;
  const { rules, tolerance, budget } = config;
  const held = max(ZERO, state.base);
  const voters = votersOf(config, pass);
  const plan = quotePlan(rules, {
    now: pass.now,
    interval: pass.interval,
    market,
    ...voters,
    volatility: result ?? seenVolatility(strategy, referencePrice(voters.sources, pass.now), pass.now),
    inventory: held,
    freeBase: held,
    freeQuote: max(ZERO, budget.quote + state.ledger.quote),
    own,
    halted: (state.halted ?? null) !== null || state.lostAt !== null,
  });
  return {
    plan,
    bids: compareSide("buy", plan.bids, live, tolerance),
    asks: compareSide("sell", plan.asks, live, tolerance),
  };
}

/** Of the last hour's prices and the one of now: what lies still grows calm without a row being written. */
function seenVolatility(
  { config, state }: QuoteStrategy,
  { price }: ReferencePrice,
  now: Millis,
): Volatility | undefined {
  if (config.rules.volatilityFactor <= ZERO || price === null) return undefined;
  const prices = [...ofLastHour(state.seen, now), { at: now, price }];
  return realizedVolatility(
    prices.map(({ at, price: one }) => ({ at, price: statistic(one) })),
    MINUTE,
  );
}

/** With the price that the hour began with, as of its beginning. */
function ofLastHour(seen: QuoteState["seen"], now: Millis): QuoteState["seen"] {
  const since = now - HOUR;
  const past = seen.filter(({ at }) => at <= now);
  const first = past.findLastIndex(({ at }) => at <= since);
  return past.slice(Math.max(0, first)).map(({ at, price }) => ({ at: Math.max(at, since), price }));
}

/** With one more where the price is another one than a minute ago or earlier, and it widens the spread. */
export function withSeen(
  { config, state }: QuoteStrategy,
  { reference: { price } }: QuotePlan,
  now: Millis,
): QuoteState["seen"] {
  const last = state.seen.findLast(({ at }) => at <= now);
  if (config.rules.volatilityFactor <= ZERO || price === null) return state.seen;
  if (last && (now - last.at < MINUTE || last.price === price)) return state.seen;
  return [...ofLastHour(state.seen, now), { at: now, price }];
}

/** What the plan was made of, as it is kept: the same while no order moves and the same places count. */
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
