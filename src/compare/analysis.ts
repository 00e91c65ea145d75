import { type Decimal, div, ZERO } from "../kernel/decimal.ts";
import {
  bestExecution,
  type Legs,
  meetsBothMinimums,
  type Opportunity,
  type PairTrade,
  wholeExecution,
} from "./executable.ts";
import type { Leg } from "./leg.ts";

export interface PricedVenue {
  readonly exchange: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** Returns the best bid and ask of all, before fees; undefined without prices. */
export function grossOf<P extends PricedVenue>(prices: readonly P[]) {
  const [first] = prices;
  if (!first) return undefined;
  const lowestAsk = prices.reduce((best, one) => (one.ask < best.ask ? one : best), first);
  const highestBid = prices.reduce((best, one) => (one.bid > best.bid ? one : best), first);
  const spread = highestBid.bid - lowestAsk.ask;
  const spreadPercent = lowestAsk.ask > ZERO ? div(spread * 100n, lowestAsk.ask, "half") : ZERO;
  const isOpportunity = spread > ZERO && lowestAsk !== highestBid;
  return { lowestAsk, highestBid, spread, spreadPercent, isOpportunity };
}

/** A market or pool where an immediate trade is possible; a closed market or a pool with an unknown fee has no legs. */
export interface Tradable {
  readonly buy: Leg | undefined;
  readonly sell: Leg | undefined;
}

export interface ExecutableTrade {
  /** On the pair with the highest net profit. */
  readonly best: Opportunity | undefined;
  /** Why there is none. */
  readonly reason: "one_venue" | "no_gain" | "below_minimum" | undefined;
  /** A trade of the whole requested amount on the pair with the highest net profit, even at a loss. */
  readonly whole: PairTrade | undefined;
}

/** Returns what can be executed between two of the places, at most `amount` of base. */
export function executableOf(places: readonly Tradable[], amount?: Decimal): ExecutableTrade {
  const pairs = places.flatMap(({ buy }, from) =>
    places.flatMap(({ sell }, to) => (buy && sell && from !== to ? [{ buy, sell }] : [])),
  );
  const gaining = pairs.map((legs) => bestExecution(legs, amount)).filter((one) => one !== undefined);
  const best = highestNet(gaining.filter(meetsBothMinimums));
  return {
    best,
    reason: best
      ? undefined
      : pairs.length === 0
        ? "one_venue"
        : gaining.length === 0
          ? "no_gain"
          : "below_minimum",
    whole: amount === undefined ? undefined : wholeOf(pairs, amount),
  };
}

const wholeOf = (pairs: readonly Legs[], amount: Decimal): PairTrade | undefined =>
  highestNet(pairs.map((legs) => wholeExecution(legs, amount)).filter((one) => one !== undefined));

const highestNet = <E extends PairTrade>(executions: readonly E[]): E | undefined =>
  executions.reduce<E | undefined>((best, one) => (best && best.net >= one.net ? best : one), undefined);
