import type { Child } from "hono/jsx";
import { duration } from "./format.ts";
import { againstHolding, distanceOf, distanceText, gridState } from "./grid-figures.ts";
import { nameColumn, passColumn, profitColumn, stateColumn } from "./strategy/parts.tsx";
import { numberColumn, Table, type TableColumn } from "./table.tsx";
import type { Grid } from "./types.ts";

const GRID_COLUMNS: readonly TableColumn<Grid>[] = [
  nameColumn("grid", undefined, () => null),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  profitColumn("Realized", (grid) => grid.profit),
  profitColumn("Unrealized", ({ unrealizedProfit }) => unrealizedProfit),
  profitColumn("vs buy and hold", againstHolding),
  stateColumn(gridState),
  {
    name: "Distance to range limit",
    isNumber: true,
    of: (grid) => (
      <span class={(distanceOf(grid) ?? 1) < 0 ? "down" : (distanceOf(grid) ?? 1) < 0.01 ? "warn" : ""}>
        {distanceText(grid)}
      </span>
    ),
    by: (grid) => distanceOf(grid) ?? Number.POSITIVE_INFINITY,
  },
  {
    name: "Orders",
    isNumber: true,
    of: ({ openOrders, filledOrders }) => `${openOrders} open, ${filledOrders} filled`,
    by: ({ filledOrders }) => filledOrders,
  },
  numberColumn("Age", ({ runningTime }) => runningTime, duration),
  passColumn(),
];

export const GridsTable = ({
  label,
  grids,
  empty,
}: {
  label: string;
  grids: readonly Grid[];
  empty: Child;
}) => <Table label={label} columns={GRID_COLUMNS} rows={grids} keyOf={({ id }) => id} empty={empty} />;
