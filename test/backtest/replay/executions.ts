import type { ExecutedOrder } from "../../../src/backtest/executed.ts";
import { d } from "../../support/grid.ts";
import { idOf } from "../../support/made.ts";

/** A buy of 2 at 100 in slot 0, executed at once at 10,000. */
export const execution = (over: Partial<ExecutedOrder> = {}): ExecutedOrder => {
  const { generation = 0, slot = 0, at = 10_000 } = over;
  return {
    clientId: idOf({ generation, slot, serial: at }),
    generation,
    slot,
    side: "buy",
    price: d("100"),
    amount: d("2"),
    parts: 1,
    at,
    until: at,
    ...over,
  };
};
