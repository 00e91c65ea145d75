import { VenueError } from "../../../kernel/errors.ts";
import { isPair, type Pair } from "../../../kernel/pair.ts";
import { MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { Local } from "../../../ports/local.ts";
import { type Ccxt, type Dict, fieldOf } from "../client/ccxt.ts";
import type { PublicBudget } from "../client/public-budget.ts";
import type { Quirks } from "../client/quirks.ts";
import { venueErrorOf } from "../client/venue-error.ts";

export interface MarketListDeps {
  readonly quirks: Quirks;
  readonly local: Pick<Local, "monotonic">;
  /** Rate limit of requests without a token. */
  readonly budget: PublicBudget | undefined;
  /** Returns an instance without keys; with keys, MEXC and Bitget would add signed calls that a trading key cannot make. */
  readonly exchange: () => Promise<Ccxt>;
}

export interface LoadedMarkets {
  /** The exchange's market id of every pair. */
  readonly listing: Readonly<Record<string, string>>;
  readonly markets: ReadonlyMap<Pair, Dict>;
}

/** Loads the list, and reports whether this call requested it; of many simultaneous calls, the first one stores it. */
export type Load = () => { readonly isMine: boolean; readonly loaded: Promise<LoadedMarkets> };

/** How long a failed load is reported to callers without a token before it is retried. */
const FAILED_FOR: Millis = 5 * SECOND;
/** How long a pair counts as unlisted because the list lacked it. */
const LACKING_FOR: Millis = 10 * MINUTE;

/** Loads all markets of one exchange in one large response, shared by all simultaneous callers. */
export function marketList(deps: MarketListDeps) {
  const { quirks, budget } = deps;
  const { monotonic } = deps.local;
  let loading: Promise<LoadedMarkets> | undefined;
  let failed: { readonly error: unknown; readonly at: Millis } | undefined;
  let last: { readonly listing: LoadedMarkets["listing"]; readonly at: Millis } | undefined;

  async function begin(): Promise<LoadedMarkets> {
    try {
      const loaded = await loadMarketList(deps);
      [last, failed] = [{ listing: loaded.listing, at: monotonic() }, undefined];
      return loaded;
    } catch (error) {
      failed = { error: venueErrorOf(error, quirks), at: monotonic() };
      throw failed.error;
    } finally {
      loading = undefined;
    }
  }

  const load: Load = () => {
    if (loading) return { isMine: false, loaded: loading };
    loading = begin();
    return { isMine: true, loaded: loading };
  };

  return {
    load,
    loadForAnyone(): ReturnType<Load> {
      if (loading) return load();
      if (failed && monotonic() - failed.at < FAILED_FOR) throw failed.error;
      const refusal = budget?.refusal();
      if (refusal) throw refusal;
      return load();
    },
    /** Returns whether this process's list lacks the pair, so no request is needed. */
    lacks: (symbol: Pair): boolean =>
      last !== undefined && monotonic() - last.at < LACKING_FOR && !Object.hasOwn(last.listing, symbol),
  };
}

async function loadMarketList({ quirks, exchange }: MarketListDeps): Promise<LoadedMarkets> {
  const found = await quirks.markets(await exchange());
  const listing: Record<string, string> = {};
  const markets = new Map<Pair, Dict>();
  for (const market of found) {
    const { symbol, id, altname = id } = market;
    if (market.spot !== true || typeof symbol !== "string" || !isPair(symbol)) continue;
    listing[symbol] = String(altname);
    markets.set(symbol, trimmed(market));
  }
  if (markets.size === 0) throw new VenueError("unavailable", `${quirks.name} listed no market`);
  return { listing, markets };
}

const MARKET_FIELDS_KEPT = [
  "id",
  "symbol",
  "base",
  "quote",
  "baseId",
  "quoteId",
  "active",
  "maker",
  "taker",
  "altname",
];

/** Returns the needed fields of a market, a tenth of ccxt's data. */
export function trimmed(market: Dict): Dict {
  const { precision, limits, info } = market;
  const kept = MARKET_FIELDS_KEPT.filter((name) => market[name] !== undefined && market[name] !== null);
  const wsname = fieldOf(info, "wsname");
  return {
    ...Object.fromEntries(kept.map((name) => [name, market[name]])),
    type: "spot",
    spot: true,
    contract: false,
    precision: { amount: fieldOf(precision, "amount"), price: fieldOf(precision, "price") },
    limits: {
      amount: { min: fieldOf(fieldOf(limits, "amount"), "min") },
      cost: { min: fieldOf(fieldOf(limits, "cost"), "min") },
    },
    info: wsname === undefined ? {} : { wsname },
  };
}
