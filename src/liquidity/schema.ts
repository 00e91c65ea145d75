import * as z from "zod";
import { decimal, div } from "../kernel/decimal.ts";
import { countField, dayField, decimalField, exchangeField, pairField, wordField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { PRESETS } from "../model/samples/promise.ts";
import { ABSENCES } from "../model/samples/sample.ts";

const WHOLE_PERCENT = decimal("100");

const bandShape = () =>
  z
    .object({
      "0.5": z.number().describe("Within 0.5 %"),
      "1": z.number().describe("Within 1 %"),
      "2": z.number().describe("Within 2 %"),
    })
    .describe("In quote, by the distance from the mid");
const figuresShape = (whose: string) =>
  z
    .object({
      spreadPercent: z
        .number()
        .nullable()
        .describe("Mean over the minutes that are known; null where none is"),
      twoSidedPercent: z
        .number()
        .nullable()
        .describe("Of the known minutes, those with both sides all along"),
      depth: z
        .object({ bids: bandShape(), asks: bandShape() })
        .nullable()
        .describe("Mean in quote within 0.5, 1 and 2 % of the mid"),
    })
    .describe(whose);
const nullable = () => z.number().nullable();

const findingShape = () =>
  z.object({
    rule: z.string().describe("What is asked"),
    state: z.enum(["kept", "missed", "unknown", "shown"]).describe("`shown` is a figure that nobody judges"),
    unit: z.enum(["percent", "quote"]).describe("Of value and limit"),
    value: nullable().describe("What it came to; null where that is not known"),
    limit: nullable().describe("What it is held against; null where nothing is"),
  });

const liquidityDay = () =>
  z.object({
    day: z.string().describe("Of UTC"),
    known: z.number().describe("Minutes of it that were seen"),
    ownSpreadPercent: nullable().describe("Between own best orders, on average"),
    ownTwoSidedPercent: nullable().describe("Known minutes with own orders on both sides"),
    ownBidsWithin2: nullable().describe("Own bids within 2 % of the mid, in quote, on average"),
    ownAsksWithin2: nullable().describe("Own asks within 2 % of the mid, in quote, on average"),
    spreadPercent: nullable().describe("Of the whole book, on average"),
    twoSidedPercent: nullable().describe("Known minutes in which the book had both sides"),
    bidsWithin2: nullable().describe("All bids within 2 % of the mid, in quote, on average"),
    asksWithin2: nullable().describe("All asks within 2 % of the mid, in quote, on average"),
  });

/** Of the price at other places. */
const elsewhereFields = () => ({
  sources: nullable().describe(
    "Places that told a price to compare with, on average; null where that is known of no minute",
  ),
  unknownSources: z
    .number()
    .describe(
      "Known minutes in which the other places were silent or not asked: there may be a price, or none",
    ),
  deviationPercent: nullable().describe("Of the mid from their median, on average; null where none told any"),
});

export const LiquidityShape = lazy(() =>
  z.object({
    exchange: z.string().describe("Exchange id"),
    symbol: z.string().describe("Trading pair, BASE/QUOTE"),
    from: z.string().describe("First day, in UTC"),
    to: z.string().describe("Last day, in UTC"),
    minutes: z.number().describe("Minutes of the span that have passed"),
    known: z.number().describe("Of them, those of which the book was seen; any other is neither up nor down"),
    samples: z.number().describe("How often the book was read"),
    cutShort: z.number().describe("Minutes whose book was told so short that it ends inside 2 %"),
    ...elsewhereFields(),
    own: figuresShape("One's own orders"),
    market: figuresShape("The whole book, one's own orders included"),
    preset: z.string().nullable().describe("What the minutes are held against; null where nothing was asked"),
    findings: z.array(findingShape()),
    gaps: z.array(
      z.object({
        from: z.number().describe("Milliseconds since 1970"),
        to: z.number().describe("Milliseconds since 1970"),
        minutes: z.number().describe("How many on end"),
        what: z
          .enum(["unseen", "absent"])
          .describe("Nobody saw the book, or own orders were not on both sides of it"),
        cause: z
          .enum([...ABSENCES, "unknown"])
          .describe("What most of them are explained by; before the pair was watched nobody knows"),
      }),
    ),
    moreGaps: z.number().describe("How many shorter ones are not told"),
    days: z.array(liquidityDay()),
    hash: z
      .string()
      .describe(
        "SHA-256 of a table of days, each with the SHA-256 of its minutes as a table: the same minutes have the same hash",
      ),
  }),
);
export type LiquidityAnswer = z.output<ReturnType<typeof LiquidityShape>>;

const percentField = (name: string) =>
  decimalField(`Invalid request: ${name}`, 100).transform((value) => div(value, WHOLE_PERCENT, "half"));

/** Percents are read as shares of 1. */
export const liquidityInput = (ids: readonly string[]) =>
  z.object({
    exchange: exchangeField(ids),
    symbol: pairField(),
    from: dayField("from").optional().describe("First day, in UTC; 30 days back when left out"),
    to: dayField("to").optional().describe("Last day, in UTC; today when left out"),
    preset: wordField("Invalid request: preset", PRESETS)
      .optional()
      .describe(
        "What is asked: the rules of an exchange, or an agreement; what the settings say when left out",
      ),
    spread: percentField("spread")
      .optional()
      .describe("Percent between own bid and ask, at most; 2 when left out"),
    depth: decimalField("Invalid request: depth").optional().describe("Quote a side; 1000 when left out"),
    band: wordField("Invalid request: band", ["0.5", "1", "2"])
      .optional()
      .describe("Percent from the mid within which depth counts; 2 when left out"),
    levels: countField("Invalid request: levels", { least: 1, most: 100 })
      .optional()
      .describe("Own orders a side, at least; 1 when left out"),
    uptime: percentField("uptime").optional().describe("Percent of the time; 90 when left out"),
  });
