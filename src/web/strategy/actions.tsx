import { amount, money, pairOf } from "../format.ts";
import type { Grid, Session } from "../types.ts";
import { type Editing, StrategyActions } from "./parts.tsx";

interface GridActionsProps {
  readonly grid: Grid;
  readonly session: Session;
  readonly editing: Editing;
}

/** Actions for a grid. */
export const GridActions = ({ grid, ...props }: GridActionsProps) => (
  <StrategyActions
    {...props}
    kind="grid"
    of={grid}
    whom="this grid"
    pause={`Nothing new is placed. ${grid.openOrders} orders stay open and can fill. Stop and take-profit prices are not watched while it is paused.`}
    resume={`The next pass places the missing orders: at most ${money(grid.investment)} ${pairOf(grid.symbol).quote} in all slots.`}
    openOrders={grid.openOrders}
    base={(sellBase) => (sellBase ? sells(grid) : keeps(grid))}
  />
);

/** Maximum distance of a sale below the mid price, as a factor. */
const COLLAR = 0.9;

function sells({ symbol, position, markPrice, averageCost }: Grid): string {
  const { base, quote } = pairOf(symbol);
  const baseAmount = Number(position);
  const cost = averageCost === null ? "" : ` It was bought for ${money(baseAmount * averageCost)} ${quote}.`;
  if (markPrice === null) return `${amount(position)} ${base} are sold; their price is unknown.${cost}`;
  return `${amount(position)} ${base} are sold, worth ${money(baseAmount * markPrice)} ${quote} at the price of the last pass. The lowest price is 10 % below the mid: ${money(baseAmount * markPrice * COLLAR)} ${quote} now.${cost}`;
}

function keeps({ symbol, position, markPrice, averageCost }: Grid): string {
  const { base, quote } = pairOf(symbol);
  const baseAmount = Number(position);
  if (baseAmount === 0) return `It holds no ${base}.`;
  const worth = markPrice === null ? "" : `, worth ${money(baseAmount * markPrice)} ${quote} now`;
  const cost = averageCost === null ? "" : `, bought for ${money(baseAmount * averageCost)} ${quote}`;
  return `${amount(position)} ${base}${worth}${cost}, stay yours and keep their market risk.`;
}
