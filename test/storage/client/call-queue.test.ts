import { describe, expect, it } from "vitest";
import { backoff, callQueue, patient } from "../../../src/storage/client/call-queue.ts";
import { virtualLocal } from "../../support/local.ts";

const READ = { isRead: true, isFirst: false };
const WRITE = { isRead: false, isFirst: false };
const FIRST = { isRead: false, isFirst: true };

const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
const full = () => Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
const wrong = () => Object.assign(new Error("no such table"), { code: "SQLITE_ERROR" });

/** A queue on a clock that only sleeping moves, and what was done in which order. */
function queued() {
  const time = virtualLocal(1_000_000);
  const done: string[] = [];
  const local = {
    ...time.local,
    sleep: async (millis: number) => {
      done.push("sleep");
      await time.local.sleep(millis);
    },
  };
  const queue = callQueue({ local, again: async () => void done.push("again") });
  /** Refused so often because another writes, and then done. */
  const call = (name: string, refusals = 0, error = busy) => {
    let tries = 0;
    return async () => {
      const isRefused = ++tries <= refusals;
      done.push(isRefused ? `${name} refused` : name);
      if (isRefused) throw error();
      return name;
    };
  };
  return { time, done, queue, call };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error: Error) => error.message,
  );

describe("a queue of calls", () => {
  it("runs them one after the other, in order of arrival", async () => {
    const { done, queue } = queued();
    const slow = (name: string) => async () => {
      done.push(`${name} begins`);
      await Promise.resolve();
      done.push(`${name} ends`);
    };
    await Promise.all([queue.run(slow("a"), WRITE), queue.run(slow("b"), READ), queue.run(slow("c"), WRITE)]);
    expect(done).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("continues after it was empty", async () => {
    const { queue, call } = queued();
    expect(await queue.run(call("a"), WRITE)).toBe("a");
    expect(await queue.run(call("b"), WRITE)).toBe("b");
  });

  it("runs a priority call first", async () => {
    const { done, queue, call } = queued();
    const calls = [queue.run(call("a"), WRITE), queue.run(call("b"), WRITE), queue.run(call("kill"), FIRST)];
    await Promise.all(calls);
    expect(done).toEqual(["a", "kill", "b"]);
  });

  it("waits, reopens the connection and retries a call that another process's write blocked", async () => {
    const { done, queue, call } = queued();
    expect(await queue.run(call("a", 2), WRITE)).toBe("a");
    expect(done).toEqual(["a refused", "sleep", "again", "a refused", "sleep", "again", "a"]);
  });

  it("runs reads while another process writes, and nothing else", async () => {
    const { done, queue, call } = queued();
    const calls = [
      queue.run(call("a", 1), WRITE),
      queue.run(call("b"), WRITE),
      queue.run(call("read"), READ),
    ];
    await Promise.all(calls);
    expect(done.filter((one) => !/sleep|again/.test(one))).toEqual(["a refused", "read", "a", "b"]);
    done.length = 0;
    await Promise.all([queue.run(call("c"), WRITE), queue.run(call("d"), WRITE), queue.run(call("e"), READ)]);
    expect(done).toEqual(["c", "d", "e"]);
  });

  it("does not report the lock as released after a read, but does after a write", async () => {
    const { done, queue, call } = queued();
    const observed: boolean[] = [];
    const look = async () => void observed.push(queue.keptWaiting() > 0);
    await Promise.all([
      queue.run(call("a", 2), WRITE),
      queue.run(look, READ),
      queue.run(call("b", 1), READ),
      queue.run(look, READ),
    ]);
    expect(observed).toEqual([true, true]);
    expect(queue.keptWaiting()).toBe(0);
    expect(done.filter((one) => !/sleep|again/.test(one))).toEqual([
      "a refused",
      "b refused",
      "b",
      "a refused",
      "a",
    ]);
  });

  it("reports how long writes have been blocked, from the first refusal on", async () => {
    const { time, queue, call } = queued();
    expect(queue.keptWaiting()).toBe(0);
    const waits: number[] = [];
    const look = async () => void waits.push(queue.keptWaiting());
    let tries = 0;
    const refused = async () => {
      time.pass(100);
      if (++tries < 3) throw busy();
    };
    await Promise.all([queue.run(refused, WRITE), queue.run(look, READ), queue.run(call("b"), WRITE)]);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(0);
    expect(waits[0]).toBeLessThanOrEqual(10);
    expect(queue.keptWaiting()).toBe(0);
  });

  it("fails calls that waited more than ten seconds for a lock, with the reason", async () => {
    const { time, done, queue } = queued();
    const began = time.now();
    const never = async () => {
      done.push("tried");
      throw busy();
    };
    const [one, other] = [failure(queue.run(never, WRITE)), failure(queue.run(never, WRITE))];
    expect(await one).toMatch(/another process holds its lock/);
    expect(await other).toMatch(/another process holds its lock/);
    expect(time.now() - began).toBeGreaterThan(10_000);
    expect(time.now() - began).toBeLessThan(10_500);
    expect(queue.keptWaiting()).toBe(0);
  });

  it("fails nothing at exactly ten seconds, nor any later call", async () => {
    const { time, done, queue, call } = queued();
    let tries = 0;
    const exact = async () => {
      if (++tries === 1) time.pass(10_000);
      else time.pass(1);
      done.push(`exact ${tries}`);
      throw busy();
    };
    const first = failure(queue.run(exact, WRITE));
    const later = queue.run(async () => "unused", READ);
    expect(await later).toBe("unused");
    expect(await first).toMatch(/holds its lock/);
    expect(done.filter((one) => one.startsWith("exact"))).toEqual(["exact 1", "exact 2"]);
    expect(await queue.run(call("after"), WRITE)).toBe("after");
  });

  it("lets a priority call wait as long as it takes", async () => {
    const { time, queue, call } = queued();
    const began = time.now();
    expect(await queue.run(call("kill", 200), FIRST)).toBe("kill");
    expect(time.now() - began).toBeGreaterThan(10_000);
  });

  it("runs reads while a priority call waits, and retries it however many reads arrive", async () => {
    const { time, done, queue, call } = queued();
    const reading = async (count: number): Promise<void> => {
      if (count === 0) return;
      await queue.run(async () => {
        time.pass(1);
        done.push("read");
      }, READ);
      await reading(count - 1);
    };
    await Promise.all([queue.run(call("kill", 3), FIRST), queue.run(call("a"), READ), reading(100)]);
    const lines = done.filter((one) => !/sleep|again/.test(one));
    expect(lines.slice(0, 4)).toEqual(["kill refused", "a", "read", "kill refused"]);
    expect(lines.indexOf("kill")).toBeLessThan(20);
    expect(lines.filter((one) => one === "read")).toHaveLength(100);
  });

  it("counts a call's wait from its arrival, its time in the queue included", async () => {
    const { time, queue, call } = queued();
    const slow = queue.run(async () => {
      await Promise.resolve();
      time.pass(10_001);
    }, WRITE);
    const late = failure(queue.run(call("late", 1), WRITE));
    await slow;
    expect(await late).toMatch(/holds its lock/);
  });

  it("retries less and less often while blocked, and quickly again after a write", async () => {
    const { time, queue, call } = queued();
    const took = async (refusals: number) => {
      const began = time.now();
      await queue.run(call("a", refusals), WRITE);
      return time.now() - began;
    };
    expect(await took(1)).toBeLessThanOrEqual(10);
    expect(await took(12)).toBeGreaterThan(1000);
    expect(await took(1)).toBeLessThanOrEqual(10);
  });

  it("retries quickly again after all calls failed", async () => {
    const { time, queue, call } = queued();
    await failure(queue.run(call("never", 1000), WRITE));
    const began = time.now();
    await queue.run(call("a", 1), WRITE);
    expect(time.now() - began).toBeLessThanOrEqual(10);
  });

  it("reports a failed call to its caller, and continues", async () => {
    const { done, queue, call } = queued();
    expect(await failure(queue.run(call("a", 1, wrong), WRITE))).toBe("no such table");
    expect(await queue.run(call("b"), WRITE)).toBe("b");
    expect(done).toEqual(["a refused", "b"]);
  });

  it("reopens the connection after a failure that could leave it unable to write", async () => {
    const { done, queue, call } = queued();
    const [one, other] = [failure(queue.run(call("a", 1, full), WRITE)), queue.run(call("b"), WRITE)];
    expect(await one).toMatch(/disk is full/);
    await other;
    expect(done).toEqual(["a refused", "again", "b"]);
  });
});

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
