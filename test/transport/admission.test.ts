import { describe, expect, it } from "vitest";
import { CALCULATIONS, type GridJob } from "../../src/backtest/operations/calculations.ts";
import { finish } from "../../src/backtest/run/begin.ts";
import { createOperations } from "../../src/operations.ts";
import type { HeavyLane } from "../../src/ports/heavy.ts";
import { createAdmission, createCallerLane, createHeavyLane } from "../../src/transport/body.ts";
import { testApp } from "../support/app.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { EXCHANGES } from "../support/sandbox.ts";

/** An event loop whose turns a test ends. */
function loop() {
  let turns: (() => void)[] = [];
  return {
    heard: () => new Promise<void>((resolve) => void turns.push(resolve)),
    isIdle: () => turns.length === 0,
    async turn() {
      const ended = turns;
      turns = [];
      for (const end of ended) end();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("request admission", () => {
  function admitted(count: number) {
    const { heard, ...rest } = loop();
    let now = 0;
    const admit = createAdmission({ heard, monotonic: () => now });
    const started: number[] = [];
    const ask = (name: number) => {
      const waiting = admit();
      if (waiting) void waiting.then(() => started.push(name));
      else started.push(name);
    };
    for (let name = 0; name < count; name++) ask(name);
    const pass = (millis: number) => {
      now += millis;
    };
    return { ...rest, started, ask, pass };
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, name) => name);

  it("starts eight requests per turn, in order of arrival", async () => {
    const { started, turn, ask } = admitted(20);
    expect(started).toEqual(upTo(8));
    await turn();
    expect(started).toEqual(upTo(16));
    ask(20);
    expect(started).toEqual(upTo(16));
    await turn();
    expect(started).toEqual(upTo(21));
  });

  it("starts requests at once again after an idle turn", async () => {
    const { started, turn, ask, isIdle } = admitted(8);
    await turn();
    expect(isIdle()).toBe(true);
    ask(8);
    expect(started).toEqual(upTo(9));
  });

  it("starts fewer requests after long turns, and more again after short ones", async () => {
    const { started, turn, pass } = admitted(100);
    const counts: number[] = [];
    for (const millis of [100, 100, 100, 100, 0, 0, 0, 0]) {
      const before = started.length;
      pass(millis);
      await turn();
      counts.push(started.length - before);
    }
    expect(counts).toEqual([4, 2, 1, 1, 2, 4, 8, 8]);
  });

  it("delays nothing where the platform has no turns", () => {
    const admit = createAdmission({ monotonic: () => 0 });
    expect(upTo(100).map(() => admit())).toEqual(upTo(100).map(() => undefined));
  });
});

describe("while requests wait for their turn", () => {
  it("urgent requests and health are answered first, and the others afterwards", async () => {
    const { turn, heard } = loop();
    const { ask, tokens, store } = await testApp({
      connect: (deps) => ({ ...deps, local: { ...deps.local, heard, sleep: async () => undefined } }),
    });
    const headers = { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" };
    const statuses: number[] = [];
    const reads = Array.from({ length: 40 }, () =>
      ask("/api/v1/kill", { headers }).then(({ status }) => statuses.push(status)),
    );
    await Promise.all(reads.slice(0, 8));
    const turned = await ask("/api/v1/kill", { method: "POST", headers, body: JSON.stringify({ on: true }) });
    expect([turned.status, await store.killed()]).toEqual([200, true]);
    expect((await ask("/health")).status).toBe(200);
    expect(statuses).toHaveLength(8);
    // A long turn lets fewer requests start, so a slow machine needs more turns.
    while (statuses.length < reads.length) await turn();
    expect(statuses).toEqual(Array(40).fill(200));
  });

  it("an agent's stop is answered first, and its reads afterwards", async () => {
    const { turn, heard } = loop();
    const { ask, tokens } = await testApp({
      connect: (deps) => ({ ...deps, local: { ...deps.local, heard } }),
    });
    const call = (name: string) =>
      ask("/mcp", {
        method: "POST",
        headers: {
          authorization: `Bearer ${tokens.trade}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: {} },
        }),
      });
    const answered: string[] = [];
    const named = (name: string) => call(name).then(() => answered.push(name));
    const reads = Array.from({ length: 9 }, () => named("get_kill_switch"));
    await expect.poll(() => answered.length).toBe(8);
    await named("stop_strategy");
    expect(answered).toEqual([...Array(8).fill("get_kill_switch"), "stop_strategy"]);
    await turn();
    await Promise.all(reads);
  });
});

const HEAVY = createOperations(EXCHANGES).filter(({ lane }) => lane === "heavy");

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Calls of a lane that a test ends, by name. */
function calls(lane: HeavyLane) {
  const running: string[] = [];
  const refused: string[] = [];
  const done: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (name: string, signal?: AbortSignal) =>
    lane
      .run({ actor: name.replace(/\d+$/, ""), signal }, () => {
        running.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      })
      .then(
        () => void done.push(name),
        (error: Error) => void refused.push(`${name}: ${error.message}`),
      );
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { call, end, running, refused, done };
}

describe("the heavy lane", () => {
  it("runs one call at a time, and alternates between callers", async () => {
    const { call, end, running } = calls(createHeavyLane());
    for (const name of ["ann1", "ann2", "ann3", "bob1", "bob2"]) void call(name);
    const order = ["ann1", "bob1", "ann2", "bob2", "ann3"];
    for (const [place, name] of order.entries()) {
      await settled();
      expect(running).toEqual(order.slice(0, place + 1));
      await end(name);
    }
  });

  it("refuses more than four calls per caller, and more than eight waiting calls", async () => {
    const { call, refused, running } = calls(createHeavyLane());
    for (const who of ["ann", "bob", "cid"]) for (const of of [1, 2, 3, 4, 5]) void call(`${who}${of}`);
    await settled();
    expect(running).toEqual(["ann1"]);
    expect(refused.map((one) => one.split(":")[0])).toEqual(["ann5", "bob5", "cid2", "cid3", "cid4", "cid5"]);
    await expect(createHeavyLane().run({ actor: "ann" }, async () => 7)).resolves.toBe(7);
  });

  it("returns when to retry", async () => {
    const lane = createHeavyLane();
    const { call } = calls(lane);
    for (const of of [1, 2, 3, 4]) void call(`ann${of}`);
    await expect(lane.run({ actor: "ann" }, async () => undefined)).rejects.toMatchObject({
      label: "Too many requests",
      extras: { retryAfterSeconds: 5 },
    });
  });

  it("frees the slot of a call that is canceled while waiting, and after one that fails", async () => {
    const lane = createHeavyLane();
    const { call, end, running, refused } = calls(lane);
    const canceled = new AbortController();
    const failing = lane.run({ actor: "bob" }, () => Promise.reject(new Error("failed")));
    await expect(failing).rejects.toThrow("failed");
    for (const name of ["ann1", "ann2", "ann3"]) void call(name);
    void call("ann4", canceled.signal);
    canceled.abort();
    await settled();
    expect(refused).toEqual(["ann4: the client has canceled this request"]);
    void call("ann5");
    for (const name of ["ann1", "ann2", "ann3"]) await end(name);
    expect(running).toEqual(["ann1", "ann2", "ann3", "ann5"]);
  });
});

describe("the lane of each caller", () => {
  it("runs one call per caller, in parallel with other callers' calls", async () => {
    const { call, end, running, refused } = calls(createCallerLane({ monotonic: () => 0 }));
    for (const name of ["ann1", "bob1", "ann2"]) void call(name);
    await settled();
    expect(running).toEqual(["ann1", "bob1"]);
    expect(refused.map((one) => one.split(":")[0])).toEqual(["ann2"]);
    await end("ann1");
    void call("ann3");
    await settled();
    expect(running).toEqual(["ann1", "bob1", "ann3"]);
  });

  it("divides the time among the calls", async () => {
    const lane = createCallerLane({ monotonic: () => 0 });
    const shares: (() => number)[] = [];
    const call = (actor: string) =>
      lane.run({ actor }, ({ share }) => {
        shares.push(share);
        return new Promise(() => undefined);
      });
    void call("ann");
    expect(shares.map((share) => share())).toEqual([1]);
    void call("bob");
    expect(shares.map((share) => share())).toEqual([0.5, 0.5]);
  });

  it("frees the slot of a call that no longer renews it", async () => {
    let now = 0;
    const lane = createCallerLane({ monotonic: () => now });
    let renew: () => void = () => undefined;
    void lane.run({ actor: "ann" }, (place) => {
      renew = place.renew;
      return new Promise(() => undefined);
    });
    const again = () => lane.run({ actor: "ann" }, async () => "mine");
    now = 9_000;
    renew();
    now = 18_000;
    await expect(again()).rejects.toMatchObject({ label: "Too many requests" });
    now = 19_001;
    await expect(again()).resolves.toBe("mine");
  });
});

describe("a heavy operation", () => {
  it("is one that calculates or reports", () => {
    expect(HEAVY.map(({ name }) => name).sort()).toEqual([
      "backtest",
      "get_liquidity_report",
      "get_quality",
      "get_report",
      "suggest_grid",
    ]);
  });

  const BACKTEST = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    config: { lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 10, orderSize: 100 },
  };

  /** An app whose calculations a test ends. */
  async function heavyApp() {
    const jobs: { readonly signal: AbortSignal | undefined; readonly end: () => void }[] = [];
    const app = await testApp({
      connect: (deps) => ({
        ...deps,
        local: { ...deps.local, sleep: async () => undefined },
        heavy: createHeavyLane(),
        calculationThread: (name, job, { signal }) =>
          new Promise((resolve) => {
            const work = () => CALCULATIONS[name as "grid"](job as GridJob, () => false);
            jobs.push({ signal, end: () => resolve(finish(work())) });
          }),
      }),
    });
    const send = (path: string, token: string, body: object, signal?: AbortSignal) =>
      app.ask(`/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      });
    return { ...app, jobs, send };
  }

  it("does not delay a kill or health while one runs and others wait", async () => {
    const { send, tokens, ask, jobs, store } = await heavyApp();
    const statuses: number[] = [];
    const requests = Array.from({ length: 12 }, (_, place) =>
      send("/backtest", place < 6 ? tokens.read : tokens.trade, BACKTEST).then((answer) => {
        statuses.push(answer.status);
        return answer;
      }),
    );
    await expect.poll(() => [jobs.length, statuses.length]).toEqual([1, 4]);
    expect(statuses).toEqual([429, 429, 429, 429]);
    expect((await send("/kill", tokens.admin, { on: true })).status).toBe(200);
    expect((await ask("/health")).status).toBe(200);
    expect(await store.killed()).toBe(true);
    expect([jobs.length, statuses.length]).toEqual([1, 4]);
    for (let place = 0; place < 8; place++) {
      await expect.poll(() => jobs.length).toBe(place + 1);
      jobs[place]?.end();
    }
    const answers = await Promise.all(requests);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    const full = answers.find(({ status }) => status === 429);
    expect(full?.headers.get("retry-after")).toBe("5");
  });

  it("is notified when its client disconnects", async () => {
    const { send, tokens, jobs } = await heavyApp();
    const left = new AbortController();
    void send("/backtest", tokens.read, BACKTEST, left.signal).catch(() => undefined);
    await expect.poll(() => jobs.length).toBe(1);
    expect(jobs[0]?.signal?.aborted).toBe(false);
    left.abort();
    expect(jobs[0]?.signal?.aborted).toBe(true);
  });

  it("is refused to an agent too if the lane is full", async () => {
    const app = await heavyApp();
    const client = await appClient(app, "read");
    const all = Array.from({ length: 5 }, () => callTool(client, "backtest", BACKTEST));
    await expect.poll(() => app.jobs.length).toBe(1);
    const refused = await Promise.race(all);
    expect(JSON.stringify(refused)).toContain("Too many requests");
    for (let place = 0; place < 4; place++) {
      await expect.poll(() => app.jobs.length).toBe(place + 1);
      app.jobs[place]?.end();
    }
    await Promise.all(all);
  });
});
