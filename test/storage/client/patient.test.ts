import { describe, expect, it } from "vitest";
import { backoff, patient } from "../../../src/storage/client/call-queue.ts";
import { virtualLocal } from "../../support/local.ts";

const coded = (code: string) => Object.assign(new Error("it failed"), { code });

/** A call that is refused so often, and then answers how often it was made. */
function trying(refusals: number, code: string, attempts: number) {
  const time = virtualLocal(0);
  let tries = 0;
  const call = async () => {
    if (++tries <= refusals) throw coded(code);
    return tries;
  };
  return { time, done: patient(call, { local: time.local, attempts }), tries: () => tries };
}

describe("a call to a busy server", () => {
  it("is retried until it is accepted", async () => {
    const { done, time } = trying(3, "SQLITE_BUSY", 4);
    expect(await done).toBe(4);
    // 5 to 10, 10 to 20 and 20 to 40 ms.
    expect(time.now()).toBeGreaterThanOrEqual(35);
    expect(time.now()).toBeLessThan(70);
  });

  it("is retried a limited number of times, then reports the refusal", async () => {
    const { done, tries } = trying(9, "SQLITE_BUSY", 3);
    await expect(done).rejects.toMatchObject({
      failure: "unavailable",
      message: "the database cannot be used: another process holds its lock",
    });
    expect(tries()).toBe(3);
  });

  it("is not retried where its outcome is unknown", async () => {
    const { done, tries, time } = trying(1, "SERVER_ERROR", 3);
    await expect(done).rejects.toMatchObject({ failure: "unavailable" });
    expect([tries(), time.now()]).toEqual([1, 0]);
  });
});

it("doubles the wait each time, up to 200 ms, with random jitter down to half of it", () => {
  const least = [1, 2, 3, 4, 5, 6, 7, 20].map((attempt) => backoff(attempt, "0"));
  expect(least).toEqual([5, 10, 20, 40, 80, 100, 100, 100]);
  expect(backoff(1, "i")).toBe(7.5);
  expect(backoff(20, "i")).toBe(150);
  expect(backoff(20, "z")).toBeGreaterThan(195);
  expect(backoff(20, "z")).toBeLessThan(200);
});
