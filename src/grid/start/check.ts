import { type Decimal, div, ONE, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Balance } from "../../model/account.ts";
import type { Market, Quote } from "../../model/market.ts";
import { layAround, mostLevels } from "../ladder/centered.ts";
import {
  checkFunds,
  checkMinimum,
  checkPrices,
  checkSpacing,
  outside,
  spacingWarnings,
  type Warning,
} from "../ladder/check-rules.ts";
import { layOut } from "../ladder/layout.ts";
import { ascends, leastRatio, levelsFrom, slotsBetween } from "../ladder/levels.ts";
import type { CenteredConfig, GridConfig } from "../state/config.ts";
import type { GridOptions } from "../state/options.ts";
import type { Slot } from "../state/state.ts";
import { adviceOnCentered, adviceOnRange } from "./spacing-advice.ts";

/** A range grid as a user requests it. */
export type RequestedRange = Omit<GridConfig, "gridSpacing" | "isSpaced" | "centered"> & {
  readonly gridSpacing?: Decimal | undefined;
};

/** A centered grid as a user requests it. */
export type CenteredRequest = GridOptions &
  Pick<GridConfig, "orderSize"> & { readonly centered: CenteredConfig };

export interface Checked {
  readonly config: GridConfig;
  readonly slots: readonly Slot[];
  /** The exact mid price. */
  readonly startPrice: Decimal;
  readonly center: Decimal;
  readonly warnings: readonly Warning[];
}

export interface CheckedInputs {
  readonly market: Market;
  readonly quote: Quote;
  /** Undefined if funds are not checked. */
  readonly balances: readonly Balance[] | undefined;
  /** Accepts a grid that can place its first order only after the price has moved. */
  readonly mayWait?: boolean;
}

/** Returns the levels of a start, or throws the reason against it: minimum, spacing, then funds. */
export function checkStart(
  request: RequestedRange,
  { market, quote, balances, mayWait }: CheckedInputs,
): Checked {
  const config: GridConfig = {
    ...request,
    gridSpacing: request.gridSpacing ?? autoSpacing(request),
    isSpaced: request.gridSpacing !== undefined,
  };
  const startPrice = midOf(quote);
  checkPrices(request, startPrice);
  const levels = gridLevelsOf(config, market);
  const slots = layOut(levels, config.orderSize, startPrice);
  checkMinimum(slots, market, { name: "orderSize", size: config.orderSize });
  const warnings = [
    ...checkSpacing(spacingWarnings(leastRatio(slotsBetween(levels)), market), request.allowLoss, () =>
      adviceOnRange(config, market),
    ),
    ...outside(levels, startPrice),
  ];
  const { initialBuy } = request;
  if (balances) checkFunds(slots, market, balances, { initialBuy, mayWait });
  return { config, slots, startPrice, center: startPrice, warnings };
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
    mid: shown ?? mid,
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
