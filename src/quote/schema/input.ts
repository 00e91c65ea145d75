import * as z from "zod";
import { type Decimal, decimal, ONE } from "../../kernel/decimal.ts";
import {
  countField,
  decimalField,
  exchangeField,
  flagField,
  idField,
  MOST_AMOUNT,
  pairField,
  shareField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { dryBalance, flag, planHash, price } from "../../kernel/start-fields.ts";
import { stopFields } from "../../kernel/stop-flags.ts";
import { MOST_QUOTE_LEVELS } from "../levels.ts";

const LARGEST_SPREAD = 1;
const modelField = (name: string) => {
  const error = `Invalid request: ${name} must be a number from 0 to 1000000`;
  return z.number({ error }).min(0, { error }).max(1e6, { error }).optional();
};
const baseAmount = () => decimalField("Invalid request", MOST_AMOUNT).optional();

/** How far apart, how many and how large. */
const sizeShape = () => ({
  spread: decimalField("Invalid spacing", LARGEST_SPREAD).describe(
    "Between the nearest bid and ask, as a share of the price: 0.01 is 1 %",
  ),
  levels: countField("Invalid levels", { least: 1, most: MOST_QUOTE_LEVELS })
    .default(1)
    .describe("Orders a side, 1 to 20"),
  size: decimalField("Invalid order size").optional().describe("Quote per order; or `depth`"),
  depth: decimalField("Invalid order size")
    .optional()
    .describe("Quote a side within the distance `within`, as obligations ask it; or `size`"),
  within: shareField("within")
    .default(decimal("0.02"))
    .describe("How far from the price an order of `depth` may lie, as a share"),
  growth: decimalField("Invalid order size", 100)
    .default(ONE)
    .describe("Size of each further order, times the one before"),
  gap: shareField("gap").optional().describe("Between two orders of a side, as a share; half the spread"),
});

/** What moves the price that is quoted around, and widens the spread. */
const leanShape = () => ({
  volatilityFactor: shareOrMore("volatilityFactor")
    .default(ONE)
    .describe("Widens the spread to what the price moves by between two passes, times this; 0 does not"),
  target: shareField("target")
    .default(ONE / 2n)
    .describe("Base's share of what is held that is aimed at"),
  skew: shareField("skew")
    .optional()
    .describe("How strongly the price leans towards the target: a share a share; the spread when left out"),
  gamma: modelField("gamma").describe("Avellaneda and Stoikov's risk aversion; with sigma and k"),
  sigma: modelField("sigma").describe(
    "Their standard deviation of the price, in quote per root of the horizon's unit",
  ),
  k: modelField("k").describe("Their decay of fills with the distance, per quote"),
  horizon: modelField("horizon").describe("Their time left; 1 when left out"),
});

/** Which places say the price, and when they do not. */
const priceShape = () => ({
  useOwn: flagField("Invalid request", "useOwn")
    .default(true)
    .describe("Its own book votes for the price, without one's own orders"),
  useOthers: flagField("Invalid request", "useOthers")
    .default(true)
    .describe("The other exchanges configured vote for it"),
  useDex: flagField("Invalid request", "useDex")
    .default(true)
    .describe("The pools of a Cardano token vote for it"),
  fixedPrice: price().describe("A price of your own that votes for it too, and never ages"),
  maxAge: countField("Invalid request", { least: 1000, most: 86_400_000 })
    .default(120_000)
    .describe("Milliseconds after which a price counts no more"),
  collar: shareField("collar")
    .default(decimal("0.1"))
    .describe("Nor does one that lies farther from the median of all, as a share"),
});

/** What may be asked of quotes, at the start and later. */
const askedShape = () => ({
  ...sizeShape(),
  ...leanShape(),
  maxBase: baseAmount().describe("Bids end where base held would be more"),
  minBase: baseAmount().describe("Asks end where base held would be less"),
  maxLoss: decimalField("Invalid request").optional().describe("A loss, in quote, that ends both sides"),
  ...priceShape(),
  tolerance: shareField("tolerance")
    .optional()
    .describe("An order stays while it lies no farther from where it should; an eighth of the spread"),
  baseBudget: baseAmount().describe(
    "Base of the account that it quotes with; all that is free when left out",
  ),
  quoteBudget: decimalField("Invalid request")
    .optional()
    .describe("Quote of the account that it quotes with; all that is free when left out"),
});

function shareOrMore(name: string) {
  const error = `Invalid request: ${name} must be a number from 0 to 100`;
  return z.number({ error }).transform((value, context): Decimal => {
    if (value >= 0 && value <= 100) return decimal(value.toFixed(6));
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });
}

const startShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  ...askedShape(),
  dryRun: flag("dryRun").describe("On paper: live prices, simulated fills, nothing asked of your account"),
  dryBalance: dryBalance(),
});

type Sized = { readonly size?: unknown; readonly depth?: unknown };
const isSized = ({ size, depth }: Sized): boolean => (size === undefined) !== (depth === undefined);
const SIZE_RULE = {
  path: ["size"],
  error: "Invalid order size: give size, the quote of an order, or depth, the quote of a side, and not both",
};
type Modelled = { readonly gamma?: unknown; readonly sigma?: unknown; readonly k?: unknown };
const isWhole = ({ gamma, sigma, k }: Modelled): boolean => {
  const given = [gamma, sigma, k].filter((one) => one !== undefined).length;
  return given === 0 || given === 3;
};
const MODEL_RULE = {
  path: ["gamma"],
  error: "Invalid request: gamma, sigma and k are given together, or none of them",
};

export const quotePreviewInput = (ids: readonly string[]) =>
  z.object(startShape(ids)).refine(isSized, SIZE_RULE).refine(isWhole, MODEL_RULE);
export const quoteInput = (ids: readonly string[]) =>
  z
    .object({ ...startShape(ids), planHash: planHash() })
    .refine(isSized, SIZE_RULE)
    .refine(isWhole, MODEL_RULE);

export type AskedQuote = z.output<ReturnType<typeof quotePreviewInput>>;

/** Of a change everything may be left out: what is, stays. */
const editable = () => {
  const { spread, levels, size, depth, maxBase, minBase, maxLoss, fixedPrice, tolerance } = askedShape();
  return {
    id: idField("Invalid request").describe("Strategy id"),
    spread: spread.optional(),
    levels: levels.unwrap().optional().describe("Orders a side, 1 to 20"),
    ...{ size, depth, maxBase, minBase, maxLoss, fixedPrice, tolerance },
  };
};
export const quoteEditPreviewInput = lazy(() => z.object(editable()));
export const quoteEditInput = lazy(() => z.object({ ...editable(), planHash: planHash() }));

export const quoteStopInput = lazy(() =>
  z.object({
    id: idField("Invalid request").describe("Strategy id"),
    ...stopFields(),
  }),
);
