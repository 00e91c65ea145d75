import { pairOf } from "../format.ts";
import type { Grid } from "../types.ts";

type RangeName = "lowerPrice" | "upperPrice" | "stopLossPrice" | "takeProfitPrice";
export type EditName = RangeName | "gridLevels" | "orderSize" | "budget" | "spacing";
/** The user's edits only, because other values can change meanwhile. */
export type EditTexts = Readonly<Partial<Record<EditName, string>>>;

interface EditField {
  readonly name: EditName;
  readonly label: string;
  readonly hint?: string;
}

/** Returns the fields of a grid that can be changed. */
export function editFields({ symbol, centered }: Grid): readonly EditField[] {
  const { quote } = pairOf(symbol);
  const sizes: readonly EditField[] = [
    { name: "gridLevels", label: centered ? "Levels, 2 to 20" : "Levels, 2 to 100" },
    { name: "orderSize", label: `Per order, ${quote}` },
    { name: "budget", label: `Or total budget, ${quote}`, hint: "Instead of an order size" },
  ];
  if (centered)
    return [...sizes, { name: "spacing", label: "Spacing", hint: "As a share of the center price" }];
  return [
    { name: "lowerPrice", label: `Lower price, ${quote}` },
    { name: "upperPrice", label: `Upper price, ${quote}` },
    ...sizes,
    { name: "stopLossPrice", label: `Stop loss, ${quote}`, hint: "Leave empty for none" },
    { name: "takeProfitPrice", label: `Take profit, ${quote}`, hint: "Leave empty for none" },
  ];
}

/** Returns a field's current text; empty if it has none or the grid does not return it. */
export function asItStands(grid: Grid, name: EditName): string {
  if (name === "budget" || name === "spacing") return "";
  if (name !== "stopLossPrice" && name !== "takeProfitPrice") return String(grid[name]);
  const reason = name === "stopLossPrice" ? "stop_loss" : "take_profit";
  const stop = grid.stopPrices.find((one) => one.reason === reason);
  return stop ? String(stop.price) : "";
}

const CLEARS: Readonly<Partial<Record<EditName, string>>> = {
  stopLossPrice: "clearStopLoss",
  takeProfitPrice: "clearTakeProfit",
};

/** Returns the body of a change; undefined while nothing changes or a number is missing. */
export function editBody(grid: Grid, typed: EditTexts): Readonly<Record<string, unknown>> | undefined {
  const changed = (Object.keys(typed) as EditName[]).filter(
    (name) => (typed[name] ?? "").trim() !== asItStands(grid, name),
  );
  const isMissing = (name: EditName) => typed[name]?.trim() === "" && CLEARS[name] === undefined;
  if (changed.length === 0 || changed.some(isMissing)) return undefined;
  return Object.fromEntries(
    changed.map((name) => {
      const text = (typed[name] ?? "").trim();
      return text === "" ? [CLEARS[name], true] : [name, Number(text)];
    }),
  );
}
