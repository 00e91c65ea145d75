import { describe, expect, it } from "vitest";
import { runPass } from "../../../src/engine/pass/pass.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { BudgetSpent, VenueError, type VenueFailure } from "../../../src/kernel/errors.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import type { CancelOutcome, CreateOutcome, Permit } from "../../../src/ports/venue.ts";
import { d, slot, state } from "../../support/grid.ts";
import {
  ACCOUNT,
  describeFilled,
  idOf,
  NOW,
  order,
  reportedOrder,
  SYMBOL,
  snapshot,
  strategy,
  TIMING,
  trade,
} from "../../support/made.ts";
import { exchangeOf } from "./answering.ts";

const START = 5_000;
const MEMORY = { ...snapshot().memory, foreign: [], turn: 0 };
const BOTH = [order({ slot: 0 }), order({ slot: 1, exchangeId: "x2", side: "sell", price: d("120") })];
const OPEN = [
  reportedOrder(),
  reportedOrder({ id: "x2", clientId: idOf({ slot: 1 }), side: "sell", price: d("120") }),
];
const buying = (over: object = {}) =>
  state([slot(), slot({ index: 1, lower: d("90"), upper: d("100") })], { epoch: 1, ...over });

interface Setup {
  readonly over?: Partial<Snapshot>;
  readonly exchange?: Parameters<typeof exchangeOf>[0];
  readonly creates?: readonly CreateOutcome[];
  readonly cancels?: readonly CancelOutcome[];
  readonly enter?: () => Promise<void>;
  readonly settle?: () => Promise<void>;
  readonly isAccepted?: boolean;
  readonly isPlain?: boolean;
  readonly refused?: readonly string[];
  readonly interval?: number;
  readonly options?: Parameters<typeof runPass>[2];
}

/** One pass over the grid `g`, in the order of what it does; nothing of it is written but what it says. */
async function stepped(deps: Setup = {}) {
  const {
    over = {},
    exchange = {},
    isAccepted = false,
    isPlain = false,
    refused = [],
    interval,
    options,
  } = deps;
  const answers = { creates: [...(deps.creates ?? [])], cancels: [...(deps.cancels ?? [])] };
  const did: unknown[] = [];
  const said: unknown[] = [];
  const settled: Record<string, unknown>[] = [];
  const before = snapshot({
    memory: MEMORY,
    orders: BOTH,
    limits: { version: 0, set: {} },
    kill: { on: false, cancels: false, sells: false },
    ...over,
  });
  const store = {
    knownKilled: () => false,
    killed: async () => false,
    ordersByIds: async () => [],
    nextEpoch: async () => void did.push("epoch"),
    async takeLease(request: object) {
      did.push(["takeLease", request]);
      return isAccepted ? undefined : before;
    },
    async record(_: object, changes: readonly { intents: readonly { clientId: string }[] }[]) {
      const ids = changes.flatMap(({ intents }) => intents.map(({ clientId }) => clientId));
      if (ids.length > 0) did.push(["record", ids]);
      return new Set(ids.filter((id) => !refused.includes(id)));
    },
    async settle(_: object, settlement: Record<string, unknown>) {
      did.push("settle");
      settled.push(settlement);
      await deps.settle?.();
    },
  };
  const { venue, requests } = exchangeOf({
    openOrders: async () => {
      did.push("read");
      return over.orders ? [] : OPEN;
    },
    balances: async () =>
      [
        { asset: "USDT", free: d("10000"), used: 0n, total: d("10000") },
        { asset: "BTC", free: d("10"), used: 0n, total: d("10") },
      ] as never,
    ...exchange,
  });
  const trading = {
    ...venue,
    async create({ clientId }: { clientId: string }, permit: Permit): Promise<CreateOutcome> {
      did.push(["create", clientId]);
      await permit.look?.();
      if (!permit.mayLeave()) return { result: "not_sent" };
      return answers.creates.shift() ?? { result: "accepted", id: `y${clientId}` };
    },
    async cancel({ id }: { id: string }): Promise<CancelOutcome> {
      did.push(["cancel", id]);
      return answers.cancels.shift() ?? { result: "accepted" };
    },
  };
  const leased = {
    ...trading,
    enter: async () => {
      did.push("enter");
      await deps.enter?.();
    },
    leave: async () => void did.push("leave"),
  };
  const under = (lease: unknown, how: unknown) => {
    did.push(["under", lease, how]);
    return leased;
  };
  const local = { name: "process", randomText: (size: number) => "r".repeat(size), monotonic: () => START };
  const log = (...line: unknown[]) => void said.push(line);
  const pass = await runPass(
    { store, local, log, kinds: () => gridKind, interval } as never,
    (isPlain ? trading : { ...trading, under }) as never,
    options,
  );
  return { pass, did, said, settled: settled[0] as Record<string, unknown>, requests };
}

