import { decimal, min } from "../kernel/decimal.ts";
import { MINUTE } from "../kernel/time.ts";
import type { Amounts, LimitName, LimitSettings, Limits } from "../model/limits.ts";

const SLIP = decimal("100000");

/** Default limits, which protect against typing errors, not against deliberate actions. */
export const DEFAULT_LIMITS = {
  orderNotional: { USDT: SLIP, USDC: SLIP, USD: SLIP, EUR: SLIP, BTC: decimal("1"), ETH: decimal("30") },
  collarPercent: decimal("10"),
  priceAgeMillis: MINUTE,
} as const satisfies Limits;

/** Combines several limits: the strictest value of each one. */
export const tightest = (all: readonly Limits[]): Limits => all.reduce(both, {});

const both = (a: Limits, b: Limits): Limits => ({
  orderNotional: either(a.orderNotional, b.orderNotional, shared),
  dayNotional: either(a.dayNotional, b.dayNotional, shared),
  openOrders: either(a.openOrders, b.openOrders, Math.min),
  symbols: either(a.symbols, b.symbols, (some, others) => some.filter((one) => others.includes(one))),
  collarPercent: either(a.collarPercent, b.collarPercent, min),
  priceAgeMillis: either(a.priceAgeMillis, b.priceAgeMillis, Math.min),
  orderGapMillis: either(a.orderGapMillis, b.orderGapMillis, Math.max),
  strategyLoss: either(a.strategyLoss, b.strategyLoss, leastAmounts),
  accountLoss: either(a.accountLoss, b.accountLoss, leastAmounts),
  onLoss: either(a.onLoss, b.onLoss, (one, other) => (one === "stop" ? one : other)),
});

const either = <T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined =>
  a === undefined ? b : b === undefined ? a : join(a, b);

/** Combines amounts: an asset that one of the two does not list is not allowed. */
const shared = (a: Amounts, b: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(a).flatMap(([asset, amount]) =>
      b[asset] === undefined ? [] : [[asset, min(amount, b[asset])]],
    ),
  );

const leastAmounts = (a: Amounts, b: Amounts): Amounts => ({ ...a, ...b, ...shared(a, b) });

/** Applies new settings over old ones: amounts asset by asset, everything else as a whole. */
export const changed = (before: LimitSettings, settings: LimitSettings): LimitSettings =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(settings)])].map((key) => {
      const name = key as LimitName;
      const [old, now] = [before[name], settings[name]];
      if (now === undefined) return [name, old];
      return [name, isAmounts(old) && isAmounts(now) ? { ...old, ...now } : now];
    }),
  );

export const isAmounts = (value: unknown): value is Amounts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Converts settings to limits: a removed limit does not restrict anything. */
export const limitsOf = (settings: LimitSettings): Limits =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));
