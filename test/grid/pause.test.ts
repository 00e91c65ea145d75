import { describe, expect, it } from "vitest";
import { asGrid } from "../../src/grid/state/state.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { BY } from "../support/by.ts";
import { d } from "../support/grid.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

interface Reported {
  readonly id: string;
  readonly success: boolean;
  readonly status: string;
  readonly phase: string;
  readonly message: string;
}

const LEVELS = { lowerPrice: d("59000"), upperPrice: d("61000"), gridLevels: 8, orderSize: d("50") };

async function started() {
  const box = await testSandbox();
  const market = { exchange: "kraken", symbol: "BTC/USDT" };
  const { id } = await runOperation<Reported>(box.deps, "start_grid", { ...market, ...LEVELS });
  const ask = (name: string, input: object = { id }) => runOperation<Reported>(box.deps, name, input);
  const open = () => box.venue("kraken").openOrders("BTC/USDT");
  const view = async () =>
    (await box.store.strategies({ id }))[0] as NonNullable<
      Awaited<ReturnType<typeof box.store.strategies>>[0]
    >;
  const passes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 5) {
      box.time.pass(5 * MINUTE);
      await ask("tick", {});
    }
  };
  return { ...box, id, ask, open, view, passes };
}

describe("a paused grid", () => {
  it("places nothing, keeps open orders, books fills, and places missing orders when resumed", async () => {
    const { id, ask, open, view, passes, store } = await started();
    const before = await open();
    expect(await ask("pause_strategy")).toMatchObject({ success: true, status: "running", phase: "paused" });
    expect(await open()).toEqual(before);
    await passes(240);
    const left = await open();
    expect(left.length).toBeLessThan(before.length);
    expect(left.every(({ id: one }) => before.some((order) => order.id === one))).toBe(true);
    expect(await store.ordersOf(id, { limit: 100 })).toHaveLength(before.length);
    expect(asGrid((await view()).strategy).state.ledger.filledOrders).toBe(before.length - left.length);
    expect((await view()).strategy.phase).toBe("paused");

    expect(await ask("resume_strategy")).toMatchObject({ success: true, status: "running", phase: "active" });
    expect(await open()).toHaveLength(before.length);
  });

  it("gets its first base if it was paused before its first pass", async () => {
    const { deps, store, venue, time, ask } = await started();
    await store.takeLease({ account: "sandbox:kraken:", owner: "another", ttl: 60_000, overlap: 0 });
    const { id, phase } = await runOperation<Reported>(deps, "start_grid", {
      exchange: "kraken",
      symbol: "ETH/USDT",
      lowerPrice: d("2900"),
      upperPrice: d("3100"),
      gridLevels: 4,
      orderSize: d("50"),
    });
    expect(phase).toBe("starting");
    await ask("pause_strategy", { id });
    time.pass(60_001);
    await ask("tick", {});
    expect(await venue("kraken").openOrders("ETH/USDT")).toEqual([]);
    await ask("resume_strategy", { id });
    const sides = (await venue("kraken").openOrders("ETH/USDT")).map(({ side }) => side);
    expect(new Set(sides)).toEqual(new Set(["buy", "sell"]));
    const [view] = await store.strategies({ id });
    expect(view && asGrid(view.strategy).state.ledger.firstBase).toBeGreaterThan(0n);
  });

  it("does not undo a stop, whichever comes later", async () => {
    const { id, ask, store, view, open } = await started();
    await store.setWants(id, "stop", { keepOrders: false, sellBase: false }, BY);
    await store.setPaused(id, { keepOrders: true }, BY);
    await store.setPaused(id, null, BY);
    expect((await view()).strategy).toMatchObject({ wants: "stop", resumes: 0 });
    await expect(ask("pause_strategy")).rejects.toMatchObject({ label: "Conflict" });
    await expect(ask("resume_strategy")).rejects.toMatchObject({ label: "Conflict" });
    await ask("stop_strategy", { id, cancelOrders: true });
    expect(await open()).toEqual([]);
    await expect(ask("resume_strategy")).rejects.toMatchObject({ label: "Conflict" });
  });
});

describe("a grid in error", () => {
  /** The database takes no order any more. */
  async function broken() {
    const box = await started();
    const { client } = box.context;
    await client.execute(
      "create trigger broken before insert on orders begin select raise(abort, 'broken'); end",
    );
    const [order] = await box.open();
    if (!order) throw new Error("no order");
    await box.venue("kraken").cancel(order, { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER });
    await box.passes(5);
    expect((await box.view()).strategy).toMatchObject({
      status: "error",
      lastError: expect.stringMatching(/broken/),
    });
    return box;
  }

  it("stays in error while the cause lasts, and each resume retries once", async () => {
    const { ask, view, open, passes, store, id } = await broken();
    const result = await ask("resume_strategy");
    expect(result).toMatchObject({ success: false, status: "error" });
    expect(result.message).toMatch(/in error again/);
    const events = (await store.eventsOf(id, { limit: 100 })).length;
    const resting = (await open()).length;
    await passes(30);
    expect((await view()).strategy.status).toBe("error");
    expect(await store.eventsOf(id, { limit: 100 })).toHaveLength(events);
    expect((await open()).length).toBeLessThanOrEqual(resting);
  });

  it("resumes once the cause is gone", async () => {
    const { ask, open, context, view, passes } = await broken();
    await context.client.execute("drop trigger broken");
    expect(await ask("resume_strategy")).toMatchObject({ success: true, status: "running" });
    expect((await view()).strategy.lastError).toBeNull();
    await passes(5);
    expect(await open()).toHaveLength(LEVELS.gridLevels);
  });
});
