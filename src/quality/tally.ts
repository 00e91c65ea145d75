/** Sums of the measures of many fills. Every share has the number of fills that it does not know. */
import * as z from "zod";
import { type Decimal, divideWhole, roundToStep, text, wire, ZERO } from "../kernel/decimal.ts";
import { dayField, idField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { SIDES } from "../model/market.ts";
import {
  type ExactSum,
  earnedAgainst,
  HORIZONS,
  type HorizonName,
  impactOn,
  isToxic,
  type MeasuredFill,
  type SpreadFill,
  TOXIC_AT,
} from "../model/order.ts";

/** Sum over the fills whose mids are known. */
interface Measure {
  known: number;
  notional: Decimal;
  earned: ExactSum;
}

/** Fills and their effective half-spreads. */
export interface SpreadTally {
  fills: number;
  notional: Decimal;
  readonly spread: Measure;
}

export interface Tally extends SpreadTally {
  readonly markouts: Readonly<Record<HorizonName, Measure>>;
  /** Price impacts, of fills whose mid at the fill is known too. */
  readonly impacts: Readonly<Record<HorizonName, Measure>>;
  /** Fills that had lost money at the horizon of toxic flow. */
  toxic: number;
}

const noMeasure = (): Measure => ({ known: 0, notional: ZERO, earned: 0n });
const eachHorizon = () =>
  Object.fromEntries(HORIZONS.map(({ name }) => [name, noMeasure()])) as Record<HorizonName, Measure>;

export const newSpreadTally = (): SpreadTally => ({ fills: 0, notional: ZERO, spread: noMeasure() });
export const newTally = (): Tally => ({
  ...newSpreadTally(),
  toxic: 0,
  markouts: eachHorizon(),
  impacts: eachHorizon(),
});

export function addSpread(tally: SpreadTally, fill: SpreadFill): void {
  const { notional, mid } = fill;
  tally.fills++;
  tally.notional += notional;
  addMeasure(tally.spread, mid === null ? null : earnedAgainst(fill, mid), notional);
}

/** Adds a fill to every tally. */
export function addToTallies(tallies: readonly Tally[], fill: MeasuredFill): void {
  const { notional, mid } = fill;
  const toxicAt = fill[TOXIC_AT];
  const toxic = toxicAt !== null && isToxic(fill, toxicAt) ? 1 : 0;
  for (const tally of tallies) {
    addSpread(tally, fill);
    tally.toxic += toxic;
  }
  for (const { name } of HORIZONS) {
    const later = fill[name];
    if (later === null) continue;
    const earned = earnedAgainst(fill, later);
    const impact = mid === null ? null : impactOn(fill, { mid, later });
    for (const { markouts, impacts } of tallies) {
      addMeasure(markouts[name], earned, notional);
      addMeasure(impacts[name], impact, notional);
    }
  }
}

function addMeasure(measure: Measure, earned: ExactSum | null, notional: Decimal): void {
  if (earned === null) return;
  measure.known++;
  measure.notional += notional;
  measure.earned += earned;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  const all = newTally();
  for (const { fills, notional, toxic, spread, markouts, impacts } of tallies) {
    all.fills += fills;
    all.notional += notional;
    all.toxic += toxic;
    joinMeasure(all.spread, spread);
    for (const { name } of HORIZONS) {
      joinMeasure(all.markouts[name], markouts[name]);
      joinMeasure(all.impacts[name], impacts[name]);
    }
  }
  return all;
}

function joinMeasure(all: Measure, { known, notional, earned }: Measure): void {
  all.known += known;
  all.notional += notional;
  all.earned += earned;
}

/** Measures of a group of fills. Percentages are of their notional; null if no fill's mid is known. */
export type QualityFigures = z.output<z.ZodObject<ReturnType<typeof measureFields>>>;

export function figuresOfTally(tally: Tally): QualityFigures {
  const { fills, notional, spread, markouts, impacts, toxic } = tally;
  const measured = markouts[TOXIC_AT].known;
  return {
    fills,
    notional: text(notional),
    halfSpreadPercent: percentOfNotional(spread),
    withoutMid: fills - spread.known,
    toxicPercent: measured === 0 ? null : Math.round((1000 * toxic) / measured) / 10,
    unmeasured: fills - measured,
    markouts: HORIZONS.map(({ name, after }) => ({
      after,
      percent: percentOfNotional(markouts[name]),
      impactPercent: percentOfNotional(impacts[name]),
      known: markouts[name].known,
      unknown: fills - markouts[name].known,
    })),
  };
}

/** A hundredth of a basis point. */
const PERCENT_STEP = 10n ** 14n;

const percentOfNotional = ({ notional, earned }: Measure): number | null =>
  notional <= ZERO
    ? null
    : wire(roundToStep(divideWhole(100n * earned, notional, "half"), PERCENT_STEP, "half"));

export const qualityInput = lazy(() =>
  z.object({
    id: idField("Invalid request")
      .optional()
      .describe("Strategy id; default: every strategy, without groups"),
    from: dayField("from").optional().describe("First day, in UTC; default: six days before the last one"),
    to: dayField("to").optional().describe("Last day, in UTC; default: today"),
  }),
);

export const attributionFields = () => ({
  totalProfit: z.string().describe("P&L as in the report, in quote: spread + inventory − fees"),
  spread: z.string().describe("What fills earned against the mid at their time"),
  inventory: z.string().describe("What price changes made of the inventory"),
  fees: z.string().describe("Fees minus rebates"),
});

export const measureFields = () => ({
  fills: z.number(),
  notional: z.string(),
  halfSpreadPercent: z.number().nullable().describe("Effective half-spread, of the notional"),
  withoutMid: z
    .number()
    .describe("Fills without a known mid; their spread is part of `inventory`, and in no half-spread"),
  toxicPercent: z
    .number()
    .nullable()
    .describe("Share of fills that had lost money after 10 s: the mid passed their price"),
  unmeasured: z.number().describe("Fills that this share does not know"),
  markouts: z.array(
    z.object({
      after: z.number().describe("Time after the fill, in milliseconds"),
      percent: z.number().nullable().describe("Realized half-spread: P&L per notional at the mid then"),
      impactPercent: z.number().nullable().describe("How far the mid moved against the fills"),
      known: z.number(),
      unknown: z.number(),
    }),
  ),
});

const quoteFields = () => ({ quote: z.string(), dryRun: z.boolean() });

export const QualityShape = lazy(() =>
  z.object({
    from: z.number(),
    to: z.number(),
    strategies: z.array(
      z.object({
        id: z.string(),
        exchange: z.string(),
        symbol: z.string(),
        ...quoteFields(),
        ...attributionFields(),
        ...measureFields(),
      }),
    ),
    days: z.array(
      z.object({
        day: z.string().describe("Day in UTC"),
        ...quoteFields(),
        ...attributionFields(),
        fills: z.number(),
        withoutMid: z.number().describe("Fills without a known mid"),
      }),
    ),
    sides: z
      .array(z.object({ side: z.enum(SIDES), ...measureFields() }))
      .describe("One row per side, if one strategy is requested"),
    levels: z
      .array(
        z.object({
          side: z.enum(SIDES),
          level: z.number().describe("Slot of the order"),
          ...measureFields(),
        }),
      )
      .describe("By slot: a level of a grid; quotes can use a slot for different levels"),
    hours: z
      .array(z.object({ hour: z.number().describe("Hour of the day, UTC"), ...measureFields() }))
      .describe("One row per hour with fills"),
    count: z.number(),
  }),
);
export type QualityAnswer = z.input<ReturnType<typeof QualityShape>>;
