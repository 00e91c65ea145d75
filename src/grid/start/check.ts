import type * as z from "zod";
import { type EndingConfig, endingConfig, splitEndings } from "../../engine/operations/ending-fields.ts";
import { type Decimal, div, ONE, readable, roundToStep, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import type { AccountRef, Balance } from "../../model/account.ts";
import type { BidAsk, Market } from "../../model/market.ts";
import type { Intent } from "../../model/order.ts";
import type { CurrentPlan } from "../../model/shown-plan.ts";
import {
  breakEvenRatio,
  checkFunds,
  checkMinimum,
  checkPrices,
  checkSpacing,
  outside,
  restingFees,
  spacingWarnings,
  type Warning,
} from "../ladder/check-rules.ts";
import {
  ascends,
  layAround,
  layOut,
  leastRatio,
  levelsFrom,
  mostLevels,
  slotsBetween,
} from "../ladder/levels.ts";
import type { centeredPreviewInput, rangePreviewInput } from "../schema/input.ts";
import {
  type CenteredConfig,
  type GridConfig,
  type GridOptions,
  optionsOf,
  withoutOptions,
} from "../state/config.ts";
import type { Slot } from "../state/state.ts";

/** A range grid as a user requests it. */
export type RequestedRange = Omit<GridConfig, "gridSpacing" | "isSpaced" | "centered"> & {
  readonly gridSpacing?: Decimal | undefined;
};

/** A centered grid as a user requests it. */
export type CenteredRequest = GridOptions &
  EndingConfig &
  Pick<GridConfig, "orderSize"> & { readonly centered: CenteredConfig };

export interface Checked {
  readonly config: GridConfig;
  readonly slots: readonly Slot[];
  /** The exact mid price. */
  readonly startPrice: Decimal;
  /** The price around which the slots are laid: that of the shown plan, or the mid price. */
  readonly center: Decimal;
  readonly warnings: readonly Warning[];
}

interface CheckedInputs {
  readonly market: Market;
  readonly quote: BidAsk;
  /** Undefined if funds are not checked. */
  readonly balances: readonly Balance[] | undefined;
  /** Accepts a grid that can place its first order only after the price has moved. */
  readonly mayWait?: boolean;
}

/**
 * Returns the levels of a start, with the sides that they had at a shown price or have now. Throws the reason against
 * it: minimum, spacing, then funds.
 */
export function checkStart(
  request: RequestedRange,
  { market, quote, balances, mayWait }: CheckedInputs,
  shown?: Decimal,
): Checked {
  const config: GridConfig = {
    ...request,
    gridSpacing: request.gridSpacing ?? autoSpacing(request),
    isSpaced: request.gridSpacing !== undefined,
  };
  const startPrice = midOf(quote);
  checkPrices(request, startPrice);
  const levels = gridLevelsOf(config, market);
  const center = shown ?? startPrice;
  const slots = layOut(levels, config.orderSize, center);
  checkMinimum(slots, market, { name: "orderSize", size: config.orderSize });
  const warnings = [
    ...checkSpacing(spacingWarnings(leastRatio(slotsBetween(levels)), market), request.allowLoss, () =>
      adviceOnRange(config, market),
    ),
    ...outside(levels, startPrice),
  ];
  const { initialBuy } = request;
  if (balances) checkFunds(slots, market, balances, { initialBuy, mayWait });
  return { config, slots, startPrice, center, warnings };
}

/** Does the same for a centered grid, around the market or a shown center. */
export function checkCentered(
  request: CenteredRequest,
  { market, quote, balances, mayWait }: CheckedInputs,
  shown?: Decimal,
): Checked {
  const { centered, orderSize } = request;
  const most = mostLevels(centered);
  if (most >= 0)
    throw new AppError(
      "Invalid spacing",
      `the outermost level is too far from the center; at most ${most} levels fit`,
    );
  const mid = midOf(quote);
  const { center, levels, slots } = layAround({
    config: centered,
    orderSize,
    // Rounded, because a shown plan contains the rounded center.
    mid: roundToStep(shown ?? mid, market.tick, "half"),
    widening: ONE,
    tick: market.tick,
  });
  checkAscent(levels, market);
  checkMinimum(slots, market, { name: "size", size: orderSize });
  const warnings = checkSpacing(
    spacingWarnings(leastRatio(slotsBetween(levels)), market),
    request.allowLoss,
    () => adviceOnCentered(request, center, market),
  );
  const { initialBuy } = request;
  if (balances) checkFunds(slots, market, balances, { initialBuy, mayWait });
  const config: GridConfig = {
    ...request,
    lowerPrice: levels[0] as Decimal,
    upperPrice: levels.at(-1) as Decimal,
    gridLevels: slots.length,
    gridSpacing: (levels[centered.levels + 1] as Decimal) - center,
  };
  return { config, slots, startPrice: mid, center, warnings };
}

const autoSpacing = ({ lowerPrice, upperPrice, gridLevels, spacingModel }: RequestedRange): Decimal =>
  spacingModel === "geometric"
    ? ratioOf(div(upperPrice, lowerPrice, "half"), gridLevels) - ONE
    : (upperPrice - lowerPrice) / BigInt(gridLevels);

/** Returns the m-th root, rounded down at 1e-18; for display, never for a price. */
function ratioOf(whole: Decimal, m: number): Decimal {
  let [least, most] = [ONE, whole];
  while (most - least > 1n) {
    const middle = (least + most) / 2n;
    if (middle ** BigInt(m) <= whole * ONE ** BigInt(m - 1)) least = middle;
    else most = middle;
  }
  return least;
}

function gridLevelsOf(config: GridConfig, market: Market): Decimal[] {
  const { lowerPrice, upperPrice, gridLevels, gridSpacing, spacingModel, isSpaced } = config;
  if (isSpaced && spacingModel === "geometric")
    throw new AppError(
      "Invalid spacing",
      "a geometric grid has no gridSpacing; remove gridSpacing or use linear spacing",
    );
  const levels = levelsFrom(config, market.tick);
  if (isSpaced && lowerPrice + gridSpacing * BigInt(gridLevels) > upperPrice) {
    const most = text((upperPrice - lowerPrice) / BigInt(gridLevels));
    throw new AppError(
      "Invalid spacing",
      `${gridLevels} slots of this spacing exceed upperPrice; the widest spacing that fits is ${most} ${market.quote}`,
    );
  }
  checkAscent(levels, market);
  return levels;
}

function checkAscent(levels: readonly Decimal[], { tick, quote }: Market): void {
  if (ascends(levels) && (levels[0] as Decimal) > ZERO) return;
  throw new AppError(
    "Invalid spacing",
    `two levels fall on one price: the tick here is ${text(tick)} ${quote}; use fewer levels or a wider range`,
  );
}

/** Minimum number of levels of a range grid. */
const MIN_GRID_LEVELS = 2;

/** Suggests input instead of a range grid whose cycles lose money, in the field that the user set. */
export function adviceOnRange(config: GridConfig, market: Market): string {
  const pays = (change: Partial<GridConfig>) =>
    paysFees(levelsFrom({ ...config, ...change }, market.tick), market);
  if (config.isSpaced) {
    const least = leastWhere((gridSpacing) => pays({ gridSpacing }), config.gridSpacing);
    return least === undefined
      ? "use fewer levels"
      : `use a spacing of at least ${text(least)} ${market.quote}`;
  }
  const most = mostWhere((gridLevels) => pays({ gridLevels }), config.gridLevels);
  return most < MIN_GRID_LEVELS ? "use a wider range" : `use at most ${most} levels or a wider range`;
}

/** Does the same for a centered grid, whose spacing is a share of its center. */
export function adviceOnCentered(
  { orderSize, centered }: CenteredTerms,
  mid: Decimal,
  market: Market,
): string {
  if (centered.spacingModel === "custom") return "use wider customSpacings";
  const pays = (spacing: Decimal) => {
    const config = { ...centered, spacing };
    // Levels beyond the maximum are refused with their own error.
    if (mostLevels(config) >= 0) return true;
    return paysFees(layAround({ config, orderSize, mid, widening: ONE, tick: market.tick }).levels, market);
  };
  const least = leastWhere(pays, centered.spacing);
  return least === undefined ? "use fewer levels" : `use a spacing of at least ${text(least)}`;
}

type CenteredTerms = Pick<GridConfig, "orderSize"> & {
  readonly centered: NonNullable<GridConfig["centered"]>;
};

const paysFees = (levels: readonly Decimal[], market: Market): boolean =>
  ascends(levels) && leastRatio(slotsBetween(levels)) >= breakEvenRatio(restingFees(market));

/** Number of doublings after which a spacing exceeds every price. */
const MAX_DOUBLINGS = 64;

/** Returns the smallest readable value that satisfies a condition, above one that does not; undefined if none does. */
function leastWhere(holds: (value: Decimal) => boolean, from: Decimal): Decimal | undefined {
  let [below, above] = [from, from * 2n];
  for (let tries = 0; !holds(above); tries++) {
    if (tries > MAX_DOUBLINGS) return undefined;
    [below, above] = [above, above * 2n];
  }
  for (let step = above / 100_000n + 1n; above - below > step; ) {
    const middle = (below + above) / 2n;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return readable(above);
}

/** Returns the largest whole number that satisfies a condition, below one that does not; 0 if none does. */
function mostWhere(holds: (count: number) => boolean, from: number): number {
  let [most, least] = [from, 0];
  while (most - least > 1) {
    const middle = Math.floor((most + least) / 2);
    if (holds(middle)) least = middle;
    else most = middle;
  }
  return least;
}

/** The kind of account, because a plan on paper is not one of a real account. */
interface PlanPlace extends Pick<AccountRef, "exchange" | "kind"> {
  readonly symbol: Pair;
}

/**
 * Returns what a start approves: the account, the configuration, and the orders without their prices, because no order
 * gets a worse price than its level's. A slot that waits for the price buys as soon as the price is above, so it may
 * have an order or none.
 */
export function approvedStart(
  { config, startPrice, slots }: Checked,
  intents: readonly Intent[],
  { exchange, kind, symbol }: PlanPlace,
): CurrentPlan {
  const orders = [...intents]
    .sort((a, b) => a.slot - b.slot)
    .filter(({ slot, side }) => side === "sell" || slots[slot]?.side !== "sell")
    .map(({ slot, side, amount }) => [slot, side, amount]);
  const { lowerPrice, upperPrice, triggerPrice, initialBuy } = config;
  return {
    approved: [[exchange, kind, symbol], config, orders],
    price: startPrice,
    takes: initialBuy ? ["buy"] : [],
    edges: [lowerPrice, upperPrice, triggerPrice],
  };
}

/** Returns a range grid's input without its exchange and pair. */
export function requestedRangeOf({
  exchange: _exchange,
  symbol: _symbol,
  dryRun: _dryRun,
  dryBalance: _dryBalance,
  name: _name,
  ...request
}: z.output<ReturnType<typeof rangePreviewInput>>): RequestedRange {
  const { endings, own } = splitEndings(request);
  return { ...(own as RequestedRange), ...endingConfig(endings) };
}

/** Converts a centered grid's input to the strategy's configuration. */
export function centeredOf(request: z.output<ReturnType<typeof centeredPreviewInput>>): CenteredRequest {
  const {
    exchange: _exchange,
    symbol: _symbol,
    dryRun: _dryRun,
    dryBalance: _dryBalance,
    name: _name,
    size,
    volatility,
    volatilityLow,
    volatilityHigh,
    ...fields
  } = withoutOptions(request);
  const { endings, own } = splitEndings(fields);
  const centered = own as Omit<typeof fields, keyof typeof endings>;
  return {
    ...optionsOf(request),
    ...endingConfig(endings),
    orderSize: size,
    centered: {
      ...centered,
      ...(volatility ? { volatility: { low: volatilityLow, high: volatilityHigh } } : {}),
    },
  };
}
