import { describe, expect, it } from "vitest";
import {
  beginEdit,
  configToLay,
  editEvents,
  movesLadder,
  pendingEdit,
} from "../../../src/grid/plan/notices.ts";
import type { GridConfig, GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, quote, strategy } from "../../support/made.ts";

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
const SIGNAL = { move: "stop_loss", at: 5 } as const;
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
