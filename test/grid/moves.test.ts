import { describe, expect, it } from "vitest";
import { confirm } from "../../src/engine/decide/ending.ts";
import { moveOf } from "../../src/grid/plan/moves.ts";
import type { GridConfig } from "../../src/grid/state/config.ts";
import { d, slot, state } from "../support/grid.ts";

const TICK = d("0.01");
const at = (mid: string, time = 0) => ({ bid: d(mid) - TICK, ask: d(mid) + TICK, at: time });

/** Levels 100, 110, … 140. */
const RANGE = {
  lowerPrice: d("100"),
  upperPrice: d("140"),
  gridLevels: 4,
  gridSpacing: d("10"),
  orderSize: d("100"),
  spacingModel: "linear",
  isSpaced: false,
} as unknown as GridConfig;

const slots = [0, 1, 2, 3].map((index) =>
  slot({ index, lower: d(String(100 + 10 * index)), upper: d(String(110 + 10 * index)) }),
);
const ask = (config: GridConfig, mid: string, over: Parameters<typeof state>[1] = {}, time = 0) =>
  moveOf(config, state(slots, over), { quote: at(mid, time), tick: TICK });

describe("the move that a mid requires", () => {
  const trailing = { ...RANGE, trail: { up: d("160"), down: d("80") } } as GridConfig;

  it("is a step up at the level above the highest, within the limit", () => {
    expect([ask(trailing, "149.99"), ask(trailing, "150")]).toEqual([undefined, "trail_up"]);
    const once = { trail: { way: null, steps: 1 } } as const;
    expect([ask(trailing, "159.99", once), ask(trailing, "160", once)]).toEqual([undefined, "trail_up"]);
    expect(ask(trailing, "170", { trail: { way: null, steps: 2 } })).toBeUndefined();
  });

  it("is a step down at the level below the lowest, within the limit", () => {
    expect([ask(trailing, "90.01"), ask(trailing, "90")]).toEqual([undefined, "trail_down"]);
    const once = { trail: { way: null, steps: -1 } } as const;
    expect([ask(trailing, "80.01", once), ask(trailing, "80", once)]).toEqual([undefined, "trail_down"]);
    expect(ask(trailing, "70", { trail: { way: null, steps: -2 } })).toBeUndefined();
  });

  const centered = (deviationFrom: "edge" | "center") =>
    ({ ...RANGE, centered: { debounce: 60_000, deviation: d("0.1"), deviationFrom } }) as GridConfig;
  const laid = { center: d("120"), laidAt: 0 };

  it("is a rebuild when the mid is farther from the center than the deviation", () => {
    const requests = ["132", "132.01", "108", "107.99"].map((mid) =>
      ask(centered("center"), mid, laid, 60_000),
    );
    expect(requests).toEqual([undefined, "rebuild", undefined, "rebuild"]);
  });

  it("is a rebuild when the mid is farther from the outermost levels than the deviation", () => {
    const requests = ["152", "152.01", "88", "87.99"].map((mid) => ask(centered("edge"), mid, laid, 60_000));
    expect(requests).toEqual([undefined, "rebuild", undefined, "rebuild"]);
  });

  it("is no rebuild too soon after the last", () => {
    const requests = [59_999, 60_000].map((time) => ask(centered("edge"), "200", laid, time));
    expect(requests).toEqual([undefined, "rebuild"]);
  });
});

describe("a move", () => {
  it("is made once two passes observe it, five seconds apart", () => {
    const first = confirm(null, "trail_up", at("150", 1000));
    expect(first).toEqual({ signal: { move: "trail_up", at: 1000 }, confirmed: undefined });
    expect(confirm(first.signal, "trail_up", at("150", 5999))).toEqual({
      signal: first.signal,
      confirmed: undefined,
    });
    expect(confirm(first.signal, "trail_up", at("150", 6000))).toEqual({
      signal: null,
      confirmed: "trail_up",
    });
    expect(confirm(first.signal, "trail_down", at("90", 6000)).signal).toEqual({
      move: "trail_down",
      at: 6000,
    });
    expect(confirm(first.signal, undefined, at("120", 6000)).signal).toBeNull();
  });

  it("is ignored when the order book is too wide", () => {
    const wide = { bid: d("98.9"), ask: d("101.1"), at: 6000 };
    const narrow = { bid: d("99"), ask: d("101"), at: 6000 };
    const signal = { move: "trail_up", at: 0 } as const;
    expect(confirm(signal, "trail_up", wide)).toEqual({ signal: null, confirmed: undefined });
    expect(confirm(signal, "trail_up", narrow).confirmed).toBe("trail_up");
  });
});
