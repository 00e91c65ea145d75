import * as z from "zod";
import { dayField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { nameField } from "./agreement-schema.ts";
import { totalCostShape } from "./cost.ts";
import { costField, detailsField, findingShape, LiquidityShape, makerField } from "./schema.ts";

const ruleShape = () =>
  findingShape().extend({
    exchange: z.string().nullable().describe("Exchange id; null for all markets of the pair together"),
    symbol: z.string().describe("Trading pair, BASE/QUOTE"),
    before: z
      .object({
        state: z.enum(["kept", "missed", "unknown", "shown"]).describe("Result in the period before"),
        value: z.number().nullable().describe("Measured value; null if unknown"),
      })
      .nullable()
      .describe("The same rule in the period before; null without samples of it"),
  });

export const AgreementReportShape = lazy(() =>
  z.object({
    agreement: z.string().describe("Name of the agreement"),
    counterparty: z.string().nullable().describe("Who it was made with"),
    maker: z.string().nullable().describe("Name of the market maker, from the request"),
    madeAt: z.number().describe("Time of the report, in milliseconds since 1970"),
    from: z.string().describe("First day of the agreement in the period, in UTC"),
    to: z.string().describe("Last day of the agreement in the period, in UTC"),
    version: z.number().describe("Number of edits, with the creation"),
    changedAt: z.number().nullable().describe("Time of the last edit; null for the settings"),
    total: z.array(z.string()).describe("Rules of all markets of a pair together, as sentences"),
    unknownMarkets: z.array(z.string()).describe("Markets of exchanges that the settings do not list"),
    verdict: z.enum(["kept", "missed", "unknown"]).nullable().describe("All rules together"),
    counts: z
      .object({
        kept: z.number().describe("Rules that are met"),
        missed: z.number().describe("Rules that are not met"),
        unknown: z.number().describe("Rules that unknown minutes could change"),
      })
      .describe("Number of rules by result"),
    before: z
      .object({ from: z.string(), to: z.string() })
      .nullable()
      .describe(
        "The period before: last month for a part of a month, otherwise as many days; null without samples",
      ),
    rules: z.array(ruleShape()).describe("Each rule of each market, then those of the total"),
    costs: z
      .array(totalCostShape())
      .optional()
      .describe("P&L of the strategies on all markets by cause, for each quote asset"),
    markets: z.array(LiquidityShape()).describe("The report of each market"),
  }),
);
export type AgreementReport = z.output<ReturnType<typeof AgreementReportShape>>;
export type ReportedRule = AgreementReport["rules"][number];

export const agreementReportInput = () =>
  z.object({
    agreement: nameField(),
    from: dayField("from").optional().describe("First day, in UTC; default: 30 days before the last one"),
    to: dayField("to").optional().describe("Last day, in UTC; default: today, or the end of the agreement"),
    maker: makerField(),
    cost: costField(),
    details: detailsField(),
  });
