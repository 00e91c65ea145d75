/** Fields that the answers about all strategies with one position share. */
import * as z from "zod";
import { text, wire } from "../../kernel/decimal.ts";
import { MODES } from "../../model/account.ts";
import { type Market, SIDES } from "../../model/market.ts";
import type { OrderTerms } from "../../model/order.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";

/** The fields of an order that is placed or open, in the contract's answers. */
export const placedFields = () => ({ side: z.enum(SIDES), price: z.number(), amount: z.number() });
/** The same fields in other answers. */
export const placedTextFields = () => ({ side: z.enum(SIDES), price: z.string(), amount: z.string() });

export const placedOut = ({ side, price, amount }: OrderTerms) => ({
  side,
  price: wire(price),
  amount: wire(amount),
});

export const placedAsText = ({ side, price, amount }: OrderTerms) => ({
  side,
  price: text(price),
  amount: text(amount),
});

export const warnings = () => z.array(z.object({ code: z.string(), message: z.string() }));

export const feesShape = () =>
  z
    .object({
      makerPercent: z.number().describe("Maker fee, in percent"),
      takerPercent: z.number().describe("Taker fee, in percent"),
      assumed: z
        .string()
        .nullable()
        .describe("Date of the published rates that the plan assumes; null if the exchange showed both"),
    })
    .describe("Fee rates of the plan");

export const feesOut = ({ maker, taker, assumedFees }: Market) => ({
  makerPercent: wire(maker * 100n),
  takerPercent: wire(taker * 100n),
  assumed: assumedFees?.published ?? null,
});

export const budgetOut = () =>
  z.object({ base: z.string(), quote: z.string() }).describe("Budgets of base and quote");

export const changedFields = () => ({
  id: z.string(),
  status: z.enum(STRATEGY_STATUSES),
  phase: z.string(),
  message: z.string(),
});

/** Comes from the process that responds. */
export const streamShape = () =>
  z
    .string()
    .nullable()
    .describe(
      "State of the exchange's stream, and mean time from a fill to the next order; null without one",
    );

/** Fields of every start, which are no config of a definition. */
const START_FIELDS: ReadonlySet<string> = new Set(["exchange", "symbol", "dryRun", "dryBalance", "name"]);

/** Returns a schema of a config, or of a start's input, as the JSON schema of the config. */
export function configSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const isOfConfig = (field: string) => !START_FIELDS.has(field);
  const {
    properties = {},
    required = [],
    ...rest
  } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isOfConfig(field))),
    required: required.filter(isOfConfig),
  };
}

export const modeShape = () =>
  z.enum(MODES).describe("real, paper (live prices, no real orders) or simulated");

/** `money` is the form of the price: a number in the contract's answers, otherwise decimal text. */
export const stopPriceShape = <Money extends z.ZodType>(money: Money) =>
  z.object({
    reason: z.enum(["stop_loss", "trailing_stop", "take_profit", "trigger"]),
    price: money,
    distancePercent: z.number().nullable().describe("Distance from the last price; negative below it"),
    armed: z.boolean().describe("true if reaching the price has an effect now"),
  });
