import * as z from "zod";
import {
  type Decimal,
  max,
  min,
  mul,
  mulDiv,
  ONE,
  roundToStep,
  text,
  wire,
  ZERO,
} from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { decimalField, exchangeField, pairField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Candle, Market } from "../../model/market.ts";
import { type Operation, operation } from "../../operation.ts";
import { breakEvenRatio, leastSize, quoteFee, restingFees } from "../ladder/check-rules.ts";
import { followed, layOut, leastRatio, levelsFrom, slotsBetween } from "../ladder/levels.ts";
import { common } from "../schema/input.ts";
import { ConfigShape } from "../schema/shapes.ts";
import type { GridConfig } from "../state/config.ts";
import { LOOKS_BACK, readPast } from "./past.ts";
import { readForStart } from "./start.ts";

/** Width of the range: prices of the last day, week or month. */
const WIDTH_WORDS = ["narrow", "usual", "wide"] as const;

/** What a grid does when the price leaves its range: wait, follow the price, or stop and sell its base. */
const ON_LEAVE = ["wait", "follow", "stop"] as const;

const GuideShape = lazy(() =>
  z.object({
    past: z.object({
      from: z.number(),
      until: z.number(),
      lowPrice: z.number(),
      highPrice: z.number(),
    }),
    start: StartShape().describe("Input for preview_strategy and start_strategy"),
    next: z.string(),
  }),
);

/** Margin on each side of the past prices, as a divisor of their range. */
const KEPT_FREE = 20n;
/** Distance beyond the range of a stop price, and of the trail limit, as divisors of its width. */
const [STOP_BEYOND, FOLLOWS_BEYOND] = [10n, 2n];
/** Minimum spacing; levels are at least three times a cycle's fees apart. */
const MIN_SPACING: Decimal = (6n * ONE) / 1000n;
const TIMES_FEES = 3n;
const [MAX_GUIDED_LEVELS, MIN_GUIDED_LEVELS] = [50, 4] as const;
const CENT: Decimal = ONE / 100n;

/** Operation that suggests a complete start with its plan from a pair, a budget and two choices. */
export const guideGrid = (ids: readonly string[]): Operation =>
  operation({
    effect: "read",
    access: "token",
    name: "guide_grid",
    summary: "Create a plan for a grid from a pair and a budget",
    http: { route: "POST /strategy/grid/guide", from: "body" },
    cli: {
      path: "grid new",
      steps: true,
      examples: [
        "edgemaker grid new",
        "edgemaker grid new --exchange kraken --symbol BTC/USDT --budget 500 --width usual --on-leave wait --yes",
      ],
    },
    failure: "Exchange error",
    input: () => guideInput(ids),
    output: GuideShape,
    run: async (deps, request, { actor }) => {
      const inputs = await readForStart(deps, request, actor);
      const candles = await readPast(inputs.venue, request.symbol, request.width);
      const { market, quote } = inputs;
      return {
        past: pastOut(candles, LOOKS_BACK[request.width].span),
        start: startOf(request, guided(request, { market, candles, mid: midOf(quote) })),
        next: "preview_strategy (POST /strategies/preview) with start shows the plan; POST /strategies with start and the planHash of that plan starts it; the tool start_strategy with start returns a plan and a planId first, and starts it when you call it again with that planId",
      };
    },
  });

type OnLeave = (typeof ON_LEAVE)[number];

/** Input of the guide: the few answers that determine a start. */
function guideInput(ids: readonly string[]) {
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
    useOwnBase: useOwnBase.meta({
      description: "true sells base that you already own; default false",
      default: false,
    }),
    dryRun,
    dryBalance,
  });
}

type GuideFields = z.output<ReturnType<typeof guideInput>>;

const StartShape = () =>
  z.object({
    definition: z.literal("grid").describe("Definition of the start"),
    exchange: z.string(),
    symbol: z.string(),
    config: ConfigShape()
      .omit({ exchange: true, symbol: true, gridSpacing: true })
      .extend({
        stopLossPrice: z.number().optional(),
        takeProfitPrice: z.number().optional(),
        trail: z.object({ up: z.number(), down: z.number() }).optional(),
        allowLoss: z.boolean(),
        useOwnBase: z.boolean(),
      }),
    dryRun: z.boolean().optional(),
    dryBalance: z.string().optional(),
  });

type GuidedStart = z.input<ReturnType<typeof StartShape>>;

export interface GuideRequest {
  /** Maximum quote that the grid can use, including fees. */
  readonly budget: Decimal;
  readonly onLeave: OnLeave;
}

export interface GuideMarket {
  readonly market: Market;
  /** Past prices. */
  readonly candles: readonly Candle[];
  readonly mid: Decimal;
}

/** Values of a start as the config of a start takes them; prices and size in quote. */
type GuidedGrid = Pick<
  GridConfig,
  "lowerPrice" | "upperPrice" | "gridLevels" | "orderSize" | "stopLossPrice" | "takeProfitPrice" | "trail"
>;

/**
 * Returns a grid over past prices with as many levels as fees and budget allow. Throws AppError if the budget is too
 * small.
 */
export function guided({ budget, onLeave }: GuideRequest, { market, candles, mid }: GuideMarket): GuidedGrid {
  const spacing = max(MIN_SPACING, (breakEvenRatio(restingFees(market)) - ONE) * TIMES_FEES);
  const range = rangeOver({ candles, mid, spacing }, market.tick);
  const ends = leavesBy(range, onLeave, market.tick);
  for (let gridLevels = MAX_GUIDED_LEVELS; gridLevels >= 2; gridLevels--) {
    const config = { ...range, gridLevels, gridSpacing: ZERO };
    const levels = levelsFrom(config, market.tick);
    if (leastRatio(slotsBetween(levels)) < ONE + spacing) continue;
    const orderSize = sizeWithin(budget, { ...config, ...ends }, market);
    const slots = layOut(levels, orderSize, mid);
    if (slots.every((slot) => orderSize >= leastSize(slot, market)))
      return { ...range, gridLevels, orderSize, ...ends };
  }
  throw tooSmall(range, ends, { market, mid });
}

