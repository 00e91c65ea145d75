/** What each emulated exchange lists, with the tick, lot and minimums that the real one shows for the pair. */

import { type Decimal, decimal } from "../../src/kernel/decimal.ts";
import { type Pair, splitPair } from "../../src/kernel/pair.ts";
import type { VenueName } from "../../src/model/market.ts";

export interface Listing {
  readonly symbol: Pair;
  readonly base: string;
  readonly quote: string;
  readonly tick: Decimal;
  readonly lot: Decimal;
  minAmount: Decimal;
  minNotional: Decimal;
  active: boolean;
  maker: Decimal;
  taker: Decimal;
  /** Price at the start. */
  readonly start: Decimal;
}

/** Symbol, start price, tick, lot, least amount. */
export type Row = readonly [Pair, string, string, string, string];

const ROWS: Record<VenueName, readonly Row[]> = {
  mexc: [
    ["BTC/USDT", "60000", "0.01", "0.000001", "0.000001"],
    ["ETH/USDT", "3000", "0.01", "0.00001", "0.0001"],
    ["LTC/USDT", "70", "0.01", "0.0001", "0.001"],
    ["ADA/USDT", "0.5", "0.0001", "0.01", "0.1"],
    ["SNEK/USDT", "0.002", "0.0000001", "0.01", "1"],
  ],
  gateio: [
    ["BTC/USDT", "60000", "0.1", "0.000001", "0.000001"],
    ["ETH/USDT", "3000", "0.01", "0.0001", "0.0001"],
    ["LTC/USDT", "70", "0.01", "0.001", "0.001"],
    ["ADA/USDT", "0.5", "0.0001", "0.01", "0.01"],
    ["SNEK/USDT", "0.002", "0.0000001", "0.01", "0.01"],
  ],
  bitget: [
    ["BTC/USDT", "60000", "0.01", "0.000001", "0"],
    ["ETH/USDT", "3000", "0.01", "0.0001", "0"],
    ["LTC/USDT", "70", "0.01", "0.0001", "0"],
    ["ADA/USDT", "0.5", "0.0001", "0.001", "0"],
  ],
  kraken: [
    ["BTC/USDT", "60000", "0.1", "0.00000001", "0.0001"],
    ["BTC/USD", "60000", "0.1", "0.00000001", "0.0001"],
    ["BTC/EUR", "55000", "0.1", "0.00000001", "0.0001"],
    ["ETH/USDT", "3000", "0.01", "0.00000001", "0.002"],
    ["LTC/USDT", "70", "0.00001", "0.00000001", "0.08"],
    ["ADA/USDT", "0.5", "0.000001", "0.00000001", "4"],
    ["ADA/USD", "0.5", "0.000001", "0.00000001", "4"],
    ["LUNA/USDT", "0.2", "0.0001", "0.00000001", "10"],
  ],
};

const MIN_NOTIONAL: Record<VenueName, string> = { mexc: "1", gateio: "3", bitget: "1", kraken: "0.5" };
const FEES: Record<VenueName, { maker: string; taker: string }> = {
  mexc: { maker: "0", taker: "0.0005" },
  gateio: { maker: "0.002", taker: "0.002" },
  bitget: { maker: "0.001", taker: "0.001" },
  kraken: { maker: "0.0025", taker: "0.004" },
};

export const listingsOf = (venue: VenueName, more: readonly Row[] = []): Map<Pair, Listing> =>
  new Map(
    [...ROWS[venue], ...more].map(([symbol, start, tick, lot, minAmount]) => [
      symbol,
      {
        symbol,
        ...splitPair(symbol),
        start: decimal(start),
        tick: decimal(tick),
        lot: decimal(lot),
        minAmount: decimal(minAmount),
        minNotional: decimal(MIN_NOTIONAL[venue]),
        active: true,
        maker: decimal(FEES[venue].maker),
        taker: decimal(FEES[venue].taker),
      },
    ]),
  );

/** How many decimals a step such as 0.001 has. */
export const decimalsOf = (step: Decimal): number => {
  let places = 18;
  for (let rest = step; places > 0 && rest % 10n === 0n; rest /= 10n) places--;
  return places;
};
