import { expect, it, onTestFinished, vi } from "vitest";
import { runningServers, startHeartbeat } from "../../cli/host/running-servers.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { testSandbox } from "../support/sandbox.ts";

it("a server is listed at each second, although every other heartbeat is lost", async () => {
  const { deps, time } = await testSandbox();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let count = 0;
  let written: Promise<void> = Promise.resolve();
  const recordServer: typeof deps.store.recordServer = (server) => {
    count++;
    written = count % 2 === 0 ? Promise.reject(new Error("busy")) : deps.store.recordServer(server);
    return written;
  };
  const store = { ...deps.store, recordServer };
  const beats = await startHeartbeat({ store, log: () => undefined }, { instance: "a", url: "http://a" });
  for (let passed = 0; passed < 3 * MINUTE; passed += SECOND) {
    time.pass(SECOND);
    await vi.advanceTimersByTimeAsync(SECOND);
    await written.catch(() => undefined);
    expect(await runningServers({ store })).toHaveLength(1);
  }
  expect(count).toBeGreaterThan(10);
  await beats.stop();
  expect(await runningServers({ store })).toEqual([]);
});
