import type { Setting } from "../start/settings.tsx";

type QuoteSettingName =
  | "spread"
  | "depth"
  | "levels"
  | "maxLoss"
  | "defend"
  | "maxBase"
  | "minBase"
  | "fixedPrice"
  | "within"
  | "quoteBudget"
  | "baseBudget";

/** Returns the settings of quotes in the order of a form, with the units of their pair. */
export const quoteSettings = (base: string, quote: string): Readonly<Record<QuoteSettingName, Setting>> => ({
  spread: { name: "spread", label: "Spread between bid and ask, %", isPercent: true },
  depth: { name: "depth", label: `Depth per side, ${quote}` },
  within: {
    name: "within",
    label: "Depth within, %",
    hint: "Distance of the outermost order from the price",
    isPercent: true,
  },
  levels: { name: "levels", label: "Orders per side, 1 to 20" },
  quoteBudget: { name: "quoteBudget", label: `Budget for bids, ${quote}` },
  baseBudget: { name: "baseBudget", label: `Budget for asks, ${base}` },
  maxLoss: { name: "maxLoss", label: `Loss limit, ${quote}`, hint: "Then both sides are canceled" },
  maxBase: { name: "maxBase", label: `Maximum position, ${base}`, hint: "Above it, no bids" },
  minBase: { name: "minBase", label: `Minimum position, ${base}`, hint: "Below it, no asks" },
  defend: {
    name: "defend",
    label: "If a side is picked off",
    hint: "20:60 moves it 20 ticks away for 60 passes; pause:60 cancels it",
    isText: true,
  },
  fixedPrice: { name: "fixedPrice", label: `Fixed price, ${quote}`, hint: "Used beside the market prices" },
});
