import * as z from "zod";
import { decimalField, exchangeField, pairField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { common } from "./input-fields.ts";
import { PlannedShape } from "./schema.ts";
import { ConfigShape } from "./shapes.ts";

/** Width of the range: prices of the last day, week or month. */
export const WIDTH_WORDS = ["narrow", "usual", "wide"] as const;

/** What a grid does when the price leaves its range: wait, follow the price, or stop and sell its base. */
const ON_LEAVE = ["wait", "follow", "stop"] as const;
export type OnLeave = (typeof ON_LEAVE)[number];

/** Input of the guide: the few answers that determine a start. */
export function guideInput(ids: readonly string[]) {
  const { useOwnBase, dryRun, dryBalance } = common();
  return z.object({
    exchange: exchangeField(ids),
    symbol: pairField(),
    budget: decimalField("Invalid amount").describe("Quote that the grid can use in total"),
    width: wordField("Invalid range", WIDTH_WORDS)
      .default("usual")
      .describe("Range from the prices of the last day (narrow), week (usual) or month (wide)"),
    onLeave: wordField("Invalid request", ON_LEAVE)
      .default("wait")
      .describe(
        "If the price leaves the range: wait, follow it by half the range, or stop and sell the base",
      ),
    useOwnBase: useOwnBase.describe("true sells base that you already own; default false"),
    dryRun,
    dryBalance,
  });
}

export type GuideFields = z.output<ReturnType<typeof guideInput>>;

const StartShape = () =>
  ConfigShape()
    .omit({ gridSpacing: true })
    .extend({
      stopLossPrice: z.number().optional(),
      takeProfitPrice: z.number().optional(),
      trail: z.object({ up: z.number(), down: z.number() }).optional(),
      allowLoss: z.boolean(),
      useOwnBase: z.boolean(),
      dryRun: z.boolean().optional(),
      dryBalance: z.string().optional(),
      planHash: z.string(),
    });

export const GuideShape = lazy(() =>
  z.object({
    past: z.object({
      from: z.number(),
      until: z.number(),
      lowPrice: z.number(),
      highPrice: z.number(),
    }),
    start: StartShape().describe("Input for start_grid that starts exactly this plan"),
    plan: PlannedShape(),
    next: z.string(),
  }),
);

export type GuidedStart = z.input<ReturnType<typeof StartShape>>;
