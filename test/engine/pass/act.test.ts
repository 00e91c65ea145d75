import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/engine/decide/decide.ts";
import { act, cancelEach, protocolTime, record } from "../../../src/engine/pass/act.ts";
import { budgetOf } from "../../../src/engine/pass/budget.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import { NEW_ORDER, type Order } from "../../../src/model/order.ts";
import {
  type Changes,
  NO_CHANGES,
  type PassStore,
  type Snapshot,
} from "../../../src/ports/stores/pass-store.ts";
import type { CancelOutcome, CreateOutcome, Permit, Venue } from "../../../src/ports/venue.ts";
import type { Local } from "../../../src/ports/within-time.ts";
import { d } from "../../support/grid.ts";
import { ACCOUNT, fill, NOW, order, SYMBOL, snapshot, strategy } from "../../support/made.ts";

const orderOf = (clientId: string, over: Partial<Order> = {}): Order => ({
  ...NEW_ORDER,
  clientId,
  account: "sim sandbox ",
  strategy: "grid-1",
  kind: "slot",
  generation: 0,
  slot: 0,
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: d("100"),
  amount: d("2"),
  timeInForce: "post_only",
  createdAt: 0,
  sendBy: 36_000,
  notAfter: 51_000,
  ...over,
});

interface Setup {
  readonly creates?: readonly CreateOutcome[];
  readonly cancels?: readonly CancelOutcome[];
  /** Seconds that each look at the switch takes. */
  readonly looks?: number;
  readonly killed?: readonly boolean[];
  readonly calls?: number;
  readonly startsAt?: number;
  readonly leaseNow?: number;
  readonly orders?: readonly Order[];
}

/** Two creates and one cancel, on an exchange that answers so; the lease was taken at 1 s for 45 s. */
async function acted({ creates = [], cancels = [], looks = 0, killed = [], calls, ...deps }: Setup) {
  const { startsAt = 2000, leaseNow = 1000, orders = [orderOf("a"), orderOf("b")] } = deps;
  let now = startsAt;
  const sent: string[] = [];
  const looked: unknown[] = [];
  let requestCount = 0;
  const answers = { creates: [...creates], cancels: [...cancels], killed: [...killed] };
  const venue = {
    async create({ clientId }: { clientId: string }, permit: Permit): Promise<CreateOutcome> {
      requestCount++;
      await permit.look?.();
      if (!permit.mayLeave()) return { result: "not_sent" };
      sent.push(clientId);
      return answers.creates.shift() ?? { result: "accepted", id: `x-${clientId}` };
    },
    async cancel({ id }: { id: string }, permit: Permit): Promise<CancelOutcome> {
      requestCount++;
      if (!permit.mayLeave()) return { result: "not_sent" };
      sent.push(`cancel ${id}`);
      return answers.cancels.shift() ?? { result: "accepted" };
    },
  } as unknown as Venue;
  const store = {
    knownKilled: () => false,
    async killed(_: unknown, kind: unknown) {
      looked.push(kind);
      now += looks * 1000;
      return answers.killed.shift() ?? false;
    },
  } as unknown as PassStore;
  const local = { monotonic: () => now } as Local;
  const lease = {
    account: "sim sandbox ",
    token: 1,
    owner: "one",
    until: leaseNow + 45_000,
    now: leaseNow,
  } as const;
  const done = await act(
    { venue, store, local },
    { lease, requestedAt: 1000, requestTimeout: 10_000, opened: new Map(), canceled: new Map() },
    {
      cancels: [orderOf("c", { exchangeId: "7" })],
      creates: orders,
      budget: budgetOf({ clock: () => now, last: 36_000 }, calls),
    },
  );
  const outcomes = done.outcomes.map(({ clientId, state, reason }) => [clientId, state, reason]);
  return {
    sent,
    outcomes,
    events: done.events.map(({ kind, message }) => [kind, message]),
    short: done.short,
    looked,
    requestCount,
  };
}

const NOT_SENT = (id: string) => [id, "rejected", "not sent"];

