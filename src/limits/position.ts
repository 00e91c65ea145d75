/** Computes what a position can sell and buy: its budget after its fills. */
import { type Decimal, div, max, min, roundToStep, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { parseAccountKey } from "../model/account.ts";
import type { Bounds, Limits } from "../model/limits.ts";
import { type Market, meetsMinimum } from "../model/market.ts";
import type { Order } from "../model/order.ts";
import type { Exposure } from "../model/proposal.ts";
import type { PairAmounts, Strategy, StrategyConfig, StrategyState } from "../model/strategy.ts";
import { exposureOf, openBids } from "./allowed.ts";
import { EVERY_SCOPE, mostNotional, scopeOfExchange } from "./standing.ts";

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
}

export function positionExposure(
  { symbol, config, state, phase }: Pick<Positioned, "symbol" | "config" | "state" | "phase">,
  { mid, buys, exitsOnLoss: exits, largest }: PositionMarket,
): Exposure {
  const { budget } = config;
  const unbegun = phase === "starting" ? max(ZERO, budget.base - state.first.base) : ZERO;
  const bids = openBids(buys);
  const quote = max(ZERO, budget.quote + state.ledger.quote - bids.quote);
  const parts = [
    { base: max(ZERO, state.base) + unbegun, quote: ZERO },
    { base: ZERO, quote },
    { base: ZERO, quote: ZERO, bids },
  ];
  return exposureOf({ symbol, mid, parts, exits, largest });
}

/** Returns its base, including what its bids may have bought. */
export const baseWithBids = ({ state }: Pick<Positioned, "state">, buys: readonly Order[]): Decimal =>
  max(ZERO, state.base) + openBids(buys).base;

const LOSSES = ["strategyLoss", "accountLoss"] as const;

/** Describes each loss limit of a scope in an asset that no running strategy has as its quote asset, such as a typo. */
export function unusedLosses(
  { scope, limits }: { readonly scope: string; readonly limits: Limits },
  running: readonly Pick<Strategy, "account" | "symbol">[],
): string[] {
  const inScope = running.filter(
    ({ account }) => scope === EVERY_SCOPE || scope === scopeOfExchange(parseAccountKey(account).exchange),
  );
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

/** Returns the part of an amount that one order can have; later passes place the rest. */
export function inOneOrder(
  amount: Decimal,
  { price, market, bounds }: { price: Decimal; market: Market; bounds: Bounds | undefined },
): Decimal {
  const most = bounds && mostNotional(bounds, market.quote);
  const part =
    most === undefined ? amount : min(amount, roundToStep(div(most, price, "down"), market.lot, "down"));
  return meetsMinimum(market, price, part) ? part : amount;
}
