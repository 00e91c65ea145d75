import { describe, expect, it } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/kernel/time.ts";
import type { Alarm, StrategyDay } from "../../src/model/news.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { newQuoteState } from "../../src/quote/state.ts";
import { withLook } from "../../src/report/day.ts";
import { reportOver } from "../../src/report/figures.ts";
import { type AlarmCheckDeps, checkAlarms, describeOver } from "../../src/report/operations/alarm-checks.ts";
import { type DisposalRow, disposalsView } from "../../src/report/operations/disposals.ts";
import type { AlarmCheckLease } from "../../src/report/store.ts";
import { d, slot, state } from "../support/grid.ts";
import { ACCOUNT, strategy } from "../support/made.ts";

const kinds = kindsOf([gridKind as unknown as Kind]);
const NOW = 10 * DAY + HOUR + 30 * MINUTE;

/** A running grid with a slot from 100 to 110, at a mid price. */
const viewAt = (mid: string, over: object = {}) =>
  ({
    strategy: strategy({ status: "running", state: state([slot()]), ...over }),
    memory: { marks: { "BTC/USDT": { mid: d(mid), at: 1, observedAt: 1 } } },
    now: NOW,
    steppedAt: NOW,
    openOrders: 1,
    accountError: null,
  }) as never;

/** Looks once with these readings, and returns what it stored and reported. */
async function looked(
  over: Partial<AlarmCheckLease> = {},
  more: object = {},
  orders: readonly object[] = [],
) {
  const seen = { looks: 0, days: [] as StrategyDay[], raised: [] as Alarm[], cleared: [] as Alarm[] };
  const lookout = {
    now: NOW,
    before: NOW - MINUTE,
    ownerBefore: "me",
    days: [],
    alarms: [],
    events: [],
    ...over,
  };
  await checkAlarms({
    reports: {
      lookOut: async () => {
        seen.looks++;
        return lookout;
      },
      lastDaysOf: async () => [],
      keepDays: async (rows: readonly StrategyDay[]) => void seen.days.push(...rows),
      tell: async () => {},
      raise: async (alarm: Alarm) => void seen.raised.push(alarm),
      clear: async (alarm: Alarm) => void seen.cleared.push(alarm),
    },
    metrics: { readings: async () => ({ orders }) },
    store: { strategies: async () => [viewAt("105")] },
    local: { name: "me" },
    kinds,
    marketTime: (_: unknown, at: number) => at,
    ...more,
  } as unknown as AlarmCheckDeps);
  return seen;
}

describe("a check of what runs", () => {
  it("is made with eight requests left, and one more for each watched pair", async () => {
    const looksWith = async (left: number, pairs: number) =>
      (await looked({}, { requests: () => left, liquidity: { pairs: Array(pairs).fill({}) } })).looks;
    expect([await looksWith(8, 0), await looksWith(7, 0)]).toEqual([1, 0]);
    expect([await looksWith(10, 2), await looksWith(9, 2)]).toEqual([1, 0]);
  });

  it("is not made without a place to store it", async () => {
    expect((await looked({}, { metrics: undefined })).looks).toBe(0);
    await expect(looked({}, { reports: undefined })).resolves.toMatchObject({ days: [] });
  });

  it("counts a strategy's warnings and alerts as incidents, and neither its recovery nor other events", async () => {
    const kindsOfEvents = ["alarm", "rejected", "recovered", "cycle", "error"];
    const events = kindsOfEvents.map((kind, id) => ({ id, kind, message: "", strategy: "g" }));
    const other = { id: 9, kind: "alarm", message: "", strategy: "other" };
    const { days } = await looked({ events: [...events, other] as never });
    expect(days.map(({ incidents }) => incidents)).toEqual([3]);
  });

  it.each([
    ["a stop that the user requested", { wants: "stop" }, "running to stopped", 0],
    ["a stop by its own settings", {}, "running to stopped", 1],
    ["a requested stop that left base", { wants: "stop" }, "running to stopped: 2 BTC were not sold", 1],
  ])("counts %s as so many incidents", async (_what, over, message, incidents) => {
    const { id } = strategy({});
    const store = { strategies: async () => [viewAt("105", { status: "stopped", ...over })] };
    const events = [{ id: 1, kind: "status", message, strategy: id }] as never;
    const { days } = await looked({ events }, { store });
    expect(days.map((row) => row.incidents)).toEqual([incidents]);
  });

  it("raises an alarm for each account with orders whose state is overdue, and ends it", async () => {
    const orders = [
      { account: ACCOUNT, state: "unknown", overdue: 2 },
      { account: ACCOUNT, state: "pending", overdue: 0 },
    ];
    const key = `unknown ${ACCOUNT} unknown`;
    const { raised } = await looked({}, {}, orders);
    expect(raised).toMatchObject([
      { key, message: expect.stringMatching(/has not confirmed the state of 2 orders/) },
    ]);
    const { cleared } = await looked({ alarms: raised });
    expect(cleared).toMatchObject([{ key, message: `resolved: ${raised[0]?.message}` }]);
  });
});

