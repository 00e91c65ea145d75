import { describe, expect, it } from "vitest";
import { beginPosition, NO_POSITION, type PositionStrategy } from "../../../src/engine/position/position.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";
import { NOW, observedMarket, quote, strategy, turn } from "../../support/made.ts";

describe("a start with base of the account, while an order is not in the balances yet", () => {
  const unsure = { ownBase: { least: d("1"), isSure: false } };
  const begun = (startedAt: number, over: object = {}) => {
    const one = strategy({
      phase: "starting",
      startedAt,
      config: { budget: { base: d("2"), quote: 0n } } as never,
      state: { ...strategy().state, ...NO_POSITION, startPrice: d("100"), epoch: 1 } as never,
    }) as PositionStrategy;
    return beginPosition(one, [], turn({ ...unsure, ...over }));
  };
  const waiting = {
    phase: "starting",
    lastError: "it starts when the balances show the open and recent orders of the account",
  };

  it("waits for five minutes, then uses the certain part", () => {
    expect(begun(NOW - 5 * MINUTE + 1)).toMatchObject(waiting);
    expect(begun(NOW - 5 * MINUTE)).toMatchObject({ phase: "placing", state: { base: d("1") } });
    expect(begun(NOW, { ownBase: { least: d("2"), isSure: false } })?.state.base).toBe(d("2"));
    expect(begun(NOW, { ownBase: { least: d("1"), isSure: true } })?.state.base).toBe(d("1"));
  });

  it("does the same in the market's time where that is simulated", () => {
    const at = (minutes: number) => ({
      isSimulated: true,
      observed: observedMarket({ quote: quote({ at: 500 + minutes * MINUTE }) }),
    });
    expect(begun(500, at(4))).toMatchObject(waiting);
    expect(begun(500, at(5))).toMatchObject({ phase: "placing", state: { base: d("1") } });
    const unpriced = { isSimulated: true, observed: observedMarket({ quote: undefined }) };
    expect(begun(500, unpriced)).toMatchObject(waiting);
  });
});