describe("the requests of a pass", () => {
  it("send cancels first, then orders, and mark accepted orders as submitted", async () => {
    expect(await acted({})).toMatchObject({
      sent: ["cancel 7", "a", "b"],
      outcomes: [
        ["a", "submitted", null],
        ["b", "submitted", null],
      ],
      events: [],
      short: false,
    });
  });

  it("emit an event if the exchange rejects an order or does not respond, but not if the market moved", async () => {
    const { outcomes, events } = await acted({
      creates: [
        { result: "rejected", reason: "insufficient balance" },
        { result: "unknown", reason: "no answer" },
      ],
    });
    expect(outcomes).toEqual([
      ["a", "rejected", "insufficient balance"],
      ["b", "unknown", "no answer"],
    ]);
    expect(events).toEqual([
      ["rejected", "a: insufficient balance"],
      ["error", "b: the exchange did not confirm the order: no answer"],
    ]);
    const taking = await acted({ creates: [{ result: "rejected", reason: "would match", wouldTake: true }] });
    expect(taking.outcomes[0]).toEqual(["a", "rejected", "would take: would match"]);
    expect(taking.events).toEqual([]);
  });

  it("emit an event for a cancel without a response", async () => {
    const { events, sent } = await acted({ cancels: [{ result: "unknown", reason: "no answer" }] });
    expect(events).toEqual([["error", "c: cancel unknown: no answer"]]);
    expect(sent).toEqual(["cancel 7", "a", "b"]);
  });

  it("stop when the exchange rate-limits them", async () => {
    const full = { result: "rejected", reason: "too many", failure: "rate_limited" } as const;
    const first = await acted({ creates: [full] });
    expect([first.sent, first.outcomes[1], first.short]).toEqual([["cancel 7", "a"], NOT_SENT("b"), true]);
    const cancelled = await acted({ cancels: [full as CancelOutcome] });
    expect([cancelled.sent, cancelled.outcomes]).toEqual([["cancel 7"], [NOT_SENT("a"), NOT_SENT("b")]]);
  });

  it.each([
    [0, []],
    [1, ["cancel 7"]],
    [2, ["cancel 7", "a"]],
    [3, ["cancel 7", "a", "b"]],
  ])("are limited to a budget of %i calls", async (calls, sent) => {
    expect(await acted({ calls })).toMatchObject({ sent, short: calls < 3 });
  });

  it("are sent until the last moment of the lease, and not after it", async () => {
    expect((await acted({ startsAt: 36_000 })).sent).toEqual(["cancel 7", "a", "b"]);
    expect((await acted({ startsAt: 36_001 })).sent).toEqual([]);
  });

  it("are sent until the order's deadline, by the lease's clock", async () => {
    const creates = [orderOf("a", { sendBy: 3000 }), orderOf("b", { sendBy: 2999 })];
    expect((await acted({ orders: creates, startsAt: 3000 })).sent).toEqual(["cancel 7", "a"]);
    // The store's clock is 500 ms behind this process's.
    expect((await acted({ orders: creates, startsAt: 3500, leaseNow: 500 })).sent).toEqual(["cancel 7", "a"]);
  });

  it("check the kill switch by the purpose of each order", async () => {
    const orders = [orderOf("a", { kind: "exit" }), orderOf("b")];
    expect((await acted({ orders })).looked).toEqual(["exit", "slot"]);
    const { sent, outcomes } = await acted({ orders, killed: [false, true] });
    expect([sent, outcomes[1]]).toEqual([["cancel 7", "a"], NOT_SENT("b")]);
  });

  it("are not passed to the exchange once the kill switch is on", async () => {
    expect((await acted({ killed: [true] })).requestCount).toBe(2);
  });

  it("continue after the exchange rejects a single order", async () => {
    const refused = { result: "rejected", reason: "no", failure: "refused" } as const;
    const { sent, short } = await acted({ creates: [refused], cancels: [refused] });
    expect([sent, short]).toEqual([["cancel 7", "a", "b"], false]);
  });

  it("stop once the kill switch is on, and repeat a read of the switch that is too old", async () => {
    const killed = await acted({ killed: [false, true], looks: 1 });
    // The first look was as old as it may be when its answer came.
    expect([killed.sent, killed.outcomes]).toEqual([["cancel 7"], [NOT_SENT("a"), NOT_SENT("b")]]);
    // One that is younger than a second holds for the next order too.
    expect((await acted({ killed: [false, true], looks: 0.5 })).sent).toEqual(["cancel 7", "a", "b"]);
  });
});