const namesOf = (did: readonly unknown[]) => did.map((one) => (Array.isArray(one) ? one[0] : one));

describe("a pass", () => {
  it("takes its lease, reads, and releases the lease with its updated memory", async () => {
    const { pass, did, said, settled } = await stepped({ options: { scheduled: 9 } });
    expect(pass).toEqual({ account: ACCOUNT, outcome: "stepped", cancels: 0 });
    expect(namesOf(did)).toEqual(["takeLease", "under", "enter", "read", "leave", "settle"]);
    expect(did[0]).toEqual([
      "takeLease",
      {
        account: ACCOUNT,
        owner: `process/${"r".repeat(16)}`,
        ttl: TIMING.leaseTtl,
        overlap: TIMING.overlap,
        scheduled: 9,
        isUrgent: false,
      },
    ]);
    expect(did[1]).toEqual([
      "under",
      snapshot().lease,
      { requestedAt: START, isUrgent: false, yieldsAfter: 1_000 },
    ]);
    expect(said).toEqual([]);
    expect(settled).toMatchObject({ outcomes: [], events: [], phases: [], failure: null });
    expect(settled.memory).toMatchObject({ turn: 0, failed: undefined });
    expect("interval" in (settled.memory as object)).toBe(false);
    expect((settled.calls as { made: number }).made).toBe(3);
  });

  it.each([true, undefined])("requests its first calls with the lease, paid: %s", async (isPaid) => {
    const calls = { calls: 3, kept: 2, rate: { burst: 9, perSecond: 1 } };
    const opening = (isUrgent: boolean) => ({ ...calls, kept: isUrgent ? 0 : calls.kept });
    const { did } = await stepped({ exchange: { opening }, over: isPaid ? { isPaid } : {} });
    expect(did[0]).toEqual(["takeLease", expect.objectContaining({ calls })]);
    const [, , how] = did[1] as [string, object, object];
    expect(how).toEqual({
      requestedAt: START,
      isUrgent: false,
      yieldsAfter: 1_000,
      ...(isPaid ? { paid: calls } : {}),
    });
    const urgent = await stepped({ exchange: { opening }, options: { isUrgent: true } });
    expect(urgent.did[0]).toEqual(["takeLease", expect.objectContaining({ calls: { ...calls, kept: 0 } })]);
  });

  it("uses the exchange directly if that has no variant for lease holders", async () => {
    const { pass, did } = await stepped({ isPlain: true });
    expect([pass.outcome, namesOf(did)]).toEqual(["stepped", ["takeLease", "read", "settle"]]);
  });

  it("does nothing if another process has the lease", async () => {
    const { pass, did } = await stepped({ isAccepted: true });
    expect([pass, namesOf(did)]).toEqual([{ account: ACCOUNT, outcome: "busy" }, ["takeLease"]]);
  });

  it("yields to users sooner the less it was delayed, but never when it stops something", async () => {
    const how = async (over: Partial<Snapshot>, isUrgent = false) =>
      ((await stepped({ over, options: { isUrgent } })).did[1] as unknown[])[2];
    const turned = (turn: number) => ({ memory: { ...MEMORY, turn } });
    expect(await how(turned(8))).toMatchObject({ yieldsAfter: 1_000, isUrgent: false });
    expect(await how(turned(9))).toMatchObject({ yieldsAfter: 5_000 });
    expect(await how(turned(10))).toMatchObject({ yieldsAfter: 1_000 });
    expect(await how({}, true)).toMatchObject({ yieldsAfter: 1_000, isUrgent: true });
    expect(await how({ strategies: [strategy({ wants: "stop" })] })).toMatchObject({
      yieldsAfter: undefined,
      isUrgent: true,
    });
  });

  it("stores its interval, and reports when a stop price is watched again", async () => {
    const watched = strategy({ config: { stopLossPrice: d("1") } as never });
    const memory = { ...MEMORY, marks: {}, unwatched: ["g"] };
    const { settled } = await stepped({ over: { strategies: [watched], memory }, interval: 5_000 });
    expect(settled.memory).toMatchObject({ interval: 5_000, unwatched: [] });
    expect(settled.events).toMatchObject([{ kind: "watch", message: "the stop price is watched again" }]);
  });
});

