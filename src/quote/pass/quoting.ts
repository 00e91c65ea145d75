/** The plan of one pass: by the same function whether an order may be wanted, and which. */
import { max, ZERO } from "../../kernel/decimal.ts";
import { HOUR, MINUTE } from "../../kernel/time.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { PlacingSight } from "../../ports/kind.ts";
import { realizedVolatility, type Volatility } from "../half-spread.ts";
import { type QuotePlan, quotePlan } from "../plan.ts";
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
  volatility: Volatility | undefined = seenVolatility(strategy.state),
): Quoting {
  const { config, state } = strategy;
  const { rules, tolerance, budget } = config;
  const held = max(ZERO, state.base);
  const plan = quotePlan(rules, {
    now: pass.now,
    interval: pass.interval,
    market,
    ...votersOf(config, pass),
    volatility,
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

const seenVolatility = ({ seen }: QuoteState): Volatility | undefined =>
  realizedVolatility(
    seen.map(({ at, price }) => ({ at, price: statistic(price) })),
    MINUTE,
  );

/** The reference prices of the last hour with one more; the same where they widen nothing, or the last is of this minute. */
export function withSeen(
  { config, state }: QuoteStrategy,
  { reference }: QuotePlan,
  now: number,
): QuoteState["seen"] {
  const last = state.seen.at(-1);
  const isWanted = config.rules.volatilityFactor > ZERO && reference.price !== null;
  if (!isWanted || (last && now - last.at < MINUTE)) return state.seen;
  return [...state.seen.filter(({ at }) => now - at < HOUR), { at: now, price: reference.price ?? ZERO }];
}

/** What the plan was made of, as it is kept: the same while no order moves and the same places count. */
export function lastQuoted(
  before: LastQuoted | null,
  { reference, prices, widenedBy }: QuotePlan,
  { now, moves }: { readonly now: number; readonly moves: boolean },
): LastQuoted {
  const sources = reference.sources.map(({ source, because }) => ({ source, because }));
  const told = (list: LastQuoted["sources"]) =>
    list.map(({ source, because }) => `${source} ${because}`).join();
  const hasPrice = (prices === null) === (before?.reference === null);
  if (before && !moves && hasPrice && told(before.sources) === told(sources)) return before;
  return {
    at: now,
    reference: reference.price,
    reservation: prices?.reservation ?? null,
    halfSpread: prices?.halfSpread ?? null,
    widenedBy,
    sources,
  };
}