describe("the cancels of a pass", () => {
  const asking = async (answers: readonly CancelOutcome[], calls?: number) => {
    const left = [...answers];
    const ids: string[] = [];
    let now = 1000;
    const venue = {
      async cancel({ symbol, id }: { symbol: string; id: string }, { sendBy, mayLeave }: Permit) {
        ids.push(`${symbol} ${id} ${sendBy}`);
        now += 600;
        if (left[0]?.result !== "not_sent") mayLeave();
        return left.shift();
      },
    } as unknown as Venue;
    const hold = {
      lease: { account: "a", token: 1, owner: "one", until: 46_000, now: 1000 },
      requestedAt: 1000,
      requestTimeout: 10_000,
      opened: new Map<string, number>(),
      canceled: new Map<string, number>(),
    } as const;
    const cancels = ["7", "8", "9"].map((exchangeId) => orderOf(`c${exchangeId}`, { exchangeId }));
    const budget = budgetOf({ clock: () => 1000, last: 36_000 }, calls);
    const done = await cancelEach({ venue, local: { monotonic: () => now } as Local }, hold, {
      cancels,
      budget,
    });
    const requested = done.requested.map(({ clientId }) => clientId);
    return { ...done, requested, ids, own: budget.own, left: Object.fromEntries(hold.canceled) };
  };
  const accepted = { result: "accepted" } as const;

  it("count as requested, and as accepted when the exchange confirms them", async () => {
    const look = { result: "look" } as const;
    expect(await asking([accepted, look, accepted])).toEqual({
      requested: ["c7", "c8", "c9"],
      confirmed: 2,
      events: [],
      short: false,
      ids: ["BTC/USDT 7 46000", "BTC/USDT 8 46000", "BTC/USDT 9 46000"],
      own: { "grid-1": 3 },
      left: { c7: 1600, c8: 2200, c9: 2800 },
    });
    expect((await asking([look, look, look])).confirmed).toBe(0);
  });

  it("have the time at which they leave, after waiting for their turn", async () => {
    const { left } = await asking([accepted, { result: "not_sent" }, accepted]);
    expect(left).toEqual({ c7: 1600, c9: 2800 });
  });

  it("fall short when there are no calls left or the exchange rate-limits them", async () => {
    expect(await asking([accepted], 1)).toMatchObject({ requested: ["c7"], confirmed: 1, short: true });
    const full = { result: "rejected", reason: "slow down", failure: "rate_limited" } as const;
    expect(await asking([accepted, full])).toMatchObject({
      requested: ["c7", "c8"],
      confirmed: 1,
      short: true,
    });
  });
});

it("tells protocol time in whole milliseconds, and never too early", () => {
  const at = (monotonic: number) =>
    protocolTime({ monotonic: () => monotonic }, { lease: { now: 1_000 }, requestedAt: 50.25 });
  expect([at(50.25), at(50.5), at(60.25)]).toEqual([1_000, 1_001, 1_010]);
});

const cursor = (at: number) => ({ [SYMBOL]: { at, ahead: null } });
const update = (id: string, over: Partial<Changes> = {}): Changes => {
  const { version, state, status, phase, lastError, stoppedAt } = strategy();
  return {
    ...NO_CHANGES,
    strategy: { id, version, state, status, phase, lastError, stoppedAt },
    intents: [order({ clientId: `of ${id}` })],
    ...over,
  };
};

type Refusal = "constraint" | "fenced" | "unavailable";

/** What is written by a store that refuses each batch which has something of this strategy. */
async function written(
  changes: readonly Changes[],
  {
    refuses,
    why = "constraint",
    later = why,
    cursors = {},
  }: {
    refuses?: string;
    why?: Refusal;
    later?: Refusal | null;
    cursors?: Snapshot["cursors"];
  } = {},
) {
  const batches: (readonly Changes[])[] = [];
  const store = {
    async record(_: unknown, all: readonly Changes[]) {
      const isRefused = all.some(
        ({ strategy: one, intents }) => one?.id === refuses && one?.status !== "error" && intents.length > 0,
      );
      const refusal = all.length > 1 ? why : later;
      if (isRefused && refusal) throw new StoreError(refusal, "CHECK constraint failed: filled");
      batches.push(all);
      return new Set(all.flatMap(({ intents }) => intents.map(({ clientId }) => clientId)));
    },
  } as unknown as PassStore;
  const known = snapshot({ cursors, strategies: [strategy({ id: "a" }), strategy({ id: "b", resumes: 3 })] });
  const recorded = await record(store, known, { changes } as Decision);
  return { recorded: [...recorded], batches };
}

