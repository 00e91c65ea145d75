import { describe, expect, it } from "vitest";
import { nodePost } from "../../../cli/host/outbound.ts";
import {
  heartbeat,
  otherServersRunPasses,
  passesSucceeded,
} from "../../../src/notify/operations/heartbeat.ts";
import { heardLog } from "../../support/heard.ts";
import { answering } from "../../support/live.ts";
import { virtualLocal } from "../../support/local.ts";

describe("a heartbeat", () => {
  it("is sent only after good passes, and no more often than configured", async () => {
    const listener = await answering(() => ({ status: 500, body: "" }));
    const time = virtualLocal(0);
    const post = nodePost([new URL(listener.url).host]);
    const beat = heartbeat({ url: listener.url, every: 30_000 }, { post, local: time.local, log: heardLog });
    for (const [isGood, count] of [
      [false, 0],
      [true, 1],
      [true, 1],
    ] as const) {
      await beat.beat(isGood);
      expect(listener.requests).toHaveLength(count);
    }
    time.pass(30_000);
    await beat.beat(true);
    expect(listener.requests).toHaveLength(2);
  });

  it("logs a refusal and a failure without its address, and fails no round", async () => {
    const url = "https://monitor.example.org/secret";
    const logged: unknown[] = [];
    const log = (...entry: unknown[]) => void logged.push(entry);
    const time = virtualLocal(0);
    const beat = async (post: () => Promise<{ status: number; text: string }>) => {
      await heartbeat({ url, every: 30_000 }, { post, local: time.local, log }).beat(true);
      return logged.splice(0);
    };
    expect(await beat(async () => ({ status: 399, text: "" }))).toEqual([]);
    expect(await beat(async () => ({ status: 400, text: "" }))).toEqual([
      ["warn", "the heartbeat was refused", { status: 400 }],
    ]);
    expect(await beat(() => Promise.reject(new Error(`no answer from ${url}`)))).toEqual([
      ["warn", "the heartbeat could not be sent", { reason: "no answer from …" }],
    ]);
  });

  it("is not sent while an account fails, waits after a failure, or has no keys", () => {
    const pass = (outcome: "stepped" | "busy" | "failed" | "backing_off" | "not_configured") => ({
      account: "a",
      outcome,
    });
    expect(passesSucceeded([])).toBe(true);
    expect(passesSucceeded([pass("stepped"), pass("busy")])).toBe(true);
    for (const bad of ["failed", "backing_off", "not_configured"] as const)
      expect(passesSucceeded([pass("stepped"), pass(bad)])).toBe(false);
  });

  it("is not sent if other processes have made no pass for three intervals", () => {
    const reading = {
      account: "a",
      steppedAt: 1000,
      passMillis: 1,
      failures: 0,
      retryAt: 0,
      isLeased: false,
      isAwaited: false,
      rateFullAt: null,
    };
    const stepping = { now: 181_000, interval: 60_000 };
    expect(otherServersRunPasses(["a"], [reading], stepping)).toBe(true);
    expect(otherServersRunPasses(["a"], [reading], { ...stepping, now: 181_001 })).toBe(false);
    expect(otherServersRunPasses(["a"], [{ ...reading, failures: 1 }], stepping)).toBe(false);
    expect(
      otherServersRunPasses(["a"], [{ ...reading, steppedAt: null }], { now: 5, interval: 60_000 }),
    ).toBe(false);
    const ahead = { ...reading, steppedAt: stepping.now + 3_600_000 };
    expect(otherServersRunPasses(["a"], [ahead], stepping)).toBe(false);
    expect(otherServersRunPasses([], [{ ...reading, failures: 1 }], stepping)).toBe(true);
  });
});
