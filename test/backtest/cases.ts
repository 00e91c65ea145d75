import { quoteAt, type WalkOptions } from "../../src/backtest/paper-account.ts";
import { begin, checkGrid } from "../../src/backtest/run/begin.ts";
import { walk } from "../../src/backtest/run/walk.ts";
import { openAt, RULES, type Rules, ticksOf } from "../../src/backtest/ticks.ts";
import type { Candles } from "../../src/candles/candles.ts";
import { unexplainedAssets } from "../../src/engine/reconcile/books-check.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { centeredOf, requestedRangeOf } from "../../src/grid/start/check.ts";
import type { GridStrategy } from "../../src/grid/state/state.ts";
import { parseClientOrderId } from "../../src/kernel/ids.ts";
import type { Balance } from "../../src/model/account.ts";
import type { Market } from "../../src/model/market.ts";
import type { Fill } from "../../src/model/order.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { gridSettings } from "../support/starts.ts";
import { type GridRequest, requested } from "./stepped.ts";

const RANGE = { lowerPrice: 42000, upperPrice: 48000, gridLevels: 30, orderSize: 300 };

export interface Case {
  readonly name: string;
  readonly grid: GridRequest;
  readonly market?: Partial<Market>;
  readonly rules?: Partial<Rules>;
  readonly quote?: string;
  readonly base?: string;
  /** Days of January, from its first on. */
  readonly days?: readonly [number, number];
}

const range = (more: object) => requested("grid", { ...RANGE, ...more });

/** Levels 300 apart, so that a week of it takes a hundred passes and not several. */
const WIDE = { gridLevels: 20 };

const TRAILING = {
  grid: range({ lowerPrice: 45500, upperPrice: 47500, gridLevels: 10, trail: { up: 52000, down: 40000 } }),
  base: "0.05",
};

const CENTERED = {
  grid: requested("centered", {
    levels: 5,
    spacing: 0.006,
    size: 300,
    deviation: 0.002,
    debounce: 60000,
  }),
  base: "0.02",
};

const STOPPED = {
  grid: range({ ...WIDE, lowerPrice: 44000, stopLossPrice: 43700 }),
  rules: { slippage: d("0.001") },
  base: "0.02",
};

const IN_BASE = { market: { buyFeeIn: "base" } } as const;

/** A week of each kind of grid, fees in quote and in base; those first that jump, or nearly do. */
export const WEEKS: readonly Case[] = [
  { name: "a linear grid, fees in quote", grid: range(WIDE) },
  { name: "a linear grid, fees in base", grid: range(WIDE), ...IN_BASE, base: "0.05" },
  {
    name: "a geometric grid with base of its own",
    grid: range({ ...WIDE, spacingModel: "geometric" }),
    base: "0.08",
  },
  {
    name: "a geometric grid, fees in base",
    grid: range({ ...WIDE, spacingModel: "geometric" }),
    ...IN_BASE,
    base: "0.03",
  },
  { name: "a stop price", ...STOPPED },
  { name: "a stop price, fees in base", ...STOPPED, ...IN_BASE },
  { name: "a grid that trails both ways", ...TRAILING },
  { name: "a grid that trails both ways, fees in base", ...TRAILING, ...IN_BASE },
  { name: "a centered grid", ...CENTERED },
  { name: "a centered grid, fees in base", ...CENTERED, ...IN_BASE },
].map((one: Case) => ({ ...one, days: [0, 7] }));

