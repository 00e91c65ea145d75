import * as z from "zod";
import {
  abs,
  type Decimal,
  decimal,
  div,
  mul,
  mulDiv,
  ONE,
  type Rounding,
  ZERO,
} from "../../kernel/decimal.ts";
import { AppError, UnreadableError, VenueError } from "../../kernel/errors.ts";
import { convertedField, decimalField, flagField, MAX_AMOUNT, pairField } from "../../kernel/fields.ts";
import { isChainToken, type Pair, splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Book, BookLevel, Market, Ticker } from "../../model/market.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ConfiguredExchanges, PublicReads } from "../../ports/exchanges.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import { marketNow } from "../../ports/market-now.ts";
import type { ChainMarket, PricedPool, Venue } from "../../ports/venue.ts";
import {
  analysisOut,
  type Comparison,
  ComparisonShape,
  type Leg,
  type LegFill,
  type PricedPlace,
  pricesOut,
} from "../schema.ts";

/** Parses comma-separated ids, ignoring spaces; a repeated one counts once. */
const exchangesField = (ids: readonly string[]) => {
  const error = `Invalid exchange: each must be one of ${ids.join(", ")}`;
  return convertedField(z.string({ error }), error, (text): readonly string[] | undefined => {
    const requests = [...new Set(text.split(",").map((id) => id.trim()))];
    return requests.every((id) => ids.includes(id)) ? requests : undefined;
  })
    .optional()
    .describe(`Exchange ids with commas between them (default all): ${ids.join(",")}`);
};

/** Rounds a pool's price, which is a quotient with unlimited digits. */
const toTenDigits = (number: number): number => Number(number.toPrecision(10));

const NO_TRADE_REASONS = {
  one_venue: "no: a second exchange is required",
  no_gain: "no: fees exceed the price difference",
  below_minimum: "no: the profitable amount is below the minimum order",
} as const;

const wholeText = (symbol: string, { whole }: ExecutableFound) =>
  whole === undefined
    ? {}
    : { whole: whole ? tradeText(symbol, whole) : "no two order books have this amount" };

const COMPARED_LEVELS = 100;
const CHAIN = "dex";

// An account's own fees reveal how much it trades, and reading them uses its keys: neither is for callers without a
// token.
const publicMarket = (venue: Venue, symbol: Pair): Promise<Market> =>
  venue.forAnyone ? venue.forAnyone.market(symbol) : (venue.listed ?? venue.market)(symbol);

/** Reads ticker, book and rules of one venue within one time limit. */
const readVenue = (
  { venue, inTime }: ConfiguredExchanges & PublicReads,
  { exchange, symbol, ownFees }: MarketRequest,
): Promise<PlacesRead> =>
  readPlaces(exchange, () =>
    inTime(exchange, async () => {
      const place = venue(exchange);
      const data = forAnyone(place);
      const [ticker, book, market] = await Promise.all([
        data.ticker(symbol),
        data.book(symbol, COMPARED_LEVELS),
        ownFees ? place.market(symbol) : publicMarket(place, symbol),
      ]);
      return [venuePlace({ exchange, ticker, book, market })];
    }),
  );

const withExchange = ({ exchange, error }: { exchange: string; error: string }): string =>
  error.startsWith(exchange) ? error : `${exchange}: ${error}`;

/** A pool whose reserves differ by more from its quoted price uses another formula than x·y = k. */
const MAX_POOL_DEVIATION = decimal("0.01");

/** Returns every pool that counts toward the token's price; a pool buys and sells at one price, before its fee. */
const poolPlaces = ({ pools, ada }: ChainMarket, at: Millis): PricedPlace[] =>
  pools.map((pool) => poolPlace(pool, ada.price, at));

/** Operations that compare prices of one pair. */
export const compareOperations = (ids: readonly string[]): Operation[] => [
  operation({
    name: "compare_prices",
    summary: "Compare a pair's prices on all exchanges, after fees",
    effect: "read",
    access: "public",
    knowsCaller: true,
    http: { route: "GET /price/compare", from: "query" },
    cli: {
      path: "compare",
      positional: ["symbol"],
      watch: true,
      view: comparisonView,
      examples: ["edgemaker compare BTC/USDT --amount 0.5", "edgemaker compare SNEK/USDT --dex --watch"],
    },
    mcp: { summarize: netText },
    input: () =>
      z.object({
        symbol: pairField(),
        exchanges: exchangesField(ids),
        amount: decimalField("Invalid amount", MAX_AMOUNT)
          .optional()
          .describe("Largest amount of base to trade"),
        partial: flagField("Invalid request", "partial")
          .default(false)
          .describe("Skip exchanges that fail, and list them"),
        dex: flagField("Invalid request", "dex")
          .default(false)
          .describe("Include the pools of a Cardano token"),
      }),
    output: ComparisonShape,
    failure: "Fetch failed",
    async run(deps, { symbol, exchanges = ids, amount, partial, dex }, { actor }) {
      const ownFees = actor !== "public";
      const readings = await Promise.all([
        ...exchanges.map((exchange) => readVenue(deps, { exchange, symbol, ownFees })),
        ...(dex ? [readChain(deps, symbol)] : []),
      ]);
      const { places, unlisted, failed } = allPlaces(readings, { symbol, partial });
      const analysis = analysisOut(places, amount);
      if (!analysis) throw new AppError("Fetch failed", "no exchange returned a price");
      return {
        symbol,
        prices: pricesOut(places),
        analysis,
        unlisted,
        ...(partial ? { failed } : {}),
        timestamp: await marketNow(deps),
      };
    },
  }),
];

