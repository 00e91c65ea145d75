import type { Slot } from "../../grid/state/state.ts";
import { type Decimal, max, mul, ONE, snap, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import type { StrategyOnPaper } from "../paper/strategy-on-paper.ts";
import type { Rules } from "../tape/rules.ts";
import { fillPricesOf } from "../tape/ticks.ts";
import { canSkip } from "./fast-options.ts";
import type { Rungs } from "./jump.ts";

/** A grid that only its own fills can change. */
export interface Ladder {
  /** Lowest first; slots after `armed` never had base, and wait to buy until the price is above them. */
  readonly slots: readonly Slot[];
  readonly rungs: Rungs;
}

/**
 * Returns the grid as a ladder; undefined if more than its fills can change it: a slot that lacks funds, limits of
 * position or reserve, a confidence, passes at intervals, or slots that could run out of quote.
 */
export function ladderOf(
  { strategy, orders }: StrategyOnPaper,
  market: Market,
  { rules, freeQuote }: { readonly rules: Rules; readonly freeQuote: Decimal },
): Ladder | undefined {
  const { config, state } = strategy;
  if (rules.tickInterval !== undefined || strategy.status !== "running") return undefined;
  if (!canSkip("leap", config)) return undefined;
  const busy = new Set(orders.map(({ slot }) => slot));
  const slots = [...state.slots].sort((a, b) => (a.lower < b.lower ? -1 : 1));
  const armed = slots.filter(({ index }) => busy.has(index)).length;
  const buying = slots.filter(({ index, side }) => busy.has(index) && side === "buy").length;
  const isInPlace = (slot: Slot, index: number): boolean =>
    index < armed
      ? busy.has(slot.index) && restsOn(slot, index < buying)
      : !busy.has(slot.index) && waits(slot);
  const isJoined = ({ lower, upper }: Slot, index: number): boolean =>
    upper > ZERO && (index === 0 || slots[index - 1]?.upper === lower);
  if (!slots.every((slot, index) => isInPlace(slot, index) && isJoined(slot, index))) return undefined;
  const lacking = slots.map((slot, index) => lackOf(slot, market, index >= armed));
  if (lacking.some((lack) => lack === undefined)) return undefined;
  if (lacking.reduce<Decimal>((sum, lack) => sum + (lack as Decimal), ZERO) > freeQuote) return undefined;
  const rungs = { ...rungsOf(slots, market, rules), buying, armed };
  return isNarrow(rungs) ? { slots, rungs } : undefined;
}

const restsOn = ({ side, sellAt, bought }: Slot, buys: boolean): boolean =>
  side === (buys ? "buy" : "sell") && sellAt === undefined && (side === "sell" || bought === ZERO);

/** Returns whether a selling slot that never had base waits until the price is above its lower price. */
const waits = ({ side, base, bought, sellAt, retryAt }: Slot): boolean =>
  side === "sell" && base === ZERO && bought === ZERO && sellAt === undefined && retryAt === 0;

/** Returns the prices at which slots' orders fill, and at which waiting slots begin to buy. */
export function rungsOf(
  slots: readonly Pick<Slot, "lower" | "upper">[],
  { tick }: Pick<Market, "tick">,
  rules: Pick<Rules, "fill" | "spread">,
): Pick<Rungs, "buys" | "sells" | "lowers"> {
  const fillPrices = fillPricesOf(tick, rules);
  return {
    buys: Float64Array.from(slots, ({ lower }) => fillPrices.buy(lower)),
    sells: Float64Array.from(slots, ({ upper }) => fillPrices.sell(upper)),
    lowers: Float64Array.from(slots, ({ lower }) => Number(lower / tick)),
  };
}

/**
 * Returns whether the spread is narrower than a slot: before a slot begins to buy, the sell two slots below it has
 * filled.
 */
const isNarrow = ({ sells, lowers }: Rungs): boolean =>
  sells.every((sell, index) => index + 2 >= lowers.length || sell <= (lowers[index + 2] as number) + 1);

/**
 * Returns the quote that a slot needs beyond its order and the proceeds of its first sell; undefined if its cycles
 * lose money.
 */
function lackOf(
  { lower, upper, size, side, base, sold }: Slot,
  market: Market,
  hasToBuy: boolean,
): Decimal | undefined {
  const rate = max(market.maker, market.taker);
  const amount = lotsFor(market, size, lower);
  const notional = mul(lower, amount, "up");
  const needs = market.buyFeeIn === "base" ? notional : mul(notional, ONE + rate, "up");
  const brings = (sells: Decimal) => mul(mul(upper, sells, "down"), ONE - market.maker, "down") - 1n;
  const net = market.buyFeeIn === "base" ? mul(amount, ONE - market.maker, "down") - 1n : amount;
  const least = snap(net, market.lot, "down");
  if (brings(least) < needs || !meetsMinimum(market, upper, least)) return undefined;
  if (hasToBuy) return meetsMinimum(market, lower, amount) ? needs : undefined;
  return side === "buy" ? ZERO : max(ZERO, needs - brings(snap(base - sold, market.lot, "down")));
}