describe("the record of a pass", () => {
  it("is one batch, and returns what may be sent", async () => {
    const changes = [update("a"), update("b")];
    expect(await written(changes)).toEqual({ recorded: ["of a", "of b"], batches: [changes] });
    expect(await written([])).toEqual({ recorded: [], batches: [] });
  });

  it("is several batches for many strategies, and one for all fills with the cursors", async () => {
    const many = Array.from({ length: 1100 }, (_, i) => update(`s${i}`));
    const booked = [update("x", { fills: [fill()] }), update("y", { fills: [fill()] })];
    const account = { ...NO_CHANGES, cursors: cursor(9) };
    const { recorded, batches } = await written([booked[0], ...many, booked[1], account] as Changes[]);
    expect(recorded).toHaveLength(1102);
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 100, 3]);
    expect(batches.at(-1)).toEqual([...booked, account]);
  });

  it("omits an order that a constraint rejects, and reports it", async () => {
    const changes = [update("a"), update("b"), { ...NO_CHANGES, cursors: {} }];
    const { recorded, batches } = await written(changes, { refuses: "b" });
    expect(recorded).toEqual(["of a"]);
    const { version, phase, stoppedAt, state } = strategy();
    const message = "CHECK constraint failed: filled";
    expect(batches).toEqual([
      [changes[0]],
      [
        {
          ...NO_CHANGES,
          strategy: {
            id: "b",
            version,
            phase,
            stoppedAt,
            status: "error",
            lastError: message,
            state: { ...state, resumes: 3 },
          },
          events: [{ account: ACCOUNT, strategy: "b", at: NOW, kind: "error", message }],
        },
      ],
      [changes[2]],
    ]);
  });

  it("does not exist if it is rejected for another reason", async () => {
    await expect(written([update("a")], { refuses: "a", why: "fenced" })).rejects.toThrow(/CHECK/);
  });

  it("is not written again in parts if it may have been written", async () => {
    const changes = [update("a"), update("b")];
    const unclear = { refuses: "b", why: "unavailable", later: null } as const;
    await expect(written(changes, unclear)).rejects.toMatchObject({ failure: "unavailable" });
  });

  it("ends if another process takes the lease in the meantime", async () => {
    const changes = [update("a"), update("b")];
    await expect(written(changes, { refuses: "b", later: "fenced" })).rejects.toMatchObject({
      failure: "fenced",
    });
  });

  it("moves no cursor past unbooked fills, but gives a market its first cursor", async () => {
    const fills = [
      fill({ at: NOW - 9 }),
      fill({ tradeId: "t2", at: NOW - 5 }),
      fill({ symbol: "ETH/USDT", at: NOW - 90 }),
    ];
    const all = (at: number) => [update("a"), update("b", { fills }), { ...NO_CHANGES, cursors: cursor(at) }];
    const last = async (at: number, cursors: Snapshot["cursors"] = {}) =>
      (await written(all(at), { refuses: "b", cursors })).batches.at(-1)?.[0]?.cursors;
    expect(await last(NOW, cursor(NOW - 99))).toEqual({});
    expect(await last(NOW)).toEqual(cursor(NOW - 9));
    expect(await last(NOW - 50)).toEqual(cursor(NOW - 50));
    const before = { refuses: "b", cursors: cursor(NOW - 99) };
    const whole = await written([{ ...NO_CHANGES, cursors: cursor(NOW) }, update("b")], before);
    expect(whole.batches[0]?.[0]?.cursors).toEqual(cursor(NOW));
  });

  it("continues if the rejected part is of an unknown strategy", async () => {
    const { recorded, batches } = await written([update("zzz"), update("a")], { refuses: "zzz" });
    expect([recorded, batches.length]).toEqual([["of a"], 1]);
  });
});
