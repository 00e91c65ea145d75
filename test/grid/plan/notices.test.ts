import { describe, expect, it } from "vitest";
import { beginEdit, configToLay, editEvents, movesLadder } from "../../../src/grid/plan/moves.ts";
import { noticesOf } from "../../../src/grid/plan/notices.ts";
import type { GridConfig, GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import type { Market } from "../../../src/model/market.ts";
import { pendingEdit } from "../../../src/model/strategy.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, quote, strategy } from "../../support/made.ts";

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

/** Levels 100, 110, 120. */
const CONFIG = {
  lowerPrice: d("100"),
  upperPrice: d("120"),
  gridLevels: 2,
  gridSpacing: d("10"),
  orderSize: d("100"),
} as unknown as GridConfig;
const changed = (over: object) => ({ ...CONFIG, ...over }) as GridConfig;
const STOPS = changed({ stopLossPrice: d("90") });
const HIGHER = changed({ upperPrice: d("140"), gridSpacing: d("20") });
/** Its orders would be too small. */
const TINY = changed({ orderSize: d("1") });

const INPUTS = { market: market(), quote: quote() };
const SIGNAL = { move: "rebuild", at: 5 } as const;
const grid = (edit: GridConfig | null, over: object = {}, of: Partial<GridState> = {}) =>
  strategy({
    config: CONFIG,
    edit,
    edits: 2,
    state: state([slot(), slot({ index: 1, lower: d("110"), upper: d("120") })], {
      edits: 1,
      generation: 3,
      signal: SIGNAL,
      ...of,
    }),
    ...over,
  }) as GridStrategy;

describe("a requested change", () => {
  it("waits until a pass records it", () => {
    expect(pendingEdit(grid(STOPS))).toBe(STOPS);
    expect(pendingEdit(grid(STOPS, {}, { edits: 2 }))).toBeUndefined();
    expect(pendingEdit(grid(STOPS, { edits: 1 }, { edits: undefined } as never))).toBe(STOPS);
    expect(pendingEdit(grid(STOPS, { edits: 0 }, { edits: undefined } as never))).toBeUndefined();
    expect(pendingEdit(grid(null))).toBeUndefined();
  });

  it.each([
    ["a stop price", STOPS, false],
    ["the spacing named as it was", changed({ spacingModel: "linear" }), false],
    ["another spacing", changed({ spacingModel: "geometric" }), true],
    ["another bound", HIGHER, true],
    ["another size", TINY, true],
    ["a range around the market", changed({ centered: { levels: 3 } }), true],
  ])("moves the levels or not: %s", (_, edit, moves) => {
    expect(movesLadder(CONFIG, edit)).toBe(moves);
  });

  it("of a grid around the market moves nothing if only its bounds change", () => {
    const around = { centered: { levels: 3 } };
    expect(movesLadder(changed(around), changed({ ...around, upperPrice: d("140") }))).toBe(false);
    expect(movesLadder(changed(around), changed({ centered: { levels: 4 } }))).toBe(true);
  });

  it("is applied at once if the levels stay", () => {
    const after = beginEdit(grid(STOPS), INPUTS);
    expect(after).toMatchObject({ config: STOPS, state: { edits: 2, signal: SIGNAL, rebuild: null } });
    expect(after.state.slots).toEqual(grid(STOPS).state.slots);
    expect(beginEdit(grid(null), INPUTS)).toEqual(grid(null));
  });

  it("starts by canceling all orders, once, if the levels move", () => {
    const after = beginEdit(grid(HIGHER), INPUTS);
    expect(after).toMatchObject({
      config: CONFIG,
      state: { edits: 1, signal: null, generation: 3, rebuild: { generation: 4 } },
    });
    const under = grid(HIGHER, {}, { rebuild: { generation: 9 } });
    expect(beginEdit(under, INPUTS)).toBe(under);
  });

  it("does not start if it could not be placed, or while the grid starts or exits", () => {
    const refused = beginEdit(grid(TINY), INPUTS);
    expect(refused).toMatchObject({ config: CONFIG, state: { edits: 2, rebuild: null } });
    for (const one of [
      grid(HIGHER, { phase: "starting" }),
      grid(STOPS, {}, { exit: { reason: "stop_loss", tries: 0 } } as never),
    ])
      expect(beginEdit(one, INPUTS)).toBe(one);
  });

  it("is laid out next if possible; otherwise the previous layout is, or none", () => {
    expect(configToLay(grid(HIGHER), INPUTS)).toBe(HIGHER);
    expect(configToLay(grid(TINY), INPUTS)).toBe(CONFIG);
    expect(configToLay(grid(null), INPUTS)).toBe(CONFIG);
    expect(configToLay(grid(TINY, { config: TINY }), INPUTS)).toBeUndefined();
  });
});

describe("the result of a change", () => {
  const format = (before: GridStrategy, after: Partial<GridStrategy>, edits = 2) =>
    editEvents(before, { ...before, ...after, state: { ...before.state, edits } }, INPUTS, NOW).map(
      ({ message }) => message,
    );

  it("is reported once a pass has recorded it", () => {
    expect(format(grid(STOPS), { config: STOPS })).toEqual(["the change is made"]);
    expect(format(grid(HIGHER), {}, 1)).toEqual([]);
    expect(format(grid(null), {})).toEqual([]);
    const { id, account } = grid(STOPS);
    const [event] = editEvents(grid(STOPS), grid(STOPS, { config: STOPS }, { edits: 2 }), INPUTS, NOW);
    expect(event).toMatchObject({ account, strategy: id, at: NOW, kind: "edited" });
  });

  it("includes the reason if it is not applied", () => {
    expect(format(grid(TINY), {})).toEqual([
      expect.stringMatching(/^the change was not made: orderSize must be at least/),
    ]);
    expect(format(grid(HIGHER), {})).toEqual(["the change was not made: another change came first"]);
  });
});
