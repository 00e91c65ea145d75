import { type BacktestOptions, backtest } from "../../src/backtest/run/backtest.ts";
import type { Tape } from "../../src/candles/tape.ts";
import { createTapeReader } from "../../src/candles/tape-reader.ts";
import type { Market } from "../../src/model/market.ts";
import type { Fill } from "../../src/model/order.ts";
import { d, market as marketOf } from "../support/grid.ts";

export const FROM = Date.UTC(2026, 0, 1);

type Level = readonly [price: number, amount: number];
export type Reported =
  | { readonly at: number; readonly price: number; readonly amount?: number | undefined }
  | { readonly at: number; readonly bids: readonly Level[]; readonly asks: readonly Level[] };

export const print = (at: number, price: number, amount?: number): Reported => ({ at, price, amount });
export const book = (at: number, bids: readonly Level[], asks: readonly Level[]): Reported => ({
  at,
  bids,
  asks,
});

/** A tape as a file of JSON Lines tells it; times in milliseconds from its beginning. */
export function taped(events: readonly Reported[]): Tape {
  const reader = createTapeReader({ pair: "BTC/USDT" });
  const lines = events.map(({ at, ...rest }) => JSON.stringify({ timestamp: FROM + at, ...rest }));
  reader.push(new TextEncoder().encode(`${lines.join("\n")}\n`));
  return reader.end().tape;
}

/** One slot that buys 1 at 100 and sells it at 110, from above 100. */
export const ONE_SLOT = {
  lowerPrice: d("100"),
  upperPrice: d("110"),
  gridLevels: 1,
  orderSize: d("100"),
  allowLoss: true,
};

export const MARKET: Market = marketOf({
  tick: d("0.1"),
  lot: d("0.01"),
  minAmount: d("0.01"),
  minNotional: d("1"),
  maker: 0n,
  taker: 0n,
});

export const overTape = (
  events: readonly Reported[],
  options: Partial<BacktestOptions> = {},
  request: Parameters<typeof backtest>[0] = ONE_SLOT,
) => backtest(request, taped(events), { market: MARKET, withBand: true, ...options });

/** Executions as `milliseconds side amount at price`. */
export const executions = ({ run: { fills } }: ReturnType<typeof overTape>): string[] =>
  fills.newest(fills.count).map(describeExecution);

const describeExecution = ({ at, side, amount, price }: Fill): string =>
  `${at - FROM} ${side} ${Number(amount) / 1e18} at ${Number(price) / 1e18}`;
