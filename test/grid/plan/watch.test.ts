import { describe, expect, it } from "vitest";
import { confirm } from "../../../src/engine/decide/ending.ts";
import { moveOf } from "../../../src/grid/plan/moves.ts";
import type { CenteredConfig, GridConfig } from "../../../src/grid/state/config.ts";
import type { GridState } from "../../../src/grid/state/state.ts";
import { isWide } from "../../../src/kernel/spread.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { d, slot, state } from "../../support/grid.ts";
import { NOW, quote } from "../../support/made.ts";

const at = (mid: string, time = NOW) => quote({ bid: d(mid), ask: d(mid), at: time });
/** From 100 to 120 around 105. */
const SLOTS = [slot({ index: 1, lower: d("110"), upper: d("120") }), slot()];
const move = (config: object, mid: string, of: Partial<GridState> = {}, time = NOW) =>
  moveOf(config as unknown as GridConfig, state(SLOTS, of), { quote: at(mid, time), tick: d("1") });

describe("a move that the mid requires", () => {
  it("is a step up or down of a following grid, within its bounds", () => {
    // Levels 100, 110, 120: the next are 130 and 90.
    const range = { lowerPrice: d("100"), upperPrice: d("120"), gridLevels: 2, gridSpacing: d("10") };
    const both = { ...range, trail: { up: d("130"), down: d("90") } };
    expect(["130", "129.99", "90", "90.01"].map((mid) => move(both, mid))).toEqual([
      "trail_up",
      undefined,
      "trail_down",
      undefined,
    ]);
    const short = { ...range, trail: { up: d("129"), down: d("91") } };
    expect([move(short, "130"), move(short, "90")]).toEqual([undefined, undefined]);
    expect(move({ ...range, trail: { up: d("130") } }, "90")).toBeUndefined();
    expect(move({ ...range, trail: { down: d("90") } }, "130")).toBeUndefined();
    expect(move(both, "130", { trail: { way: null, steps: 1 } })).toBeUndefined();
    expect(move(both, "100", { trail: { way: null, steps: 1 } })).toBe("trail_down");
    expect(move(range, "130")).toBeUndefined();
  });
});

describe("a grid around the market", () => {
  const centered = (over: Partial<CenteredConfig> = {}) => ({
    centered: { deviation: d("0.1"), deviationFrom: "edge", debounce: MINUTE, ...over },
  });

  it("is rebuilt once the mid has left its edge or its center", () => {
    // A tenth of 105 beyond 100 and 120.
    const mids = ["130.5", "130.51", "89.5", "89.49"];
    const left = [undefined, "rebuild", undefined, "rebuild"];
    expect(mids.map((mid) => move(centered(), mid))).toEqual(left);
    const fromCenter = centered({ deviationFrom: "center" });
    expect(["115.5", "115.51", "94.5", "94.49"].map((mid) => move(fromCenter, mid))).toEqual(left);
  });

  it("is not rebuilt again for a while", () => {
    const of = { laidAt: NOW - MINUTE };
    expect(move(centered(), "200", of)).toBe("rebuild");
    expect(move(centered(), "200", { laidAt: NOW - MINUTE + 1 })).toBeUndefined();
  });

  it("is rebuilt if its spacing should change by a quarter, at most every fifteen minutes", () => {
    const restless = centered({ volatility: { low: d("0.1"), high: d("0.2") } });
    const [low, high] = ["95", "110"].map((mid, i) => ({ at: NOW - (50 - 40 * i) * MINUTE, mid: d(mid) }));
    const mids = [low, { at: NOW - 30 * MINUTE, mid: d("100") }, high] as GridState["mids"];
    const wide = (over: Partial<GridState>) =>
      move(restless, "105", { mids, laidAt: NOW - 15 * MINUTE, ...over });
    expect(wide({})).toBe("rebuild");
    expect(wide({ laidAt: NOW - 15 * MINUTE + 1 })).toBeUndefined();
    expect(wide({ widening: d("1.3") })).toBeUndefined();
    expect(wide({ widening: d("2") })).toBe("rebuild");
    expect(wide({ mids: [] })).toBeUndefined();
    expect(move(centered(), "105", { mids, laidAt: NOW - 15 * MINUTE })).toBeUndefined();
  });
});

describe("a move", () => {
  const SIGNAL = { move: "rebuild", at: NOW } as const;

  it("is followed once two reads have observed it, five seconds apart", () => {
    expect(confirm(null, "rebuild", at("1"))).toEqual({ signal: SIGNAL, confirmed: undefined });
    expect(confirm(SIGNAL, "rebuild", at("1", NOW + 5 * SECOND - 1))).toEqual({
      signal: SIGNAL,
      confirmed: undefined,
    });
    expect(confirm(SIGNAL, "rebuild", at("1", NOW + 5 * SECOND))).toEqual({
      signal: null,
      confirmed: "rebuild",
    });
    expect(confirm(SIGNAL, "stop_loss", at("1", NOW + 9))).toEqual({
      signal: { move: "stop_loss", at: NOW + 9 },
      confirmed: undefined,
    });
    expect(confirm(SIGNAL, undefined, at("1"))).toEqual({ signal: null, confirmed: undefined });
  });

  it("is discarded if the book is wider than 2 %", () => {
    const book = (bid: string, ask: string) => quote({ bid: d(bid), ask: d(ask) });
    expect([isWide(book("99", "101")), isWide(book("99", "101.01"))]).toEqual([false, true]);
    expect(confirm(SIGNAL, "rebuild", book("90", "110"))).toEqual({ signal: null, confirmed: undefined });
  });
});