/** Formats the prices as a table with the best bid and ask marked, and the result below it. */
function comparisonView(answer: unknown) {
  const { symbol, prices, analysis, unlisted, failed = [], timestamp } = answer as Comparison;
  const { lowestAsk, highestBid, spread, spreadPercent } = analysis;
  return {
    symbol,
    timestamp,
    spread: `${toTenDigits(spread)} (${spreadPercent.toFixed(4)} %), ask of ${lowestAsk.exchange} to bid of ${highestBid.exchange}`,
    executable: executableText(symbol, analysis.executable),
    ...wholeText(symbol, analysis.executable),
    ...(unlisted.length > 0 ? { unlisted } : {}),
    ...(failed.length > 0 ? { failed: failed.map(({ exchange, error }) => `${exchange}: ${error}`) } : {}),
    prices: prices.map(({ exchange, price, bid, ask, spreadPercent: percent }) => ({
      exchange,
      price: toTenDigits(price),
      bid: toTenDigits(bid),
      ask: toTenDigits(ask),
      spreadPercent: Number(percent.toFixed(4)),
      best: [
        ...(bid === highestBid.price && exchange === highestBid.exchange ? ["bid"] : []),
        ...(ask === lowestAsk.price && exchange === lowestAsk.exchange ? ["ask"] : []),
      ].join(" and "),
    })),
  };
}

/** Describes the result of buying at one place and selling at another, after fees. */
function netText(answer: unknown): string {
  const { symbol, analysis } = answer as Comparison;
  const { executable } = analysis;
  const whole = wholeText(symbol, executable).whole;
  return [
    `After fees, in the current order books: ${executableText(symbol, executable)}.`,
    ...(whole === undefined ? [] : [`The full amount: ${whole}.`]),
  ].join(" ");
}

type ExecutableFound = Comparison["analysis"]["executable"];

function executableText(symbol: string, found: ExecutableFound): string {
  if (!found.opportunity) return NO_TRADE_REASONS[found.reason ?? "no_gain"];
  return tradeText(symbol, { ...found, buy: found.buy ?? "", sell: found.sell ?? "" });
}

function tradeText(
  symbol: string,
  { buy, sell, amount, net, netPercent, fees }: NonNullable<ExecutableFound["whole"]>,
) {
  const [base, quote] = symbol.split("/");
  return `${amount} ${base} from ${buy} to ${sell}: ${toTenDigits(net)} ${quote} (${netPercent.toFixed(4)} %) after fees of ${toTenDigits(fees)}`;
}

/** Result of one source: places, an unlisted symbol, or a failure. */
interface PlacesRead {
  readonly exchange: string;
  readonly places: readonly PricedPlace[];
  readonly unlisted?: boolean;
  readonly error?: string;
}

interface MarketRequest {
  readonly exchange: string;
  readonly symbol: Pair;
  /** Whether the caller is allowed to see the account's own fees. */
  readonly ownFees: boolean;
}

/** Returns the pools of a token against USDT; the chain lists nothing else. */
async function readChain(deps: Deps, symbol: Pair): Promise<PlacesRead> {
  const { base, quote } = splitPair(symbol);
  if (!isChainToken(base) || quote !== "USDT") return { exchange: CHAIN, places: [], unlisted: true };
  return readPlaces(CHAIN, async () => poolPlaces(await deps.dex.market(base), await marketNow(deps)));
}

async function readPlaces(
  exchange: string,
  read: () => Promise<readonly PricedPlace[]>,
): Promise<PlacesRead> {
  try {
    return { exchange, places: await read() };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    if (error.failure === "unlisted") return { exchange, places: [], unlisted: true };
    return { exchange, places: [], error: error.message };
  }
}

/** Returns all places, or throws the contract's failure: if every venue failed, or one without `partial`. */
function allPlaces(readings: readonly PlacesRead[], { symbol, partial }: { symbol: Pair; partial: boolean }) {
  const failed = readings.flatMap(({ exchange, error }) =>
    error === undefined ? [] : [{ exchange, error }],
  );
  const places = readings.flatMap((placesRead) => placesRead.places);
  if (failed.length > 0 && (!partial || places.length === 0))
    throw new AppError("Fetch failed", failed.map(withExchange).join("; "));
  if (places.length === 0)
    throw new AppError("Invalid symbol", `${symbol} is listed on none of these exchanges`);
  const unlisted = readings.filter((placesRead) => placesRead.unlisted).map(({ exchange }) => exchange);
  return { places, unlisted, failed };
}

