import { describe, expect, it } from "vitest";
import { switchWritten } from "../../../src/controls/operations/panic.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import { SWITCH_READ_VALID_MS } from "../../../src/ports/kill-permit.ts";
import { REQUEST } from "../../support/grid.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

interface Switched {
  readonly on: boolean;
  readonly message: string;
  readonly done?: boolean;
  readonly orders?: readonly object[];
}

/** The sandbox, and how long each request slept in it. */
async function switching(over: Partial<Deps> = {}) {
  const sandbox = await testSandbox();
  const sleeps: number[] = [];
  const local = { ...sandbox.deps.local, sleep: async (millis: number) => void sleeps.push(millis) };
  const deps: Deps = { ...sandbox.deps, local, ...over };
  return { ...sandbox, ...askingOf(deps), deps, sleeps };
}

describe("the kill switch", () => {
  it("is off first, and stays as it was turned", async () => {
    const { ask, store, sleeps } = await switching();
    expect(await ask("get_kill_switch", {})).toEqual({
      on: false,
      message: "the kill switch is off: orders are placed again",
    });
    const on = await ask<Switched>("set_kill_switch", { on: true });
    expect(on).toMatchObject({ on: true, message: expect.stringMatching(/^the kill switch is on: no new/) });
    expect([await store.killed(), await ask("get_kill_switch", {})]).toEqual([true, on]);
    // Only once the last read of another process is too old to send an order.
    expect(sleeps).toEqual([SWITCH_READ_VALID_MS]);
    expect(await ask("set_kill_switch", { on: false })).toMatchObject({ on: false });
    expect([await store.killed(), sleeps.length]).toEqual([false, 1]);
  });

  it("names why it is on in this process alone, whatever the database says", async () => {
    const { ask } = await switching({ killHere: { reason: () => "EDGEMAKER_KILL is set" } });
    expect(await ask("get_kill_switch", {})).toEqual({
      on: false,
      message: expect.stringMatching(
        /^the kill switch is on in this process, because EDGEMAKER_KILL is set: no new/,
      ),
    });
  });

  it("cancels no orders unless asked, and then all of them", async () => {
    const { ask, venue } = await switching();
    await ask("start_grid", REQUEST);
    await ask("set_kill_switch", { on: true });
    expect(await venue("kraken").openOrders()).toHaveLength(6);
    expect(await ask("set_kill_switch", { on: true, cancel: true })).toMatchObject({
      on: true,
      done: true,
      orders: [],
      ordersOfRequests: [],
      message:
        "the kill switch is on, and no order of edgemaker is open; grids place their orders again when it is off",
    });
    expect(await venue("kraken").openOrders()).toEqual([]);
  });

  it("lists the orders that this process cannot cancel, and ends at once", async () => {
    const { ask, deps, venue, sleeps } = await switching();
    await ask("start_grid", REQUEST);
    const away = askingOf({ ...deps, venueOf: () => undefined });
    const left = await away.ask<Switched>("set_kill_switch", { on: true, cancel: true });
    expect(left).toMatchObject({
      on: true,
      done: false,
      message: expect.stringMatching(
        /^the kill switch is on; 6 orders could still be open; this process has no keys for kraken: .*; repeat the request to continue$/,
      ),
    });
    expect([left.orders?.length, sleeps, (await venue("kraken").openOrders()).length]).toEqual([6, [], 6]);
  });

  it.each([
    [{ on: false, cancel: true }, /`cancel` needs the switch on; `orders cancel-all` works without it/],
    [{ on: false, stop: true }, /`stop` needs the switch on/],
    [{ on: true, sell: true }, /`sell` needs `stop`, because a running strategy would buy again/],
    [{ on: true, cancel: true, sell: true }, /`sell` needs `stop`/],
  ])("refuses %j and changes nothing", async (input, message) => {
    const { ask, store, venue } = await switching();
    await ask("start_grid", REQUEST);
    await expect(ask("set_kill_switch", input)).rejects.toThrow(message);
    expect(await store.killed()).toBe(false);
    expect(await venue("kraken").openOrders()).toHaveLength(6);
  });
});

describe("a write of the switch that takes too long", () => {
  /** Writes the switch; `end` ends the write, and `late` ends its time. */
  function writing({ locked = 0, file }: { locked?: number; file?: string } = {}) {
    const [logged, outlasting]: [unknown[], Promise<unknown>[]] = [[], []];
    const limits: { wait: number; late: () => void; isCanceled: boolean }[] = [];
    const timer = (wait: number, late: () => void) => {
      const limit = { wait, late, isCanceled: false };
      limits.push(limit);
      return () => void Object.assign(limit, { isCanceled: true });
    };
    const deps = {
      store: { lockedFor: () => locked },
      killHere: { reason: () => undefined, file },
      log: (...line: unknown[]) => void logged.push(line),
      local: { outlast: (work: Promise<unknown>) => void outlasting.push(work), timer },
    } as unknown as Deps;
    const write = { resolve: (_: string) => {}, reject: (_: Error) => {} };
    const written = new Promise<string>((resolve, reject) => Object.assign(write, { resolve, reject }));
    const answer = switchWritten(deps, written).catch((error: Error) => error.message);
    return { answer, write, logged, outlasting, limits, late: () => limits[0]?.late() };
  }

  it("is waited for", async () => {
    const { answer, write, logged, outlasting, limits } = writing();
    write.resolve("written");
    expect([await answer, logged, outlasting]).toEqual(["written", [], []]);
    expect(limits).toMatchObject([{ wait: 1000, isCanceled: true }]);
  });

  it("is reported with what stops other processes, and goes on", async () => {
    const { answer, write, logged, outlasting, late } = writing();
    late();
    expect(await answer).toBe(
      "the database does not respond, so the kill switch is not written yet: this process places nothing; to stop every other process now, deploy with EDGEMAKER_KILL=1",
    );
    expect(outlasting).toHaveLength(1);
    write.reject(new Error("disk full"));
    await outlasting[0];
    expect(logged).toEqual([["warn", "the kill switch was not written", { reason: "disk full" }]]);
  });

  it("names the lock of another process, and the file that stops all of a machine", async () => {
    const { answer, late } = writing({ locked: 1, file: "/data/kill" });
    late();
    expect(await answer).toMatch(
      /^the database is locked by another process, .*; to stop every process on the server's machine now, create the file \/data\/kill$/,
    );
  });
});
