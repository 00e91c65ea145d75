import type { Candles } from "../../candles/candles.ts";
import { type Decimal, decimal, divideWhole, ONE } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { HOUR, type Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching.ts";
import type { Market } from "../../model/market.ts";
import { generatedPath, type ListedPath, type PricePath, type Shock, sampled } from "./matching.ts";

interface PriceSetting {
  readonly seed: number;
  readonly origin: Millis;
  /** Replayed candles by symbol. */
  readonly replays: ReadonlyMap<Pair, Candles>;
}

/** Quote traded per hour. */
const HOURLY_NOTIONAL = 2_000_000;

/** Price changes of each symbol. */
export type Shocks = Readonly<Record<string, readonly Shock[]>>;

/**
 * Returns the listings of the sandbox's venues, each symbol with its price path. Paths are cached while no price
 * change is added. A change at the time of the newest one is multiplied with it.
 */
export function createListings(
  setting: PriceSetting,
): (venue: string, symbol: Pair, shocks: Shocks) => ListedPath | undefined {
  const known = new Map<string, { listed: ListedPath; changes: string }>();
  return (venue, symbol, shocks) => {
    const all = shocks[symbol] ?? [];
    const changes = `${all.length} ${all.at(-1)?.factor}`;
    const found = known.get(`${venue} ${symbol}`);
    if (found?.changes === changes) return found.listed;
    const listing = listingOf(venue, symbol);
    if (!listing) return undefined;
    const market = simulatedMarket(venue, listing);
    const listed = { market, path: pathOf(setting, venue, { ...listing, shocks: shocks[symbol] ?? [] }) };
    known.set(`${venue} ${symbol}`, { listed, changes });
    return listed;
  };
}

type DrawnListing = NonNullable<ReturnType<typeof listingOf>> & { readonly shocks: readonly Shock[] };

function pathOf(
  { seed, origin, replays }: PriceSetting,
  venue: string,
  { symbol, start, tick, volatility, shocks }: DrawnListing,
): PricePath {
  const hourlyVolume = HOURLY_NOTIONAL / (Number(start) / 1e18);
  const common = { seed, symbol, volatility, hourlyVolume };
  const replay = replays.get(symbol);
  if (replay) {
    return replayPath(replay, tick, (anchor) =>
      generatedPath({ ...common, venue: "replay", anchor, shocks: [] }),
    );
  }
  const anchor = { at: origin, ticks: Number(divideWhole(start, tick, "half")) };
  return generatedPath({ ...common, venue, anchor, shocks });
}

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

/**
 * Returns a path through every candle: open, high, low and close in its quarters. Before the first candle it is the
 * generated path that leads there; after the last it stays at the last close.
 */
export function replayPath(candles: Candles, tick: Decimal, before: (first: Corner) => PricePath): PricePath {
  const { times } = candles;
  const cornerAt = eachCornerOf(candles, tick);
  const count = 4 * times.length;
  const totals = runningTotals(candles.volume);
  const [first, last] = [cornerAt(0), cornerAt(count - 1)];
  const earlier = before(first);
  const firstAfter = (time: Millis) => firstPlaceWhere(count, (index) => cornerAt(index).at > time);
  const firstAtOrAfter = (time: Millis) =>
    firstPlaceWhere(times.length, (bar) => (times[bar] as number) >= time);
  const at = (time: Millis): number => {
    if (time < first.at) return earlier.at(time);
    const next = firstAfter(time);
    return next < count ? between(cornerAt(next - 1), cornerAt(next), time) : last.ticks;
  };
  const cornersIn = (from: Millis, to: Millis): Corner[] => {
    const found = from < first.at ? earlier.corners(from, Math.min(to, first.at)) : [];
    for (let index = firstAfter(from); index < count; index++) {
      const corner = cornerAt(index);
      if (corner.at >= to) return found;
      found.push(corner);
    }
    return found;
  };
  return {
    at,
    corners: cornersIn,
    inside(from, to) {
      if (to <= first.at) return earlier.inside(from, to);
      const isWalked = from >= first.at && to - from <= MAX_EXACT_REPLAY_CANDLE_MS;
      return isWalked ? cornersIn(from, to).map(({ ticks }) => ticks) : sampled(at, from, to);
    },
    volume(from, to) {
      const [start, end] = [from, to].map((time) => totals[firstAtOrAfter(time)] ?? 0);
      return (end ?? 0) - (start ?? 0);
    },
  };
}

/** Longest candle that is computed exactly from the file's candles, which have few turning points. */
const MAX_EXACT_REPLAY_CANDLE_MS: Millis = 4 * HOUR;

/** Returns the turning point at a position, four per bar, computed on demand: a year of minutes has two million. */
function eachCornerOf(
  { times, open, high, low, close, scale, spanMillis }: Candles,
  tick: Decimal,
): (index: number) => Corner {
  const offsets = [0, spanMillis / 3, (2 * spanMillis) / 3, spanMillis - 1].map(Math.floor);
  const quarters = [open, high, low, close];
  const unit = ONE / 10n ** BigInt(scale);
  return (place) => {
    const [bar, quarter] = [place >>> 2, place & 3];
    const price = BigInt(quarters[quarter]?.[bar] as number) * unit;
    return {
      at: (times[bar] as number) + (offsets[quarter] as number),
      ticks: Number(divideWhole(price, tick, "half")),
    };
  };
}

/** Returns totals of the bars before each one; for a time after the last one, of all. */
function runningTotals(volumes: Float64Array): Float64Array {
  const totals = new Float64Array(volumes.length + 1);
  for (let bar = 0; bar < volumes.length; bar++)
    totals[bar + 1] = (totals[bar] as number) + (volumes[bar] as number);
  return totals;
}

/** Returns the first position at which the condition is true, if it is true from some position on. */
function firstPlaceWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
