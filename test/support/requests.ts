import { decimal } from "../../src/kernel/decimal.ts";

/** The body of a start of a grid, from 57,000 to 63,000 unless the test says otherwise. */
export const gridRequest = <T extends object = object>(over = {} as T) => ({
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 57_000,
  upperPrice: 63_000,
  gridLevels: 6,
  orderSize: 200,
  ...over,
});

/** The same as an operation takes it, with exact prices. */
export const gridInput = <T extends object = object>(over = {} as T) => ({
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: decimal("57000"),
  upperPrice: decimal("63000"),
  gridLevels: 4,
  orderSize: decimal("100"),
  ...over,
});

/** The body of a small buy far below the market. */
export const orderRequest = <T extends object = object>(over = {} as T) => ({
  exchange: "kraken",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  amount: 0.001,
  price: 50_000,
  ...over,
});
