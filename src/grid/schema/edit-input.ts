import * as z from "zod";
import { countField, decimalField, flag, MAX_MULTIPLE, price } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";

const editShape = () => ({
  lowerPrice: decimalField("Invalid range").optional().describe("Lowest level, in quote"),
  upperPrice: decimalField("Invalid range").optional().describe("Highest level, in quote"),
  gridLevels: countField("Invalid levels", { min: 2, max: 100 })
    .optional()
    .describe("Number of slots; for a centered grid, both sides together"),
  orderSize: decimalField("Invalid order size").optional().describe("Quote per order"),
  budget: decimalField("Invalid order size")
    .optional()
    .describe("Quote for all orders together, instead of an order size"),
  gridSpacing: decimalField("Invalid spacing").optional().describe("Price difference between two levels"),
  spacing: decimalField("Invalid spacing", MAX_MULTIPLE)
    .optional()
    .describe("Base spacing of a centered grid, as a share of the center price"),
  stopLossPrice: price().describe("Stop-loss price: at or below it, the grid sells its base and stops"),
  takeProfitPrice: price().describe("Take-profit price: at or above it, the grid sells its base and stops"),
  clearStopLoss: flag("clearStopLoss").describe("Remove the stop-loss price"),
  clearTakeProfit: flag("clearTakeProfit").describe("Remove the take-profit price"),
  stopAtOnce: flag("stopAtOnce").describe(
    "true exits at the first stop-loss or take-profit price that a pass reads; false waits for a second pass",
  ),
  allowLoss: flag("allowLoss").describe(
    "false refuses levels whose cycles lose money after fees; true also sells base below cost",
  ),
});

/** Fields of a running grid that can change. */
export const editConfig = lazy(() => z.object(editShape()));
