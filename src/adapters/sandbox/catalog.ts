import { type Decimal, decimal } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Market } from "../../model/market.ts";

interface Listing {
  readonly symbol: Pair;
  readonly start: Decimal;
  readonly tick: Decimal;
  readonly lot: Decimal;
  /** Standard deviation of an hourly return. */
  readonly volatility: number;
}

const pairListing = (
  symbol: Pair,
  [start, tick, lot]: [string, string, string],
  volatility: number,
): Listing => ({
  symbol,
  start: decimal(start),
  tick: decimal(tick),
  lot: decimal(lot),
  volatility,
});

const BITCOIN: [string, string, string] = ["60000", "0.01", "0.00001"];
const ADA: [string, string, string] = ["0.5", "0.0001", "0.1"];

const EVERYWHERE = [
  pairListing("BTC/USDT", BITCOIN, 0.006),
  pairListing("ETH/USDT", ["3000", "0.01", "0.0001"], 0.008),
  pairListing("ADA/USDT", ADA, 0.01),
  pairListing("SNEK/USDT", ["0.002", "0.0000001", "1"], 0.016),
  pairListing("INDY/USDT", ["1", "0.0001", "0.1"], 0.013),
];
const ON_KRAKEN = [
  pairListing("BTC/USD", BITCOIN, 0.006),
  pairListing("BTC/EUR", BITCOIN, 0.006),
  pairListing("ADA/USD", ADA, 0.01),
];

const FEE = decimal("0.001");
const MIN_NOTIONAL = decimal("5");

const STARTING_BASE: Readonly<Record<string, string>> = {
  BTC: "2",
  ETH: "30",
  ADA: "100000",
  SNEK: "10000000",
  INDY: "50000",
};
const STARTING_QUOTE = "100000";

/** Returns the listings of a venue of this kind. */
export const listingsOf = (venue: string): readonly Listing[] =>
  venue === "kraken" ? [...EVERYWHERE, ...ON_KRAKEN] : EVERYWHERE;

export const listingOf = (venue: string, symbol: Pair): Listing | undefined =>
  listingsOf(venue).find((listing) => listing.symbol === symbol);

/** Returns a simulated market. Two venues charge buy fees in base, two in quote, because grids must work with both. */
export function simulatedMarket(venue: string, { symbol, tick, lot }: Listing): Market {
  return {
    symbol,
    ...splitPair(symbol),
    tick,
    lot,
    minAmount: lot,
    minNotional: MIN_NOTIONAL,
    active: true,
    maker: FEE,
    taker: FEE,
    buyFeeIn: venue === "mexc" || venue === "bitget" ? "base" : "quote",
  };
}

/** Initial balances of a venue. */
export function startingBalances(venue: string): { asset: string; total: Decimal }[] {
  const quotes = new Set(listingsOf(venue).map(({ symbol }) => splitPair(symbol).quote));
  return [
    ...[...quotes].map((asset) => ({ asset, total: decimal(STARTING_QUOTE) })),
    ...Object.entries(STARTING_BASE).map(([asset, total]) => ({ asset, total: decimal(total) })),
  ];
}
