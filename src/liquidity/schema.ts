import * as z from "zod";
import { withNumbers } from "../kernel/decimal.ts";
import {
  countField,
  dayField,
  decimalField,
  exchangeField,
  flagField,
  pairField,
  textField,
  wordField,
} from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { splitPair } from "../kernel/pair.ts";
import { PRESETS, type WatchedPair } from "../model/samples/promise.ts";
import { ABSENCES } from "../model/samples/sample.ts";
import { addProfits, type DaysProfit, partsShown } from "../quality/answer.ts";
import { isSpreadKnown } from "../quality/known-spread.ts";
import { attributionFields } from "../quality/tally.ts";

const bandShape = () =>
  z
    .object({
      "0.5": z.string().describe("Within 0.5 %"),
      "1": z.string().describe("Within 1 %"),
      "2": z.string().describe("Within 2 %"),
    })
    .describe("In quote, by distance from the mid price");
const figuresShape = (whose: string) =>
  z
    .object({
      spreadPercent: z.number().nullable().describe("Mean over the known minutes; null without any"),
      twoSidedPercent: z.number().nullable().describe("Share of the known time with both sides"),
      depth: z
        .object({ bids: bandShape(), asks: bandShape() })
        .nullable()
        .describe("Mean depth in quote within 0.5, 1 and 2 % of the mid price"),
    })
    .describe(whose);
const nullable = () => z.number().nullable();
const quoteOrNull = () => z.string().nullable();

export const findingShape = () =>
  z.object({
    rule: z.string().describe("Name of the rule"),
    state: z.enum(["kept", "missed", "unknown", "shown"]).describe("`shown` is a figure without a rule"),
    unit: z.enum(["percent", "quote"]).describe("Unit of value and limit"),
    value: nullable().describe("Measured value; null if unknown"),
    limit: nullable().describe("Limit of the rule; null without one"),
    reason: z.string().nullable().describe("Why the result or the value is unknown"),
  });

const liquidityDay = () =>
  z.object({
    day: z.string().describe("UTC day"),
    known: z.number().describe("Number of sampled minutes"),
    ownSpreadPercent: nullable().describe("Mean spread between own best orders"),
    ownTwoSidedPercent: nullable().describe("Share of the known time with own orders on both sides"),
    ownBidsWithin2: quoteOrNull().describe("Mean of own bids within 2 % of the mid price, in quote"),
    ownAsksWithin2: quoteOrNull().describe("Mean of own asks within 2 % of the mid price, in quote"),
    spreadPercent: nullable().describe("Mean spread of the whole book"),
    twoSidedPercent: nullable().describe("Known minutes in which the book had both sides"),
    bidsWithin2: quoteOrNull().describe("Mean of all bids within 2 % of the mid price, in quote"),
    asksWithin2: quoteOrNull().describe("Mean of all asks within 2 % of the mid price, in quote"),
    upPercent: nullable().describe("Share of the known time that meets the agreement; null without one"),
    signedHash: z.string().nullable().describe("Hash of the signed day; null if it is not signed"),
  });

const hoursShape = () =>
  z.object({
    from: z.number().describe("Start of the first hour, in milliseconds since 1970"),
    ownTwoSidedPercent: z.array(nullable()).describe("Share of the known time with own orders on both sides"),
    ownSpreadPercent: z.array(nullable()).describe("Mean spread between own best orders"),
    ownBidsWithin2: z.array(quoteOrNull()).describe("Mean of own bids within 2 % of the mid price, in quote"),
    ownAsksWithin2: z.array(quoteOrNull()).describe("Mean of own asks within 2 % of the mid price, in quote"),
  });

/** Fields for the price at other sources. */
const elsewhereFields = () => ({
  sources: nullable().describe("Mean number of other price sources; null if unknown in all minutes"),
  unknownSources: z.number().describe("Known minutes in which other price sources did not respond"),
  deviationPercent: nullable().describe(
    "Mean deviation of the mid price from their median; null without sources",
  ),
});

const termFields = () => ({
  preset: z.string().nullable().describe("Rules that the minutes are compared with; null without any"),
  terms: z.array(z.string()).describe("These rules with their values, as sentences"),
  verdict: z.enum(["kept", "missed", "unknown"]).nullable().describe("All rules together; null without any"),
});

const gapShape = () =>
  z.object({
    from: z.number().describe("Milliseconds since 1970"),
    to: z.number().describe("Milliseconds since 1970"),
    minutes: z.number().describe("Number of consecutive minutes"),
    what: z
      .enum(["unseen", "absent"])
      .describe("unseen: no sample; absent: own orders were not on both sides"),
    cause: z
      .enum([...ABSENCES, "not_started", "unknown"])
      .describe(
        "Most frequent cause; not_started before the first strategy of the pair, unknown before its first sample",
      ),
  });

const tradeCostShape = () =>
  z.object({
    day: z.string().nullable().describe("UTC day; null for the whole period"),
    amount: z.string().describe("Size of the market order, in quote"),
    atLeastPercent: z
      .number()
      .nullable()
      .describe("Lower bound of the average slippage; null without samples"),
    atMostPercent: z
      .number()
      .nullable()
      .describe("Upper bound; null if the stored book ends before the order is filled"),
    bookEndsPercent: z
      .number()
      .nullable()
      .describe("Share of the orders for which the stored book ends before"),
  });

