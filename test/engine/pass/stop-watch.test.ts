import { describe, expect, it } from "vitest";
import {
  stalledFor,
  stalledNotices,
  unwatchedFor,
  unwatchedMessage,
  watchChanges,
  watchNotices,
} from "../../../src/engine/pass/stop-watch.ts";
import { type AccountMemory, NO_MEMORY } from "../../../src/model/memory.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { StrategyView } from "../../../src/ports/stores/store.ts";
import { d } from "../../support/grid.ts";
import { ACCOUNT, NOW, SYMBOL, snapshot, strategy } from "../../support/made.ts";

const INTERVAL = 5_000;
const observed = (ago: number, more: Partial<AccountMemory> = {}): AccountMemory => ({
  ...NO_MEMORY,
  marks: { [SYMBOL]: { mid: d("100"), at: 0, observedAt: NOW - ago } },
  ...more,
});
const watched = (over: Partial<Strategy> = {}, config: object = { stopLossPrice: d("90") }): Strategy =>
  strategy({ config: config as Strategy["config"], ...over });
const unwatched = (one: Strategy, ago: number, interval = INTERVAL) =>
  unwatchedFor(one, { memory: observed(ago), now: NOW, interval });

describe("a price that stops a strategy", () => {
  it("is unwatched after three intervals without a price, and three seconds at least", () => {
    expect(unwatched(watched(), 15_000)).toBe(0);
    expect(unwatched(watched(), 15_001)).toBe(15_001);
    expect(unwatched(watched(), 3_000, 100)).toBe(0);
    expect(unwatched(watched(), 3_001, 100)).toBe(3_001);
    expect(unwatched(watched({}, { takeProfitPrice: d("120") }), 15_001)).toBe(15_001);
  });

  it("is unwatched while the last price has the timestamp of a clock that was ahead", () => {
    expect(unwatched(watched(), -15_000)).toBe(0);
    expect(unwatched(watched(), -3_600_000)).toBe(3_600_000);
    const [notice] = watchNotices(view({ memory: observed(-3_600_000) }), INTERVAL);
    expect(notice?.message).toContain("no price of BTC/USDT since a clock was set back;");
  });

  it("is only checked for strategies that have one, run, and have started", () => {
    expect(unwatched(watched({}, {}), 99_000)).toBe(0);
    const others: Partial<Strategy>[] = [
      { wants: "pause" },
      { wants: "stop" },
      { status: "error" },
      { phase: "starting" },
      { phase: "stopping" },
    ];
    for (const over of others) expect(unwatched(watched(over), 99_000)).toBe(0);
    expect(unwatchedFor(watched(), { memory: NO_MEMORY, now: NOW, interval: INTERVAL })).toBe(0);
  });

  it("emits one event when it is no longer watched, and one when it is watched again", () => {
    const one = watched();
    const all = snapshot({ strategies: [one, watched({ id: "calm" }, {})] });
    const late = watchChanges(all, observed(60_000), INTERVAL);
    const message = unwatchedMessage(SYMBOL, "for 60 s");
    expect(message).toBe(
      "the stop price is not being watched: there has been no price of BTC/USDT for 60 s; stop it manually if you cannot wait",
    );
    const event = { account: ACCOUNT, strategy: "g", at: NOW, kind: "watch" };
    expect(late).toEqual({ events: [{ ...event, message }], unwatched: ["g"] });
    expect(watchChanges(all, observed(60_000, { unwatched: ["g"] }), INTERVAL)).toEqual({
      events: [],
      unwatched: ["g"],
    });
    expect(watchChanges(all, observed(0, { unwatched: ["g"] }), INTERVAL)).toEqual({
      events: [{ ...event, message: "the stop price is watched again" }],
      unwatched: [],
    });
    expect(watchChanges(all, observed(0), INTERVAL)).toEqual({ events: [], unwatched: undefined });
  });
});

const view = (over: Partial<StrategyView> = {}): StrategyView =>
  ({
    strategy: watched(),
    memory: observed(60_000),
    now: NOW,
    steppedAt: NOW,
    accountError: null,
    ...over,
  }) as StrategyView;

describe("the stop price notice", () => {
  it("appears while the price is not watched", () => {
    expect(watchNotices(view(), INTERVAL)).toEqual([
      { code: "stop_price_unwatched", message: unwatchedMessage(SYMBOL, "for 60 s") },
    ]);
    expect(watchNotices(view({ memory: observed(0) }), INTERVAL)).toEqual([]);
  });
});

describe("an account without ticks", () => {
  const since = (ago: number, over: Partial<StrategyView> = {}, interval: number | undefined = INTERVAL) =>
    stalledFor(view({ steppedAt: NOW - ago, memory: NO_MEMORY, ...over }), interval);

  it("is reported after three intervals, and ten seconds at least", () => {
    expect(since(15_000)).toBe(0);
    expect(since(15_001)).toBe(15_001);
    expect(since(10_000, {}, 100)).toBe(0);
    expect(since(10_001, {}, 100)).toBe(10_001);
  });

  it("is reported while its last pass has the timestamp of a clock that was ahead", () => {
    expect(since(-15_000)).toBe(0);
    expect(since(-3_600_000)).toBe(3_600_000);
    const [notice] = stalledNotices(view({ steppedAt: NOW + 3_600_000, memory: NO_MEMORY }), INTERVAL);
    expect(notice?.message).toMatch(/^no pass over kraken has been complete since a clock was set back: its/);
  });

  it("is expected to tick at its last interval, or each minute if that is unknown", () => {
    expect(since(90_000, { memory: { ...NO_MEMORY, interval: 30_000 } })).toBe(0);
    expect(since(90_001, { memory: { ...NO_MEMORY, interval: 30_000 } })).toBe(90_001);
    const unknown = view({ steppedAt: NOW - 180_000, memory: NO_MEMORY });
    expect(stalledFor(unknown, undefined)).toBe(0);
    expect(stalledFor({ ...unknown, steppedAt: NOW - 180_001 }, undefined)).toBe(180_001);
  });

  it("has a minute if passes fail or wait for calls, because they are retried automatically", () => {
    for (const over of [{ accountError: "no answer" }, { memory: { ...NO_MEMORY, turn: 1 } }]) {
      expect(since(60_000, over)).toBe(0);
      expect(since(60_001, over)).toBe(60_001);
    }
  });

  it("is not reported for a stopped strategy, or one that was never stepped", () => {
    expect(since(99_000, { strategy: watched({ status: "stopped" }) })).toBe(0);
    expect(stalledFor(view({ steppedAt: null }), INTERVAL)).toBe(0);
  });

  it("has a notice that explains what to do", () => {
    const late = { steppedAt: NOW - 60_001, memory: NO_MEMORY };
    expect(stalledNotices(view(late), INTERVAL)).toEqual([
      {
        code: "stalled",
        message: expect.stringMatching(
          /^no pass over kraken has been complete for .+: its fills are not booked and no orders are placed; start `edgemaker serve`, or check the log of the server$/,
        ),
      },
    ]);
    expect(stalledNotices(view({ ...late, accountError: "no answer" }), INTERVAL)[0]?.message).toMatch(
      /: no answer; its fills are not booked and no orders are placed until a pass is complete$/,
    );
    expect(stalledNotices(view(), INTERVAL)).toEqual([]);
  });
});
