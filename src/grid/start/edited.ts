import type * as z from "zod";
import { editedEndings, endingWarnings } from "../../engine/operations/ending-fields.ts";
import { type Decimal, ONE, roundToStep } from "../../kernel/decimal.ts";
import { AppError, labelledError } from "../../kernel/errors.ts";
import type { BidAsk, Market } from "../../model/market.ts";
import { pendingEdit } from "../../model/strategy.ts";
import type { Warning } from "../ladder/check-rules.ts";
import { levelAt } from "../ladder/levels.ts";
import { movesLadder } from "../plan/moves.ts";
import type { editConfig } from "../schema/edit-input.ts";
import { BOUNDS } from "../schema/input.ts";
import type { CenteredConfig, GridConfig } from "../state/config.ts";
import type { GridStrategy } from "../state/state.ts";
import { checkCentered, checkStart } from "./check.ts";

/** A requested change of a running grid: only the fields that change. */
export type GridChange = z.output<ReturnType<typeof editConfig>>;

interface EditMarket {
  readonly market: Market;
  readonly quote: BidAsk;
}

export interface EditedGrid {
  readonly before: GridConfig;
  readonly config: GridConfig;
  readonly warnings: readonly Warning[];
  /** Whether its orders are canceled and placed again. */
  readonly isRelaid: boolean;
}

/** Returns a grid's configuration after a change, with the checks of a start. Throws AppError for an invalid change. */
export function edited(strategy: GridStrategy, request: GridChange, inputs: EditMarket): EditedGrid {
  const before = pendingEdit(strategy) ?? strategy.config;
  const made = before.centered
    ? editedCentered(before, request)
    : editedRange(strategy, before, request, inputs);
  const checked = before.centered
    ? checkCentered(
        { ...made, centered: made.centered as CenteredConfig },
        { ...inputs, balances: undefined },
      )
    : checkStart(spaced(made), { ...inputs, balances: undefined });
  // A centered grid is laid around the market again only by a change of its levels or sizes.
  const config = before.centered && !laysAnew(request) ? made : { ...made, ...checked.config };
  const isRelaid = movesLadder(strategy.config, config);
  return {
    before,
    config,
    isRelaid,
    warnings: [
      ...checked.warnings,
      ...endingWarnings(config, { ...inputs, highest: strategy.state.highest }),
    ],
  };
}

const laysAnew = ({ gridLevels, orderSize, budget, spacing }: GridChange): boolean =>
  [gridLevels, orderSize, budget, spacing].some((one) => one !== undefined);

// A computed spacing is computed again.
const spaced = ({ gridSpacing, isSpaced, centered: _, ...request }: GridConfig) =>
  isSpaced ? { ...request, gridSpacing } : request;

const ONLY_CENTERED = ["spacing"] as const;
const ONLY_RANGE = ["lowerPrice", "upperPrice", "gridSpacing"] as const;

function refuseFields(request: GridChange, names: readonly (keyof GridChange)[], what: string): void {
  const given = names.find((name) => request[name] !== undefined);
  if (given) throw new AppError("Invalid request", `${given} is not a setting of ${what}`);
}

function editedRange(
  { state, config: current }: GridStrategy,
  before: GridConfig,
  request: GridChange,
  { market }: EditMarket,
): GridConfig {
  refuseFields(request, ONLY_CENTERED, "a grid between two prices");
  const { lowerPrice, upperPrice, gridLevels, gridSpacing, orderSize, budget, allowLoss } = request;
  const isMoved = [lowerPrice, upperPrice, gridLevels, gridSpacing, orderSize, budget].some(
    (one) => one !== undefined,
  );
  // A grid that has followed the market is changed from its current range, unless a waiting change moves its levels.
  const stands =
    isMoved && !movesLadder(current, before) ? standing(before, state.trail.steps, market) : before;
  const levels = gridLevels ?? stands.gridLevels;
  const isRanged = [lowerPrice, upperPrice, gridLevels].some((one) => one !== undefined);
  const merged: GridConfig = {
    ...editedEndings(stands, request),
    lowerPrice: lowerPrice ?? stands.lowerPrice,
    upperPrice: upperPrice ?? stands.upperPrice,
    gridLevels: levels,
    orderSize: sizeOf(request, levels) ?? stands.orderSize,
    gridSpacing: gridSpacing ?? stands.gridSpacing,
    isSpaced: gridSpacing !== undefined || (!isRanged && stands.isSpaced),
    trail: stillAhead(stands.trail, lowerPrice ?? stands.lowerPrice, upperPrice ?? stands.upperPrice),
    allowLoss: allowLoss ?? stands.allowLoss,
    reinvest: request.reinvest ?? stands.reinvest,
  };
  const broken = BOUNDS.find(({ holds }) => !holds(merged));
  if (broken) throw labelledError(broken.error);
  return merged;
}

/** Removes a trail limit that the new range has passed. */
function stillAhead(trail: GridConfig["trail"], lower: Decimal, upper: Decimal): GridConfig["trail"] {
  if (!trail) return undefined;
  const [up, down] = [
    trail.up !== undefined && trail.up > upper ? trail.up : undefined,
    trail.down !== undefined && trail.down < lower ? trail.down : undefined,
  ];
  return up === undefined && down === undefined ? undefined : { up, down };
}

const standing = (config: GridConfig, steps: number, { tick }: Market): GridConfig =>
  steps === 0
    ? config
    : {
        ...config,
        lowerPrice: levelAt(config, steps, tick),
        upperPrice: levelAt(config, config.gridLevels + steps, tick),
      };

function editedCentered(before: GridConfig, request: GridChange): GridConfig {
  refuseFields(request, ONLY_RANGE, "a centered grid");
  const { centered } = before;
  if (!centered) return before;
  const gridLevels = request.gridLevels ?? before.gridLevels;
  if (gridLevels % 2 !== 0 || gridLevels > 20)
    throw new AppError(
      "Invalid levels",
      "a centered grid has the same number of levels on each side; set an even number from 2 to 20",
    );
  const levels = gridLevels / 2;
  const isCustom = centered.spacingModel === "custom" || centered.sizeModel === "custom";
  if (levels !== centered.levels && isCustom)
    throw new AppError(
      "Invalid levels",
      "custom spacings or sizes have one value per level; start a new grid",
    );
  return {
    ...editedEndings(before, request),
    gridLevels,
    orderSize: sizeOf(request, gridLevels) ?? before.orderSize,
    allowLoss: request.allowLoss ?? before.allowLoss,
    reinvest: request.reinvest ?? before.reinvest,
    centered: { ...centered, levels, spacing: request.spacing ?? centered.spacing },
  };
}

/** Step of size suggestions; smaller differences do not matter. */
const SIZE_STEP: Decimal = ONE / 10n ** 8n;

function sizeOf({ orderSize, budget }: GridChange, levels: number): Decimal | undefined {
  if (orderSize !== undefined && budget !== undefined)
    throw new AppError("Invalid order size", "set either orderSize or budget, not both");
  return budget === undefined ? orderSize : roundToStep(budget / BigInt(levels), SIZE_STEP, "down");
}
