import type * as z from "zod";
import type { StatusShape } from "./schema.ts";

type Grid = z.output<ReturnType<typeof StatusShape>>["strategies"][number];

/** Grids as a person reads them: a few lines each. */
export const gridsView = (answer: unknown) => {
  const { strategies, count, next, warnings } = answer as z.output<ReturnType<typeof StatusShape>>;
  return {
    ...(warnings.length > 0 ? { warnings } : {}),
    strategies: strategies.map(gridView),
    count,
    ...(next === null ? {} : { next }),
  };
};

function gridView(grid: Grid) {
  const [base, quote] = grid.symbol.split("/");
  const waiting = grid.refused.map(({ slot, reason }) => `${slot} ${reason}`);
  return {
    grid: grid.id,
    market: `${grid.symbol} on ${grid.exchange}${grid.dryRun ? ", on paper" : ""}${grid.markPrice === null ? "" : `, at ${grid.markPrice}`}`,
    status: grid.status === grid.phase ? grid.status : `${grid.status}, ${grid.phase}`,
    range: `${grid.lowerPrice} – ${grid.upperPrice}, ${grid.gridLevels} slots of ${grid.orderSize} ${quote}`,
    orders: `${grid.openOrders} open, ${grid.filledOrders} filled, ${grid.cycles} cycles`,
    profit: `${cents(grid.profit)} ${quote} realised${grid.totalProfit === null ? "" : `, ${cents(grid.totalProfit)} in all`}`,
    holds:
      grid.averageCost === null
        ? `no ${base}`
        : `${grid.position} ${base} at ${cents(grid.averageCost)}, break-even ${cents(grid.breakEvenPrice ?? 0)}`,
    ...(waiting.length > 0 ? { waiting: `slots ${waiting.join(", ")}` } : {}),
    ...(grid.lastError === null ? {} : { error: grid.lastError }),
    runningTime: grid.runningTime,
    lastStepAt: grid.lastStepAt,
  };
}

const cents = (value: number): string => String(Number(value.toPrecision(Math.abs(value) < 100 ? 4 : 7)));
