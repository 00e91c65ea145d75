import * as z from "zod";
import { type Decimal, div, wire, ZERO } from "../kernel/decimal.ts";
import { lazy } from "../kernel/lazy.ts";
import { spreadOf } from "../kernel/spread.ts";
import type { Millis } from "../kernel/time.ts";
import { type ExecutableTrade, executableOf, grossOf, type PricedVenue, type Tradable } from "./analysis.ts";
import type { PairTrade } from "./executable.ts";

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

const poolField = ({ pool: identifier }: { pool?: string }) =>
  identifier === undefined ? {} : { pool: identifier };

const NO_EXECUTION = {
  ...{ buy: null, sell: null, endsAt: null },
  ...{ amount: 0, cost: 0, proceeds: 0, fees: 0, net: 0, netPercent: 0 },
};

const executableOut = ({ best, reason }: ExecutableTrade): Comparison["analysis"]["executable"] => ({
  opportunity: best !== undefined,
  reason: reason ?? null,
  ...(best ? { ...executionOut(best), endsAt: best.endsAt } : NO_EXECUTION),
});

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
