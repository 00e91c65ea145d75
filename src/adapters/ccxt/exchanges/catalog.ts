import { VenueError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, MINUTE, type Millis } from "../../../kernel/time.ts";
import type { Log } from "../../../ports/local.ts";
import type { Dict } from "../client/ccxt.ts";
import type { MarketKeeper } from "../client/keeping.ts";
import { type Load, type LoadedMarkets, type MarketListDeps, marketList } from "./market-list.ts";

/** The needed markets of one exchange: from memory, a stored row, or the exchange. */
export interface Catalog extends ListedMarkets {
  /** The same for callers without a token: within their rate limit, and with a pause after a failure. */
  readonly forAnyone: ListedMarkets;
  /** Returns the pairs by market ids, as orders contain them; from a new list if the stored one is old and lacks `id`. */
  names(id?: string): Promise<ReadonlyMap<string, Pair>>;
  spoil(symbol: Pair): Promise<void>;
}

interface ListedMarkets {
  /** Returns a market of any age, for its ids, which never change. Throws `unlisted`. */
  known(symbol: Pair): Promise<Dict>;
  /** Returns a market loaded within a day, for its rules. */
  fresh(symbol: Pair): Promise<Dict>;
}

interface CatalogDeps extends MarketListDeps {
  readonly host: string;
  readonly keeper: MarketKeeper;
  readonly log: Log;
}

/** Age of a list after which a missing pair is worth another read. */
const LISTING_AGE: Millis = 10 * MINUTE;

export function createCatalog(deps: CatalogDeps): Catalog {
  const { quirks, host, keeper, log } = deps;
  const { memory, remember, ageOf, loadFor, remembered, request } = marketMemory(deps);
  const list = marketList(deps);

  const known = async (symbol: Pair, load: Load): Promise<Dict> => {
    const unlisted = () => new VenueError("unlisted", `${symbol} is not listed on ${quirks.name}`);
    const found = await remembered(symbol);
    if (found) return found;
    if (list.lacks(symbol)) throw unlisted();
    const row = await keeper.market(host, symbol);
    if (row) {
      request(symbol);
      return remember(row.value, row.age);
    }
    const kept = await keeper.listing(host);
    if (!kept || Object.hasOwn(kept.value, symbol) || kept.age > LISTING_AGE) await loadFor(symbol, load);
    const market = memory.get(symbol)?.market;
    if (!market) throw unlisted();
    return market;
  };

  const fresh = async (symbol: Pair, load: Load): Promise<Dict> => {
    let market = await known(symbol, load);
    if (ageOf(symbol) < DAY) return market;
    const row = await keeper.market(host, symbol);
    if (row) market = remember(row.value, row.age);
    // A list that lacks it, such as of a delisted pair, is not loaded again in each pass.
    if (ageOf(symbol) < DAY || list.lacks(symbol)) return market;
    try {
      await loadFor(symbol, load);
    } catch (error) {
      // Yesterday's rules are better than none: the exchange rejects what they wrongly allow.
      log("warn", `the markets of ${quirks.name} could not be loaded again`, { symbol });
      if (!(error instanceof VenueError)) throw error;
    }
    return memory.get(symbol)?.market ?? market;
  };

  const listedBy = (load: Load): ListedMarkets => ({
    known: (symbol) => known(symbol, load),
    fresh: (symbol) => fresh(symbol, load),
  });

  return {
    ...listedBy(list.load),
    forAnyone: listedBy(list.loadForAnyone),
    async names(id) {
      const byId = (listing: LoadedMarkets["listing"]) =>
        new Map(Object.entries(listing).map(([symbol, marketId]) => [marketId, symbol as Pair]));
      const kept = await keeper.listing(host);
      const names = kept && byId(kept.value);
      if (names && (id === undefined || names.has(id) || kept.age <= LISTING_AGE)) return names;
      const { listing } = await list.load().loaded;
      await keeper.keepMarkets(host, { listing, markets: [] });
      return byId(listing);
    },
    async spoil(symbol) {
      memory.delete(symbol);
      await keeper.spoil(host, symbol);
    },
  };
}

/** The markets that this process loaded. */
function marketMemory({ host, keeper, local }: CatalogDeps) {
  const memory = new Map<Pair, { readonly market: Dict; readonly loadedAt: Millis }>();
  /** Pairs that somebody requested; their rows are stored. */
  const requestedPairs = new Set<Pair>();

  const remember = (market: Dict, age: Millis) => {
    memory.set(market.symbol as Pair, { market, loadedAt: local.monotonic() - age });
    return market;
  };
  const ageOf = (symbol: Pair): Millis =>
    local.monotonic() - (memory.get(symbol)?.loadedAt ?? Number.NEGATIVE_INFINITY);

  const loadFor = async (symbol: Pair, load: Load): Promise<void> => {
    requestedPairs.add(symbol);
    const { isMine, loaded } = load();
    const { listing, markets } = await loaded;
    if (!isMine) return;
    // All of them, because the first use of another pair is no reason to load the same list again.
    for (const market of markets.values()) remember(market, 0);
    const rows = [...requestedPairs].map((one) => markets.get(one)).filter((market) => market !== undefined);
    await keeper.keepMarkets(host, { listing, markets: rows });
  };

  /** Returns a market from memory; its row is stored on first use, while the list is new. */
  const remembered = async (symbol: Pair): Promise<Dict | undefined> => {
    const market = memory.get(symbol)?.market;
    if (!market || requestedPairs.has(symbol)) return market;
    requestedPairs.add(symbol);
    if (ageOf(symbol) < LISTING_AGE)
      await keeper.keepMarkets(host, { listing: undefined, markets: [market] });
    return market;
  };

  const request = (symbol: Pair) => void requestedPairs.add(symbol);

  return { memory, remember, ageOf, loadFor, remembered, request };
}
