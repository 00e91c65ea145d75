import * as z from "zod";
import { endingEdits } from "../../engine/operations/ending-fields.ts";
import { countField, decimalField, flag, MAX_MULTIPLE } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { reinvestField } from "../state/config.ts";

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
  ...endingEdits(),
  reinvest: reinvestField(),
  allowLoss: flag("allowLoss").describe(
    "false refuses levels whose cycles lose money after fees; true also sells base below cost",
  ),
});

/** Fields of a running grid that can change. */
export const editConfig = lazy(() => z.object(editShape()));
