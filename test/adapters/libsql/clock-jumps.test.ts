import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { LIVE_TIMING } from "../../../src/adapters/ccxt/client/quirks.ts";
import { libsqlAdapterStore } from "../../../src/adapters/libsql/adapter-store.ts";
import { auditStore } from "../../../src/adapters/libsql/audit-store.ts";
import { passStore } from "../../../src/adapters/libsql/pass-store.ts";
import { requestStore } from "../../../src/adapters/libsql/request-store.ts";
import { clockLead } from "../../../src/adapters/libsql/store.ts";
import { SANDBOX_TIMING } from "../../../src/adapters/sandbox/venue.ts";
import { parseConfig } from "../../../src/compose/config.ts";
import { watchClock } from "../../../src/engine/pass/pass.ts";
import {
  DAY,
  HOUR,
  isAhead,
  MAX_BACKOFF_MS,
  MAX_LEASE_MS,
  MINUTE,
  SECOND,
} from "../../../src/kernel/time.ts";
import type { AccountKey } from "../../../src/model/account.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import { createReportStore } from "../../../src/report/store.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";
import { migrations } from "../../support/migrations.ts";
import { START } from "../../support/sandbox.ts";

const ACCOUNT = "live:kraken:api.kraken.com";
const RATE = { burst: 20, perSecond: 0.5 };
const countRequests = (calls: number, kept = 0) => ({ calls, kept, rate: RATE });
const UNSETTLED =
  "insert into orders values (?, ?, null, 'hand', 0, 0, 'BTC/USDT', 'buy', 'limit', '1', '1', 'open', null, '0', '0', '0', '{}', '0', null, null, null, 0, 0, 0, null, null, null, 0, 0, null, 'gtc', null)";
const JUMPS = [
  ["an hour ahead for 12 s", HOUR, 12 * SECOND],
  ["two minutes ahead for 4 s", 2 * MINUTE, 4 * SECOND],
  ["a day ahead for 12 s", DAY, 12 * SECOND],
  ["a day behind for 12 s", -DAY, 12 * SECOND],
  ["an hour behind for 12 s", -HOUR, 12 * SECOND],
] as const;

async function jumping() {
  const time = virtualLocal(START);
  let off = 0;
  const context = await openDatabase({
    client: createClient({ url: "file::memory:" }),
    local: time.local,
    migrations,
    kind: "live",
    clock: () => time.now() + off,
  });
  return {
    time,
    context,
    ...libsqlAdapterStore(context),
    steps: passStore(context),
    /** The database's clock is off while this is done, for as long. */
    async within<T>(jump: number, millis: number, act: () => Promise<T>): Promise<T> {
      off = jump;
      const done = await act();
      time.pass(millis);
      off = 0;
      return done;
    },
  };
}

