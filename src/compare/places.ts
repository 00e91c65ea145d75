import { type Decimal, mul } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Book, Market, Ticker } from "../model/market.ts";
import type { ChainMarket, PricedPool } from "../ports/dex.ts";
import { bookLeg } from "./book-leg.ts";
import { poolLeg } from "./pool-leg.ts";
import type { PricedPlace } from "./schema.ts";

export interface VenueReading {
  readonly exchange: string;
  readonly ticker: Ticker;
  readonly book: Book;
  readonly market: Market;
}

export function venuePlace({ exchange, ticker, book, market }: VenueReading): PricedPlace {
  const { last: price, bid, ask, at } = ticker;
  const result = { exchange, price, bid, ask, at };
  if (!market.active) return { ...result, buy: undefined, sell: undefined };
  return {
    ...result,
    buy: bookLeg({ exchange, side: "buy", levels: book.asks, market }),
    sell: bookLeg({ exchange, side: "sell", levels: book.bids, market }),
  };
}

/** Returns every pool that counts toward the token's price; a pool buys and sells at one price, before its fee. */
export const poolPlaces = ({ pools, ada }: ChainMarket, at: Millis): PricedPlace[] =>
  pools.map((pool) => poolPlace(pool, ada.price, at));

function poolPlace(pool: PricedPool, ada: Decimal, at: Millis): PricedPlace {
  const price = mul(pool.quoted, ada, "half");
  return {
    ...{ exchange: pool.dex, pool: pool.identifier, price, bid: price, ask: price, at },
    buy: poolLeg({ pool, side: "buy", ada }),
    sell: poolLeg({ pool, side: "sell", ada }),
  };
}
