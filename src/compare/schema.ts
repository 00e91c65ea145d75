import * as z from "zod";
import { type Decimal, div, min, roundToStep, wire, ZERO } from "../kernel/decimal.ts";
import { lazy } from "../kernel/lazy.ts";
import { spreadOf } from "../kernel/spread.ts";
import type { Millis } from "../kernel/time.ts";

const pool = () => z.string().optional().describe("Id of the pool");

const BestShape = lazy(() => z.object({ exchange: z.string(), pool: pool(), price: z.number() }));

const ExecutionShape = lazy(() =>
  z.object({
    buy: z.string(),
    buyPool: pool(),
    sell: z.string(),
    sellPool: pool(),
    amount: z.number(),
    cost: z.number(),
    proceeds: z.number(),
    fees: z.number(),
    net: z.number(),
    netPercent: z.number(),
  }),
);

const ExecutableShape = lazy(() =>
  ExecutionShape().extend({
    opportunity: z.boolean(),
    buy: z.string().nullable().describe("Null without an opportunity"),
    sell: z.string().nullable(),
    reason: z
      .enum(["one_venue", "no_gain", "below_minimum"])
      .nullable()
      .describe("Why there is no opportunity"),
    endsAt: z
      .enum(["gain", "amount", "depth"])
      .nullable()
      .describe("What limits the amount: no more profit, your amount, or the end of an order book"),
    whole: ExecutionShape()
      .nullable()
      .optional()
      .describe("Result for the full amount, profit or loss; null if no two books are deep enough"),
  }),
);

export const ComparisonShape = lazy(() =>
  z.object({
    symbol: z.string(),
    prices: z.array(
      z.object({
        exchange: z.string(),
        pool: pool(),
        price: z.number(),
        bid: z.number(),
        ask: z.number(),
        spread: z.number(),
        spreadPercent: z.number(),
        timestamp: z.number(),
      }),
    ),
    analysis: z.object({
      lowestAsk: BestShape(),
      highestBid: BestShape(),
      spread: z.number(),
      spreadPercent: z.number(),
      arbitrageOpportunity: z.boolean(),
      executable: ExecutableShape(),
    }),
    unlisted: z.array(z.string()),
    failed: z.array(z.object({ exchange: z.string(), error: z.string() })).optional(),
    timestamp: z.number(),
  }),
);

export type Comparison = z.input<ReturnType<typeof ComparisonShape>>;

/** A venue or pool that can be compared. */
export interface PricedPlace extends PricedVenue, Tradable {
  readonly pool?: string;
  readonly price: Decimal;
  readonly at: Millis;
}

const poolField = ({ pool: identifier }: { pool?: string }) =>
  identifier === undefined ? {} : { pool: identifier };

export const pricesOut = (places: readonly PricedPlace[]): Comparison["prices"] =>
  places.map((pricedPlace) => {
    const { exchange, price, bid, ask, at } = pricedPlace;
    const { spread, spreadPercent } = spreadOf({ bid, ask });
    return {
      exchange,
      ...poolField(pricedPlace),
      price: wire(price),
      bid: wire(bid),
      ask: wire(ask),
      spread: wire(spread),
      spreadPercent: wire(spreadPercent),
      timestamp: at,
    };
  });

/** Returns the analysis; undefined without places. */
export function analysisOut(
  places: readonly PricedPlace[],
  amount?: Decimal,
): Comparison["analysis"] | undefined {
  const gross = grossOf(places);
  if (!gross) return undefined;
  const { lowestAsk, highestBid, spread, spreadPercent, isOpportunity } = gross;
  const found = executableOf(places, amount);
  return {
    lowestAsk: { exchange: lowestAsk.exchange, ...poolField(lowestAsk), price: wire(lowestAsk.ask) },
    highestBid: { exchange: highestBid.exchange, ...poolField(highestBid), price: wire(highestBid.bid) },
    spread: wire(spread),
    spreadPercent: wire(spreadPercent),
    arbitrageOpportunity: isOpportunity,
    executable: {
      ...executableOut(found),
      ...(amount === undefined ? {} : { whole: found.whole ? executionOut(found.whole) : null }),
    },
  };
}

const NO_EXECUTION = {
  buy: null,
  sell: null,
  endsAt: null,
  amount: 0,
  cost: 0,
  proceeds: 0,
  fees: 0,
  net: 0,
  netPercent: 0,
};

const executionOut = ({ buy, sell, amount, cost, proceeds, fees, net }: PairTrade) => ({
  buy: buy.exchange,
  ...(buy.pool === undefined ? {} : { buyPool: buy.pool }),
  sell: sell.exchange,
  ...(sell.pool === undefined ? {} : { sellPool: sell.pool }),
  amount: wire(amount),
  cost: wire(cost),
  proceeds: wire(proceeds),
  fees: wire(fees),
  net: wire(net),
  netPercent: wire(cost > ZERO ? div(net * 100n, cost, "half") : ZERO),
});

const executableOut = ({ best, reason }: ExecutableTrade): Comparison["analysis"]["executable"] => ({
  opportunity: best !== undefined,
  reason: reason ?? null,
  ...(best ? { ...executionOut(best), endsAt: best.endsAt } : NO_EXECUTION),
});

