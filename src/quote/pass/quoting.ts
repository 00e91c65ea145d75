/** Plans one pass. The same function decides whether orders could be needed, and which. */

import { soldWithin } from "../../engine/position/place.ts";
import { matchesLevel, type Tolerance } from "../../engine/position/position.ts";
import { isFinal } from "../../engine/reconcile/order-fills.ts";
import { abs, type Decimal, max, ZERO } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Side } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { type Notice, pendingEdit } from "../../model/strategy.ts";
import type { PlacingContext } from "../../ports/kind.ts";
import type { QuoteLevel } from "../levels.ts";
import {
  type Defence,
  defendedSides,
  type QuoteNotice,
  type QuotePlan,
  quotePlan,
  realizedVolatility,
  type Volatility,
} from "../plan.ts";
import { type ReferencePrice, referencePrice } from "../reference.ts";
import { type LastQuoted, type QuoteState, type QuoteStrategy, slotsFor } from "../state.ts";
import { statistic } from "../statistic.ts";
import { type PriceContext, votersOf } from "./sources.ts";

export interface Quoting {
  readonly plan: QuotePlan;
  readonly bids: RestingSide;
  readonly asks: RestingSide;
}

/** The account's orders that belong to other strategies or to the user. */
export type OtherOrders = readonly Pick<Order, "side" | "price" | "type">[];

interface QuotedBeside {
  readonly live: readonly Order[];
  readonly own: OtherOrders;
  /** Absent if no limits apply. */
  readonly bounds?: Bounds | undefined;
}

