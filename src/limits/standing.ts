import { type Decimal, max, min, mul, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import { dayOf, type Millis } from "../kernel/time.ts";
import type {
  Bounds,
  LimitRefusal,
  Limits,
  LimitTerms,
  LimitUse,
  Standings,
  StoredLimits,
  Used,
} from "../model/limits.ts";
import type { Quote } from "../model/market.ts";
import { allowed, countedNotional, type MarketLook, type WantedOrder, withOrder } from "./allowed.ts";
import { changed, DEFAULT_LIMITS, limitsOf, tightest } from "./limits.ts";

/** Whose limits are set: of every account, of one exchange's, or of one token. */
export const EVERY_SCOPE = "every";
export const scopeOfExchange = (exchange: string): string => `account:${exchange.replace(/#.*$/, "")}`;
/** Under which an account's orders are counted. */
export const scopeOfAccount = (account: string): string => `account:${account}`;
export const scopeOfToken = (actor: string): string => `token:${actor}`;

export const isScope = (scope: string): boolean =>
  /^(every|account:[a-z][a-z0-9_-]{0,30}|token:[\w.-]{1,80})$/.test(scope);

/** What the newest rows of one scope come to now. */
export const usedOf = (
  uses: readonly LimitUse[],
  { now, openOrders }: { readonly now: Millis; readonly openOrders: number | null },
): Used => ({
  now,
  openOrders,
  today: Object.fromEntries(
    uses.filter(({ day }) => day === dayOf(now)).map(({ asset, notional }) => [asset, notional]),
  ),
  lastAt: uses.reduce<Millis | null>((latest, { at }) => Math.max(latest ?? at, at), null),
});

/** What holds of one scope alone: for every account the defaults too. */
export function ownLimits({ set }: StoredLimits, scope: string): Limits {
  const first = scope === EVERY_SCOPE ? DEFAULT_LIMITS : {};
  const settings = set[scope];
  // Asked in each pass, where mostly nothing is set.
  return settings ? limitsOf(changed(first, settings)) : first;
}

/** What an account's orders are held to; `settings` are the operator's own, which nothing stored raises. */
export const accountLimits = (stored: StoredLimits, exchange: string, settings: Limits = {}): Limits =>
  tightest([ownLimits(stored, EVERY_SCOPE), ownLimits(stored, scopeOfExchange(exchange)), settings]);

/** The first reason why an order may not be placed. */
export const firstRefusal = (
  order: WantedOrder,
  look: MarketLook,
  { all }: Standings,
): LimitRefusal | undefined =>
  all.map((standing) => allowed(order, look, standing)).find((refused) => refused !== undefined);

export const afterOrder = ({ version, all }: Standings, order: WantedOrder, quote: Quote): Standings => ({
  version,
  all: all.map((standing) => withOrder(standing, order, quote)),
});

/** The terms of orders of one symbol. */
export function termsOf(
  { version, all }: Standings,
  orders: readonly (WantedOrder & { readonly clientId: string })[],
  quote: Quote,
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
  order: WantedOrder,
  quote: Quote,
  { standings, now }: Bounds,
): LimitRefusal | undefined => firstRefusal(order, { quote, now }, standings);

export const boundsAfter = ({ standings, now }: Bounds, order: WantedOrder, quote: Quote): Bounds => ({
  standings: afterOrder(standings, order, quote),
  now,
});

/** The most notional that one order may count; undefined where nothing limits it. */
export function mostNotional({ standings }: Bounds, asset: string): Decimal | undefined {
  const caps = standings.all.flatMap(({ limits }) =>
    limits.orderNotional ? [limits.orderNotional[asset] ?? ZERO] : [],
  );
  return caps.length === 0 ? undefined : caps.reduce(min);
}

/** The lowest price at which the collar lets a sell execute; 0 where there is none. */
export const collarFloor = (quote: Quote, { standings }: Bounds): Decimal =>
  standings.all
    .map(({ limits: { collarPercent } }) =>
      collarPercent === undefined ? ZERO : midOf(quote) - mul(midOf(quote), collarPercent / 100n, "down"),
    )
    .reduce(max, ZERO);

/** What the collar would say of an order that passes it on purpose. */
export const passesCollar = (
  order: WantedOrder,
  quote: Quote,
  { standings }: Bounds,
): LimitRefusal | undefined =>
  standings.all
    .map(({ limits, ...rest }) =>
      allowed(order, { quote }, { ...rest, limits: { collarPercent: limits.collarPercent } }),
    )
    .find((refused) => refused !== undefined);
