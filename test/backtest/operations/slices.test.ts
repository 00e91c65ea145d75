import { describe, expect, it } from "vitest";
import { inSlices } from "../../../src/backtest/operations/past.ts";

/** A calculation of steps that take so long each, on a clock that shows it at once or only after a rest. */
async function sliced(steps: number, { millis = 1, isFrozen = false, share = 1 } = {}) {
  let [now, shown] = [0, 0];
  const slices: number[] = [];
  const heard: number[] = [];
  let done = 0;
  function* work() {
    for (let step = 0; step < steps; step++) {
      now += millis;
      done++;
      if (!isFrozen) shown = now;
      yield step / steps;
    }
    return "answer";
  }
  const sleep = async (rest: number) => {
    slices.push(done);
    done = 0;
    now += rest;
    shown = now;
  };
  const hear = (value: number) => void heard.push(value);
  const answer = await inSlices(work(), { monotonic: () => shown, sleep }, { hear, share: () => share });
  return { answer, slices, heard };
}

describe("a calculation in slices", () => {
  it("pauses after sixteen milliseconds", async () => {
    // It reports the share that its 16th and its 32nd step have completed.
    expect(await sliced(40)).toEqual({ answer: "answer", slices: [16, 16], heard: [15 / 40, 31 / 40] });
  });

  it("pauses after its share of sixteen milliseconds", async () => {
    expect((await sliced(40, { share: 0.25 })).slices).toEqual(Array(10).fill(4));
  });

  it("pauses on a stopped clock after as many steps as sixteen milliseconds take", async () => {
    const { answer, slices } = await sliced(400, { isFrozen: true });
    expect(answer).toBe("answer");
    expect(slices.slice(0, 4)).toEqual([8, 16, 32, 16]);
    expect(Math.max(...slices)).toBeLessThanOrEqual(32);
  });

  it("continues one step at a time where each takes longer", async () => {
    expect((await sliced(20, { isFrozen: true, millis: 50 })).slices).toEqual([8, 4, 2, 1, 1, 1, 1, 1, 1]);
  });
});
