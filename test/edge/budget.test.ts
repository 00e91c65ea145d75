import { describe, expect, it } from "vitest";
import { deployment } from "../support/deployment.ts";
import { fireCron } from "../support/edge-live.ts";

const MINUTE = 60_000;
const FIRST = Date.UTC(2026, 0, 1);
/** Further tries of a busy database can follow the last call; Cloudflare's limit is 50, so its budget is 45. */
const TRIES = 5;
const GRID = { symbol: "BTC/USDT", lowerPrice: 55_000, upperPrice: 65_000 };

describe("an invocation with a request budget", () => {
  it("places a grid of 100 slots over ⌈100/37⌉ + 2 passes within the budget of each", async () => {
    const edge = await deployment(1, { only: ["bitget"] });
    const worker = await edge.start();
    try {
      // The start makes a pass of its own, in its own invocation.
      await edge.startGrid(worker, { exchange: "bitget", ...GRID, gridLevels: 100, orderSize: 60 });
      let passes = 1;
      while ((await edge.wrongSlots()).length > 0 && passes < 30) {
        await fireCron(worker, FIRST + passes * MINUTE);
        await edge.turnsEnded(passes - 1, 1);
        passes++;
      }
      // On a busy machine time ends a pass before its budget does.
      const slow = edge.turns.filter(({ outcome, requests }) => outcome === "short" && requests < 40);
      expect(passes - slow.length).toBeLessThanOrEqual(Math.ceil(100 / 37) + 2);
      const requests = edge.turns.reduce((total, turn) => total + turn.requests, 0);
      expect(requests).toBeLessThanOrEqual((Math.ceil(100 / 37) + 2) * 45);
      expect(edge.accounts.venues.bitget.open()).toHaveLength(100);
      for (const { requests } of edge.turns) expect(requests).toBeLessThanOrEqual(45 + TRIES);
      // A pass that could not do all says so.
      expect(edge.turns.map(({ outcome }) => outcome)).toContain("short");
    } finally {
      await worker.dispose();
      await edge.close();
    }
  });

  it("steps the accounts that have waited longest first, without a queue", async () => {
    const edge = await deployment(1, { queue: false, settings: { EDGEMAKER_SUBREQUESTS: "20" } });
    const worker = await edge.start();
    try {
      for (const { id } of edge.accounts.ids)
        await edge.startGrid(worker, { exchange: id, ...GRID, gridLevels: 2, orderSize: 60 });
      const stepped: string[][] = [];
      for (let pass = 1; pass <= 4; pass++) {
        const from = edge.turns.length;
        await edge.rested();
        await fireCron(worker, FIRST + pass * MINUTE);
        const turns = await edge.turnsEnded(from, 4);
        stepped.push(turns.filter(({ outcome }) => outcome === "stepped").map(({ account }) => account));
        expect(Math.max(...turns.map(({ requests }) => requests))).toBeLessThanOrEqual(20 + TRIES);
      }
      expect(new Set(stepped.flat()).size).toBe(4);
      for (const accounts of stepped) expect(accounts.length).toBeLessThan(4);
    } finally {
      await worker.dispose();
      await edge.close();
    }
  });

  it("does not throw from the cron when the database is unreachable", async () => {
    const edge = await deployment(1, { only: ["mexc"] });
    const worker = await edge.start();
    await edge.close();
    await fireCron(worker, FIRST);
    await worker.dispose();
    await expect
      .poll(() => edge.troubles.map(({ message }) => message))
      .toContain("a scheduled round failed");
  });
});
