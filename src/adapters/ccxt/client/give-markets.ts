import type { Ccxt, Dict } from "./ccxt.ts";

/** What ccxt's `setMarkets` makes of markets. */
const MADE = [
  ...["markets", "markets_by_id", "symbols", "ids", "codes"],
  ...["baseCurrencies", "quoteCurrencies", "currencies", "currencies_by_id"],
] as const;

type MadeMarkets = Readonly<Record<string, unknown>>;

/** By what instances of a class inherit, and by the market. */
const madeOfClass = new WeakMap<object, WeakMap<Dict, MadeMarkets>>();

/** In place of a market, for an instance that knows none. */
const NO_MARKET: Dict = {};

/**
 * Has an instance know these markets, and no others. What ccxt makes of one market, or of none, is made once for all
 * instances: each pass has one of its own, and most know one market. Nothing writes into it, and no key is in it.
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
  // On one of its own: it adds to the currencies that an instance knows already.
  const fresh = Object.create(Object.getPrototypeOf(exchange)) as Ccxt & MadeMarkets;
  fresh.setMarkets(markets);
  return Object.fromEntries(MADE.map((name) => [name, fresh[name]]));
}
