import type { LiquidityMinute } from "../../src/model/samples/minute.ts";
import { d } from "./grid.ts";

/** A minute in which everything was seen and both sides rested, but for what is said otherwise. */
export const liquidityMinute = (over: Partial<LiquidityMinute> = {}): LiquidityMinute => ({
  minute: 0,
  samples: 1,
  spread: d("0.01"),
  ownSpread: d("0.01"),
  ownOrders: { bids: 2, asks: 2 },
  ownDepth: { bids: [0n, 0n, d("1000")], asks: [0n, 0n, d("1000")] },
  depth: null,
  isCutShort: false,
  deviation: null,
  sources: 0,
  absence: null,
  ...over,
});