/** What the offered liquidity cost: P&L by cause, of each market and of all markets with the same quote asset. */
const costShape = () =>
  z.object({
    quote: z.string().describe("Asset of the amounts"),
    ...attributionFields(),
    spread: z
      .string()
      .nullable()
      .describe("What fills earned against the mid at their time; null if the mid of no fill is known"),
    fills: z.number(),
    withoutMid: z.number().describe("Fills without a known mid; their spread is part of `inventory`"),
  });

/** Fields that a request can leave out, wholly or by day. */
const detailFields = () => ({
  costToTrade: z
    .array(tradeCostShape())
    .describe(
      "Average slippage of market orders against the mid price, from the stored depth of the whole book",
    ),
  cost: costShape()
    .nullable()
    .optional()
    .describe("P&L of the strategies on this market by cause; null if no strategy has a daily figure"),
  hours: hoursShape()
    .optional()
    .describe(
      "Figures by hour for charts, of periods of 31 days or fewer; null for an hour without a sample",
    ),
});

export const LiquidityShape = lazy(() =>
  z.object({
    exchange: z.string().describe("Exchange id"),
    symbol: z.string().describe("Trading pair, BASE/QUOTE"),
    minutes: z.number().describe("Number of past minutes in the period"),
    known: z.number().describe("Number of known minutes; other minutes are neither up nor down"),
    samples: z.number().describe("Number of samples"),
    cutShort: z.number().describe("Minutes in which the visible book ended inside 2 %"),
    ...elsewhereFields(),
    timed: z
      .number()
      .describe(
        "Known minutes with the times of your orders; in the others, the sample counts for the minute",
      ),
    uncertainPercent: nullable().describe(
      "Share of the known time in which your orders can have been on both sides, but is counted as not",
    ),
    own: figuresShape("Own orders"),
    market: figuresShape("The whole book, including own orders"),
    ...termFields(),
    findings: z.array(findingShape()),
    gaps: z.array(gapShape()),
    moreGaps: z.number().describe("Number of shorter gaps that are not listed"),
    days: z.array(liquidityDay()),
    ...detailFields(),
    hash: z
      .string()
      .describe(
        "SHA-256 of the days, each with the SHA-256 of its minutes; the same minutes have the same hash",
      ),
  }),
);
export type LiquidityAnswer = z.output<ReturnType<typeof LiquidityShape>>;

/** Fields that a report has once, for all of its markets. */
interface ReportHead {
  readonly maker: string | null;
  readonly madeAt: number;
  readonly from: string;
  readonly to: string;
}

/** A market with the fields of its report. */
export type HeadedAnswer = LiquidityAnswer & ReportHead;

export const makerField = () =>
  textField("Invalid request", /^[^<>]{1,80}$/, "maker is a name of at most 80 characters")
    .optional()
    .describe("Name of the market maker, for the report");

export const costField = () =>
  flagField("Invalid request", "cost")
    .default(true)
    .describe("false leaves out your P&L, for a report to send");

export const detailsField = () =>
  flagField("Invalid request", "details")
    .default(true)
    .describe("false leaves out figures by hour, and costs to trade by day");

const positivePercent = (name: string) => decimalField(`Invalid request: ${name}`, 100).optional();

/** Input of a report. */
export const liquidityInput = (ids: readonly string[]) =>
  z.object({
    exchange: exchangeField(ids),
    symbol: pairField(),
    from: dayField("from").optional().describe("First day, in UTC; default: 30 days ago"),
    to: dayField("to").optional().describe("Last day, in UTC; default: today"),
    maker: makerField(),
    cost: costField(),
    details: detailsField(),
    preset: wordField("Invalid request: preset", PRESETS)
      .optional()
      .describe("Preset: the rules of an exchange, or an agreement; default: from the settings"),
    spreadPercent: positivePercent("spreadPercent").describe(
      "Maximum spread between own bid and ask, in percent of the price; default 2",
    ),
    depth: decimalField("Invalid request: depth").optional().describe("Minimum quote per side; default 1000"),
    band: wordField("Invalid request: band", ["0.5", "1", "2"])
      .optional()
      .describe("Percent from the mid price within which depth counts; default 2"),
    levels: countField("Invalid request: levels", { min: 1, max: 100 })
      .optional()
      .describe("Minimum number of own orders per side; default 1"),
    uptime: positivePercent("uptime").describe("Minimum percent of the time; default 90"),
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
  "quote",
  "totalProfit",
  "spreadCaptured",
  "inventory",
  "fees",
  "fills",
  "withoutMid",
  "unknownMarkets",
];

/** Formats costs for people: an unknown spread is not zero. */
export const costShown = <T extends CostAnswer>(row: T) => {
  const { spread, ...cost } = withNumbers(row, ["totalProfit", "spread", "inventory", "fees"]);
  return { ...cost, spreadCaptured: spread ?? "unknown" };
};
