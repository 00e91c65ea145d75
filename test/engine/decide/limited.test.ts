import { describe, expect, it } from "vitest";
import { limitedAgain, unlimited, waitsForLimit } from "../../../src/engine/decide/intents.ts";
import { slot } from "../../support/grid.ts";

const BACKOFF = { first: 15_000, max: 300_000 };
const DAY = { reason: "limit_day", detail: "too much today" } as const;

describe("a slot whose order is rejected by a limit", () => {
  const again = (before = slot(), now = 1000, version: number | undefined = 3) =>
    limitedAgain(before, DAY, { now, version }, BACKOFF);

  it("waits with growing delays up to the maximum, and reports the delay", () => {
    const waits: number[] = [];
    let one = slot();
    for (let time = 0; time < 7; time++) {
      const { slot: next, refusal } = again(one);
      waits.push((next.limited?.until ?? 0) - 1000);
      const text = `too much today; it is tried again after ${(waits.at(-1) ?? 0) / 1000} s`;
      expect(refusal).toEqual({ reason: "limit_day", detail: text });
      one = next;
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it("is not retried before then, but immediately when limits have changed", () => {
    const { slot: waiting } = again();
    const tried = [15_999, 16_000].map((now) => !waitsForLimit(waiting, { now, version: 3 }));
    expect(tried).toEqual([false, true]);
    expect(waitsForLimit(waiting, { now: 1000, version: 4 })).toBe(false);
    expect(waitsForLimit(slot(), { now: 0, version: 3 })).toBe(false);
  });

  it("starts over under new limits, and after an accepted order", () => {
    const { slot: waiting } = again(again().slot);
    expect(waiting.limited?.times).toBe(2);
    expect(again(waiting, 1000, 4).slot.limited?.times).toBe(1);
    expect(unlimited(waiting)).toEqual(slot());
  });

  it("does not wait if the reason resolves by itself", () => {
    const gap = { reason: "limit_gap", detail: "too soon" } as unknown as typeof DAY;
    expect(limitedAgain(slot(), gap, { now: 1000, version: 3 }, BACKOFF)).toEqual({
      slot: slot(),
      refusal: gap,
    });
    expect(limitedAgain(slot(), DAY, { now: 1000, version: undefined }, BACKOFF).slot).toEqual(slot());
  });
});
