import { describe, expect, it } from "vitest";
import { boundsOf, type PassOptions } from "../../../src/engine/pass/pass.ts";
import { accountsDue, runAccountPass, runPassNow, runRound } from "../../../src/engine/pass/round.ts";
import { upgraded } from "../../../src/engine/pass/upgrade.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import type { Kind } from "../../../src/ports/kind.ts";
import { d } from "../../support/grid.ts";
import { ACCOUNT, NOW, order, snapshot, strategy } from "../../support/made.ts";
import { exchangeOf } from "./answering.ts";

/** By the clock of the process. */
const BEGAN = 1_000;

type Setup = Parameters<typeof runRound>[0];

interface Given {
  readonly accounts?: readonly { account: string; retryAt?: number; failures?: number }[];
  /** Requests that are left before each account. */
  readonly requests?: readonly number[];
  readonly isMine?: (exchange: string) => boolean;
  readonly takeLease?: () => Promise<undefined>;
}

/** A process whose every lease is taken by somebody else. */
function processOf({ accounts = [], requests, isMine = () => true, takeLease }: Given = {}) {
  const leases: unknown[] = [];
  const spans: unknown[] = [];
  let now = BEGAN;
  const left = [...(requests ?? [])];
  const deps = {
    store: {
      due: async () =>
        accounts.map(({ account, retryAt = 0, failures = 1 }) => ({ account, retryAt, failures, now: NOW })),
      takeLease: async (request: object) => {
        leases.push(request);
        await takeLease?.();
        return undefined;
      },
    },
    local: {
      name: "process",
      randomText: () => "r".repeat(16),
      monotonic: () => now,
      sleep: async (millis: number) => {
        now += millis;
      },
    },
    log: () => {},
    kinds: () => gridKind,
    venueOf: (account: { exchange: string }) =>
      isMine(account.exchange) ? exchangeOf({ account } as never).venue : undefined,
    ...(requests ? { requests: () => left.shift() ?? 0 } : {}),
    tracer: undefined as unknown,
  };
  const traced = {
    span: async (name: string, given: object, go: (span: object) => Promise<unknown>) => {
      const results: unknown[] = [name, given];
      spans.push(results);
      return go({ set: (more: object) => results.push(more), fail: (why: string) => results.push(why) });
    },
  };
  return { deps: deps as unknown as Setup, traced, leases, spans, now: () => now };
}

const KRAKEN = "live:kraken:api.kraken.com";
const MEXC = "live:mexc:api.mexc.com";

describe("a tick", () => {
  it("makes a pass over each account with work to do, except one that waits after a failure", async () => {
    const { deps, leases } = processOf({
      accounts: [{ account: KRAKEN }, { account: MEXC, retryAt: NOW + 1 }, { account: MEXC, retryAt: NOW }],
    });
    const options: PassOptions = { scheduled: 77 };
    expect(await runRound(deps, options)).toEqual([
      { account: KRAKEN, outcome: "busy" },
      { account: MEXC, outcome: "backing_off" },
      { account: MEXC, outcome: "busy" },
    ]);
    expect(leases).toMatchObject([{ account: KRAKEN, scheduled: 77, isUrgent: false }, { account: MEXC }]);
  });

  it("tries accounts that wait after a failure if a person asks, but none that waits for its rate limit", async () => {
    const { deps } = processOf({
      accounts: [
        { account: KRAKEN, retryAt: NOW + 1 },
        { account: MEXC, retryAt: NOW + 1, failures: 0 },
      ],
    });
    expect(await runRound(deps, { retries: true })).toEqual([
      { account: KRAKEN, outcome: "busy" },
      { account: MEXC, outcome: "backing_off" },
    ]);
  });

  it("makes passes over accounts with a pace only", async () => {
    const { deps, leases } = processOf({ accounts: [{ account: KRAKEN }, { account: MEXC }] });
    expect(await runRound(deps, { paceOf: (account) => (account === MEXC ? 30_000 : undefined) })).toEqual([
      { account: MEXC, outcome: "busy" },
    ]);
    expect(leases).toHaveLength(1);
  });

  it("postpones accounts that there are not enough requests for", async () => {
    const accounts = [{ account: KRAKEN }, { account: MEXC }];
    const outcomes = async (requests: readonly number[]) =>
      (await runRound(processOf({ accounts, requests }).deps)).map(({ outcome }) => outcome);
    expect(await outcomes([12, 50, 11])).toEqual(["busy", "busy"]);
    expect(await outcomes([11, 11])).toEqual(["postponed", "postponed"]);
  });

  it("reports an account without keys in this process, and the cause of a failure", async () => {
    const { deps } = processOf({ isMine: (exchange) => exchange !== "kraken" });
    expect(await runAccountPass(deps, KRAKEN as never, {})).toEqual({
      account: KRAKEN,
      outcome: "not_configured",
      message: "this process is not configured for it",
    });
    const broken = processOf({ takeLease: () => Promise.reject(new Error("no database")) });
    expect(await runAccountPass(broken.deps, MEXC as never, {})).toMatchObject({
      outcome: "failed",
      message: "no database",
    });
    const torn = {
      ...broken.deps,
      log: () => {
        throw new Error("no log");
      },
    } as unknown as Setup;
    expect(await runAccountPass(torn, MEXC as never, {})).toEqual({
      account: MEXC,
      outcome: "failed",
      message: "no log",
    });
  });

  it("ends the pass of each account, also of one whose exchange cannot be created", async () => {
    const { deps } = processOf({
      accounts: [{ account: KRAKEN }, { account: MEXC }],
      isMine(exchange) {
        if (exchange === "kraken") throw new Error("no exchange");
        return true;
      },
    });
    const ended: string[] = [];
    const passes = await runRound(deps, {
      ended: ({ account, outcome }) => ended.push(`${account} ${outcome}`),
    });
    expect(passes).toMatchObject([{ outcome: "failed", message: "no exchange" }, { outcome: "busy" }]);
    expect(ended.sort()).toEqual([`${KRAKEN} failed`, `${MEXC} busy`]);
  });

  it("is due for accounts of this process that do not wait", async () => {
    const { deps } = processOf({
      accounts: [{ account: KRAKEN }, { account: MEXC, retryAt: NOW + 1 }, { account: MEXC, retryAt: NOW }],
      isMine: (exchange) => exchange === "mexc",
    });
    expect(await accountsDue(deps)).toEqual([MEXC]);
    expect(await accountsDue({ ...deps, venueOf: processOf().deps.venueOf })).toEqual([KRAKEN, MEXC]);
  });
});