describe.each(JUMPS)("a database clock that was %s", (_what, jump, millis) => {
  it("delays no call longer than the rate limit requires", async () => {
    const { rates, within, time } = await jumping();
    await within(jump, millis, () => rates.exhaust(ACCOUNT, RATE));
    expect(await rates.spend(ACCOUNT, countRequests(1))).toBe(0);
    await rates.exhaust(ACCOUNT, RATE);
    time.pass(40 * SECOND);
    expect(await rates.spend(ACCOUNT, countRequests(20))).toBe(0);
    expect(await rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
  });

  it("counts the rate limit as used up after one call", async () => {
    const { rates, within } = await jumping();
    await within(jump, 0, () => rates.exhaust(ACCOUNT, RATE));
    if (jump < 0) return;
    expect(await rates.spend(ACCOUNT, countRequests(1))).toBe(0);
    expect(await rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
  });

  it("leaves no lease and no wait for a lease behind", async () => {
    const { leases, steps, within, time } = await jumping();
    const lease = { ttl: 10_000, count: 1 };
    await within(jump, millis, async () => {
      await leases.takeLease(ACCOUNT, { ...lease, owner: "a" });
      await leases.wait(ACCOUNT);
    });
    time.pass(1000);
    expect(await leases.awaited(ACCOUNT)).toBe(false);
    expect(await steps.takeLease({ account: ACCOUNT, owner: "b", ttl: 45_000, overlap: 0 })).toBeDefined();
    await leases.wait(ACCOUNT);
    expect(await leases.awaited(ACCOUNT)).toBe(true);
  });

  it("leaves no scheduled pass and no backoff behind", async () => {
    const { context, steps, within } = await jumping();
    const scheduled = { account: ACCOUNT, ttl: 45_000, overlap: 0 };
    await within(jump, millis, async () => {
      const made = { account: ACCOUNT, owner: "a", ttl: 1, count: 1 };
      await libsqlAdapterStore(context).leases.takeLease(ACCOUNT, made);
      await libsqlAdapterStore(context).leases.giveBack(ACCOUNT, "a");
      const accepted = await steps.takeLease({ ...scheduled, owner: "a", scheduled: START + jump });
      const failure = { message: "no answer", retryAt: (accepted?.lease.now ?? 0) + MAX_BACKOFF_MS };
      if (accepted)
        await steps.settle(accepted.lease, {
          outcomes: [],
          phases: [],
          events: [],
          memory: NO_MEMORY,
          failure,
          calls: { made: 0, own: {} },
        });
    });
    if (jump === 2 * MINUTE) return;
    expect(await steps.takeLease({ ...scheduled, owner: "b", scheduled: START + 12 * SECOND })).toBeDefined();
  });

  it("blocks no process from the periodic check, and leaves no request running", async () => {
    const { context, within, time } = await jumping();
    const reports = createReportStore(context);
    const requests = requestStore(context);
    const look = { every: MINUTE, owner: "a", page: 10 };
    const claim = { key: "k", bodyHash: "h" };
    await within(jump, millis, async () => {
      await reports.lookOut(look);
      await requests.claimRequest(claim);
    });
    time.pass(MINUTE);
    expect(await reports.lookOut(look)).toBeDefined();
    await requests.claimRequest(claim);
    time.pass(MINUTE + 1);
    expect(await requests.claimRequest(claim)).toEqual({ state: "new" });
  });

  it("expires cached values", async () => {
    const { markets, within } = await jumping();
    await within(jump, millis, () => markets.keepKind(ACCOUNT, { key: "k", kind: "classic" }));
    const kept = await markets.kind(ACCOUNT);
    expect(kept?.age).toBeGreaterThan(HOUR - 1 - (jump < 0 ? 0 : HOUR));
  });
});

describe("an account whose pass ran while the clock was ahead", () => {
  const NEXT = "live:mexc:api.mexc.com";

  async function steppedAhead() {
    const box = await jumping();
    const step = async (account: AccountKey) => {
      const accepted = await box.steps.takeLease({ account, owner: "a", ttl: 45_000, overlap: 0 });
      if (!accepted) throw new Error("no lease");
      await box.steps.settle(accepted.lease, {
        outcomes: [],
        phases: [],
        events: [],
        memory: NO_MEMORY,
        calls: { made: 0, own: {} },
        failure: null,
      });
    };
    await box.context.client.batch(
      [ACCOUNT, NEXT].flatMap((account) => [
        { sql: "insert into accounts (account, memory) values (?, '{}')", args: [account] },
      ]),
      "write",
    );
    await box.within(HOUR, 0, () => step(ACCOUNT));
    return { ...box, step };
  }

  it("hides no pass of another account", async () => {
    const { context, step } = await steppedAhead();
    const { pulse } = auditStore(context);
    expect((await pulse()).steppedAt).toBe(0);
    await step(NEXT);
    expect((await pulse()).steppedAt).toBe(START);
  });

  it("comes first in the next round", async () => {
    const { context, step, steps } = await steppedAhead();
    await step(NEXT);
    for (const account of [ACCOUNT, NEXT])
      await context.client.execute({ sql: UNSETTLED, args: [`em${account}`, account] });
    expect((await steps.due()).map(({ account }) => account)).toEqual([ACCOUNT, NEXT]);
  });
});

describe("a clock that jumps", () => {
  it("is detected by how far stored times are ahead", async () => {
    const { rates, context, within } = await jumping();
    const lead = clockLead(context);
    await rates.exhaust(ACCOUNT, RATE);
    expect(await lead()).toBe(0);
    await within(-DAY, 0, () => rates.exhaust(ACCOUNT, RATE));
    expect(await lead()).toBe(0);
    await within(HOUR, 0, () => rates.exhaust(ACCOUNT, RATE));
    expect(await lead()).toBe(HOUR + 40 * SECOND - MAX_BACKOFF_MS);
  });

  it("is logged once in either direction, and a slow response is not", () => {
    const logged: string[] = [];
    const store = {};
    const log = (_level: string, message: string) => logged.push(message);
    const see = (now: number, requestedAt: number, answeredAt = requestedAt) =>
      watchClock(store, { log, now, sentAt: requestedAt, answeredAt });
    see(START, 1000);
    see(START + 30_000, 1000, 31_000);
    see(START + 40_000, 41_000);
    expect(logged).toEqual([]);
    see(START + HOUR + 50_000, 51_000);
    see(START + HOUR + 60_000, 61_000);
    see(START + 70_000, 71_000);
    expect(logged).toEqual([
      "the database's clock has jumped ahead by 3600 s",
      "the database's clock has jumped back by 3600 s",
    ]);
  });
});

describe("a lease", () => {
  it("stays with its process, however short the leases of another process are", async () => {
    const { leases, steps, time } = await jumping();
    const other = { account: ACCOUNT, owner: "b", ttl: 5000, overlap: 0, isUrgent: true };
    await leases.takeLease(ACCOUNT, { owner: "b", ttl: 1, count: 1 });
    time.pass(1);
    expect(await steps.takeLease({ ...other, owner: "a", ttl: MAX_LEASE_MS })).toBeDefined();
    for (const wait of [0, MAX_LEASE_MS - 1]) {
      time.pass(wait);
      expect(await leases.takeLease(ACCOUNT, { owner: "b", ttl: 5000, count: 1 })).toBeUndefined();
      expect(await steps.takeLease(other)).toBeUndefined();
    }
    time.pass(1);
    expect(await steps.takeLease(other)).toBeDefined();
  });

  it("is no longer than any other process expects", () => {
    for (const { leaseTtl, requestTimeout } of [LIVE_TIMING, SANDBOX_TIMING])
      expect(Math.max(leaseTtl, 2 * requestTimeout)).toBeLessThanOrEqual(MAX_LEASE_MS);
    for (const entry of ["leaseTtl=60001", "requestTimeout=30001"])
      expect(() => parseConfig({ EDGEMAKER_TIMING: entry })).toThrow(/at most (60|30)000/);
    const most = parseConfig({ EDGEMAKER_TIMING: "leaseTtl=60000,requestTimeout=30000,readLag=999999" });
    expect(most.timing).toEqual({ leaseTtl: 60_000, requestTimeout: 30_000, readLag: 999_999 });
  });
});

describe("a stored time", () => {
  it("delays for as long as its rule allows, and no longer", () => {
    expect(
      [START, START + 1, START + MINUTE, START + MINUTE + 1].map((at) => isAhead(at, START, MINUTE)),
    ).toEqual([false, true, true, false]);
  });

  it("of a backoff is no further ahead than any backoff waits", () => {
    for (const { backoff } of [LIVE_TIMING, SANDBOX_TIMING])
      expect(backoff.max).toBeLessThanOrEqual(MAX_BACKOFF_MS);
  });
});