it("a pass measures the time from each new fill to its strategy's next orders", async () => {
  const fills = async (_: string, { from }: { from: number }) => ({
    fills: [trade({ amount: d("2"), notional: d("200"), at: NOW - 700 })],
    unreadable: [],
    covered: { from, to: NOW },
    now: NOW,
  });
  const balances = async () => [{ asset: "BTC", free: d("10"), used: 0n }];
  const order = async () => describeFilled();
  const { pass } = await stepped({
    over: { strategies: [strategy({ state: state([slot()], { epoch: 1 }) })], orders: [BOTH[0] as never] },
    exchange: { fills, order, balances, openOrders: async () => [] },
  });
  expect(pass).toMatchObject({ outcome: "stepped", reactions: [700] });
});

describe("the orders that a pass places", () => {
  const empty = { orders: [], strategies: [strategy({ phase: "placing", state: buying() })] };

  it("are recorded first, and reported as the exchange responds", async () => {
    const { did, settled, pass } = await stepped({ over: empty });
    const names = namesOf(did);
    expect(names.filter((one) => one === "create")).toHaveLength(2);
    expect(names.indexOf("record")).toBeLessThan(names.indexOf("create"));
    expect(names.slice(-2)).toEqual(["leave", "settle"]);
    expect(settled.outcomes).toMatchObject([{ state: "submitted" }, { state: "submitted" }]);
    expect(settled.phases).toEqual([{ id: "g", phase: "active" }]);
    expect(pass.outcome).toBe("stepped");
  });

  it("make the strategy active only once all of them are accepted", async () => {
    const { settled } = await stepped({ over: empty, creates: [{ result: "rejected", reason: "no" }] });
    expect(settled.phases).toEqual([]);
    expect(settled.events).toMatchObject([{ kind: "rejected" }]);
  });

  it("are only those that the record confirms as written", async () => {
    const all = await stepped({ over: empty });
    const ids = (all.did.find((one) => Array.isArray(one) && one[0] === "record") as [string, string[]])[1];
    const { did, settled } = await stepped({ over: empty, refused: ids.slice(0, 1) });
    expect(did.filter((one) => Array.isArray(one) && one[0] === "create")).toEqual([["create", ids[1]]]);
    expect(settled.outcomes).toHaveLength(1);
  });

  it("fall short if there are no calls for them, and the next pass starts elsewhere", async () => {
    const over = { ...empty, memory: { ...MEMORY, turn: 4 } };
    const { settled, pass } = await stepped({ over, options: { calls: 5 } });
    expect([pass.outcome, (settled.memory as { turn: number }).turn]).toEqual(["short", 5]);
    const whole = await stepped({ over, options: { calls: 6 } });
    expect([whole.pass.outcome, (whole.settled.memory as { turn: number }).turn]).toEqual(["stepped", 0]);
  });
});

