import type { CenteredConfig } from "../../src/grid/state/config.ts";
import { type GridState, NEW_STATE, NO_LEDGER, type Slot } from "../../src/grid/state/state.ts";
import { decimal, ONE, ZERO } from "../../src/kernel/decimal.ts";
import type { Market } from "../../src/model/market.ts";
import { gridInput } from "./requests.ts";

export const d = decimal;

/** Asks for six slots around the sandbox's first price. */
export const GRID = gridInput({ gridLevels: 6, orderSize: d("200") });

/** The same as a client asks for it. */
export const REQUEST = { ...GRID, lowerPrice: 57_000, upperPrice: 63_000, orderSize: 200 };

/** How two levels on each side of the market are laid. */
export const AROUND: CenteredConfig = {
  levels: 2,
  spacing: d("0.1"),
  spacingModel: "linear",
  spacingFactor: ONE,
  sizeModel: "flat",
  deviation: d("0.015"),
  deviationFrom: "edge",
  debounce: 2000,
};

export const market = (over: Partial<Market> = {}): Market => ({
  symbol: "BTC/USDT",
  base: "BTC",
  quote: "USDT",
  tick: d("0.01"),
  lot: d("0.00001"),
  minAmount: d("0.00001"),
  minNotional: d("5"),
  active: true,
  maker: d("0.001"),
  taker: d("0.001"),
  buyFeeIn: "quote",
  ...over,
});

export const slot = (over: Partial<Slot> = {}): Slot => ({
  index: 0,
  lower: d("100"),
  upper: d("110"),
  size: d("100"),
  side: "buy",
  bought: ZERO,
  base: ZERO,
  cost: ZERO,
  sold: ZERO,
  first: false,
  cycles: 0,
  retryAt: 0,
  ...over,
});

export const state = (slots: readonly Slot[], over: Partial<GridState> = {}): GridState => ({
  ...NEW_STATE,
  startPrice: d("105"),
  center: d("105"),
  laidAt: 0,
  slots,
  ledger: NO_LEDGER,
  epoch: 0,
  ...over,
});
