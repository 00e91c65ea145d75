import type { Ccxt, Dict } from "./ccxt.ts";

/** Fields that ccxt's `setMarkets` creates. */
const MADE = [
  ...["markets", "markets_by_id", "symbols", "ids", "codes"],
  ...["baseCurrencies", "quoteCurrencies", "currencies", "currencies_by_id"],
] as const;

type MadeMarkets = Readonly<Record<string, unknown>>;

/** Created markets by class and market. */
const madeOfClass = new WeakMap<object, WeakMap<Dict, MadeMarkets>>();

/** Placeholder for an instance without markets. */
const NO_MARKET: Dict = {};

/**
 * Loads exactly these markets into an instance. ccxt's tables for one market, or none, are created once for all
 * instances, because each pass has a new instance and most need one market. Nothing modifies them, and they contain
 * no key.
 */
export function giveMarkets(exchange: Ccxt, markets: readonly Dict[]): void {
  const [market = NO_MARKET] = markets;
  if (markets.length > 1) {
    exchange.setMarkets(markets);
    return;
  }
  const pattern: object = Object.getPrototypeOf(exchange);
  const ofClass = madeOfClass.get(pattern) ?? new WeakMap<Dict, MadeMarkets>();
  madeOfClass.set(pattern, ofClass);
  const made = ofClass.get(market) ?? madeFrom(exchange, markets);
  ofClass.set(market, made);
  Object.assign(exchange, made);
}

function madeFrom(exchange: Ccxt, markets: readonly Dict[]): MadeMarkets {
  // On a fresh object, because it adds to the currencies that an instance already knows.
  const fresh = Object.create(Object.getPrototypeOf(exchange)) as Ccxt & MadeMarkets;
  fresh.setMarkets(markets);
  return Object.fromEntries(MADE.map((name) => [name, fresh[name]]));
}