/** Returns the range from the lowest to the highest price with a margin; at least wide enough for a few levels. */
function rangeOver(
  { candles, mid, spacing }: Pick<GuideMarket, "candles" | "mid"> & { readonly spacing: Decimal },
  tick: Decimal,
) {
  const low = candles.reduce((least, candle) => min(least, candle.low), mid);
  const high = candles.reduce((most, candle) => max(most, candle.high), mid);
  const margin = (high - low) / KEPT_FREE;
  const missing = max(
    ZERO,
    mul(high, spacing, "up") * BigInt(MIN_GUIDED_LEVELS) - (high - low + 2n * margin),
  );
  const lower = max(low - margin - missing / 2n, low / 2n);
  return {
    lowerPrice: max(neat(lower, tick, "down"), tick),
    upperPrice: neat(high + margin + missing / 2n, tick, "up"),
  };
}

/** Rounds a price to five digits if the market's ticks allow it. */
function neat(price: Decimal, tick: Decimal, rounding: "down" | "up"): Decimal {
  const step = 10n ** BigInt(Math.max(0, price.toString().length - 5));
  return roundToStep(price, step % tick === ZERO ? step : tick, rounding);
}

type GuidedRange = Pick<GuidedGrid, "lowerPrice" | "upperPrice">;
type LeavesBy = Pick<GuidedGrid, "stopLossPrice" | "takeProfitPrice" | "trail">;

function leavesBy({ lowerPrice, upperPrice }: GuidedRange, onLeave: OnLeave, tick: Decimal): LeavesBy {
  if (onLeave === "wait") return {};
  const beyond = (upperPrice - lowerPrice) / (onLeave === "stop" ? STOP_BEYOND : FOLLOWS_BEYOND);
  // A price is above zero, however wide the range is.
  const below = neat(max(lowerPrice - beyond, lowerPrice / 2n), tick, "down");
  const above = neat(upperPrice + beyond, tick, "up");
  if (onLeave === "stop") return { stopLossPrice: max(below, tick), takeProfitPrice: above };
  return { trail: { down: max(below, tick), up: above } };
}

/** Returns the quote per order with which all possible slots fit the budget. */
function sizeWithin(budget: Decimal, config: Omit<GuidedGrid, "orderSize">, market: Market): Decimal {
  const count = config.gridLevels + followedBy(config, market);
  const fees = ONE + quoteFee(market);
  return roundToStep(mulDiv(budget, { times: ONE, over: fees }, "down") / BigInt(count), CENT, "down");
}

function followedBy(config: Omit<GuidedGrid, "orderSize">, market: Market): number {
  const whole = { ...config, orderSize: ONE, gridSpacing: ZERO };
  const slots = layOut(levelsFrom(whole, market.tick), ONE, config.lowerPrice);
  return followed({ config: whole, state: { slots }, market }).length;
}

function tooSmall(
  range: GuidedRange,
  ends: LeavesBy,
  { market, mid }: Pick<GuideMarket, "market" | "mid">,
): AppError {
  const config = { ...range, ...ends, gridLevels: 2 };
  const levels = levelsFrom({ ...config, gridSpacing: ZERO }, market.tick);
  const least = layOut(levels, ONE, mid).reduce((most, slot) => max(most, leastSize(slot, market)), ZERO);
  const count = BigInt(2 + followedBy(config, market));
  const needed = roundToStep(
    mul(roundToStep(least, CENT, "up") * count, ONE + quoteFee(market), "up"),
    CENT,
    "up",
  );
  return new AppError(
    "Invalid amount",
    `the budget must be at least ${text(needed)} ${market.quote} here; the exchange accepts no smaller orders`,
  );
}

/** Returns the values of a start as input for another request. */
export function startOf(request: GuideFields, guided: GuidedGrid): GuidedStart {
  const { exchange, symbol, useOwnBase = false, dryRun, dryBalance } = request;
  const { lowerPrice, upperPrice, gridLevels, orderSize, stopLossPrice, takeProfitPrice, trail } = guided;
  const balances =
    dryBalance && Object.entries(dryBalance).map(([asset, amount]) => `${asset}=${text(amount)}`);
  return {
    definition: "grid",
    exchange,
    symbol,
    config: {
      lowerPrice: wire(lowerPrice),
      upperPrice: wire(upperPrice),
      gridLevels,
      orderSize: wire(orderSize),
      ...(stopLossPrice === undefined ? {} : { stopLossPrice: wire(stopLossPrice) }),
      ...(takeProfitPrice === undefined ? {} : { takeProfitPrice: wire(takeProfitPrice) }),
      ...(trail?.up === undefined || trail.down === undefined
        ? {}
        : { trail: { up: wire(trail.up), down: wire(trail.down) } }),
      allowLoss: false,
      useOwnBase,
    },
    ...(dryRun ? { dryRun } : {}),
    ...(balances ? { dryBalance: balances.join(",") } : {}),
  };
}

export function pastOut(candles: readonly Candle[], span: number) {
  const lows = candles.map(({ low }) => wire(low));
  const highs = candles.map(({ high }) => wire(high));
  const [first, last] = [candles[0], candles.at(-1)];
  return {
    from: first?.at ?? 0,
    until: (last?.at ?? 0) + span,
    lowPrice: Math.min(...lows),
    highPrice: Math.max(...highs),
  };
}