describe("a check beside a strategy that this version cannot read", () => {
  it.each([
    ["of an unknown kind", { kind: "martingale" }],
    ["stored by a newer version", { version: 99 }],
  ])("records the others, and raises and ends alarms: %s", async (_what, over) => {
    const unread = viewAt("105", { id: "unread", ...over });
    const strategies = async ({ id }: { id?: string }) => (id ? [] : [unread, viewAt("120")]);
    const orders = [{ account: ACCOUNT, state: "unknown", overdue: 2 }];
    const known = (key: string) => ({ key, strategy: null, kind: "alarm", message: "BTC/USDT" });
    const alarms = [known("unknown other unknown"), known("range unread")] as Alarm[];
    const { days, raised, cleared } = await looked({ alarms }, { store: { strategies } }, orders);
    expect(days.map((row) => row.strategy)).toEqual([strategy({}).id]);
    expect(raised.map(({ key }) => key)).toEqual([`unknown ${ACCOUNT} unknown`, `range ${strategy({}).id}`]);
    expect(cleared.map(({ key }) => key)).toEqual(["unknown other unknown"]);
  });
});

describe("the alarm of an account without a complete pass", () => {
  const startedBefore = async (millis: number) => {
    const started = viewAt("105", { startedAt: NOW - millis, phase: "placing" }) as object;
    const view = { ...started, steppedAt: null, accountError: "kraken refuses the trades" };
    return (await looked({}, { store: { strategies: async () => [view] } })).raised;
  };

  it("is raised also if no pass was ever complete", async () => {
    expect(await startedBefore(10 * MINUTE)).toMatchObject([
      {
        key: `stalled ${ACCOUNT}`,
        message: expect.stringMatching(/no complete pass for 10 min.*: kraken refuses the trades$/),
      },
    ]);
  });

  it("waits for the first pass of a new strategy", async () => {
    expect(await startedBefore(2 * MINUTE)).toEqual([]);
  });
});

describe("the alarm of an account without a complete pass, after a sleep of the machine", () => {
  const AWAY = 2 * MINUTE;
  const strategies = async () => [{ ...(viewAt("105") as object), steppedAt: NOW - AWAY }];
  const wokenFor = (awake: number, over: Partial<AlarmCheckLease> = {}) =>
    looked(
      { before: NOW - AWAY, ...over },
      { store: { strategies }, interval: 5 * SECOND, awakeFor: () => awake },
    );

  it("is not raised for the sleep, but for passes that fail to run afterwards", async () => {
    expect((await wokenFor(0)).raised).toEqual([]);
    expect((await wokenFor(MINUTE)).raised).toEqual([]);
    for (const awake of [MINUTE + 1, Number.POSITIVE_INFINITY])
      expect((await wokenFor(awake)).raised).toMatchObject([{ key: `stalled ${ACCOUNT}` }]);
  });

  it("stays if it was raised before", async () => {
    const { raised } = await wokenFor(Number.POSITIVE_INFINITY);
    expect(await wokenFor(0, { alarms: raised })).toMatchObject({ raised: [], cleared: [] });
  });
});

describe("the alarm of a grid that is out of its range", () => {
  const alarm: Alarm = {
    key: "range g",
    strategy: "g",
    kind: "notice",
    message: "BTC/USDT is out of the grid's range",
  };
  const ended = async (...views: readonly unknown[]) => {
    const strategies = async () => views;
    const { cleared, raised } = await looked({ alarms: [alarm] }, { store: { strategies } });
    expect(raised).toEqual([]);
    return cleared.map(({ message }) => message);
  };

  it("ends when the price is back", async () => {
    expect(await ended(viewAt("105"))).toEqual(["BTC/USDT is back in its range"]);
  });

  it("stays while the grid is paused or in error outside of its range", async () => {
    const notActive = [{ status: "paused" }, { phase: "placing" }, { status: "error" }];
    for (const over of notActive) expect(await ended(viewAt("150", over))).toEqual([]);
    expect(await ended({ ...(viewAt("150") as object), memory: { marks: {} } })).toEqual([]);
  });

  it("ends when the grid stops, without a word of the price", async () => {
    expect(await ended()).toEqual([
      "the strategy has stopped, so the range of BTC/USDT is no longer watched",
    ]);
  });
});

it("quotes and strategies of one's own have no range that the price could leave", async () => {
  const quoteView = {
    ...(viewAt("100") as object),
    strategy: strategy({
      kind: "quote",
      status: "running",
      phase: "active",
      config: { rules: { levels: 1 } } as never,
      state: newQuoteState(1, d("100")) as never,
    }),
  } as never;
  const all = kindsOf([gridKind, quoteKind] as unknown as Kind[]);
  const alarms = async (view: never) =>
    (await looked({}, { kinds: all, store: { strategies: async () => [view] } })).raised;
  expect(await alarms(quoteView)).toEqual([]);
  expect(await alarms(viewAt("200", { phase: "active" }))).toMatchObject([
    {
      key: "range g",
      message:
        "BTC/USDT is out of its range: it earns nothing until the price returns; `edgemaker edit g --lower … --upper …` moves it",
    },
  ]);
});

