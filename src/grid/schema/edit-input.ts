import * as z from "zod";
import { countField, decimalField, idField, MOST_MULTIPLE } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { flag, planHash, price } from "../../kernel/start-fields.ts";

const editShape = () => ({
  id: idField("Invalid request").describe("Strategy id"),
  lowerPrice: decimalField("Invalid range").optional().describe("Lowest level, in quote"),
  upperPrice: decimalField("Invalid range").optional().describe("Highest level, in quote"),
  gridLevels: countField("Invalid levels", { least: 2, most: 100 })
    .optional()
    .describe("Number of slots; of a centered grid both sides together"),
  orderSize: decimalField("Invalid order size").optional().describe("Quote per order"),
  budget: decimalField("Invalid order size")
    .optional()
    .describe("Quote for all orders together, in place of the size of one"),
  gridSpacing: decimalField("Invalid spacing").optional().describe("Price difference of two levels"),
  spacing: decimalField("Invalid spacing", MOST_MULTIPLE)
    .optional()
    .describe("Of a centered grid: base spacing, as a share of the center price"),
  stopLossPrice: price().describe("At or below it the grid stops and sells its base"),
  takeProfitPrice: price().describe("At or above it the grid stops and sells its base"),
  clearStopLoss: flag("clearStopLoss").describe("No stop price any more"),
  clearTakeProfit: flag("clearTakeProfit").describe("No take-profit price any more"),
  allowLoss: flag("allowLoss").describe(
    "false refuses levels whose cycles do not pay their fees; true also sells base below its cost",
  ),
});

/** What may be asked of a grid that runs. */
export const editPreviewInput = lazy(() => z.object(editShape()));

export const editInput = lazy(() => z.object({ ...editShape(), planHash: planHash() }));
