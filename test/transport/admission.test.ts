import { describe, expect, it } from "vitest";
import { createAdmission } from "../../src/transport/body.ts";
import { testApp } from "../support/app.ts";

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
    await named("stop_grid");
    expect(answered).toEqual([...Array(8).fill("get_kill_switch"), "stop_grid"]);
    await turn();
    await Promise.all(reads);
  });
});