it("the end of an alarm is described by its kind", () => {
  const over = (key: string, message = "") => describeOver({ key, message } as Alarm, [], kinds);
  expect(over(`stalled ${ACCOUNT}`)).toMatch(/^\w+ runs again$/);
  expect(over("promise kraken")).toBe("the agreement for kraken is met again, or a new day has begun");
  expect(over("unknown x", "a problem")).toBe("resolved: a problem");
});

describe("the day of a strategy", () => {
  const look = { now: NOW, elapsed: MINUTE, dayBegan: 10 * DAY, isUp: true, incidents: 0, kinds };
  const totals = (total: string) => ({
    total: d(total),
    realized: d(total),
    fees: 0n,
    cycles: 1,
    filledOrders: 2,
    symbol: "BTC/USDT" as const,
  });
  const row = (day: number, total: string, over: Partial<StrategyDay> = {}): StrategyDay => ({
    strategy: "g",
    day,
    account: ACCOUNT,
    opened: totals("0"),
    latest: totals(total),
    from: day * DAY,
    to: (day + 1) * DAY,
    upMillis: DAY,
    inRangeMillis: DAY,
    incidents: 0,
    isFinal: false,
    ...over,
  });

  it("is in range only while the price is", () => {
    const known = [row(10, "0", { to: NOW - MINUTE, upMillis: 0, inRangeMillis: 0 })];
    const millisAt = (mid: string) => {
      const { upMillis, inRangeMillis } = withLook(known, viewAt(mid), look);
      return [upMillis, inRangeMillis];
    };
    expect(millisAt("105")).toEqual([MINUTE, MINUTE]);
    expect(millisAt("150")).toEqual([MINUTE, 0]);
  });

  it("counts the time from the last check to a stop as up, unless no process checked it", () => {
    const known = [row(10, "0", { to: NOW - MINUTE, upMillis: 0, inRangeMillis: 0 })];
    const stopped = (elapsed: number) =>
      withLook(known, viewAt("105", { status: "stopped" }), { ...look, elapsed, isUp: false });
    expect(stopped(MINUTE)).toMatchObject({
      to: NOW,
      upMillis: MINUTE,
      inRangeMillis: MINUTE,
      isFinal: true,
    });
    expect(stopped(0)).toMatchObject({ to: NOW, upMillis: 0, inRangeMillis: 0, isFinal: true });
  });

  it("begins with nothing if it started on that day, else with what it had", () => {
    const traded = { ...state([slot()]), ledger: { ...state([slot()]).ledger, cycles: 4, quote: d("7") } };
    const openedAt = (number: number) => withLook([], viewAt("105", { number, state: traded }), look).opened;
    expect(openedAt(10 * DAY)).toMatchObject({
      total: 0n,
      realized: 0n,
      fees: 0n,
      cycles: 0,
      filledOrders: 0,
    });
    expect(openedAt(10 * DAY - 1).cycles).toBe(4);
    expect(openedAt(10 * DAY - 1).total).not.toBe(0n);
  });

  it("is summed in order of days, however its rows are sorted", () => {
    const rows = [row(11, "20"), row(10, "8")];
    const { days } = reportOver(rows, { from: 10, to: 11, now: 12 * DAY + HOUR, named: new Map() });
    expect(days.map(({ totalProfit }) => totalProfit)).toEqual(["8", "12"]);
  });

  it("expects uptime until its last check while checks continue, and all day after they ended", () => {
    const uptimeAt = (now: number) => {
      const rows = [row(10, "0", { to: 10 * DAY + DAY / 2, upMillis: DAY / 2 })];
      return reportOver(rows, { from: 10, to: 10, now, named: new Map() }).strategies[0]?.uptimePercent;
    };
    expect(uptimeAt(10 * DAY + DAY / 2 + MINUTE)).toBe(100);
    expect(uptimeAt(12 * DAY)).toBe(50);
  });
});

it("a table of disposals rounds quotients to eight places, and leaves unknown costs empty", () => {
  const long = "1.23456789012";
  const row = { timestamp: 1, costFifo: long, gainFifo: long, costAverage: long, gainAverage: long };
  const none = { timestamp: 2, costFifo: null, gainFifo: null, costAverage: null, gainAverage: null };
  const shown = disposalsView([row, none] as unknown as readonly DisposalRow[]);
  const short = 1.23456789;
  expect(shown).toMatchObject({
    disposals: [
      { costFifo: short, gainFifo: short, costAverage: short, gainAverage: short },
      { costFifo: null, gainFifo: null, costAverage: null, gainAverage: null },
    ],
  });
});
