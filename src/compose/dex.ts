import {
  outboundRate,
  type PublicBudget,
  type PublicBudgets,
} from "../adapters/ccxt/client/public-budget.ts";
import { IRIS_URL, irisAggregator } from "../adapters/iris/aggregator.ts";
import { cached } from "../adapters/iris/cached.ts";
import { dexPrice, pricedPools } from "../dex/price.ts";
import { ZERO } from "../kernel/decimal.ts";
import { VenueError } from "../kernel/errors.ts";
import { medianOf } from "../kernel/median.ts";
import { midOf } from "../kernel/spread.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { Quote } from "../model/market.ts";
import type { Deps } from "../ports/deps.ts";
import type { AdaPrice, Aggregator, Dex } from "../ports/dex.ts";
import type { MarketData } from "../ports/market.ts";
import type { Config } from "./config.ts";

const TTL: Millis = 5 * SECOND;
const WHO = "the DEX aggregator";

/** Rate limit for four tokens, each requested once per cache period. */
const RATE = { burst: 8, perSecond: 1 };

export interface DexParts extends Pick<Deps, "exchanges" | "inTime"> {
  readonly venue: (exchange: string) => Pick<MarketData, "ticker">;
  readonly aggregator: Aggregator;
}

/** Returns the live aggregators of the settings: for passes, and with a rate limit for other callers. */
export function liveAggregators(
  {
    venueUrls,
    readTimeoutMillis,
    rateLimits,
  }: Pick<Config, "venueUrls" | "readTimeoutMillis" | "rateLimits">,
  { budgets, monotonic }: { readonly budgets: PublicBudgets; readonly monotonic: () => Millis },
): { readonly own: Aggregator; readonly forAnyone: Aggregator } {
  const url = venueUrls.get("iris") ?? IRIS_URL;
  const iris = irisAggregator({ url, timeoutMillis: readTimeoutMillis });
  const budget = budgets(new URL(url).host, WHO, outboundRate(RATE, rateLimits?.outbound));
  const keeping = { ttl: TTL, monotonic };
  return { own: cached(iris, keeping), forAnyone: cached(within(budget, iris), keeping) };
}

const within = (budget: PublicBudget, { pools }: Aggregator): Aggregator => ({
  async pools(token) {
    const refusal = budget.refusal();
    if (refusal) throw refusal;
    return pools(token);
  },
});

/** Connects the chain's exchanges through an aggregator, with ADA's price from the configured exchanges. */
export function connectDex({ aggregator, exchanges, venue, inTime }: DexParts): Dex {
  const pools: Dex["pools"] = (token) => inTime(WHO, () => aggregator.pools(token));
  const quoteOf = (id: string) => inTime(id, async () => venue(id).ticker("ADA/USDT"));
  const ada = async (): Promise<AdaPrice> => {
    const quotes = await Promise.allSettled(exchanges.map(({ id }) => quoteOf(id)));
    return adaPrice(exchanges.map(({ id }, index) => ({ id, quote: settledValue(quotes[index]) })));
  };
  const market: Dex["market"] = async (token) => {
    const [found, worth] = await Promise.all([pools(token), ada()]);
    return { pools: pricedPools(found), ada: worth };
  };
  return {
    pools,
    market,
    async price(token) {
      const price = dexPrice(token, await market(token));
      if (!price)
        throw new VenueError("unavailable", `no pool of ${token} holds 1,000 ADA or more and has a price`);
      return price;
    },
  };
}

const settledValue = <T>(settled: PromiseSettledResult<T> | undefined): T | undefined =>
  settled?.status === "fulfilled" ? settled.value : undefined;

function adaPrice(quotes: readonly { id: string; quote: Quote | undefined }[]): AdaPrice {
  const mids = quotes.flatMap(({ id, quote }) =>
    quote && quote.bid > ZERO && quote.ask > ZERO ? [{ id, mid: midOf(quote) }] : [],
  );
  const price = medianOf(mids.map(({ mid }) => mid));
  if (price === undefined)
    throw new VenueError("unavailable", "no configured exchange returned the price of ADA in USDT");
  return { price, exchanges: mids.map(({ id }) => id) };
}
