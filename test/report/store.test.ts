import { describe, expect, it } from "vitest";
import { auditStore } from "../../src/adapters/libsql/audit-store.ts";
import { DAY } from "../../src/kernel/time.ts";
import type { Alarm, StrategyDay } from "../../src/model/news.ts";
import { createReportStore } from "../../src/report/store.ts";
import { opened, START } from "../adapters/libsql/stores/opened.ts";

const TODAY = START / DAY;
const day = (strategy: string, of: number, over: object = {}): StrategyDay =>
  ({
    strategy,
    day: of,
    account: "sandbox:kraken:",
    opened: {},
    latest: {},
    from: 1,
    to: 2,
    upMillis: 1,
    inRangeMillis: 1,
    incidents: 0,
    isFinal: false,
    ...over,
  }) as unknown as StrategyDay;

const alarm = (key: string, message = `${key} is wrong`): Alarm => ({
  key,
  strategy: null,
  kind: "alarm",
  message,
});

async function open() {
  const { context, time } = await opened();
  const store = createReportStore(context);
  const look = (owner = "one", every = 1000) => store.lookOut({ every, owner, page: 2 });
  const readOutput = async () =>
    (await auditStore(context).eventsAfter(0, 99)).map(({ kind, message }) => [kind, message]);
  return { store, look, readOutput, time };
}

describe("the lease for the periodic check", () => {
  it("belongs to one process at a time", async () => {
    const { look, time } = await open();
    expect(await look()).toEqual({
      now: START,
      before: 0,
      ownerBefore: "one",
      days: [],
      alarms: [],
      events: [],
    });
    expect(await look("two")).toBeUndefined();
    time.pass(999);
    expect(await look("two")).toBeUndefined();
    time.pass(1);
    expect(await look("two")).toMatchObject({ now: START + 1000, before: START, ownerBefore: "one" });
    time.pass(1000);
    expect(await look("one")).toMatchObject({ before: START + 1000, ownerBefore: "two" });
  });

  it("starts with events from now on, and continues from those counted", async () => {
    const { store, look, time } = await open();
    await store.tell({ strategy: null, kind: "kill", message: "before" });
    await look();
    for (const message of ["first", "second", "third"])
      await store.tell({ strategy: null, kind: "kill", message });
    time.pass(1000);
    const events = (await look())?.events ?? [];
    expect(events.map(({ message }) => message)).toEqual(["first", "second"]);
    await store.keepDays([], events[0]?.id);
    time.pass(1000);
    expect((await look())?.events.map(({ message }) => message)).toEqual(["second", "third"]);
    await store.keepDays([day("g", TODAY)], undefined);
    time.pass(1000);
    expect((await look())?.events.map(({ message }) => message)).toEqual(["second", "third"]);
  });

  it("includes the rows of today and yesterday", async () => {
    const { store, look } = await open();
    await store.keepDays(
      [-2, -1, 0, 1].map((of) => day("g", TODAY + of)),
      undefined,
    );
    expect((await look())?.days.map((row) => row.day)).toEqual([TODAY - 1, TODAY]);
  });
});

describe("the daily results of strategies", () => {
  it("are stored as they are now, for each strategy, and listed for a range of days", async () => {
    const { store } = await open();
    await store.keepDays([day("g", 2), day("g", 1), day("h", 1)], undefined);
    await store.keepDays([day("g", 1, { incidents: 7, isFinal: true })], undefined);
    await store.keepDays([], undefined);
    const { now, days } = await store.daysOf(1, 2);
    expect(now).toBe(START);
    expect(days.map((row) => [row.strategy, row.day, row.incidents, row.isFinal])).toEqual([
      ["g", 1, 7, true],
      ["h", 1, 0, false],
      ["g", 2, 0, false],
    ]);
    expect((await store.daysOf(2, 9)).days).toHaveLength(1);
    expect((await store.daysOf(3, 9)).days).toEqual([]);
  });
});

describe("an alarm", () => {
  it("is reported once when it starts and once when it ends", async () => {
    const { store, look, readOutput } = await open();
    await store.raise(alarm("a"));
    await store.raise(alarm("a", "another word"));
    await store.raise(alarm("b"));
    expect((await look())?.alarms.map(({ key, message }) => [key, message])).toEqual([
      ["a", "a is wrong"],
      ["b", "b is wrong"],
    ]);
    await store.clear(alarm("a", "a is right"));
    await store.clear(alarm("a", "a is right"));
    await store.raise(alarm("a"));
    expect(await readOutput()).toEqual([
      ["alarm", "a is wrong"],
      ["alarm", "b is wrong"],
      ["recovered", "a is right"],
      ["alarm", "a is wrong"],
    ]);
  });
});
