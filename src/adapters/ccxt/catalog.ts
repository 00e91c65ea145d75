import { VenueError } from "../../errors.ts";
import { isPair, type Pair } from "../../kernel/pair.ts";
import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Local, Log } from "../../ports.ts";
import { type Ccxt, type Dict, fieldOf } from "./ccxt.ts";
import type { MarketKeeper } from "./keeping.ts";
import type { Quirks } from "./quirks.ts";
import { venueErrorOf } from "./venue-error.ts";

/** The markets of one exchange as far as they are needed: from memory, else a row, else the exchange itself. */
export interface Catalog {
  /** A market of any age, for what never changes: its ids. Throws `unlisted`. */
  known(symbol: Pair): Promise<Dict>;
  /** A market loaded within a day, for its rules. */
  fresh(symbol: Pair): Promise<Dict>;
  /** The pairs behind the ids that the exchange's orders carry. */
  names(): Promise<ReadonlyMap<string, Pair>>;
  spoil(symbol: Pair): Promise<void>;
}

export interface CatalogWorld {
  readonly quirks: Quirks;
  readonly host: string;
  readonly keeper: MarketKeeper;
  readonly local: Pick<Local, "monotonic">;
  readonly log: Log;
  /** A keyless instance: with keys, mexc and bitget would add signed calls that a trading key fails. */
  readonly exchange: () => Promise<Ccxt>;
}

/** Whether a pair that a list of this age lacks is worth another look at the exchange. */
const LISTING_AGE: Millis = 10 * MINUTE;

export function createCatalog(world: CatalogWorld): Catalog {
  const { quirks, host, keeper, local, log } = world;
  const memory = new Map<Pair, { readonly market: Dict; readonly loadedAt: Millis }>();
  let loading: Promise<Loaded> | undefined;

  const remember = (market: Dict, age: Millis) => {
    memory.set(market.symbol as Pair, { market, loadedAt: local.monotonic() - age });
    return market;
  };

  const load = () => {
    loading ??= ask(world)
      .catch((error: unknown) => {
        throw venueErrorOf(error, quirks);
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };

  const loadFor = async (wanted: readonly Pair[]): Promise<void> => {
    const { listing, markets } = await load();
    const needed = [...new Set([...memory.keys(), ...wanted])].flatMap((symbol): Dict[] => {
      const market = markets.get(symbol);
      return market ? [market] : [];
    });
    for (const market of needed) remember(market, 0);
    await keeper.keepMarkets(host, { listing, markets: needed });
  };

  const known = async (symbol: Pair): Promise<Dict> => {
    const found = memory.get(symbol);
    if (found) return found.market;
    const row = await keeper.market(host, symbol);
    if (row) return remember(row.value, row.age);
    const list = await keeper.listing(host);
    if (!list || symbol in list.value || list.age > LISTING_AGE) await loadFor([symbol]);
    const market = memory.get(symbol)?.market;
    if (!market) throw new VenueError("unlisted", `${symbol} is not listed on ${quirks.name}`);
    return market;
  };

  const fresh = async (symbol: Pair): Promise<Dict> => {
    const isFresh = () =>
      local.monotonic() - (memory.get(symbol)?.loadedAt ?? Number.NEGATIVE_INFINITY) < DAY;
    let market = await known(symbol);
    if (isFresh()) return market;
    const row = await keeper.market(host, symbol);
    if (row) market = remember(row.value, row.age);
    if (isFresh()) return market;
    try {
      await loadFor([symbol]);
    } catch (error) {
      // Yesterday's rules are better than none: what they allow and the exchange does not, it refuses.
      log("warn", `the markets of ${quirks.name} could not be loaded again`, { symbol });
      if (!(error instanceof VenueError)) throw error;
    }
    return memory.get(symbol)?.market ?? market;
  };

  return {
    known,
    fresh,
    async names() {
      const kept = await keeper.listing(host);
      const listing = kept?.value ?? (await load()).listing;
      return new Map(Object.entries(listing).map(([symbol, id]) => [id, symbol as Pair]));
    },
    async spoil(symbol) {
      memory.delete(symbol);
      await keeper.spoil(host, symbol);
    },
  };
}

interface Loaded {
  readonly listing: Readonly<Record<string, string>>;
  readonly markets: ReadonlyMap<Pair, Dict>;
}

async function ask({ quirks, exchange }: CatalogWorld): Promise<Loaded> {
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

const KEPT = ["id", "symbol", "base", "quote", "baseId", "quoteId", "active", "maker", "taker", "altname"];

/** What is needed of a market: a tenth of what ccxt makes of it. */
export function trimmed(market: Dict): Dict {
  const { precision, limits, info } = market;
  const kept = KEPT.filter((name) => market[name] !== undefined && market[name] !== null);
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
