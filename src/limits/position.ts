/** Computes what a position can sell and buy: its budget after its fills. */
import { type Decimal, div, max, min, mul, roundToStep, text, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import { parseAccountKey } from "../model/account.ts";
import type { Bounds, LargestOrders, Limits } from "../model/limits.ts";
import { type BidAsk, type Market, meetsMinimum } from "../model/market.ts";
import type { Order } from "../model/order.ts";
import type { Exposure } from "../model/proposal.ts";
import {
  calledBy,
  canExit,
  type PairAmounts,
  type Strategy,
  type StrategyConfig,
  type StrategyState,
} from "../model/strategy.ts";
import { exposureOf, type OrderToCheck, openBids } from "./allowed.ts";
import { EVERY_SCOPE, mostNotional, refusedWithin, scopeOfExchange } from "./standing.ts";

/** A strategy with one position. */
export type Positioned = Strategy<
  StrategyConfig & { readonly budget: PairAmounts },
  StrategyState & {
    readonly base: Decimal;
    readonly first: { readonly base: Decimal };
    readonly ledger: { readonly quote: Decimal };
  }
>;

export interface PositionMarket {
  readonly mid: Decimal | undefined;
  /** Its bids that can have filled without being booked. */
  readonly buys: readonly Order[];
  /** Whether a loss limit of the account sells its base. */
  readonly exitsOnLoss: boolean;
  /** Its largest order in quote; default: a whole side. */
  readonly largest?: Decimal | undefined;
  /** Whether it will sell all its base in one order at this mid price. */
  readonly sellsAtOnce?: ((mid: Decimal) => boolean) | undefined;
}

export function positionExposure(
  { symbol, config, state, phase }: Pick<Positioned, "symbol" | "config" | "state" | "phase">,
  { mid, buys, exitsOnLoss, largest, sellsAtOnce }: PositionMarket,
): Exposure {
  const { budget } = config;
  const exits = exitsOnLoss || canExit(config);
  const unbegun = phase === "starting" ? max(ZERO, budget.base - state.first.base) : ZERO;
  const bids = openBids(buys);
  const quote = max(ZERO, budget.quote + state.ledger.quote - bids.quote);
  const parts = [
    { base: max(ZERO, state.base) + unbegun, quote: ZERO },
    { base: ZERO, quote },
    { base: ZERO, quote: ZERO, bids },
  ];
  const isSold = largest !== undefined && mid !== undefined && sellsAtOnce?.(mid);
  const most = isSold ? max(largest, mul(max(ZERO, state.base) + unbegun, mid, "up")) : largest;
  return exposureOf({ symbol, mid, parts, exits, largest: most });
}

const isInScope = (scope: string, { account }: Pick<Strategy, "account">): boolean =>
  scope === EVERY_SCOPE || scope === scopeOfExchange(parseAccountKey(account).exchange);

const LOSSES = ["strategyLoss", "accountLoss"] as const;

/** Describes each loss limit of a scope in an asset that no running strategy has as its quote asset, such as a typo. */
export function unusedLosses(
  { scope, limits }: { readonly scope: string; readonly limits: Limits },
  running: readonly Pick<Strategy, "account" | "symbol">[],
): string[] {
  const inScope = running.filter((strategy) => isInScope(scope, strategy));
  const used = new Set(inScope.map(({ symbol }) => splitPair(symbol).quote));
  const where = scope === EVERY_SCOPE ? "" : ` on ${scope.replace("account:", "")}`;
  return LOSSES.flatMap((name) =>
    Object.keys(limits[name] ?? {})
      .filter((asset) => !used.has(asset))
      .map(
        (asset) =>
          `${name} in ${asset} limits nothing now${where}: no running strategy has this quote asset; check its spelling`,
      ),
  );
}

/** A running strategy, the largest of its orders in quote, and how many of them are open. */
interface LimitedStrategy {
  readonly strategy: Pick<Strategy, "id" | "name" | "account" | "symbol">;
  readonly largest: LargestOrders;
  readonly open: number;
}

/** Describes the running strategies whose orders meet a scope's limits. */
export function strategiesAtLimits(
  { scope, limits }: { readonly scope: string; readonly limits: Limits },
  running: readonly LimitedStrategy[],
): string[] {
  return running
    .filter(({ strategy }) => isInScope(scope, strategy))
    .flatMap(({ strategy, largest, open }) => {
      const { quote } = splitPair(strategy.symbol);
      const { orderNotional, dayNotional, openOrders, symbols } = limits;
      const texts = [
        ...(orderNotional ? splitTexts(largest, orderNotional[quote] ?? ZERO, quote) : []),
        ...(dayNotional && largest.buy > (dayNotional[quote] ?? ZERO)
          ? [`dayNotional is ${text(dayNotional[quote] ?? ZERO)} ${quote}, so its buys are refused`]
          : []),
        ...(openOrders !== undefined && open > openOrders
          ? [`openOrders is ${openOrders}, and ${open} of its orders are open`]
          : []),
        ...(symbols && !symbols.includes(strategy.symbol)
          ? [`symbols lacks ${strategy.symbol}, so it places no more orders`]
          : []),
      ];
      return texts.map((why) => `${calledBy(strategy)} meets the limit: ${why}`);
    });
}

/** Describes what a limit on single orders does to a strategy's buys and sells. */
export const splitTexts = ({ buy, sell }: LargestOrders, most: Decimal, quote: string): string[] => [
  ...(buy > most ? [`orderNotional is ${text(most)} ${quote}, so buys of ${text(buy)} are refused`] : []),
  ...(sell > most && most > ZERO
    ? [
        `orderNotional is ${text(most)} ${quote}, so a sell of up to ${text(sell)} is split if the strategy bought its base, and refused otherwise`,
      ]
    : []),
];

/** Returns the part of an amount that one order can have; later passes place the rest. */
export function inOneOrder(
  amount: Decimal,
  { price, market, bounds }: { price: Decimal; market: Market; bounds: Bounds | undefined },
): Decimal {
  const most = bounds && mostNotional(bounds, market.quote);
  const lots = most === undefined ? amount : roundToStep(div(most, price, "down"), market.lot, "down");
  if (lots >= amount || lots <= ZERO) return amount;
  // In equal parts, so that the last one is not below the exchange's minimum.
  const count = (amount + lots - 1n) / lots;
  const part = min(lots, roundToStep(amount / count, market.lot, "up"));
  return meetsMinimum(market, price, part) ? part : amount;
}

/**
 * Returns the amount of a sell that limits allow in one order: at least what its strategy bought, in parts if a limit
 * bounds single orders.
 */
export function soldInOneOrder(
  order: OrderToCheck,
  { quote, market, bounds }: { quote: BidAsk; market: Market; bounds: Bounds | undefined },
): Decimal {
  const { amount, price, ownBase = ZERO } = order;
  if (!bounds || ownBase <= ZERO) return amount;
  const reason = refusedWithin(order, quote, bounds)?.reason;
  const sold = reason === "limit_order" || reason === "limit_day" ? ownBase : amount;
  return inOneOrder(sold, { price: max(price, midOf(quote)), market, bounds });
}
