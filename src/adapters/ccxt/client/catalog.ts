import { VenueError } from "../../../kernel/errors.ts";
import { isPair, type Pair } from "../../../kernel/pair.ts";
import { DAY, MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { Local, Log } from "../../../ports/within-time.ts";
import { type Ccxt, type Dict, fieldOf, isDict, type MarketCache } from "./ccxt.ts";
import { type Quirks, venueErrorOf } from "./quirks.ts";
import type { PublicBudget } from "./shared-reads.ts";

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
  /** Returns a market loaded within a day, or within minutes if it is closed, for its rules. */
  fresh(symbol: Pair): Promise<Dict>;
}

interface CatalogDeps extends MarketListDeps {
  readonly host: string;
  readonly keeper: MarketCache;
  readonly log: Log;
}

/** Age of a list after which a missing pair is worth another read. */
const LISTING_AGE: Millis = 10 * MINUTE;

/** A closed pair usually opens again within minutes or hours. */
const maxAgeOf = ({ active }: Dict): Millis => (active === false ? LISTING_AGE : DAY);

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
    if (ageOf(symbol) < maxAgeOf(market)) return market;
    const row = await keeper.market(host, symbol);
    if (row) market = remember(row.value, row.age);
    // A list that lacks it, such as of a delisted pair, is not loaded again in each pass.
    if (ageOf(symbol) < maxAgeOf(market) || list.lacks(symbol)) return market;
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

interface MarketListDeps {
  readonly quirks: Quirks;
  readonly local: Pick<Local, "monotonic">;
  /** Rate limit of requests without a token. */
  readonly budget: PublicBudget | undefined;
  /** Returns an instance without keys; with keys, MEXC and Bitget would add signed calls that a trading key cannot make. */
  readonly exchange: () => Promise<Ccxt>;
}

interface LoadedMarkets {
  /** The exchange's market id of every pair. */
  readonly listing: Readonly<Record<string, string>>;
  readonly markets: ReadonlyMap<Pair, Dict>;
}

/** Loads the list, and reports whether this call requested it; of many simultaneous calls, the first one stores it. */
type Load = () => { readonly isMine: boolean; readonly loaded: Promise<LoadedMarkets> };

/** How long a failed load is reported to callers without a token before it is retried. */
const FAILED_READ_CACHE_MS: Millis = 5 * SECOND;
/** How long a pair counts as unlisted because the list lacked it. */
const LACKING_MARKET_CACHE_MS: Millis = 10 * MINUTE;

/** Loads all markets of one exchange in one large response, shared by all simultaneous callers. */
function marketList(deps: MarketListDeps) {
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
      if (failed && monotonic() - failed.at < FAILED_READ_CACHE_MS) throw failed.error;
      const refusal = budget?.refusal();
      if (refusal) throw refusal;
      return load();
    },
    /** Returns whether this process's list lacks the pair, so no request is needed. */
    lacks: (symbol: Pair): boolean =>
      last !== undefined &&
      monotonic() - last.at < LACKING_MARKET_CACHE_MS &&
      !Object.hasOwn(last.listing, symbol),
  };
}

async function loadMarketList({ quirks, exchange }: MarketListDeps): Promise<LoadedMarkets> {
  const found = await readableMarkets(quirks, await exchange());
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

interface ListedRow {
  readonly request: string;
  readonly name: string;
  readonly row: unknown;
}

/** Returns every market that ccxt can read; one odd row would make it refuse the whole list. */
async function readableMarkets(quirks: Quirks, exchange: Ccxt): Promise<readonly Dict[]> {
  const responses = new Map<string, unknown>();
  // What ccxt requests only later, such as kraken's list of assets, belongs to every part.
  let listed: ReadonlySet<string> = new Set();
  /** Whether a request failed: no row is the cause, so none is looked for. */
  let hasFailed = false;

  const read = (part: readonly ListedRow[]) => {
    const request: Ccxt["request"] = async (path, api, ...rest) => {
      const key = `${String(api)} ${path}`;
      try {
        if (!responses.has(key)) responses.set(key, await exchange.request(path, api, ...rest));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      const response = responses.get(key);
      const isPart = ({ request: of }: ListedRow) => of === key;
      return listed.has(key) ? withRows(response, part.filter(isPart)) : response;
    };
    return quirks.markets(Object.assign(Object.create(exchange), { request }));
  };

  const halves = async (part: readonly ListedRow[]): Promise<readonly Dict[]> => {
    try {
      return await read(part);
    } catch (error) {
      if (hasFailed) throw error;
      if (part.length < 2) return [];
      const middle = part.length >> 1;
      return [...(await halves(part.slice(0, middle))), ...(await halves(part.slice(middle)))];
    }
  };

  try {
    return await read([]);
  } catch (error) {
    const rows = [...responses].flatMap(([request, response]) =>
      Object.entries(listOfRows(response).list).map(([name, row]): ListedRow => ({ request, name, row })),
    );
    if (hasFailed || rows.length === 0) throw error;
    listed = new Set(responses.keys());
    return halves(rows);
  }
}

/** Returns the list of a response, which is the whole of it or one of its fields. */
function listOfRows(response: unknown): { readonly field?: string; readonly list: object } {
  if (Array.isArray(response)) return { list: response };
  const isList = (value: unknown): value is object => isDict(value) || Array.isArray(value);
  for (const field of ["result", "data", "symbols"]) {
    const list = fieldOf(response, field);
    if (isList(list)) return { field, list };
  }
  return { list: [] };
}

function withRows(response: unknown, rows: readonly ListedRow[]): unknown {
  const { field, list } = listOfRows(response);
  const chosen = Array.isArray(list)
    ? rows.map(({ row }) => row)
    : Object.fromEntries(rows.map(({ name, row }) => [name, row]));
  return field === undefined ? chosen : { ...(response as Dict), [field]: chosen };
}

const CACHED_MARKET_FIELDS = [
  "id",
  "symbol",
  "base",
  "quote",
  "baseId",
  "quoteId",
  "active",
  "onlySide",
  "maker",
  "taker",
  "altname",
];

/** Returns the needed fields of a market, a tenth of ccxt's data. */
export function trimmed(market: Dict): Dict {
  const { precision, limits, info } = market;
  const kept = CACHED_MARKET_FIELDS.filter((name) => market[name] !== undefined && market[name] !== null);
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
