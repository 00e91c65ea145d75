/** The part of a plan that only grids have, and its lines for people. */
import * as z from "zod";
import {
  type Decimal,
  decimal,
  div,
  max,
  min,
  moneyFigure,
  ONE,
  roundToStep,
  text,
  wire,
  ZERO,
} from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import { describeWaits } from "../../model/refusal-text.ts";
import type { PlanText } from "../../ports/plan.ts";
import { optionFlags, optionShares } from "../state/config.ts";

const nullableNumber = (what: string) => z.number().nullable().describe(what);

/** Estimated results of a grid at last week's prices; null if they are unavailable. */
const LastWeekShape = lazy(() =>
  z.object({
    days: nullableNumber("Number of days with known prices, at most 7"),
    crossings: nullableNumber("Number of orders that would have filled"),
    cycles: nullableNumber("Number of cycles that would have completed"),
    profitPerDay: z.string().nullable().describe("Profit of these cycles per day after fees, in quote"),
    breakEvenDays: nullableNumber(
      "Days until this profit covers a fall to the stop price or the lowest level; null if never",
    ),
    message: z.string(),
  }),
);

/** Builds several fields with the same schema and description. */
const eachAs = <Name extends string, Form extends z.ZodType>(
  fields: Readonly<Record<Name, z.ZodType>>,
  form: Form,
): Record<Name, Form> =>
  Object.fromEntries(
    Object.entries<z.ZodType>(fields).map(([name, { description = "" }]) => [
      name,
      form.describe(description),
    ]),
  ) as Record<Name, Form>;

/** Options of a grid besides its levels. */
const OptionsShape = lazy(() =>
  z
    .object({
      trail: z.object({ up: z.string(), down: z.string() }).partial(),
      ...eachAs(optionFlags(), z.boolean()),
      ...eachAs(optionShares(), z.number()),
    })
    .partial(),
);

/** What a running grid has before a change; null for a start. */
const RunningShape = lazy(() =>
  z
    .object({
      position: z.string().describe("Base that it holds"),
      idleBase: z.string().describe("Base that no slot would sell"),
      realized: z.string().describe("Realized P&L so far; a change keeps the ledger and sells nothing"),
      totalProfit: z.string(),
    })
    .nullable()
    .describe("What a running grid has before a change; null for a start"),
);

export const GridPlanShape = lazy(() =>
  z.object({
    kind: z.literal("grid"),
    lowerPrice: z.string(),
    upperPrice: z.string(),
    gridLevels: z.number(),
    orderSize: z.string(),
    gridSpacing: z.string(),
    slots: z.array(
      z.object({
        slot: z.number(),
        lowerPrice: z.string(),
        upperPrice: z.string(),
        netPercent: z.number(),
        netProfit: z.string(),
      }),
    ),
    setAside: z
      .object({ quote: z.string(), base: z.string() })
      .describe("Funds set aside, so that no slot waits"),
    options: OptionsShape(),
    breakEvenSpacingPercent: z.number(),
    lastWeek: LastWeekShape(),
    spread: z.string(),
    running: RunningShape(),
  }),
);

type GridPlanDetails = z.output<ReturnType<typeof GridPlanShape>>;

/** Formats the profit of a cycle, funds, and armed options of a grid. */
export function gridPlanLines({
  symbol,
  orders,
  refused,
  free,
  uses,
  details,
}: PlanText): Readonly<Record<string, string>> {
  const { slots, lastWeek, options, setAside, running } = details as GridPlanDetails;
  const [base = "", quote = ""] = symbol.split("/");
  const net = slots.map(({ netProfit }) => decimal(netProfit));
  const percent = slots.map(({ netPercent }) => decimal(String(netPercent)));
  const armed = armedTexts(options);
  const lowers = slots.map(({ slot, lowerPrice }) => ({ slot, lowerPrice: wire(decimal(lowerPrice)) }));
  const waiting = slots.flatMap(({ slot }) =>
    refused.filter(({ id }) => id === String(slot)).map(({ reason, detail }) => ({ slot, reason, detail })),
  );
  const isBought = orders.some(({ crosses }) => crosses);
  const source = options.initialBuy ? { isBought } : { other: "add --initial-buy" };
  const waits = describeWaits(waiting, lowers, source);
  return {
    ...(waits === "" ? {} : { "not placed": waits }),
    "set aside": asideText(setAside, { free, own: uses.base, base, quote }),
    "each cycle": `earns ${range(net, 4)} ${quote} after fees (${range(percent, 2)} %)`,
    "break-even": lastWeek.message,
    ...(running
      ? { keeps: `${moneyFigure(running.realized)} ${quote} realized, and ${running.position} ${base}` }
      : {}),
    ...(armed.length > 0 ? { armed: armed.join("; ") } : {}),
  };
}

/** Describes the funds that keep every slot funded, and what then remains besides other strategies' needs. */
function asideText(
  aside: GridPlanDetails["setAside"],
  { free, own: used, base, quote }: Pick<PlanText, "free"> & { own: string; base: string; quote: string },
): string {
  const own = used === "0" ? "" : ` and ${used} of ${free.base} ${base} of your own`;
  const [needed, has] = [decimal(aside.quote), decimal(free.quote)];
  const left = has - needed;
  return left < ZERO
    ? `${moneyFigure(aside.quote)} ${quote}${own}; only ${moneyFigure(free.quote)} ${quote} is free and not set aside by another strategy, so ${moneyFigure(text(-left))} ${quote} are missing`
    : `${moneyFigure(aside.quote)} of ${moneyFigure(free.quote)} free ${quote} (${shareText(needed, has)})${own}; ${moneyFigure(text(left))} ${quote} stay free (${shareText(left, has)})`;
}

const shareText = (part: Decimal, whole: Decimal): string =>
  whole > ZERO ? `${digits(div(part * 100n, whole, "half"), 1)} %` : "none";

const digits = (value: Decimal, count: number): string =>
  text(roundToStep(value, ONE / 10n ** BigInt(count), "half"));

const range = (values: readonly Decimal[], count: number): string => {
  const [first = ZERO, ...others] = values;
  const [least, most] = [digits(others.reduce(min, first), count), digits(others.reduce(max, first), count)];
  return least === most ? least : `${least} to ${most}`;
};

const bounds = (trail: Readonly<Record<string, unknown>>): string =>
  Object.entries(trail)
    .map(([way, price]) => `${way} to ${price}`)
    .join(" and ");

const inPercentOfCapital = (share: unknown): string => digits(decimal(String(share)) * 100n, 2);

const ARMED: Readonly<Record<string, (value: unknown) => string>> = {
  trail: (trail) => `follows the market ${bounds(trail as Readonly<Record<string, unknown>>)}`,
  initialBuy: (is) => (is ? "buys missing base for its sells at once" : ""),
  maxPosition: (most) => `at most ${inPercentOfCapital(most)} % of the capital in base`,
  safetyReserve: (kept) => `${inPercentOfCapital(kept)} % of the capital stay in quote`,
  reinvest: (share) =>
    share === 0 ? "" : `reinvests ${inPercentOfCapital(share)} % of its realized profit in its next buys`,
};

const armedTexts = (options: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(ARMED).flatMap(([name, tell]) => {
    const value = options[name];
    const described = value === undefined || value === null ? "" : tell(value);
    return described === "" ? [] : [described];
  });