interface PricedVenue {
  readonly exchange: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** Returns the best bid and ask of all, before fees; undefined without prices. */
function grossOf<P extends PricedVenue>(prices: readonly P[]) {
  const [first] = prices;
  if (!first) return undefined;
  const lowestAsk = prices.reduce((best, one) => (one.ask < best.ask ? one : best), first);
  const highestBid = prices.reduce((best, one) => (one.bid > best.bid ? one : best), first);
  const spread = highestBid.bid - lowestAsk.ask;
  const spreadPercent = lowestAsk.ask > ZERO ? div(spread * 100n, lowestAsk.ask, "half") : ZERO;
  const isOpportunity = spread > ZERO && lowestAsk !== highestBid;
  return { lowestAsk, highestBid, spread, spreadPercent, isOpportunity };
}

/** A market or pool where an immediate trade is possible; a closed market or a pool with an unknown fee has no legs. */
interface Tradable {
  readonly buy: Leg | undefined;
  readonly sell: Leg | undefined;
}

interface ExecutableTrade {
  /** On the pair with the highest net profit. */
  readonly best: Opportunity | undefined;
  /** Why there is none. */
  readonly reason: "one_venue" | "no_gain" | "below_minimum" | undefined;
  /** A trade of the whole requested amount on the pair with the highest net profit, even at a loss. */
  readonly whole: PairTrade | undefined;
}

/** Returns what can be executed between two of the places, at most `amount` of base. */
export function executableOf(places: readonly Tradable[], amount?: Decimal): ExecutableTrade {
  const pairs = places.flatMap(({ buy }, from) =>
    places.flatMap(({ sell }, to) => (buy && sell && from !== to ? [{ buy, sell }] : [])),
  );
  const gaining = pairs.map((legs) => bestExecution(legs, amount)).filter((one) => one !== undefined);
  const best = highestNet(gaining.filter(meetsBothMinimums));
  return {
    best,
    reason: best
      ? undefined
      : pairs.length === 0
        ? "one_venue"
        : gaining.length === 0
          ? "no_gain"
          : "below_minimum",
    whole:
      amount === undefined
        ? undefined
        : highestNet(pairs.map((legs) => wholeExecution(legs, amount)).filter((one) => one !== undefined)),
  };
}

const highestNet = <E extends PairTrade>(executions: readonly E[]): E | undefined =>
  executions.reduce<E | undefined>((best, one) => (best && best.net >= one.net ? best : one), undefined);

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

const commonLot = ({ buy, sell }: Legs): Decimal => (buy.lot / gcd(buy.lot, sell.lot)) * sell.lot;

/** A trade of one amount on two venues; all values except the amount in quote. */
interface PairTrade {
  readonly buy: Leg;
  readonly sell: Leg;
  readonly amount: Decimal;
  readonly cost: Decimal;
  readonly proceeds: Decimal;
  readonly fees: Decimal;
  /** proceeds − cost − fees */
  readonly net: Decimal;
}

interface Opportunity extends PairTrade {
  /** What limits it: the next lot earns nothing, the requested amount, or the end of a book. */
  readonly endsAt: "gain" | "amount" | "depth";
}

interface Legs {
  readonly buy: Leg;
  readonly sell: Leg;
}

/** Executes a buy and a sell of this amount at once. */
export function executePair({ buy, sell }: Legs, amount: Decimal): PairTrade {
  const [bought, sold] = [buy.fill(amount), sell.fill(amount)];
  const fees = bought.fee + sold.fee;
  const [cost, proceeds] = [bought.notional, sold.notional];
  return { buy, sell, amount, cost, proceeds, fees, net: proceeds - cost - fees };
}

/**
 * Returns the amount with the highest net profit, at most `most`: the last lot common to both venues that still
 * earns. No lot earns more than the one before it, so bisection finds it. Undefined if no lot earns anything.
 */
export function bestExecution(legs: Legs, most?: Decimal): Opportunity | undefined {
  const lot = commonLot(legs);
  const depth = min(legs.buy.depth, legs.sell.depth);
  const bound = most === undefined ? depth : min(depth, most);
  const netOf = (lots: bigint): Decimal => executePair(legs, lots * lot).net;
  const whole = bound / lot;
  if (whole === 0n || netOf(1n) <= ZERO) return undefined;
  let [gains, fails] = [1n, whole + 1n];
  while (fails - gains > 1n) {
    const middle = (gains + fails) / 2n;
    if (netOf(middle) > netOf(middle - 1n)) gains = middle;
    else fails = middle;
  }
  const endsAt = gains < whole ? "gain" : bound < depth ? "amount" : "depth";
  return { ...executePair(legs, gains * lot), endsAt };
}

/**
 * Executes the whole amount, rounded down to the lot; undefined if a book lacks the depth or the amount is below one
 * lot.
 */
function wholeExecution(legs: Legs, amount: Decimal): PairTrade | undefined {
  const whole = roundToStep(amount, commonLot(legs), "down");
  if (whole === ZERO || whole > legs.buy.depth || whole > legs.sell.depth) return undefined;
  return executePair(legs, whole);
}

/** Returns whether the amount meets the minimum amount and notional of both venues. */
export const meetsBothMinimums = ({ buy, sell, amount, cost, proceeds }: PairTrade): boolean =>
  amount >= buy.minAmount &&
  amount >= sell.minAmount &&
  cost >= buy.minNotional &&
  proceeds >= sell.minNotional;

/** Exchanged quote and its fee, in quote. */
export interface LegFill {
  readonly notional: Decimal;
  readonly fee: Decimal;
}

/**
 * One side of an arbitrage: a venue's asks to buy from, or its bids to sell to. The price of buying never decreases
 * from one lot to the next, the price of selling never increases.
 */
export interface Leg {
  readonly exchange: string;
  /** Identifier of a pool. */
  readonly pool?: string;
  /** Maximum base that can be traded. */
  readonly depth: Decimal;
  readonly lot: Decimal;
  readonly minAmount: Decimal;
  readonly minNotional: Decimal;
  /** Executes an amount up to `depth`. */
  readonly fill: (amount: Decimal) => LegFill;
}