describe("a manually requested pass", () => {
  it("waits for the lease, ten seconds at most", async () => {
    const { deps, leases, now } = processOf();
    const { venue } = exchangeOf();
    const waits: number[] = [];
    const waiting = { ...venue, wait: async () => void waits.push(now()) };
    expect(await runPassNow(deps, waiting)).toMatchObject({ outcome: "busy" });
    expect(leases).toHaveLength(202);
    expect(leases[0]).toMatchObject({ isUrgent: true });
    expect([waits.length, waits[0], waits.at(-1), now()]).toEqual([
      201,
      BEGAN,
      BEGAN + 10_000,
      BEGAN + 10_050,
    ]);
  });

  it("completes as soon as the pass was made", async () => {
    const { deps, leases } = processOf({ takeLease: () => Promise.reject(new Error("no database")) });
    expect(await runPassNow(deps, exchangeOf().venue)).toMatchObject({ outcome: "failed" });
    expect(leases).toHaveLength(1);
  });
});

describe("a traced pass", () => {
  it("is a span with its outcome", async () => {
    const busy = processOf();
    await runAccountPass({ ...busy.deps, tracer: busy.traced } as never, KRAKEN as never, {});
    const failed = processOf({ takeLease: () => Promise.reject(new Error("no database")) });
    await runAccountPass({ ...failed.deps, tracer: failed.traced } as never, KRAKEN as never, {});
    const of = { "edgemaker.exchange": "kraken", "edgemaker.account.kind": "live" };
    expect([...busy.spans, ...failed.spans]).toEqual([
      ["pass", of, { "edgemaker.pass.outcome": "busy" }],
      ["pass", of, { "edgemaker.pass.outcome": "failed" }, "failed"],
    ]);
  });
});

describe("the bounds of a pass's orders", () => {
  it("are the account's limits minus their usage, at the time of a real exchange", () => {
    const limits = { version: 7, set: {} } as unknown as ReturnType<typeof snapshot>["limits"];
    const bounds = boundsOf(snapshot({ limits, orders: [order(), order()] }), {
      maxOrderValue: d("50"),
    } as never);
    expect(bounds.now).toBe(NOW);
    expect(bounds.standings.version).toBe(7);
    expect(bounds.standings.all).toMatchObject([{ actor: null, used: { openOrders: 2 } }]);
    const lease = { ...snapshot().lease, account: "sandbox:kraken:" } as never;
    expect(boundsOf(snapshot({ limits, lease }), undefined).now).toBeUndefined();
  });
});

describe("a strategy stored by an older version", () => {
  const kind = {
    ...gridKind,
    version: 3,
    upgrade: (state: object, version: number) => ({ ...state, from: version }),
  } as unknown as Kind;

  it("is migrated to its kind's version, but one from a newer version is rejected", () => {
    const old = strategy({ version: 2 });
    expect(upgraded(kind, old)).toEqual({ ...old, version: 3, state: { ...old.state, from: 2 } });
    const same = strategy({ version: 3 });
    expect(upgraded(kind, same)).toBe(same);
    expect(() => upgraded(kind, strategy({ version: 4 }))).toThrow("g was stored by a newer version");
  });
});

it("a tick includes the account in its results", async () => {
  const { deps } = processOf({ accounts: [{ account: ACCOUNT }] });
  expect((await runRound(deps))[0]?.account).toBe(ACCOUNT);
});
