import { type Decimal, max, min, mul, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import { dayOf, type Millis } from "../kernel/time.ts";
import {
  type Bounds,
  LIMIT_CODES,
  type LimitCode,
  type LimitRefusal,
  type Limits,
  type LimitTerms,
  type LimitUse,
  type Standings,
  type StoredLimits,
  type UsedAmounts,
} from "../model/limits.ts";
import type { BidAsk } from "../model/market.ts";
import { allowed, countedNotional, type MarketLook, type OrderToCheck, withOrder } from "./allowed.ts";
import { changed, DEFAULT_LIMITS, limitsOf, tightest } from "./limits.ts";

/** Scope of limits for every account; other scopes are one exchange's account or one token. */
export const EVERY_SCOPE = "every";
export const scopeOfExchange = (exchange: string): string => `account:${exchange.replace(/#.*$/, "")}`;
/** Returns the scope under which an account's orders count. */
export const scopeOfAccount = (account: string): string => `account:${account}`;
export const scopeOfToken = (actor: string): string => `token:${actor}`;

export const isScope = (scope: string): boolean =>
  /^(every|account:[a-z][a-z0-9_-]{0,30}|token:[\w.-]{1,80})$/.test(scope);

/** Returns the current usage from a scope's newest rows. */
export const usedOf = (
  uses: readonly LimitUse[],
  { now, openOrders }: { readonly now: Millis; readonly openOrders: number | null },
): UsedAmounts => ({
  now,
  openOrders,
  today: Object.fromEntries(
    uses.filter(({ day }) => day === dayOf(now)).map(({ asset, notional }) => [asset, notional]),
  ),
  lastAt: uses.reduce<Millis | null>((latest, { at }) => Math.max(latest ?? at, at), null),
});

/** Returns the limits of one scope; the scope of every account includes the defaults. */
export function ownLimits({ set }: StoredLimits, scope: string): Limits {
  const first = scope === EVERY_SCOPE ? DEFAULT_LIMITS : {};
  const settings = set[scope];
  // Runs in each pass; usually no limits are set.
  return settings ? limitsOf(changed(first, settings)) : first;
}

/** Returns the limits of an account's orders; stored limits cannot raise `settings`, which are the operator's. */
export const accountLimits = (stored: StoredLimits, exchange: string, settings: Limits = {}): Limits =>
  tightest([ownLimits(stored, EVERY_SCOPE), ownLimits(stored, scopeOfExchange(exchange)), settings]);

/** Returns the first reason why an order is refused. */
export const firstRefusal = (
  order: OrderToCheck,
  look: MarketLook,
  { all }: Standings,
): LimitRefusal | undefined =>
  all.map((standing) => allowed(order, look, standing)).find((refused) => refused !== undefined);

const afterOrder = ({ version, all }: Standings, order: OrderToCheck, quote: BidAsk): Standings => ({
  version,
  all: all.map((standing) => withOrder(standing, order, quote)),
});

/** Returns the terms of one symbol's orders. */
export function termsOf(
  { version, all }: Standings,
  orders: readonly (OrderToCheck & { readonly clientId: string })[],
  quote: BidAsk,
): LimitTerms {
  const asset = splitPair(orders[0]?.symbol ?? "/").quote;
  return {
    version,
    asset,
    scopes: all.map(({ scope, actor, limits }) => ({
      scope,
      actor,
      dayNotional: limits.dayNotional?.[asset] ?? null,
      openOrders: limits.openOrders ?? null,
      orderGapMillis: limits.orderGapMillis ?? null,
    })),
    counted: Object.fromEntries(orders.map((order) => [order.clientId, countedNotional(order, quote)])),
  };
}

export const refusedWithin = (
  order: OrderToCheck,
  quote: BidAsk,
  { standings, now }: Bounds,
): LimitRefusal | undefined => firstRefusal(order, { quote, now }, standings);

export const boundsAfter = ({ standings, now }: Bounds, order: OrderToCheck, quote: BidAsk): Bounds => ({
  standings: afterOrder(standings, order, quote),
  now,
});

/** Returns the refusals of orders in turn, each checked with the usage of the accepted ones before it. */
export function refusedAmong(orders: readonly OrderToCheck[], quote: BidAsk, bounds: Bounds): LimitRefusal[] {
  let after = bounds;
  return orders.flatMap((order) => {
    const refused = refusedWithin(order, quote, after);
    if (!refused) after = boundsAfter(after, order, quote);
    return refused ?? [];
  });
}

/** Limits that end by themselves: a start succeeds, and later passes place the orders. */
const LATER: ReadonlySet<string> = new Set([
  "limit_collar",
  "limit_price_age",
  "limit_gap",
] satisfies LimitCode[]);

/** Returns whether a refusal is by a limit that does not end by itself. */
export const isLimitMet = (reason: string): reason is LimitCode =>
  LIMIT_CODES.some((code) => code === reason) && !LATER.has(reason);

/** Returns a start's warnings about the limits that its first orders meet, one per limit. */
export function metLimitWarnings(refused: readonly { readonly reason: string; readonly detail?: string }[]) {
  const met = refused.filter(({ reason }) => isLimitMet(reason));
  const first = met.filter(({ reason }, at) => met.findIndex((one) => one.reason === reason) === at);
  return first.map(({ reason, detail = reason }) => {
    const { length } = met.filter((one) => one.reason === reason);
    const message = `${length} of its first orders ${length === 1 ? "waits" : "wait"} for a limit: ${detail}`;
    return { code: "limit_met", message };
  });
}

/** Returns the maximum notional of one order; undefined without a limit. */
export function mostNotional({ standings }: Bounds, asset: string): Decimal | undefined {
  const caps = standings.all.flatMap(({ limits }) =>
    limits.orderNotional ? [limits.orderNotional[asset] ?? ZERO] : [],
  );
  return caps.length === 0 ? undefined : caps.reduce(min);
}

/** Returns the lowest price at which the collar allows a sell; 0 without a collar. */
export const collarFloor = (quote: BidAsk, { standings }: Bounds): Decimal =>
  standings.all
    .map(({ limits: { collarPercent } }) =>
      collarPercent === undefined ? ZERO : midOf(quote) - mul(midOf(quote), collarPercent / 100n, "down"),
    )
    .reduce(max, ZERO);

/** Returns the collar's message for an order that passes it on purpose. */
export const passesCollar = (
  order: OrderToCheck,
  quote: BidAsk,
  { standings }: Bounds,
): LimitRefusal | undefined =>
  standings.all
    .map(({ limits, ...rest }) =>
      allowed(order, { quote }, { ...rest, limits: { collarPercent: limits.collarPercent } }),
    )
    .find((refused) => refused !== undefined);
