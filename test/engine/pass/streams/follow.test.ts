import { describe, expect, it } from "vitest";
import { kindsOf } from "../../../../src/engine/accounts.ts";
import type { Pass } from "../../../../src/engine/pass/pass.ts";
import { describeStream, streamNotices } from "../../../../src/engine/pass/streams/down.ts";
import { earlyPasses, followStreams } from "../../../../src/engine/pass/streams/follow.ts";
import { KINDS } from "../../../../src/kinds.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import type { StreamListener, Streams, StreamTopics } from "../../../../src/ports/venue.ts";
import { d } from "../../../support/grid.ts";
import { ACCOUNT, strategy } from "../../../support/made.ts";

const TICK = 5_000;
const OTHER = "live:mexc:api.mexc.com";

/** An exchange's side of each connection, and timers that fire when the test moves the clock. */
function following({ hasStreams = true } = {}) {
  let now = 0;
  const timers: { at: number; wake: () => void }[] = [];
  const connections: { topics: StreamTopics; listener: StreamListener; isClosed: boolean }[] = [];
  const passes: [string, number, number][] = [];
  const logged: string[] = [];
  const stored = { views: [] as object[] };
  const streams: Streams = {
    subscribe(_account, topics, listener) {
      if (!hasStreams) return undefined;
      const made = { topics, listener, isClosed: false };
      connections.push(made);
      return {
        follow: (next) => {
          made.topics = next;
        },
        close: () => {
          made.isClosed = true;
        },
      };
    },
  };
  const follower = followStreams({
    store: { strategies: async () => stored.views } as never,
    kinds: kindsOf(KINDS),
    log: (level, message) => void logged.push(`${level}: ${message}`),
    streams,
    local: {
      monotonic: () => now,
      sleep: (millis) => new Promise((wake) => timers.push({ at: now + millis, wake: () => wake() })),
    },
    random: () => 1,
    interval: TICK,
    run: async (account) => {
      passes.push([account, now, follower.begin(account)]);
      return { account, outcome: "stepped" };
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Fires timers in order until this time. */
  const until = async (at: number) => {
    await settle();
    for (;;) {
      const next = timers.sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > at) break;
      timers.shift();
      now = Math.max(now, next.at);
      next.wake();
      await settle();
    }
    now = at;
  };
  const has = async (...strategies: Partial<Strategy>[]) => {
    stored.views = strategies.map((over) => ({
      strategy: strategy(over),
      memory: { turn: 0 },
      accountError: null,
    }));
    await follower.refresh();
  };
  const goLive = async (index = connections.length - 1) => {
    connections[index]?.listener.onStatus({ state: "live" });
    await until(now);
  };
  return {
    follower,
    connections,
    passes,
    logged,
    until,
    has,
    goLive,
    listener: () => connections.at(-1)?.listener as StreamListener,
  };
}

const FILL = { kind: "orders", symbol: "BTC/USDT" } as const;
const price = (mid: string) => ({ kind: "price", symbol: "BTC/USDT", bid: d(mid), ask: d(mid) }) as const;

describe("an account's stream", () => {
  it("is open while a strategy runs, once per account", async () => {
    const { connections, has } = following();
    await has({}, { symbol: "ETH/USDT" }, { account: OTHER }, { account: "dry:kraken:api.kraken.com" });
    expect(connections.map(({ topics: { orders } }) => orders)).toEqual([
      ["BTC/USDT", "ETH/USDT"],
      ["BTC/USDT"],
    ]);
    await has({}, { account: OTHER });
    expect(connections.map(({ topics: { orders } }) => orders)).toEqual([["BTC/USDT"], ["BTC/USDT"]]);
    await has({});
    expect(connections.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  it("starts a pass when it becomes live, and at a fill", async () => {
    const { has, goLive, passes, until, listener } = following();
    await has({});
    await until(1_000);
    await goLive();
    await until(60_000);
    listener().onHint(FILL);
    await until(60_000);
    expect(passes.map(([, at]) => at)).toEqual([1_000, 60_000]);
  });

  it("is opened again with backoff, and starts a pass each time", async () => {
    const { has, goLive, connections, until, listener, passes } = following();
    await has({});
    const opened: number[] = [];
    let at = 0;
    for (let turn = 0; turn < 7; turn++) {
      await goLive();
      listener().onStatus({ state: "down", reason: "closed" });
      const count = connections.length;
      for (; connections.length === count; at += 100) await until(at + 100);
      opened.push(at);
    }
    expect(opened.map((at, index) => at - (opened[index - 1] ?? 0))).toEqual(
      [2, 4, 8, 16, 32, 60, 60].map((s) => s * 1_000),
    );
    expect(passes).toHaveLength(7);
  });

  it("follows the newest pairs and prices each time it opens again", async () => {
    const { has, goLive, connections, until, listener } = following();
    await has({});
    await goLive();
    const followed = () => connections.at(-1)?.topics;
    await has({ symbol: "ETH/USDT", config: { stopLossPrice: d("90") } as never });
    listener().onStatus({ state: "down", reason: "closed" });
    await until(10_000);
    expect(connections).toHaveLength(2);
    expect(followed()).toMatchObject({ orders: ["ETH/USDT"], prices: ["ETH/USDT"] });
    // Also if the pairs change while no connection is open.
    listener().onStatus({ state: "down", reason: "closed" });
    await has({ symbol: "ADA/USDT" });
    await until(20_000);
    expect(connections).toHaveLength(3);
    expect(followed()).toMatchObject({ orders: ["ADA/USDT"], prices: [] });
  });

  it("is closed and opened again if it does not become live", async () => {
    const { has, connections, until, follower } = following();
    await has({});
    await until(29_999);
    expect(connections).toHaveLength(1);
    await until(30_000);
    expect(connections[0]?.isClosed).toBe(true);
    expect(follower.report().streams).toMatchObject([{ state: "down", reason: "not connected within 30 s" }]);
    await until(32_000);
    expect(connections).toHaveLength(2);
    expect(follower.report().streams).toMatchObject([{ account: ACCOUNT, state: "connecting", reopened: 1 }]);
  });

  it("opens again after minutes if the exchange refuses the keys", async () => {
    const { has, connections, until, listener } = following();
    await has({});
    listener().onStatus({ state: "down", reason: "invalid key", refused: true });
    await until(299_000);
    expect(connections).toHaveLength(1);
    await until(300_000);
    expect(connections).toHaveLength(2);
  });

  it("is reported once if it is down for minutes, and when it returns", async () => {
    const { has, goLive, until, listener, logged, connections } = following();
    await has({});
    await goLive();
    for (let at = 0; at < 600_000; at += 10_000) {
      if (!connections.at(-1)?.isClosed) listener().onStatus({ state: "down", reason: "closed" });
      await until(at);
      await has({});
      if (at < 300_000) expect(logged).toEqual([]);
    }
    expect(logged).toEqual(["warn: a stream is down; passes run every 5 s instead"]);
    const count = connections.length;
    for (let at = 600_000; connections.length === count; at += 1_000) await until(at);
    await goLive();
    expect(logged.at(-1)).toBe("info: the stream is live again");
  });

  it("is absent on exchanges without streams, which keep the tick", async () => {
    const { has, follower } = following({ hasStreams: false });
    await has({});
    expect(follower.report().streams).toEqual([]);
    expect(follower.paceOf(ACCOUNT)).toBe(TICK);
  });
});

describe("a price hint", () => {
  it("starts a pass if it reaches a stop price, at most once a second", async () => {
    const { has, goLive, until, listener, passes, connections } = following();
    await has({ config: { stopLossPrice: d("90") } as never });
    expect(connections[0]?.topics.prices).toEqual(["BTC/USDT"]);
    await goLive();
    for (let at = 1_000; at < 11_000; at += 100) {
      await until(at);
      listener().onHint(price(at < 8_000 ? "95" : "89"));
    }
    await until(11_000);
    expect(passes.map(([, at]) => at)).toEqual([0, 8_000, 9_000, 10_000]);
  });

  it("starts one for each pair whose price reaches a stop price", async () => {
    const { has, goLive, until, listener, passes } = following();
    const config = { stopLossPrice: d("90") } as never;
    await has({ config }, { config, symbol: "ETH/USDT" });
    await goLive();
    await until(8_000);
    listener().onHint(price("89"));
    await until(8_400);
    listener().onHint({ ...price("89"), symbol: "ETH/USDT" });
    await until(9_000);
    expect(passes.map(([, at]) => at)).toEqual([0, 8_000, 8_400]);
  });

  it("starts none without a stop price", async () => {
    const { has, goLive, until, listener, passes } = following();
    await has({});
    await goLive();
    await until(1_000);
    listener().onHint(price("1"));
    await until(2_000);
    expect(passes).toHaveLength(1);
  });
});

describe("the tick of a quiet account", () => {
  /** Ticks every five seconds; returns when it made a pass, and the pace of each. */
  async function ticked(made: ReturnType<typeof following>, from: number, to: number) {
    const found: [number, number][] = [];
    for (let at = from; at < to; at += TICK) {
      await made.until(at);
      const pace = made.follower.paceOf(ACCOUNT);
      if (pace === undefined) continue;
      found.push([at / 1_000, pace / 1_000]);
      made.follower.passed([{ account: ACCOUNT, outcome: "stepped" }]);
    }
    return found;
  }

  it("slows down while the stream is live, and returns to normal when it ends", async () => {
    const made = following();
    await made.has({});
    await made.goLive();
    const atFirst = await ticked(made, 5_000, 120_000);
    expect(atFirst).toEqual([
      [5, 5],
      [10, 5],
      [15, 5],
      [20, 30],
      [50, 30],
      [80, 30],
      [110, 30],
    ]);
    made.listener().onStatus({ state: "down", reason: "closed" });
    expect(await ticked(made, 120_000, 122_000)).toEqual([[120, 5]]);
  });

  it("keeps the tick after a fill, because reads can show it later", async () => {
    const made = following();
    await made.has({});
    await made.goLive();
    await ticked(made, 5_000, 60_000);
    made.listener().onHint(FILL);
    await made.until(60_000);
    expect(made.passes.at(-1)).toEqual([ACCOUNT, 55_000, TICK]);
    expect(await ticked(made, 60_000, 110_000)).toEqual([
      [60, 5],
      [65, 5],
      [70, 5],
      [75, 30],
      [105, 30],
    ]);
  });

  it("stays normal with a stop price", async () => {
    const made = following();
    await made.has({ config: { takeProfitPrice: d("190") } as never });
    await made.goLive();
    expect(await ticked(made, 60_000, 80_000)).toEqual([60, 65, 70, 75].map((at) => [at, 5]));
  });

  it("returns to normal after a pass that was not complete", async () => {
    const made = following();
    await made.has({});
    await made.goLive();
    await made.until(60_000);
    expect(made.follower.paceOf(ACCOUNT)).toBe(30_000);
    made.follower.passed([{ account: ACCOUNT, outcome: "short" }]);
    await made.until(65_000);
    expect(made.follower.paceOf(ACCOUNT)).toBeDefined();
  });
});

describe("the status of a strategy", () => {
  it("shows a stream that is down for five minutes, and no shorter interruption", async () => {
    const { has, until, listener, goLive, connections, follower } = following();
    await has({});
    const codes = () => streamNotices({ strategy: strategy() }, follower.report()).map(({ code }) => code);
    listener().onStatus({ state: "down", reason: "closed" });
    await until(299_000);
    expect(codes()).toEqual([]);
    await until(300_000);
    expect(codes()).toEqual(["stream_down"]);
    expect(streamNotices({ strategy: strategy({ account: OTHER }) }, follower.report())).toEqual([]);
    for (let at = 301_000, count = connections.length; connections.length === count; at += 1_000)
      await until(at);
    await goLive();
    expect(codes()).toEqual([]);
    expect(streamNotices({ strategy: strategy() }, undefined)).toEqual([]);
  });

  it("shows the state of its stream, and how soon orders follow fills", async () => {
    const { has, listener, goLive, follower } = following();
    const shown = (account = ACCOUNT) => describeStream(account, follower.report());
    expect([describeStream(ACCOUNT, undefined), shown()]).toEqual([null, null]);
    await has({});
    await goLive();
    expect([shown(), shown(OTHER)]).toEqual(["live", null]);
    follower.passed([{ account: ACCOUNT, outcome: "stepped", reactions: [300, 700] }]);
    expect(shown()).toBe("live; 0.5 s from a fill to the next order on average");
    listener().onStatus({ state: "down", reason: "closed" });
    expect(shown()).toBe("down: closed; 0.5 s from a fill to the next order on average");
  });
});

describe("a strategy that leaves the market", () => {
  it("waits for no tick between its passes, with or without a stream", async () => {
    const { follower, has, passes, until } = following({ hasStreams: false });
    await has({});
    follower.passed([{ account: ACCOUNT, outcome: "stepped" }]);
    await until(1_000);
    expect(passes).toEqual([]);
    follower.passed([{ account: ACCOUNT, outcome: "stepped", isLeaving: true }]);
    await until(1_500);
    expect(passes.map(([, at]) => at)).toEqual([1_000]);
  });
});

describe("a report", () => {
  it("counts the times from fills to their next orders", async () => {
    const { follower } = following();
    follower.passed([{ account: ACCOUNT, outcome: "stepped", reactions: [400, 1_200, 70_000, -5] }]);
    expect(follower.report().reactions).toMatchObject([{ account: ACCOUNT, count: 4, sum: 71_600 }]);
    const counts = follower.report().reactions[0]?.buckets.map(({ most, count }) => [most, count]);
    expect(counts).toEqual([
      [250, 1],
      [500, 2],
      [1_000, 2],
      [1_500, 3],
      [2_500, 3],
      [5_000, 3],
      [10_000, 3],
      [30_000, 3],
      [60_000, 3],
    ]);
  });
});

it("stops with all its connections", async () => {
  const { follower, has, goLive, listener, connections, passes, until } = following();
  await has({});
  await goLive();
  await follower.stop();
  listener().onHint(FILL);
  await until(10_000);
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true]);
  expect(passes).toHaveLength(1);
});

const MEXC = "live:mexc:api.mexc.com";
const GATE = "live:gateio:api.gateio.ws";
const INTERVAL = 5_000;

/** Passes on a clock that moves only while something sleeps, and by `takes` for each pass. */
function scheduled({
  takes = 0,
  outcomes = [] as Pass["outcome"][],
  postponed = 0,
  during = () => {},
  asleep = (_now: number) => {},
} = {}) {
  let now = 0;
  const starts: [string, number][] = [];
  const early = earlyPasses({
    local: {
      monotonic: () => now,
      sleep: async (millis) => {
        await undefined;
        now += millis;
        asleep(now);
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

  it("is made at once if a price hint arrives while it waits for calls", async () => {
    const made = scheduled({
      postponed: 9_000,
      asleep: (now) => now === 1_000 && made.early.request(MEXC, true),
    });
    made.early.request(MEXC);
    await made.settled();
    expect(made.starts.map(([, at]) => at)).toEqual([0, 1_000]);
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
