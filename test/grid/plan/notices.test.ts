import { describe, expect, it } from "vitest";
import { noticesOf } from "../../../src/grid/plan/notices.ts";
import type { GridConfig, GridState } from "../../../src/grid/state/state.ts";
import type { Market } from "../../../src/model/market.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { quote } from "../../support/made.ts";

/** Fees of 0.1 %, levels 10 % apart. */
const EVEN = quote({ bid: d("105"), ask: d("105") });
const WIDE = quote({ bid: d("100"), ask: d("110") });
const format = (
  config: object,
  { of = {}, on = EVEN, at = market() }: { of?: Partial<GridState>; on?: typeof EVEN; at?: Market } = {},
  rests = true,
) =>
  noticesOf(
    { state: state([slot()], of), config: config as unknown as GridConfig },
    { quote: on, market: at },
    rests,
  );

describe("the notices of a grid", () => {
  it("are empty if nothing is wrong", () => {
    expect(format({})).toEqual([]);
    expect(format({}, {}, false)).toEqual([]);
  });

  it("report fees above the gain of a cycle, but not fees that only a taker would pay", () => {
    expect(format({}, { at: market({ maker: d("0.1"), taker: d("0.1") }) })).toMatchObject([
      { code: "below_break_even" },
    ]);
    expect(format({}, { at: market({ taker: d("0.1") }) })).toEqual([]);
  });

  it("report a loss limit that blocks it", () => {
    const message = "it has lost 5 USDT";
    expect(format({}, { of: { halted: message } as never })).toEqual([{ code: "loss_limit", message }]);
  });

  it("report a wide book, and separately a stop price that it delays or that has been passed", () => {
    expect(format({}, { on: WIDE })).toMatchObject([{ code: "wide_spread" }]);
    const noticesWith = (config: object) => {
      const [notice] = format(config, { on: WIDE });
      const [, prices, passed] =
        /the stop at (.*) waits for a narrower spread(.*);/.exec(notice?.message ?? "") ?? [];
      return [notice?.code, prices, passed];
    };
    const code = "stop_price_held_up";
    expect(noticesWith({ stopLossPrice: d("104.9") })).toEqual([code, "104.9", ""]);
    expect(noticesWith({ stopLossPrice: d("105") })).toEqual([code, "105", "; its mid has passed 105"]);
    expect(noticesWith({ takeProfitPrice: d("105.1") })).toEqual([code, "105.1", ""]);
    expect(noticesWith({ takeProfitPrice: d("105") })).toEqual([code, "105", "; its mid has passed 105"]);
    expect(noticesWith({ stopLossPrice: d("90"), takeProfitPrice: d("104") })).toEqual([
      code,
      "90 or 104",
      "; its mid has passed 104",
    ]);
    expect(noticesWith({ stopLossPrice: d("106"), takeProfitPrice: d("120") })).toEqual([
      code,
      "106 or 120",
      "; its mid has passed 106",
    ]);
  });

  it("report the break-even price if it holds base and has no open orders", () => {
    const holding = (base: string) => ({
      of: { slots: [slot({ side: "sell", base: d(base), cost: d("200") })] },
    });
    const lots = market({ lot: d("1") });
    expect(format({}, { ...holding("1"), at: lots }, false)).toMatchObject([
      { code: "all_below_cost", message: expect.stringContaining("it breaks even at ") },
    ]);
    expect(format({}, { ...holding("1"), at: lots })).toEqual([]);
    expect(format({}, { ...holding("0.9"), at: lots }, false)).toEqual([]);
  });
});
