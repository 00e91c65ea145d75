import * as z from "zod";
import { endingEdits, endingFields } from "../../engine/operations/ending-fields.ts";
import { budgetOut } from "../../engine/operations/shapes.ts";
import { type Decimal, decimal, ONE } from "../../kernel/decimal.ts";
import {
  convertedField,
  countField,
  decimalField,
  flagField,
  MAX_AMOUNT,
  percentField,
  price,
  shareField,
  textField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { MAX_QUOTE_LEVELS } from "../levels.ts";
import type { Defence } from "../plan.ts";

const MAX_SPREAD_PERCENT = 100;
const modelField = (name: string) => {
  const error = `Invalid request: ${name} must be a number from 0 to 1000000`;
  return z.number({ error }).min(0, { error }).max(1e6, { error }).optional();
};
const baseAmount = () => decimalField("Invalid request", MAX_AMOUNT).optional();

/** Fields for spread, number of levels and sizes. */
const sizeShape = () => ({
  spreadPercent: decimalField("Invalid spacing", MAX_SPREAD_PERCENT).describe(
    "Spread between your best bid and ask, in percent of the price: 2 is 2 %",
  ),
  levels: countField("Invalid levels", { min: 1, max: MAX_QUOTE_LEVELS })
    .default(1)
    .describe("Orders per side, 1 to 20"),
  size: decimalField("Invalid order size").optional().describe("Quote per order; or use `depth`"),
  depth: decimalField("Invalid order size")
    .optional()
    .describe("Quote per side near the price; or use `size`"),
  withinPercent: percentField("withinPercent")
    .default(2n * ONE)
    .describe("Maximum distance from the price for orders of `depth`, in percent"),
  growth: decimalField("Invalid order size", 100)
    .default(ONE)
    .describe("Factor from the size of one order to the next"),
  gapPercent: percentField("gapPercent")
    .optional()
    .describe("Distance between two orders of a side, in percent; default: half the spread"),
});

/** Fields that move the quoted price and widen the spread. */
const leanShape = () => ({
  volatilityFactor: shareOrMore("volatilityFactor")
    .default(ONE)
    .describe("Factor of the price move between two passes that widens the spread; 0 turns it off"),
  target: shareField("target")
    .default(ONE / 2n)
    .describe("Target share of base in the inventory"),
  skewPercent: percentField("skewPercent")
    .optional()
    .describe("How strongly the price moves toward the target share, in percent; default: the spread"),
  gamma: modelField("gamma").describe(
    "Risk aversion of the Avellaneda–Stoikov model; needs sigma and k, and ignores the target share and the skew",
  ),
  sigma: modelField("sigma").describe("Standard deviation of the price for the model, in quote"),
  k: modelField("k").describe("Decay of fills with distance for the model, per quote"),
  horizon: modelField("horizon").describe("Remaining time for the model; default 1"),
});

/** Fields for the price sources and their limits. */
const priceShape = () => ({
  useOwn: flagField("Invalid request", "useOwn")
    .default(true)
    .describe("Use the price of the pair's own order book, without your orders"),
  useOthers: flagField("Invalid request", "useOthers")
    .default(true)
    .describe("Use the prices of the other configured exchanges"),
  useDex: flagField("Invalid request", "useDex").default(true).describe("Use the pools of a Cardano token"),
  fixedPrice: price().describe("A fixed price that never expires"),
  maxAge: countField("Invalid request", { min: 1000, max: 86_400_000 })
    .default(120_000)
    .describe("Maximum age of a price, in milliseconds"),
  collarPercent: percentField("collarPercent")
    .default(10n * ONE)
    .describe("Maximum deviation of a price from the median, in percent"),
});

const DEFENCE_FORM = "must be TICKS:PASSES, for example 20:60, or pause:PASSES, or off";

const countOf = (digits: string | undefined): number => Number.parseInt(digits ?? "", 10);

/** Each number is from 1 to 9999. */
const defendField = () =>
  textField("Invalid request", /^(off|(pause|[1-9]\d{0,3}):[1-9]\d{0,3})$/, `defend ${DEFENCE_FORM}`)
    .transform((text): Defence | "off" => {
      const [ticks, passes] = text.split(":");
      return passes === undefined
        ? "off"
        : { ticks: ticks === "pause" ? ticks : countOf(ticks), passes: countOf(passes) };
    })
    .optional()
    .describe(
      "Answer to a side whose fills mostly lose money within 10 s: 20:60 moves it 20 ticks away for 60 passes, pause:60 cancels it; default: off",
    );

/** Fields of a start and of a change of quotes. */
const requestedShape = () => ({
  ...sizeShape(),
  ...leanShape(),
  maxBase: baseAmount().describe("Maximum base: above it, no bids"),
  minBase: baseAmount().describe("Minimum base: below it, no asks"),
  defend: defendField(),
  ...priceShape(),
  tolerancePercent: percentField("tolerancePercent")
    .optional()
    .describe("Distance within which an order stays open, in percent; default: an eighth of the spread"),
});

function shareOrMore(name: string) {
  const error = `Invalid request: ${name} must be a number from 0 to 100`;
  return convertedField(z.number({ error }), error, (value): Decimal | undefined =>
    value >= 0 && value <= 100 ? decimal(value.toFixed(6)) : undefined,
  );
}

type Sized = { readonly size?: unknown; readonly depth?: unknown };
const isSized = ({ size, depth }: Sized): boolean => (size === undefined) !== (depth === undefined);
const SIZE_RULE = {
  path: ["size"],
  error: "Invalid order size: set either size (quote per order) or depth (quote per side), not both",
};
type Modelled = { readonly gamma?: unknown; readonly sigma?: unknown; readonly k?: unknown };
const isWhole = ({ gamma, sigma, k }: Modelled): boolean => {
  const given = [gamma, sigma, k].filter((one) => one !== undefined).length;
  return given === 0 || given === 3;
};
const MODEL_RULE = {
  path: ["gamma"],
  error: "Invalid request: set gamma, sigma and k together, or none of them",
};

/** Config of quotes. */
export const quoteConfig = lazy(() => {
  return z
    .object({ ...requestedShape(), ...endingFields() })
    .refine(isSized, SIZE_RULE)
    .refine(isWhole, MODEL_RULE);
});

export type QuoteSettings = z.output<ReturnType<typeof quoteConfig>>;

/** Fields of running quotes that can change; absent fields stay unchanged. */
export const quoteEditConfig = lazy(() => {
  const shape = requestedShape();
  const { levels, size, depth, maxBase, minBase, defend, fixedPrice, tolerancePercent } = shape;
  return z.object({
    spreadPercent: shape.spreadPercent.optional().describe(shape.spreadPercent.description ?? ""),
    levels: levels.unwrap().optional().describe("Orders per side, 1 to 20"),
    size,
    depth,
    maxBase,
    minBase,
    ...endingEdits(),
    defend,
    fixedPrice,
    tolerancePercent,
  });
});

const CountedShape = lazy(() =>
  z.object({
    source: z.string().describe("own, another exchange, dex or fixed"),
    counted: z.boolean(),
    because: z.string().nullable().describe("Why it did not count"),
  }),
);

/** Fields of the request for quotes, in every answer that repeats it. */
export const quoteRequestFields = () => ({
  spreadPercent: z.number().describe("Requested spread, in percent"),
  levels: z.number().describe("Orders per side"),
  budget: budgetOut(),
  maxLoss: z.string().nullable().describe("Loss limit, in quote; null without one"),
  defend: z
    .string()
    .nullable()
    .describe("Answer to a side that is picked off: ticks or pause, and passes; null without one"),
});

const pricedFields = () => ({
  reference: z.string().nullable().describe("Median of the sources that count, in quote; null without any"),
  halfSpreadPercent: z
    .number()
    .nullable()
    .describe("Distance from the middle of the quotes to the nearest order"),
  widenedBy: z
    .string()
    .nullable()
    .describe("Source of the half-spread: asked (your spread), fees, volatility or model"),
  sources: z.array(CountedShape()),
});

/** The part of a plan that only quotes have. */
export const QuotePlanShape = lazy(() => {
  const { budget: _, ...request } = quoteRequestFields();
  return z.object({
    kind: z.literal("quote"),
    ...request,
    ...pricedFields(),
    cadence: cadenceShape(),
  });
});

const cadenceShape = () =>
  z
    .object({
      seconds: z.number().describe("Time between two passes"),
      movePercent: z.number().nullable().describe("One standard deviation of the price in that time"),
      message: z.string(),
    })
    .describe("Price move between two passes, and the spread that covers it");

/** The part of a status that only quotes have. */
export const QuoteDetailsShape = lazy(() => {
  return z.object({
    kind: z.literal("quote"),
    ...quoteRequestFields(),
    ...pricedFields(),
    quotedAt: z.number().nullable().describe("Time of the last order move, in milliseconds"),
  });
});
