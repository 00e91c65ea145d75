import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asGrid } from "../../src/grid/state/state.ts";
import { deployment, strangers } from "../support/deployment.ts";
import { fireCron } from "../support/edge-live.ts";
import { withinOneDay } from "../support/one-day.ts";
import { eventually } from "../support/server.ts";

const MINUTE = 60_000;
const GRID = { symbol: "BTC/USDT", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 60 };

describe("the cron, through the queue", () => {
  let edge: Awaited<ReturnType<typeof deployment>>;
  let worker: Miniflare;
  let minute = Date.UTC(2026, 0, 1);
  beforeAll(async () => {
    // What passes cost is counted by days.
    await withinOneDay(200_000);
    edge = await deployment(1);
    worker = await edge.start();
    for (const { id } of edge.accounts.ids) await edge.startGrid(worker, { exchange: id, ...GRID });
  });
  afterAll(async () => {
    await worker.dispose();
    await edge.close();
  });

  const cron = async (times = 1) => {
    const from = edge.turns.length;
    minute += MINUTE;
    await edge.rested();
    for (let time = 0; time < times; time++) await fireCron(worker, minute);
    return edge.turnsEnded(from, 4 * times);
  };

  it("makes one pass over each account", async () => {
    const turns = await cron();
    expect(turns.map(({ outcome }) => outcome)).toEqual(["stepped", "stepped", "stepped", "stepped"]);
    expect(await edge.wrongSlots()).toEqual([]);
  });

  it("needs at most two exchange calls and five database requests when nothing happens", async () => {
    await cron();
    for (const { venue } of edge.accounts.ids) edge.accounts.venues[venue].resetCounts();
    const turns = await cron();
    for (const { venue } of edge.accounts.ids)
      expect(edge.accounts.venues[venue].count(), venue).toBeLessThanOrEqual(2);
    // On kraken a pass also takes a span of nonces; the account's rate is not asked in every one.
    for (const { account, requests } of turns)
      expect(requests, account).toBeLessThanOrEqual(account.includes("kraken") ? 8 : 7);
  });

  it("writes few database rows when nothing happens, and counts them", async () => {
    const written = async () => {
      const views = await edge.database.deps.store.strategies({});
      return views.map(({ costs, strategy }) => costs[0]?.of[strategy.id]?.rowsWritten ?? 0);
    };
    const before = await written();
    await cron();
    const after = await written();
    // Two of them take the pass's calls from the account's rate; on kraken the span of nonces is a fifth.
    for (const [place, count] of after.entries()) {
      const more = count - (before[place] ?? 0);
      expect(more).toBeGreaterThanOrEqual(2);
      expect(more).toBeLessThanOrEqual(5);
    }
  });

  it("turns fills into the next orders of their slots", async () => {
    for (const { venue } of edge.accounts.ids) edge.accounts.venues[venue].move("BTC/USDT", "58500");
    await eventually(
      async () => {
        await cron();
        return edge.wrongSlots();
      },
      (wrong) => wrong.length === 0,
    );
    const views = await edge.database.deps.store.strategies({});
    expect(views.map(({ strategy }) => asGrid(strategy).state.ledger.filledOrders)).toEqual([1, 1, 1, 1]);
  });

  it("makes another pass in the minute of a fill", async () => {
    const times = new Set(edge.turns.map(({ scheduled }) => scheduled));
    const accounts = new Set(edge.turns.map(({ account }) => account));
    // The queue holds them back for a quarter of a real minute.
    await eventually(
      async () => accounts.size - new Set(edge.followUps.map(({ account }) => account)).size,
      (missing) => missing === 0,
    );
    for (const { scheduled } of edge.followUps) expect(times).toContain(scheduled - MINUTE / 4);
  });

  it("makes only one pass for a duplicate time", async () => {
    const turns = await cron(2);
    const made = turns.filter(({ outcome }) => outcome === "stepped" || outcome === "short");
    expect(new Set(made.map(({ account }) => account)).size).toBe(4);
    expect([made.length, turns.length]).toEqual([4, 8]);
    expect(await strangers(edge.accounts, edge.database.deps.store)).toEqual({ twice: [], orphans: [] });
  });

  it("reports the cost of its passes and the last stepper", async () => {
    const [view] = await edge.database.deps.store.strategies({});
    const [today] = view?.costs ?? [];
    const cost = today?.of[view?.strategy.id ?? ""];
    expect(view?.steppedBy).toBe("edge");
    expect(cost?.exchangeCalls).toBeGreaterThan(10);
    expect(cost?.databaseRequests).toBeGreaterThan(5);
    expect(cost?.rowsRead).toBeGreaterThan(5);
    expect(cost?.rowsWritten).toBeGreaterThan(5);
  });
});