/** Whatever else a backtest and the service have to agree on. */
export const DAYS: readonly Case[] = [
  {
    name: "coarse lots, fees in base",
    grid: range({}),
    market: { buyFeeIn: "base", lot: d("0.0005") },
    base: "1",
  },
  { name: "a grid that fills on touch", grid: range({}), rules: { fill: "touch" }, base: "0.02" },
  { name: "high before low", grid: range({}), rules: { extremes: "high_first" }, base: "0.05" },
  { name: "too little quote for all slots", grid: range({}), quote: "2000", base: "0.01" },
  { name: "an initial buy", grid: range({ initialBuy: true }), rules: { slippage: d("0.0005") } },
  {
    name: "a stop price below every spread of an exit",
    grid: range({ lowerPrice: 44000, stopLossPrice: 43700 }),
    rules: { slippage: d("0.015") },
  },
  {
    name: "a take-profit price",
    grid: range({ upperPrice: 46500, takeProfitPrice: 47000, initialBuy: true }),
    // The first day begins below the price, and rises through it.
    days: [0, 1.2],
  },
  { name: "prices between two ticks", grid: range({}), market: { tick: d("7") }, base: "0.05" },
  { name: "a trigger price", grid: range({ triggerPrice: 46000 }) },
  { name: "orders that may take", grid: range({ postOnly: false }), base: "0.03" },
  {
    name: "limits of position and reserve",
    grid: range({ maxPosition: 0.5, safetyReserve: 0.1 }),
    quote: "9000",
    base: "0.02",
  },
  {
    name: "a centered grid that widens in a volatile market",
    days: [4.75, 4.85],
    grid: requested("centered", {
      levels: 4,
      spacing: 0.005,
      size: 300,
      volatility: true,
      volatilityLow: 0.002,
      volatilityHigh: 0.02,
    }),
  },
  { name: "a pass each minute", grid: range({}), rules: { tickInterval: 60_000 }, base: "0.05" },
];

export const CASES: readonly Case[] = [...WEEKS, ...DAYS];

export function prepared(
  { grid, market: over, rules: ruled, quote = "20000", base = "0" }: Case,
  candles: Candles,
) {
  const market = marketOf({ tick: d("0.1"), ...over });
  const rules = { ...RULES, ...ruled };
  const bars = ticksOf(candles, market.tick);
  const balances: Balance[] = [
    { asset: "USDT", free: d(quote), used: 0n },
    { asset: "BTC", free: d(base), used: 0n },
  ];
  const request = settingsOf(grid);
  const first = quoteAt(market, rules, { at: candles.from, ticks: openAt(bars, 0) }, bars.step);
  const setup = { market, quote: first, balances };
  const strategy = () => begin(checkGrid(request, setup), setup);
  return { market, rules, bars, balances, strategy, request };
}

export function walked(one: ReturnType<typeof prepared>, how: Partial<WalkOptions> = {}) {
  const run = walk(one.strategy(), one.bars, { ...one, ...how });
  return { ...run, fills: run.fills.newest(run.fills.count) };
}

/** What two ways of running a grid have to agree on, to the last unit. */
export const outcome = (strategy: GridStrategy, fills: readonly Fill[], balances: readonly Balance[]) => ({
  status: strategy.status,
  config: strategy.config,
  slots: strategy.state.slots,
  ledger: strategy.state.ledger,
  idle: strategy.state.idle,
  generation: strategy.state.generation,
  trail: strategy.state.trail,
  startPrice: strategy.state.startPrice,
  unexplained: unexplainedAssets(gridKind, strategy.state, strategy.symbol),
  balances: balances
    .filter(({ free, used }) => free + used > 0n)
    .map(({ asset, free, used }) => `${asset} ${free + used}`)
    .sort(),
  fills: fills
    .map(({ clientId, side, price, amount, notional, fees, at }) => {
      const { slot, generation } = parseClientOrderId(clientId) ?? {};
      const fee = fees.map((one) => `${one.amount} ${one.asset}`).join();
      return `${at} ${generation} ${slot} ${side} ${amount} at ${price} for ${notional}, fee ${fee}`;
    })
    .sort(),
});

/** The range or the centered grid as a start's schema reads it. */
const settingsOf = ({ definition, fields }: GridRequest) =>
  definition === "grid"
    ? requestedRangeOf(gridSettings("grid", fields) as never)
    : centeredOf(gridSettings("centered", fields) as never);
