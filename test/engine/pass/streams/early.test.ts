import { describe, expect, it } from "vitest";
import type { Pass } from "../../../../src/engine/pass/step.ts";
import { earlyPasses } from "../../../../src/engine/pass/streams/follow.ts";

const MEXC = "live:mexc:api.mexc.com";
const GATE = "live:gateio:api.gateio.ws";
const INTERVAL = 5_000;

/** Passes on a clock that moves only while something sleeps, and by `takes` for each pass. */
function scheduled({ takes = 0, outcomes = [] as Pass["outcome"][], postponed = 0, during = () => {} } = {}) {
  let now = 0;
  const starts: [string, number][] = [];
  const early = earlyPasses({
    local: {
      monotonic: () => now,
      sleep: async (millis) => {
        await undefined;
        now += millis;
      },
    },
    interval: INTERVAL,
    run: async (account) => {
      starts.push([account, now]);
      during();
      await undefined;
      now += takes;
      if (postponed > 0 && starts.length === 1) return { account, outcome: "short", retryIn: postponed };
      return { account, outcome: outcomes.shift() ?? "stepped" };
    },
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const moveTo = (at: number) => {
    now = at;
  };
  return { early, starts, settled, moveTo, now: () => now };
}

describe("an early pass", () => {
  it("starts at once, and serves every hint that arrived before it", async () => {
    const { early, starts, settled, moveTo } = scheduled();
    moveTo(1_000);
    early.request(MEXC);
    await settled();
    for (let hints = 0; hints < 1_000; hints++) early.request(MEXC);
    early.request(GATE);
    await settled();
    expect(starts).toEqual([
      [MEXC, 1_000],
      [GATE, 1_000],
      [MEXC, 1_250],
    ]);
  });

  it("is made again if a hint arrives while it runs", async () => {
    let hints = 1;
    const made = scheduled({ takes: 400, during: () => hints-- > 0 && made.early.request(MEXC) });
    made.early.request(MEXC);
    await made.settled();
    expect(made.starts).toEqual([
      [MEXC, 0],
      [MEXC, 400],
    ]);
  });

  it("is made again if another process had the lease", async () => {
    const { early, starts, settled } = scheduled({ outcomes: ["busy", "busy"] });
    early.request(MEXC);
    await settled();
    expect(starts.map(([, at]) => at)).toEqual([0, 250, 500]);
  });

  it("is made again when the rate limit has calls for it", async () => {
    const { early, starts, settled } = scheduled({ postponed: 9_000 });
    early.request(MEXC);
    await settled();
    expect(starts.map(([, at]) => at)).toEqual([0, 9_250]);
  });

  it("is not made if a tick has started a pass meanwhile", async () => {
    const { early, starts, settled } = scheduled();
    early.request(MEXC);
    await Promise.resolve();
    early.request(MEXC);
    early.serves(MEXC);
    await settled();
    expect(starts).toHaveLength(1);
  });

  it("costs no more passes than the tick in a flood of hints", async () => {
    const made = scheduled({ during: () => made.now() < 3_600_000 && made.early.request(MEXC) });
    made.early.request(MEXC);
    for (let turn = 0; turn < 2_000 && made.now() < 3_600_000; turn++) await made.settled();
    expect(made.now()).toBeGreaterThanOrEqual(3_600_000);
    expect(made.starts.length).toBeLessThanOrEqual(3_600_000 / INTERVAL + 60);
    expect(made.starts.length).toBeGreaterThan(700);
  });

  it("does not start after the stop, which waits for a running pass", async () => {
    const { early, starts, settled } = scheduled();
    early.request(MEXC);
    early.request(MEXC);
    await early.stop();
    early.request(GATE);
    await settled();
    expect(starts).toEqual([[MEXC, 0]]);
  });
});
