import { describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { BY } from "../support/by.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

const GRID = gridInput();

/** A process with the same database that is configured for live exchanges alone. */
const asLive = (deps: Deps): Deps => ({
  ...deps,
  venueOf: ({ kind, exchange }) => (kind === "live" ? deps.venue(exchange) : undefined),
});

describe("a sandbox grid", () => {
  it("is never stepped by a process for live exchanges, and status names the missing process", async () => {
    const { deps, venue, context } = await testSandbox();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    const [order] = await venue("kraken").openOrders();
    await venue("kraken").cancel(
      { symbol: "BTC/USDT", id: order?.id ?? "" },
      { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER },
    );
    const before = await context.client.execute("select token from accounts");
    expect(await runRound(asLive(deps))).toMatchObject([
      { account: "sandbox:kraken:", outcome: "not_configured" },
    ]);
    expect((await context.client.execute("select token from accounts")).rows).toEqual(before.rows);
    expect(await venue("kraken").openOrders()).toHaveLength(3);
    const status = await runOperation<{ strategies: { lastError: string }[] }>(
      asLive(deps),
      "get_grid_status",
      { id },
    );
    expect(status.strategies[0]?.lastError).toContain("sandbox:kraken:");
    expect(await runRound(deps)).toMatchObject([{ outcome: "stepped" }]);
    await runRound(deps);
    expect(await venue("kraken").openOrders()).toHaveLength(4);
  });
});

describe("a live grid", () => {
  it("is never stepped by a process for the sandbox", async () => {
    const { deps, store, venue } = await testSandbox();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    const [view] = await store.strategies({ id });
    if (!view) throw new Error("no strategy");
    const { id: _id, number: _number, ...same } = view.strategy;
    await store.createStrategy(
      {
        ...same,
        request: null,
        account: "live:kraken:api.kraken.com",
        prefix: "grid-kraken-BTC-USDT",
      },
      BY,
    );
    const outcomes = await runRound(deps);
    expect(outcomes).toMatchObject([
      { outcome: "not_configured" },
      { account: "sandbox:kraken:", outcome: "stepped" },
    ]);
    expect(await venue("kraken").openOrders()).toHaveLength(4);
  });
});

describe("a stop", () => {
  it("of a grid whose process is missing says so and completes when that process steps", async () => {
    const { deps, store, venue } = await testSandbox();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    const answer = await runOperation<{ success: boolean; message: string }>(asLive(deps), "stop_strategy", {
      id,
      cancelOrders: true,
    });
    expect(answer).toMatchObject({
      success: true,
      message: expect.stringContaining("configured for sandbox:kraken:"),
    });
    expect(await venue("kraken").openOrders()).toHaveLength(4);
    for (const _pass of [1, 2]) await runRound(deps);
    expect(await venue("kraken").openOrders()).toHaveLength(0);
    expect((await store.strategies({ id }))[0]?.strategy.status).toBe("stopped");
  });

  it("that keeps the orders leaves them open, lists them and never touches them again", async () => {
    const { deps, store, venue } = await testSandbox();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    const answer = await runOperation<{ summary: { openOrders: object[] } }>(deps, "stop_strategy", {
      id,
      cancelOrders: false,
    });
    expect(answer.summary.openOrders).toHaveLength(4);
    expect((await store.strategies({ id }))[0]?.strategy.status).toBe("stopped");
    expect(await runRound(deps)).toEqual([]);
    expect(await venue("kraken").openOrders()).toHaveLength(4);
  });

  it("frees base and quote, and reports the remaining base and its cost", async () => {
    const { deps, venue } = await testSandbox();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    const answer = await runOperation<{ summary: { base: string; averageCost: number } }>(
      deps,
      "stop_strategy",
      {
        id,
        cancelOrders: true,
      },
    );
    expect(Number(answer.summary.base)).toBeGreaterThan(0);
    expect(answer.summary.averageCost).toBeCloseTo(60_000, -2);
    expect((await venue("kraken").balances()).every(({ used }) => used === 0n)).toBe(true);
  });
});
