import type { Child } from "hono/jsx";
import { change, duration, toneOf } from "./format.ts";
import { againstHolding, distanceOf, distanceText, gridState } from "./grid-figures.ts";
import { linkTo } from "./route.ts";
import { strategyTitle } from "./strategy/name.tsx";
import { Table, type TableColumn } from "./table.tsx";
import type { Grid } from "./types.ts";
import { Ago } from "./ui.tsx";

const profit = (name: string, of: (grid: Grid) => number | null): TableColumn<Grid> => ({
  name,
  isNumber: true,
  of: (grid) => <span class={toneOf(of(grid))}>{change(of(grid))}</span>,
  by: (grid) => of(grid) ?? Number.NEGATIVE_INFINITY,
});

const GRID_COLUMNS: readonly TableColumn<Grid>[] = [
  {
    name: "Strategy",
    isHead: true,
    of: (grid) => (
      <>
        <a href={linkTo("strategy", grid.id)}>{strategyTitle(grid).title}</a>
        <small>{strategyTitle(grid).beside}</small>
      </>
    ),
    by: (grid) => strategyTitle(grid).title,
  },
  profit("Total", ({ totalProfit }) => totalProfit),
  profit("Realized", (grid) => grid.profit),
  profit("Unrealized", ({ unrealizedProfit }) => unrealizedProfit),
  profit("vs buy and hold", againstHolding),
  {
    name: "State",
    of: (grid) => {
      const { name, tone, todo } = gridState(grid);
      return (
        <>
          <b class={`tag ${tone}`}>{name}</b>
          {todo ? <small class="todo">{todo}</small> : null}
        </>
      );
    },
    by: (grid) => gridState(grid).name,
  },
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
  {
    name: "Age",
    isNumber: true,
    of: ({ runningTime }) => duration(runningTime),
    by: ({ runningTime }) => runningTime,
  },
  {
    name: "Last pass",
    isNumber: true,
    of: ({ lastStepAt }) => (lastStepAt === null ? "none yet" : <Ago at={lastStepAt} />),
    by: ({ lastStepAt }) => lastStepAt ?? 0,
  },
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
