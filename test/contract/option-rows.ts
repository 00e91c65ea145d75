import { grid, market, type Row, type World } from "./rows.ts";

const refused = (
  path: string,
  name: string,
  over: Readonly<Record<string, unknown>>,
  label: string,
): Row => ({
  name,
  method: "POST",
  path,
  body: (world: World) => (path.includes("centered") ? { ...market(world), ...over } : grid(over)(world)),
  status: 400,
  label,
});

/** Centered grids, previews, and the options of both kinds of grid. */
export const optionRows: Row[] = [
  {
    name: "preview a range",
    method: "POST",
    path: "/strategy/grid/preview",
    body: grid(),
    status: 200,
    has: { config: "object", orders: "array", slots: "array", planHash: "string", maxQuoteUsed: "string" },
  },
  {
    name: "preview a hundred slots",
    method: "POST",
    path: "/strategy/grid/preview",
    body: grid({ gridLevels: 100, spacingModel: "geometric" }),
    status: 200,
  },
  {
    name: "preview a centered grid",
    method: "POST",
    path: "/strategy/grid/centered/preview",
    body: market,
    status: 200,
    has: { orders: "array", planHash: "string" },
  },
  {
    name: "start a plan that no longer holds",
    method: "POST",
    path: "/strategy/grid",
    body: grid({ planHash: "0".repeat(32) }),
    status: 409,
    label: "Conflict",
  },
  ...["/strategy/grid", "/strategy/grid/preview"].flatMap((path) => [
    refused(path, "a stop price inside the grid", { stopLossPrice: 1_000_000 }, "Invalid price"),
    refused(path, "a take profit inside the grid", { takeProfitPrice: 1 }, "Invalid price"),
    refused(path, "a trail inside the grid", { trail: { up: 1 } }, "Invalid price"),
    refused(path, "a trail of another form", { trail: { left: 1 } }, "Invalid request"),
    refused(path, "a negative trigger", { triggerPrice: -1 }, "Invalid price"),
    refused(path, "a share above one", { maxPosition: 1.5 }, "Invalid request"),
    refused(path, "a spacing model that is none", { spacingModel: "cubic" }, "Invalid spacing"),
    refused(
      path,
      "a geometric grid with a spacing",
      { spacingModel: "geometric", gridSpacing: 100 },
      "Invalid spacing",
    ),
    refused(
      path,
      "geometric levels on one tick",
      { lowerPrice: 60_000, upperPrice: 60_000.02, gridLevels: 100, spacingModel: "geometric" },
      "Invalid spacing",
    ),
  ]),
  ...["/strategy/grid/centered", "/strategy/grid/centered/preview"].flatMap((path) => [
    ...[0, 11, 2.5, "5"].map((levels) => refused(path, `levels ${levels}`, { levels }, "Invalid levels")),
    refused(path, "levels beyond the price", { levels: 10, spacing: 0.1 }, "Invalid spacing"),
    refused(
      path,
      "levels beyond the price in a volatile market",
      { levels: 5, spacing: 0.1, volatility: true },
      "Invalid spacing",
    ),
    refused(path, "levels on one tick", { spacing: 1e-9 }, "Invalid spacing"),
    refused(path, "a size below the minimum", { size: 1 }, "Invalid order size"),
    refused(path, "cycles that lose, refused", { spacing: 0.0005, allowLoss: false }, "Invalid spacing"),
    refused(
      path,
      "custom spacings for some levels",
      { spacingModel: "custom", customSpacings: [0.1] },
      "Invalid spacing",
    ),
    refused(
      path,
      "custom spacings that fall",
      { levels: 2, spacingModel: "custom", customSpacings: [0.2, 0.1] },
      "Invalid spacing",
    ),
    refused(path, "weights for some levels", { sizeModel: "custom", sizeWeights: [1] }, "Invalid order size"),
    refused(path, "volatility bounds that cross", { volatilityLow: 0.1 }, "Invalid request"),
    refused(path, "an unknown field", { gridLevels: 4 }, "Invalid request"),
  ]),
];
