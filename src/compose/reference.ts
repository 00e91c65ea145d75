import { type Decimal, ZERO } from "../kernel/decimal.ts";
import { VenueError } from "../kernel/errors.ts";
import { isChainToken, type Pair, splitPair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import type { Deps } from "../ports/deps.ts";
import type { Dex, ExchangeInfo, Reference } from "../ports/venue.ts";

interface ReferenceParts extends Pick<Deps, "exchanges" | "venue" | "inTime"> {
  readonly dex: Dex;
}

/** Response of a source: a price, none, or that it does not list the pair. */
type PriceAnswer = ({ readonly source: string } & PriceFound) | "silent" | "unlisted";

/** Returns prices of a pair from the other configured venues and the chain's exchanges. */
export const connectReference =
  ({ exchanges, venue, dex, inTime }: ReferenceParts) =>
  async (exchange: string, symbol: Pair): Promise<Reference> => {
    const requests = [
      ...othersOf(exchanges, exchange).map(({ id }) =>
        askPriceSource(id, () => inTime(id, () => midAt(venue(id), symbol))),
      ),
      askPriceSource("dex", () => chainPrice(dex, symbol)),
    ];
    const answers = await Promise.all(requests);
    const prices = answers.flatMap((answer) => (typeof answer === "object" ? [answer] : []));
    return {
      prices: prices.map(({ maxConfidence: _, ...price }) => price),
      maxConfidence: prices.find(({ maxConfidence }) => maxConfidence !== undefined)?.maxConfidence ?? null,
      listed: answers.some((answer) => answer !== "unlisted"),
    };
  };

/** Returns a function that reads candles of any configured exchange. */
export const connectCandles =
  ({ inTime, venue }: Pick<Deps, "inTime" | "venue">): NonNullable<Deps["candlesAt"]> =>
  (exchange, symbol, range) =>
    inTime(exchange, async () => venue(exchange).candles(symbol, range));

/** Returns one id of each other venue, because a second account on the same venue would only repeat its price. */
function othersOf(exchanges: readonly ExchangeInfo[], exchange: string): ExchangeInfo[] {
  const own = exchanges.find(({ id }) => id === exchange)?.venue;
  const others = exchanges.filter(({ venue }) => venue !== own);
  return others.filter(
    ({ venue }, index) => others.findIndex((exchangeInfo) => exchangeInfo.venue === venue) === index,
  );
}

type PriceFound = Omit<Reference["prices"][number], "source"> & { readonly maxConfidence?: Decimal };

async function askPriceSource(
  source: string,
  read: () => Promise<PriceFound | undefined>,
): Promise<PriceAnswer> {
  try {
    const priced = await read();
    return priced === undefined ? "unlisted" : priced.price > ZERO ? { source, ...priced } : "silent";
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return error.failure === "unlisted" ? "unlisted" : "silent";
  }
}

async function midAt(data: ReturnType<Deps["venue"]>, symbol: Pair): Promise<PriceFound> {
  const { bid, ask } = await data.ticker(symbol);
  return { price: midOf({ bid, ask }), bid, ask };
}

async function chainPrice(dex: Dex, symbol: Pair): Promise<PriceFound | undefined> {
  const { base, quote } = splitPair(symbol);
  if (!isChainToken(base) || quote !== "USDT") return undefined;
  const { price, confidence } = await dex.price(base);
  return { price, maxConfidence: confidence };
}
