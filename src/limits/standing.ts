import { type Decimal, max, min, mul, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import { DAY, type Millis } from "../kernel/time.ts";
import type { Quote } from "../ports/deps.ts";
import {
  allowed,
  countedNotional,
  type Look,
  type Refused,
  type Standing,
  type Used,
  type Wanted,
  withOrder,
} from "./allowed.ts";
import { changed, DEFAULT_LIMITS, type LimitSettings, type Limits, limitsOf, tightest } from "./limits.ts";

/** Whose limits are set: of every account, of one exchange's, or of one token. */
export const EVERY = "every";
export const scopeOfExchange = (exchange: string): string => `account:${exchange.replace(/#.*$/, "")}`;
/** Under which an account's orders are counted. */
export const scopeOfAccount = (account: string): string => `account:${account}`;
export const scopeOfToken = (actor: string): string => `token:${actor}`;

export const isScope = (scope: string): boolean =>
  /^(every|account:[a-z][a-z0-9_-]{0,30}|token:[\w.-]{1,80})$/.test(scope);

/** Limits as they are stored. */
export interface StoredLimits {
  /** Counts every change: an order is recorded only under the limits by which it was allowed. */
  readonly version: number;
  readonly set: Readonly<Record<string, LimitSettings>>;
}

/** What a scope's orders of one day and quote asset have used. */
export interface LimitUse {
  readonly scope: string;
  readonly day: number;
  readonly asset: string;
  readonly notional: Decimal;
  readonly orders: number;
  /** Protocol time of the newest order. */
  readonly at: Millis;
}

/** What the newest rows of one scope come to now. */
export const usedOf = (
  uses: readonly LimitUse[],
  { now, openOrders }: { readonly now: Millis; readonly openOrders: number },
): Used => ({
  now,
  openOrders,
  today: Object.fromEntries(
    uses.filter(({ day }) => day === dayOf(now)).map(({ asset, notional }) => [asset, notional]),
  ),
  lastAt: uses.reduce<Millis | null>((latest, { at }) => Math.max(latest ?? at, at), null),
});

/** The day of UTC in which a protocol time lies, counted from 1970. */
export const dayOf = (now: Millis): number => Math.floor(now / DAY);

/** What holds of one scope alone: for every account the defaults too. */
export const ownLimits = ({ set }: StoredLimits, scope: string): Limits =>
  limitsOf(changed(scope === EVERY ? DEFAULT_LIMITS : {}, set[scope] ?? {}));

/** What an account's orders are held to; `settings` are the operator's own, which nothing stored raises. */
export const accountLimits = (stored: StoredLimits, exchange: string, settings: Limits = {}): Limits =>
  tightest([ownLimits(stored, EVERY), ownLimits(stored, scopeOfExchange(exchange)), settings]);

/** What has to hold in the statement that records orders, as others may have placed some meanwhile. */
export interface Terms {
  readonly version: number;
  /** The quote asset of the orders, in which they are counted. */
  readonly asset: string;
  readonly scopes: readonly ScopeTerms[];
  /** Notional by client id. */
  readonly counted: Readonly<Record<string, Decimal>>;
}

export interface ScopeTerms {
  readonly scope: string;
  /** Whose open orders count: a token's own, or all of the account. */
  readonly actor: string | null;
  readonly dayNotional: Decimal | null;
  readonly openOrders: number | null;
  readonly orderGapMillis: Millis | null;
}

/** All that an order is held to, as it was read at once. */
export interface Standings {
  readonly version: number;
  readonly all: readonly Standing[];
}

/** The first reason why an order may not be placed. */
export const refusalOf = (order: Wanted, look: Look, { all }: Standings): Refused | undefined =>
  all.map((standing) => allowed(order, look, standing)).find((refused) => refused !== undefined);

export const afterOrder = ({ version, all }: Standings, order: Wanted, quote: Quote): Standings => ({
  version,
  all: all.map((standing) => withOrder(standing, order, quote)),
});

/** The terms of orders of one symbol. */
export function termsOf(
  { version, all }: Standings,
  orders: readonly (Wanted & { readonly clientId: string })[],
  quote: Quote,
): Terms {
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

/** The limits that the orders of one pass, or of one preview, are held to. */
export interface Bounds {
  readonly standings: Standings;
  /** Market time by which a price's age is told; undefined where prices are simulated. */
  readonly now: Millis | undefined;
}

export const refusedWithin = (order: Wanted, quote: Quote, { standings, now }: Bounds): Refused | undefined =>
  refusalOf(order, { quote, now }, standings);

export const boundsAfter = ({ standings, now }: Bounds, order: Wanted, quote: Quote): Bounds => ({
  standings: afterOrder(standings, order, quote),
  now,
});

/** The most notional that one order may count; undefined where nothing limits it. */
export function mostOf({ standings }: Bounds, asset: string): Decimal | undefined {
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
export const passesCollar = (order: Wanted, quote: Quote, { standings }: Bounds): Refused | undefined =>
  standings.all
    .map(({ limits, ...rest }) =>
      allowed(order, { quote }, { ...rest, limits: { collarPercent: limits.collarPercent } }),
    )
    .find((refused) => refused !== undefined);
