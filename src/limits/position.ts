/** Computes what a position can sell and buy: its budget after its fills. */
import { type Decimal, max, ZERO } from "../kernel/decimal.ts";
import type { Order } from "../model/order.ts";
import type { Exposure } from "../model/proposal.ts";
import type { PairAmounts, Strategy, StrategyConfig, StrategyState } from "../model/strategy.ts";
import { exposureOf, openBids } from "./allowed.ts";

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