export function quotingOf(
  strategy: QuoteStrategy,
  market: Market,
  pass: PriceContext & Pick<PlacingContext, "interval">,
  { live, own, bounds }: QuotedBeside,
  result?: Volatility | undefined,
): Quoting {
  const { config, state } = strategy;
  const { rules, tolerance, budget } = config;
  const fills = (pass.observed.fills ?? []).filter((fill) => fill.strategy === strategy.id);
  const position = max(ZERO, state.base);
  const voters = votersOf(config, pass);
  const planned = quotePlan(rules, {
    now: pass.now,
    interval: pass.interval,
    market,
    ...voters,
    volatility: result ?? recentVolatility(strategy, referencePrice(voters.sources, pass.now), pass.now),
    inventory: position,
    freeBase: position,
    freeQuote: max(ZERO, budget.quote + state.ledger.quote),
    own,
    halted: (state.halted ?? null) !== null,
    defended: defendedSides(rules.defence, fills, {
      at: pass.observed.book?.at ?? pass.now,
      interval: pass.interval,
    }),
  });
  const { price } = planned.reference;
  const quote = price === null ? undefined : { bid: price, ask: price, at: pass.now };
  const asks = planned.asks.map((ask) =>
    quote ? soldWithin(ask, strategy, { market, quote, bounds }) : ask,
  );
  const plan = { ...planned, asks };
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
export function addRecentPrice(
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

/** Compares open orders with planned levels. */
interface RestingSide {
  /** Orders that stay: each one saves two calls and keeps its queue position. */
  readonly kept: readonly Order[];
  /** Orders that match no level. */
  readonly misplaced: readonly Order[];
  /** Levels without a matching order, nearest first. */
  readonly lacking: readonly QuoteLevel[];
}

/** Matches each level with the nearest order within its tolerance; each order matches one level. */
export function compareSide(
  side: Side,
  levels: readonly QuoteLevel[],
  resting: readonly Order[],
  tolerance: Tolerance,
): RestingSide {
  const mine = new Set(resting.filter((order) => order.side === side && !isFinal(order)));
  const kept: Order[] = [];
  const lacking: QuoteLevel[] = [];
  for (const level of levels) {
    const found = nearestTo(
      level,
      [...mine].filter((order) =>
        matchesLevel({ side, price: order.price, left: order.amount - order.filled }, level, tolerance),
      ),
    );
    if (found) {
      kept.push(found);
      mine.delete(found);
    } else lacking.push(level);
  }
  return { kept, misplaced: [...mine], lacking };
}

const nearestTo = ({ price }: QuoteLevel, orders: readonly Order[]): Order | undefined =>
  orders.reduce<Order | undefined>(
    (best, order) => (best && abs(best.price - price) <= abs(order.price - price) ? best : order),
    undefined,
  );

/**
 * Returns the misplaced orders to cancel now. One that is further from the price than all planned levels is harmless:
 * the last order of a side stays until its replacement is open, so the side is never empty. It does not stay if
 * `makesWay`: its replacement waits only for its funds.
 */
export function misplacedToCancel(
  { kept, misplaced }: RestingSide,
  levels: readonly QuoteLevel[],
  placed: number,
  makesWay: (order: Order) => boolean = () => false,
): readonly Order[] {
  const nearest = levels[0];
  if (!nearest || kept.length + placed > 0) return misplaced;
  const harmless = misplaced.filter(({ side, price }) =>
    side === "buy" ? price <= nearest.price : price >= nearest.price,
  );
  const stays = nearestTo(nearest, harmless);
  return misplaced.filter((order) => order !== stays || makesWay(order));
}

/** Returns the open orders that could fill beyond an inventory bound: those that a smaller bound has no room for. */
export function beyondInventory(side: Side, resting: readonly Order[], room: Decimal): readonly Order[] {
  const mine = resting
    .filter((order) => order.side === side && !isFinal(order))
    .sort((a, b) => ((side === "buy" ? a.price > b.price : a.price < b.price) ? -1 : 1));
  let left = room;
  return mine.filter(({ amount, booked }) => {
    left -= amount - booked;
    return left < ZERO;
  });
}

/** Notices about quotes, and events when the notices change. */
const NOTICE_TEXTS: Readonly<Record<QuoteNotice, string>> = {
  no_reference:
    "no price is reliable, so nothing is quoted; quoting resumes within one pass after a price returns, or set --fixed-price",
  one_sided: "only one side is quoted; the other one has no funds or has reached its limit",
  nothing_quoted: "nothing is quoted; both sides have no funds or have reached their limits",
  outside_depth:
    "the half-spread and the skew together exceed --within-percent, so the orders beyond it do not count toward the depth",
};

export function quoteNoticesOf(
  { state, config }: Pick<QuoteStrategy, "state" | "config">,
  { notices, defended }: Pick<QuotePlan, "notices" | "defended">,
): Notice[] {
  const moved = defenceNotices(config.rules.defence, defended);
  const halted = state.halted ? [{ code: "loss_limit", message: state.halted } as const] : [];
  return [...halted, ...moved, ...notices.map((code): Notice => ({ code, message: NOTICE_TEXTS[code] }))];
}

function defenceNotices(defence: Defence | undefined, defended: readonly Side[]): Notice[] {
  if (!defence || defended.length === 0) return [];
  const sides = defended.map((side) => (side === "buy" ? "bids" : "asks")).sort((a, b) => (a < b ? 1 : -1));
  const answer =
    defence.ticks === "pause" ? "paused" : `${pluralize(defence.ticks, "tick")} further from the price`;
  const message = `${sides.join(" and ")} are ${answer}: most of their last fills lost money within 10 s; it ends ${pluralize(defence.passes, "pass")} after the last such fill`;
  return [{ code: "defended", message }];
}

const recoveredText = (had: ReadonlySet<Notice["code"]>): string =>
  had.size === 1 && had.has("defended") ? "no side is defended any longer" : "both sides are quoted again";

/** Events for notices that begin or end; each is written once. The engine writes that a loss limit begins to pause them. */
export function quoteEvents(before: QuoteStrategy, after: QuoteStrategy, at: Millis): Event[] {
  const describe = (kind: Event["kind"], message: string): Event => ({
    account: after.account,
    strategy: after.id,
    at,
    kind,
    message,
  });
  const had = new Set(before.state.notices.map(({ code }) => code));
  const has = new Set(after.state.notices.map(({ code }) => code));
  const begun = after.state.notices
    .filter(({ code, message }) => !had.has(code) && message !== after.state.halted)
    .map(({ code, message }) =>
      describe(code === "no_reference" || code === "loss_limit" ? "error" : "notice", message),
    );
  const isOver = had.size > 0 && has.size === 0;
  return [...begun, ...(isOver ? [describe("recovered", recoveredText(had))] : [])];
}

/** Applies a requested change; this pass then moves orders that exceed the tolerance. */
export function withChange(strategy: QuoteStrategy): QuoteStrategy {
  const config = pendingEdit(strategy);
  if (!config) return strategy;
  const { state, edits = 0 } = strategy;
  const slots = slotsFor(config.rules.levels, state.slots);
  return { ...strategy, config, state: { ...state, edits, slots } };
}
