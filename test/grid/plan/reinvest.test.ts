import { describe, expect, it } from "vitest";
import type { View } from "../../../src/grid/plan/first-buy.ts";
import { shiftOneStep } from "../../../src/grid/plan/moves.ts";
import { nextOrders } from "../../../src/grid/plan/next-orders.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import type { Slot } from "../../../src/grid/state/state.ts";
import { NO_LEDGER } from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, quote } from "../../support/made.ts";

const view = (over: Partial<View> = {}): View => ({
  market: market(),
  quote: quote(),
  now: NOW,
  busy: new Set(),
  resting: [],
  funds: { USDT: d("10000"), BTC: d("10") },
  killed: false,
  isRecovering: false,
  limit: 9,
  config: { reinvest: d("0.5") },
  ...over,
});

const planned = (slots: readonly Slot[], realized: string, over: Partial<View> = {}) =>
  nextOrders(state(slots, { ledger: { ...NO_LEDGER, realized: d(realized) } }), view(over));

const amounts = ({ intents }: ReturnType<typeof nextOrders>) =>
  Object.fromEntries(intents.map(({ slot, side, amount }) => [slot, [side, amount]]));

const PLAIN = slot();
const DOUBLE = slot({ index: 1, lower: d("80"), upper: d("90"), size: d("200") });

describe("reinvested profit", () => {
  it("makes each next buy larger by its share of half the profit", () => {
    // 30 of 60 USDT, over 300: a tenth. 110 USDT at 100, and 220 USDT at 80.
    const plan = planned([PLAIN, DOUBLE], "60");
    expect(amounts(plan)).toEqual({ 0: ["buy", d("1.1")], 1: ["buy", d("2.75")] });
    expect(plan.next.slots.map(({ size, grown }) => [size, grown])).toEqual([
      [d("110"), d("10")],
      [d("220"), d("20")],
    ]);
  });

  it("grows from the configured size, whatever was reinvested before", () => {
    const first = planned([PLAIN, DOUBLE], "60").next.slots;
    expect(amounts(planned(first, "120"))).toEqual({ 0: ["buy", d("1.2")], 1: ["buy", d("3")] });
  });

  it("leaves a state that has its size as it is, so that the pass writes nothing", () => {
    const { next } = planned([PLAIN, DOUBLE], "60");
    expect(nextOrders(next, view()).next).toBe(next);
  });

  it("buys the configured size when there is no quote for more", () => {
    const tight = planned([PLAIN], "60", { funds: { USDT: d("101"), BTC: d("0") } });
    expect(amounts(tight)).toEqual({ 0: ["buy", d("1")] });
    expect(tight.next.slots[0]).not.toHaveProperty("grown");
    expect(tight.next.refused).toEqual([]);
  });

  it("buys the configured size when a limit of the capital leaves no room for more", () => {
    const capital = { whole: d("1000"), quote: d("1000"), position: d("0"), openBuys: d("0") };
    const config = { reinvest: d("1"), maxPosition: d("0.105") };
    expect(amounts(planned([PLAIN], "60", { capital, config }))).toEqual({ 0: ["buy", d("1")] });
    const wider = { reinvest: d("1"), maxPosition: d("0.2") };
    expect(amounts(planned([PLAIN], "60", { capital, config: wider }))).toEqual({ 0: ["buy", d("1.6")] });
  });

  it("returns to the configured size after a loss, and when it is turned off", () => {
    const large = planned([PLAIN], "60").next.slots;
    for (const [realized, config] of [
      ["-5", { reinvest: d("0.5") }],
      ["60", {}],
      ["60", { reinvest: d("0") }],
    ] as const) {
      const plan = planned(large, realized, { config });
      expect(amounts(plan)).toEqual({ 0: ["buy", d("1")] });
      expect(plan.next.slots[0]).toEqual(PLAIN);
    }
  });

  it("writes nothing for a slot that is refused at both sizes", () => {
    for (const over of [{ killed: true }, { funds: { USDT: d("0"), BTC: d("0") } }]) {
      const { next } = planned([PLAIN, DOUBLE], "60", over);
      expect(nextOrders(next, view(over)).next).toBe(next);
    }
  });

  it("takes no quote that the other slots need at their configured size", () => {
    // 60 were realized and withdrawn: 205 are free for two buys of 100.
    const one = slot({ index: 1, lower: d("90"), upper: d("100") });
    const scarce = planned([PLAIN, one], "60", {
      funds: { USDT: d("205"), BTC: d("0") },
      config: { reinvest: d("1") },
    });
    expect(scarce.next.refused).toEqual([]);
    expect(amounts(scarce)).toEqual({ 0: ["buy", d("1")], 1: ["buy", d("1.11111")] });
    // With 35 more, the one nearer to the price grows, and the other does not.
    const some = planned([PLAIN, one], "60", {
      funds: { USDT: d("235"), BTC: d("0") },
      config: { reinvest: d("1") },
    });
    expect(amounts(some)).toEqual({ 0: ["buy", d("1.3")], 1: ["buy", d("1.11111")] });
  });

  it("does not grow beyond what a limited caller's start counted", () => {
    const bound = { base: d("0"), spent: d("1000") };
    expect(amounts(planned([PLAIN], "60", { config: { reinvest: d("1"), bound } }))).toEqual({
      0: ["buy", d("1")],
    });
  });

  it("changes no buy that a cycle has begun, and no sell", () => {
    const begun = slot({ bought: d("0.4"), base: d("0.4"), cost: d("40") });
    const selling = slot({ index: 1, side: "sell", bought: d("1"), base: d("1"), cost: d("100") });
    expect(amounts(planned([begun, selling], "60"))).toEqual({ 0: ["buy", d("0.6")], 1: ["sell", d("1")] });
  });
});

describe("a slot that follows the market", () => {
  it("sells idle base of its configured size, whatever had been reinvested", () => {
    const config = {
      lowerPrice: d("100"),
      upperPrice: d("102"),
      gridLevels: 2,
      gridSpacing: d("1"),
      orderSize: d("100"),
      trail: { down: d("90") },
    } as unknown as GridConfig;
    const grown = { size: d("110"), grown: d("10") };
    const slots = [
      slot({ lower: d("100"), upper: d("101"), ...grown }),
      slot({ index: 1, lower: d("101"), upper: d("102"), ...grown, side: "sell" }),
    ];
    const idle = [{ base: d("0.9901"), cost: d("99"), first: false }];
    const before = state(slots, { idle, trail: { way: "down", steps: 0 } });
    const [, moved] = shiftOneStep(config, before, market()).slots;
    expect(moved).toMatchObject({ lower: d("99"), upper: d("100"), size: d("100") });
    expect(moved).not.toHaveProperty("grown");
  });
});
