import { describe, expect, it } from "vitest";
import { budgetOf, callWithinBudget, spend } from "../../../src/engine/pass/budget.ts";
import { BudgetSpent } from "../../../src/kernel/errors.ts";

/** Of a pass whose last call leaves at 10 s, by a clock that stands at 1 s and is moved by hand. */
function passing(calls?: number, requests?: () => number) {
  const time = { now: 1000 };
  const budget = budgetOf({ clock: () => time.now, last: 10_000 }, calls, requests);
  const call = (millis = 0, strategy?: string | null) =>
    spend(
      budget,
      async () => {
        time.now += millis;
        return "answer";
      },
      strategy,
    );
  return { budget, time, call };
}

describe("the calls of a pass", () => {
  it("are counted down from its budget", async () => {
    const { budget, call } = passing(2);
    expect([budget.left, budget.made, budget.began]).toEqual([2, 0, undefined]);
    expect(await call(500)).toBe("answer");
    expect([budget.left, budget.made, budget.began]).toEqual([1, 1, 1000]);
    await call(500);
    expect([budget.left, budget.made, budget.began]).toEqual([0, 2, 1000]);
  });

  it("leave three of the process's requests for later store calls", async () => {
    let requests = 10;
    const { budget } = passing(8, () => requests);
    expect(budget.left).toBe(7);
    requests = 3;
    expect(budget.left).toBe(0);
    requests = 100;
    expect(budget.left).toBe(8);
    expect(passing().budget.left).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("are reported per strategy if they are for one strategy only", async () => {
    const { budget, call } = passing();
    await call();
    await call(0, "a");
    await call(0, "a");
    await call(0, "b");
    await call(0, null);
    expect(budget.own).toEqual({ a: 2, b: 1 });
  });
});

describe("the time of a pass", () => {
  it("has capacity for any number of calls until one takes time", async () => {
    const { budget, call } = passing();
    expect(budget.fitting).toBe(Number.MAX_SAFE_INTEGER);
    await call(0);
    expect(budget.fitting).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("has capacity for as many calls as can start in it at the average duration so far", async () => {
    const { budget, call, time } = passing();
    await call(2000);
    await call(1000);
    // From 4 s to 10 s at 1.5 s each: at 4, 5.5, 7, 8.5 and 10.
    expect(budget.fitting).toBe(5);
    time.now = 10_000;
    expect(budget.fitting).toBe(1);
    time.now = 10_001;
    expect(budget.fitting).toBe(0);
    time.now = 60_000;
    expect(budget.fitting).toBe(0);
  });

  it("reports when it has capacity for fewer than twenty calls", async () => {
    const { budget, call } = passing();
    expect(budget.slow).toBeNull();
    await call(449);
    expect(budget.slow).toBeNull();
    const slower = passing();
    await slower.call(450);
    expect(slower.budget.slow).toBe(
      "the exchange takes about 1 s to respond, so a pass has time for only a few orders; the others wait",
    );
    await slower.call(2000);
    expect(slower.budget.slow).toMatch(/takes about 2 s/);
  });

  it("blames the work before its first call if that took the time", async () => {
    const { budget, call, time } = passing();
    time.now = 8600;
    await call(100);
    expect(budget.slow).toBe(
      "the first request of a pass was sent after about 8 s, so there was time for only a few orders; the others wait",
    );
    const late = passing();
    late.time.now = 10_500;
    await late.call(0);
    expect(late.budget.slow).toMatch(/first request of a pass was sent after about 10 s/);
  });
});

describe("a request of a pass", () => {
  it("returns the response, and counts for the strategy whose orders it is for", async () => {
    const { budget } = passing(1);
    expect(await callWithinBudget(budget, async () => undefined, "a")).toEqual({ answer: undefined });
    expect([budget.own, budget.made]).toEqual([{ a: 1 }, 1]);
  });

  it("is not sent if no call is left, or none would be left after it", async () => {
    const requestList: string[] = [];
    const put = async () => requestList.push("put");
    expect(await callWithinBudget(passing(0).budget, put)).toBeUndefined();
    const slow = passing();
    await slow.call(4500);
    expect(slow.budget.fitting).toBe(2);
    expect(await callWithinBudget(slow.budget, put)).toEqual({ answer: 1 });
    slow.time.now = 9000;
    expect(slow.budget.fitting).toBe(1);
    expect(await callWithinBudget(slow.budget, put)).toBeUndefined();
    expect(requestList).toEqual(["put"]);
  });

  it("is skipped when the exchange's budget has no call for it, and throws any other failure", async () => {
    const spent = () => Promise.reject(new BudgetSpent("none left", 500));
    expect(await callWithinBudget(passing().budget, spent)).toBeUndefined();
    await expect(
      callWithinBudget(passing().budget, () => Promise.reject(new Error("broken"))),
    ).rejects.toThrow("broken");
  });
});
