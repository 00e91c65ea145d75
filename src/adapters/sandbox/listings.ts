import type { Candles } from "../../candles/candles.ts";
import { divideWhole } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { listingOf, simulatedMarket } from "./catalog.ts";
import type { ListedPath } from "./matching.ts";
import { generatedPath, type PricePath, type Shock } from "./path.ts";
import { replayPath } from "./replay.ts";

export interface PriceSetting {
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
