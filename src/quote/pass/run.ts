import { beginPosition } from "../../engine/position/begin.ts";
import { leaveMarket } from "../../engine/position/leave.ts";
import { positionAccounts } from "../../engine/position/ledger.ts";
import type { Quote } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Drafted, PlacingContext, StrategyContext } from "../../ports/kind.ts";
import type { QuoteStrategy } from "../state/state.ts";
import { requestedChange, withChange } from "./begin.ts";
import { moveOrders } from "./moving.ts";
import { quoteEvents } from "./notices.ts";
import { type OtherOrders, type Quoting, quotingOf } from "./quoting.ts";
import { isBlind } from "./sources.ts";

/** Quotes both sides of its market: orders within the tolerance stay, the others are replaced. */
export function runQuote(
  before: QuoteStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Partial<Drafted<QuoteStrategy>> {
  const { market, error } = context.observed;
  const changed = withChange(before);
  // A short failure of the market leaves open orders unchanged; during a longer one, other sources still give a price.
  if (!market || isBlind(changed.config, context)) return { strategy: { ...before, lastError: error } };
  const begun = beginPosition(changed, live, context);
  if (!begun) return { short: true };
  if (begun.phase === "starting") return { strategy: begun };
  const quoting = quotingOf(begun, market, context, { live, own: otherOrdersOf(begun, context) });
  const priced = pricedOf(begun, quoting, context);
  const judged = priced ? judgeOwn(context.judge(begun, priced), priced) : begun;
  const after =
    priced && judged.state.exit ? leaveMarket(judged, live, { now: context.now, quote: priced }) : undefined;
  const quoted =
    after ??
    moveOrders(
      judged,
      judged.state === begun.state
        ? quoting
        : quotingOf(judged, market, context, { live, own: otherOrdersOf(judged, context) }),
      { live, context, market, priced },
    );
  const results = [
    ...(changed === before ? [] : [changeEvent(changed, context.now)]),
    ...(quoted.strategy ? quoteEvents(before, quoted.strategy, context.now) : []),
  ];
  return { ...quoted, events: [...results, ...(quoted.events ?? [])] };
}

const changeEvent = ({ account, id }: QuoteStrategy, at: number) =>
  ({ account, strategy: id, at, kind: "edited", message: "the change is made" }) as const;

/** Returns the account's orders that do not belong to this strategy. */
const otherOrdersOf = ({ id }: QuoteStrategy, { resting }: StrategyContext): OtherOrders =>
  resting
    .filter(({ order }) => order?.strategy !== id)
    .map(({ side, price }) => ({ side, price, type: "limit" }));

/**
 * Returns the reference price for limits and losses, because the mid price of the book is unreliable. Its time is the
 * book's, which the start has read: limits apply to the age of the exchange's own price.
 */
function pricedOf(
  { startedAt }: QuoteStrategy,
  { plan }: Quoting,
  { observed: { book, elsewhere } }: StrategyContext,
): Quote | undefined {
  const { price } = plan.reference;
  const at = book?.at ?? elsewhere?.bookAt ?? startedAt;
  return price === null ? undefined : { bid: price, ask: price, at };
}

/** Applies the strategy's own loss limit; after a breach, a person must resume it. */
function judgeOwn(strategy: QuoteStrategy, { bid }: Quote): QuoteStrategy {
  const { state, config, resumes } = strategy;
  if (config.maxLoss === undefined) return withLost(strategy, null);
  const stays = state.lostAt !== null && state.lostAt === resumes;
  const { total } = positionAccounts(strategy, bid);
  return withLost(strategy, stays || total < -config.maxLoss ? resumes : null);
}

const withLost = (strategy: QuoteStrategy, lostAt: number | null): QuoteStrategy =>
  strategy.state.lostAt === lostAt ? strategy : { ...strategy, state: { ...strategy.state, lostAt } };

/** Returns whether a level could lack its order, before balances are read. */
export function mayQuote(strategy: QuoteStrategy, context: PlacingContext): boolean {
  const { market, open } = context.observed;
  if (strategy.phase === "starting" || requestedChange(strategy)) return true;
  if (!market || isBlind(strategy.config, context)) return false;
  const mine = new Set(context.live.flatMap(({ exchangeId }) => exchangeId ?? []));
  const own = open.filter(({ id }) => !mine.has(id));
  const { bids, asks } = quotingOf(strategy, market, context, { live: context.live, own });
  return bids.lacking.length + asks.lacking.length > 0;
}
