/** What the offered liquidity cost: P&L by cause, of each market and of all markets with the same quote asset. */
import * as z from "zod";
import { splitPair } from "../kernel/pair.ts";
import type { WatchedPair } from "../model/samples/promise.ts";
import { partsShown } from "../quality/answer.ts";
import { isSpreadKnown } from "../quality/known-spread.ts";
import { addProfits, type DaysProfit } from "../quality/profit.ts";
import { attributionFields } from "../quality/schema.ts";

export const costShape = () =>
  z.object({
    quote: z.string().describe("Asset of the amounts"),
    ...attributionFields(),
    spread: z
      .number()
      .nullable()
      .describe("What fills earned against the mid at their time; null if the mid of no fill is known"),
    fills: z.number(),
    withoutMid: z.number().describe("Fills without a known mid; their spread is part of `inventory`"),
  });
export type CostAnswer = z.output<ReturnType<typeof costShape>>;

/** A market's P&L; null if it is unknown, because no strategy has a daily figure. */
export interface MarketCost {
  readonly market: WatchedPair;
  readonly profit: DaysProfit | null;
}

const formatProfit = (quote: string, { fills, withoutMid, ...parts }: DaysProfit): CostAnswer => {
  const shown = partsShown(parts);
  const spread = isSpreadKnown({ fills, withoutMid }) ? shown.spread : null;
  return { quote, ...shown, spread, fills, withoutMid };
};

export const formatCost = ({ market, profit }: MarketCost): CostAnswer | null =>
  profit && formatProfit(splitPair(market.symbol).quote, profit);

/** Adds up the markets of each quote asset, each market once. Quote assets without a known P&L are left out. */
export function totalCosts(costs: readonly MarketCost[]) {
  const markets = new Map(costs.map((cost) => [`${cost.market.exchange} ${cost.market.symbol}`, cost]));
  const quotes = new Map<string, MarketCost[]>();
  for (const cost of markets.values()) {
    const { quote } = splitPair(cost.market.symbol);
    quotes.set(quote, [...(quotes.get(quote) ?? []), cost]);
  }
  return [...quotes].flatMap(([quote, ofQuote]) => {
    const known = ofQuote.flatMap(({ profit }) => profit ?? []);
    if (known.length === 0) return [];
    const counts = { markets: ofQuote.length, unknownMarkets: ofQuote.length - known.length };
    return [{ ...formatProfit(quote, addProfits(known)), ...counts }];
  });
}

export const totalCostShape = () =>
  costShape().extend({
    markets: z.number().describe("Number of markets with this quote asset"),
    unknownMarkets: z.number().describe("Markets without daily figures; they are not in the sums"),
  });

/** Columns of the command line's tables. */
export const COST_COLUMNS = [
  ...["quote", "totalProfit", "spreadCaptured", "inventory", "fees", "fills", "withoutMid"],
  "unknownMarkets",
];

/** Formats costs for people: an unknown spread is not zero. */
export const costShown = <T extends CostAnswer>({ spread, ...cost }: T) => ({
  ...cost,
  spreadCaptured: spread ?? "unknown",
});