interface VenueReading {
  readonly exchange: string;
  readonly ticker: Ticker;
  readonly book: Book;
  readonly market: Market;
}

function venuePlace({ exchange, ticker, book, market }: VenueReading): PricedPlace {
  const { last: price, bid, ask, at } = ticker;
  if (price === null) throw new UnreadableError("the exchange's last price cannot be read");
  const result = { exchange, price, bid, ask, at };
  if (!market.active) return { ...result, buy: undefined, sell: undefined };
  return {
    ...result,
    buy: bookLeg({ exchange, side: "buy", levels: book.asks, market }),
    sell: bookLeg({ exchange, side: "sell", levels: book.bids, market }),
  };
}

function poolPlace(pool: PricedPool, ada: Decimal, at: Millis): PricedPlace {
  const price = mul(pool.quoted, ada, "half");
  return {
    exchange: pool.dex,
    pool: pool.identifier,
    price,
    bid: price,
    ask: price,
    at,
    buy: poolLeg({ pool, side: "buy", ada }),
    sell: poolLeg({ pool, side: "sell", ada }),
  };
}

interface BookSide {
  readonly exchange: string;
  readonly side: "buy" | "sell";
  /** Best first: the asks for a buy, the bids for a sell. */
  readonly levels: readonly BookLevel[];
  readonly market: Pick<Market, "lot" | "minAmount" | "minNotional" | "taker">;
}

interface Step extends BookLevel {
  /** Base and quote of the previous levels. */
  readonly before: Decimal;
  readonly notionalBefore: Decimal;
}

/** Executes a book level by level. A fee in base is valued at the price paid. */
export function bookLeg({ exchange, side, levels, market }: BookSide): Leg {
  const rounding: Rounding = side === "buy" ? "up" : "down";
  const { steps, depth } = stepsOf(levels, rounding);
  const { lot, minAmount, minNotional, taker } = market;
  return {
    exchange,
    depth,
    lot,
    minAmount,
    minNotional,
    fill(amount) {
      const step = steps.find(({ before, amount: size }) => amount <= before + size);
      if (!step) throw new RangeError(`${exchange} does not have this amount in its order book`);
      const notional = step.notionalBefore + mul(step.price, amount - step.before, rounding);
      return { notional, fee: mul(notional, taker, "up") };
    },
  };
}

function stepsOf(levels: readonly BookLevel[], rounding: Rounding): { steps: Step[]; depth: Decimal } {
  let [before, notionalBefore] = [ZERO, ZERO];
  const steps = levels.map((level): Step => {
    const step = { ...level, before, notionalBefore };
    before += level.amount;
    notionalBefore += mul(level.price, level.amount, rounding);
    return step;
  });
  return { steps, depth: before };
}

interface PoolSide {
  readonly pool: PricedPool;
  readonly side: "buy" | "sell";
  /** USDT per ADA. Payments are in ADA; it is valued, not exchanged. */
  readonly ada: Decimal;
}

/**
 * Executes a constant-product pool with price impact and fee; undefined for a pool with another formula or an unknown
 * fee.
 */
export function poolLeg({ pool, side, ada }: PoolSide): Leg | undefined {
  const { dex, identifier, reserves, lot, fees } = pool;
  const fee = fees[side];
  if (fee === undefined || fee >= ONE || !isConstantProduct(pool)) return undefined;
  const quoteReserves: PoolReserves = { base: reserves.token, quote: mul(reserves.ada, ada, "half"), fee };
  return {
    exchange: dex,
    pool: identifier,
    lot,
    // Half of its tokens cost as much ADA as the pool contains, so no profit lies beyond that.
    depth: reserves.token / 2n,
    minAmount: lot,
    minNotional: ZERO,
    fill: (amount) => (side === "buy" ? boughtFromPool(amount, quoteReserves) : sold(amount, quoteReserves)),
  };
}

interface PoolReserves {
  readonly base: Decimal;
  readonly quote: Decimal;
  /** Fee as a share of what is paid in. */
  readonly fee: Decimal;
}

/** quote · amount / (base − amount), plus the fee: fee/(1 − fee) of it. */
function boughtFromPool(amount: Decimal, { base, quote, fee }: PoolReserves): LegFill {
  const notional = mulDiv(quote, { times: amount, over: base - amount }, "up");
  return { notional, fee: mulDiv(notional, { times: fee, over: ONE - fee }, "up") };
}

/** quote · amount / (base + amount); the fee is what the deducted part of the amount would have returned. */
function sold(amount: Decimal, { base, quote, fee }: PoolReserves): LegFill {
  const brought = (paid: Decimal, rounding: Rounding) =>
    mulDiv(quote, { times: paid, over: base + paid }, rounding);
  const notional = brought(amount, "down");
  return { notional, fee: notional - brought(mul(amount, ONE - fee, "down"), "down") };
}

function isConstantProduct({ quoted, reserves }: PricedPool): boolean {
  if (reserves.token <= ZERO || reserves.ada <= ZERO) return false;
  const standing = div(reserves.ada, reserves.token, "half");
  return abs(standing - quoted) <= mul(quoted, MAX_POOL_DEVIATION, "down");
}