describe("a pass that stops something", () => {
  const stopping = { strategies: [strategy({ wants: "stop" })] };

  it("sends its cancels before it reads, and does not repeat them", async () => {
    const { did, pass } = await stepped({ over: stopping });
    expect(namesOf(did).slice(0, 6)).toEqual(["takeLease", "under", "cancel", "cancel", "enter", "read"]);
    expect(did.filter((one) => Array.isArray(one) && one[0] === "cancel")).toEqual([
      ["cancel", "x1"],
      ["cancel", "x2"],
    ]);
    expect(pass.cancels).toBe(2);
  });

  it("says that another pass has to follow, as one that begins an exit does", async () => {
    const leaving = async (over: object) => (await stepped({ over })).pass.isLeaving;
    const config = { ...strategy().config, stopLossPrice: d("200") };
    expect(await leaving(stopping)).toBe(true);
    expect(
      await leaving({ strategies: [strategy({ config: { ...config, stopAtOnce: true } as never })] }),
    ).toBe(true);
    expect(await leaving({ strategies: [strategy({ config: config as never })] })).toBeUndefined();
    expect(await leaving({ ...stopping, orders: [] })).toBeUndefined();
  });

  it("lets the next pass wait for its tick once it has sold, because a further sale is cheaper", async () => {
    const sell = slot({ side: "sell", base: d("1"), cost: d("100"), bought: d("1") });
    const selling = state([sell], { epoch: 1, exit: { reason: "stop_loss", tries: 0 } });
    const { did, pass } = await stepped({
      over: { strategies: [strategy({ phase: "stopping", state: selling })], orders: [] },
    });
    expect(namesOf(did)).toContain("create");
    expect(pass.isLeaving).toBeUndefined();
  });

  it("sends no more of them if it lacked the calls, and reports that it fell short", async () => {
    const { did, pass, settled } = await stepped({
      over: stopping,
      cancels: [{ result: "rejected", reason: "slow down", failure: "rate_limited" }],
    });
    expect(did.filter((one) => Array.isArray(one) && one[0] === "cancel")).toEqual([["cancel", "x1"]]);
    expect([pass.outcome, pass.cancels]).toEqual(["short", 0]);
    expect((settled.events as { message: string }[])[0]?.message).toMatch(/cancel rejected: slow down$/);
  });
});

describe("a failing pass", () => {
  it("skips a strategy that a newer version has stored", async () => {
    const { pass, did } = await stepped({ over: { strategies: [strategy({ version: 99 })] } });
    expect(pass).toMatchObject({
      outcome: "failed",
      message: "g was stored by a newer version of edgemaker",
    });
    expect(namesOf(did)).toEqual(["takeLease", "under", "leave", "settle"]);
  });

  const silent = { openOrders: () => Promise.reject(new VenueError("unavailable", "no answer")) };

  it.each([
    [0, 15_000],
    [2, 60_000],
    [9, 300_000],
    [90, 300_000],
  ])("after %i others releases its lease, and is retried after %i ms", async (failures, wait) => {
    const { pass, settled, said, did } = await stepped({ exchange: silent, over: { failures } });
    expect(pass).toEqual({ account: ACCOUNT, outcome: "failed", message: "no answer", cancels: 0 });
    expect(said).toEqual([["warn", "a pass failed", { account: ACCOUNT, reason: "no answer" }]]);
    expect(settled).toMatchObject({ outcomes: [], phases: [], memory: null, events: [] });
    expect(settled.failure).toEqual({ message: "no answer", retryAt: NOW + wait, of: "unavailable" });
    expect(namesOf(did).slice(-2)).toEqual(["leave", "settle"]);
  });

  it("alerts once when the exchange rejects the API key", async () => {
    const refused = { openOrders: () => Promise.reject(new VenueError("invalid_credentials", "wrong key")) };
    const eventsAfter = async (failed: VenueFailure | undefined) => {
      const memory = { ...snapshot().memory, failed };
      return (await stepped({ exchange: refused, over: { memory } })).settled.events;
    };
    const alert = {
      account: ACCOUNT,
      strategy: null,
      at: NOW,
      kind: "error",
      message: expect.stringMatching(
        /^wrong key; no order of kraken is placed or canceled until its API key works/,
      ),
    };
    expect(await eventsAfter(undefined)).toEqual([alert]);
    expect(await eventsAfter("unavailable")).toEqual([alert]);
    expect(await eventsAfter("invalid_credentials")).toEqual([]);
  });

  it("reports its earlier requests, and that the exchange did not cause the failure", async () => {
    const broken = { openOrders: () => Promise.reject(new TypeError("a mistake")) };
    const { pass, settled } = await stepped({
      exchange: broken,
      over: { strategies: [strategy({ wants: "stop" })] },
      cancels: [{ result: "unknown", reason: "no answer" }],
    });
    expect(pass.cancels).toBe(1);
    expect(settled.failure).toMatchObject({ of: undefined });
    expect(settled.phases).toEqual([{ id: "g", phase: "stopping" }]);
    expect((settled.events as { message: string }[]).map(({ message }) => message)).toEqual([
      `${idOf({ slot: 0 })}: cancel unknown: no answer`,
      "2 cancels were sent, then reading failed: a mistake",
    ]);
  });

  it("reports a stop price that was not watched in the meantime", async () => {
    const watched = strategy({ config: { stopLossPrice: d("1") } as never });
    const marks = { [SYMBOL]: { mid: d("100"), at: 0, observedAt: NOW - 60_000 } };
    const over = { strategies: [watched], memory: { ...MEMORY, marks } };
    const { settled } = await stepped({ exchange: silent, over, interval: 5_000 });
    expect([settled.unwatched, (settled.events as { kind: string }[])[0]?.kind]).toEqual([["g"], "watch"]);
  });

  it("reports when its lease cannot be released either", async () => {
    const settle = () => Promise.reject(new Error("no database"));
    const { said, pass } = await stepped({ exchange: silent, settle });
    expect(pass.outcome).toBe("failed");
    expect(said[1]).toEqual([
      "warn",
      "a pass could not release its lease",
      { account: ACCOUNT, reason: "no database" },
    ]);
  });
});

describe("a pass that is postponed for lack of calls", () => {
  it("reports its earlier requests", async () => {
    const { settled, pass } = await stepped({
      enter: () => Promise.reject(new BudgetSpent("no calls left", 700)),
      over: { strategies: [strategy({ wants: "stop" })] },
      cancels: [{ result: "unknown", reason: "no answer" }],
    });
    expect(pass.cancels).toBe(1);
    expect(settled.events).toMatchObject([{ message: `${idOf({ slot: 0 })}: cancel unknown: no answer` }]);
    expect((settled.calls as { made: number }).made).toBe(2);
  });

  it("falls short if the exchange's budget ends between its reads", async () => {
    const exchange = { openOrders: () => Promise.reject(new BudgetSpent("no calls left", 700)) };
    const { pass, settled } = await stepped({ exchange });
    expect([pass.outcome, settled.failure, (settled.memory as { turn: number }).turn]).toEqual([
      "short",
      null,
      1,
    ]);
  });

  it("resumes when calls are available, and counts neither as failed nor as made", async () => {
    const memory = { ...MEMORY, turn: 3, failed: "unavailable" as const };
    const { pass, settled, said } = await stepped({
      enter: () => Promise.reject(new BudgetSpent("no calls left", 700)),
      over: { memory },
    });
    const postponed = { outcome: "short", message: "no calls left", cancels: 0, retryIn: 700 };
    expect(pass).toEqual({ account: ACCOUNT, ...postponed });
    expect(said).toEqual([]);
    expect(settled).toMatchObject({ outcomes: [], failure: null, resumeAt: NOW + 700, events: [] });
    expect(settled.memory).toEqual({ ...memory, failed: undefined, turn: 3 });
  });
});

it("a pass detects that its database lost its last writes, and places nothing", async () => {
  const strange = reportedOrder({ id: "x9", clientId: idOf({ serial: 5 }) });
  const { did, settled } = await stepped({
    exchange: { openOrders: async () => [...OPEN, strange] },
    over: { orders: [], strategies: [strategy({ state: buying() })] },
  });
  expect(did).toContain("epoch");
  expect(namesOf(did)).not.toContain("create");
  expect((settled.events as { message: string }[])[0]?.message).toMatch(
    /the database has lost its last commits/,
  );
});
