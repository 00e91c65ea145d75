import { describe, expect, it } from "vitest";
import { decimal, wire } from "../../src/kernel/decimal.ts";
import { gridOver, type Status } from "../support/path.ts";

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 50 };
const QUIET = Array.from({ length: 40 }, () => 100);

interface Plan {
  readonly cancelled: number;
  readonly orders: readonly { side: string; price: string; amount: string }[];
  readonly changes: readonly { field: string; from: string; to: string }[];
  readonly details: { readonly running: { readonly idleBase: string; readonly realized: string } };
  readonly warnings: readonly { code: string }[];
  readonly planHash: string;
}

async function running(path: readonly number[] = QUIET, quote = "1000") {
  const grid = await gridOver(path, { quote });
  const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE });
  const resting = async () =>
    (await grid.gate.openOrders()).map(({ side, price, amount, clientId }) => ({
      side,
      price: wire(price),
      amount: wire(amount),
      clientId,
    }));
  return { ...grid, id, resting };
}

const byPrice = (a: { price: number }, b: { price: number }) => a.price - b.price;

describe("a running grid", () => {
  it("is changed exactly as its plan showed, and its ledger is preserved", async () => {
    const grid = await running([100, 97, 93, 97, 101, ...QUIET]);
    await grid.pass(6);
    const before = (await grid.status()) as Status & { cycles: number };
    expect(before.cycles).toBeGreaterThan(0);
    const used = new Set((await grid.resting()).map(({ clientId }) => clientId));
    const request = {
      id: grid.id,
      config: { lowerPrice: 80, upperPrice: 120, gridLevels: 8, orderSize: 60 },
    };
    const plan = await grid.ask<Plan>("preview_edit", request);
    expect(plan.cancelled).toBe(used.size);
    expect(plan.changes.map(({ field }) => field)).toEqual([
      "lowerPrice",
      "upperPrice",
      "gridLevels",
      "orderSize",
      "gridSpacing",
    ]);
    expect(Number(plan.details.running.realized)).toBe(before.profit);
    const { made } = await grid.ask<{ made: boolean }>("edit_strategy", {
      ...request,
      planHash: plan.planHash,
    });
    expect(made).toBe(true);
    await grid.pass(2);
    const resting = await grid.resting();
    expect(resting.map(({ side, price, amount }) => ({ side, price, amount })).sort(byPrice)).toEqual(
      plan.orders
        .map(({ side, price, amount }) => ({ side, price: Number(price), amount: Number(amount) }))
        .sort(byPrice),
    );
    for (const { clientId } of resting) expect(used).not.toContain(clientId);
    const after = (await grid.status()) as Status & { cycles: number };
    expect(after).toMatchObject({
      lowerPrice: 80,
      upperPrice: 120,
      profit: before.profit,
      filledOrders: before.filledOrders,
      cycles: before.cycles,
      position: before.position,
      status: "running",
      phase: "active",
    });
  });

  it("sells what it bought at cost or above, and reports what no slot sells", async () => {
    const grid = await running([100, 97, 93, 89, 89, ...Array.from({ length: 30 }, () => 89)]);
    await grid.pass(6);
    const { position, breakEvenPrice } = await grid.status();
    const request = { id: grid.id, config: { lowerPrice: 80, upperPrice: 92, gridLevels: 4 } };
    const plan = await grid.ask<Plan>("preview_edit", request);
    const sells = plan.orders.filter(({ side }) => side === "sell");
    const sold = sells.reduce((total, { amount }) => total + Number(amount), 0);
    expect(Number(position)).toBeGreaterThan(0);
    expect(sold + Number(plan.details.running.idleBase)).toBeCloseTo(Number(position), 6);
    for (const { price } of sells) expect(Number(price)).toBeGreaterThan(90);
    expect(breakEvenPrice).toBeGreaterThan(90);
    expect(plan.warnings.map(({ code }) => code)).toContain("idle_base");
    await grid.ask("edit_strategy", { ...request, planHash: plan.planHash });
    expect((await grid.status()).position).toBe(position);
  });

  it("accepts a new stop price without any cancel, and stops at it", async () => {
    const grid = await running([...QUIET.slice(0, 8), 97, 95, 94, 94, 94, 94, 94, 94, 94]);
    await grid.pass(2);
    const before = await grid.resting();
    const plan = await grid.ask<Plan>("preview_edit", { id: grid.id, config: { stopLossPrice: 85 } });
    expect([plan.cancelled, plan.orders]).toEqual([0, []]);
    await grid.ask("edit_strategy", { id: grid.id, config: { stopLossPrice: 85 }, planHash: plan.planHash });
    await grid.pass(1);
    expect(await grid.resting()).toEqual(before);
    const readOutput = async () => (await grid.status()) as Status & { stopPrices: { price: number }[] };
    expect((await readOutput()).stopPrices).toMatchObject([{ reason: "stop_loss", price: 85, armed: true }]);
    await grid.ask("edit_strategy", { id: grid.id, config: { stopAtOnce: true } });
    await grid.ask("edit_strategy", { id: grid.id, config: { stopLossPrice: 0 } });
    expect((await readOutput()).stopPrices).toEqual([]);
    const stopping = {
      id: grid.id,
      config: { lowerPrice: 96, upperPrice: 110, gridLevels: 7, stopLossPrice: 95.5 },
    };
    await grid.ask("edit_strategy", stopping);
    await grid.pass(14);
    expect((await readOutput()).status).toBe("stopped");
    expect(await grid.resting()).toEqual([]);
  });

  it("applies exactly the plan that was shown for approval", async () => {
    const grid = await running();
    await grid.pass(2);
    const wide = { id: grid.id, config: { lowerPrice: 80, upperPrice: 120 } };
    const plan = await grid.ask<Plan>("preview_edit", wide);
    const rejects = (input: object, why: RegExp) =>
      expect(grid.ask("edit_strategy", input)).rejects.toThrow(why);
    const fails = (config: object, why: RegExp) => rejects({ id: grid.id, config }, why);
    await rejects(
      { id: grid.id, config: { ...wide.config, lowerPrice: 81 }, planHash: plan.planHash },
      /out of date/,
    );
    await grid.ask("edit_strategy", { id: grid.id, config: { stopLossPrice: 70 } });
    await rejects({ ...wide, planHash: plan.planHash }, /out of date/);
    await fails({}, /set at least one field/);
    await fails({ lowerPrice: 110 }, /lowerPrice must be below upperPrice/);
    await fails({ lowerPrice: 60 }, /stopLossPrice must be below lowerPrice/);
    await fails({ orderSize: 0.001 }, /orderSize must be at least/);
    await fails({ spacing: 0.01 }, /spacing is not a setting of a grid between two prices/);
    await grid.ask("stop_strategy", { id: grid.id });
    await fails(wide.config, /is stopped and cannot be changed/);
  });

  it("divides a budget over its orders", async () => {
    const grid = await running();
    await grid.pass(2);
    await grid.ask("edit_strategy", { id: grid.id, config: { budget: 400 } });
    expect(await grid.status()).toMatchObject({ orderSize: 40, investment: 400 } as object);
  });

  it("delays its change while it is paused", async () => {
    const grid = await running();
    await grid.pass(2);
    const before = await grid.resting();
    await grid.ask("pause_strategy", { id: grid.id });
    const { made, message } = await grid.ask<{ made: boolean; message: string }>("edit_strategy", {
      id: grid.id,
      config: { lowerPrice: 80 },
    });
    expect([made, message]).toEqual([false, expect.stringContaining("it changes when it is resumed")]);
    await grid.pass(2);
    expect(await grid.resting()).toEqual(before);
    await grid.ask("resume_strategy", { id: grid.id });
    await grid.pass(3);
    expect(await grid.status()).toMatchObject({ lowerPrice: 80, phase: "active" });
  });

  it("that follows the market is changed from its current position", async () => {
    const path = [100, 103, 107, 111, 115, ...Array.from({ length: 30 }, () => 115)];
    const grid = await gridOver(path, { quote: "2000" });
    const { id } = await grid.ask<{ id: string }>("start_grid", {
      ...grid.where,
      ...RANGE,
      trail: { up: 130 },
    });
    await grid.pass(12);
    const plan = await grid.ask<Plan>("preview_edit", { id, config: { orderSize: 40 } });
    const prices = plan.orders.map(({ price }) => Number(price));
    expect(Math.min(...prices)).toBeGreaterThan(91);
    expect(plan.changes.map(({ field }) => field)).toContain("lowerPrice");
    await grid.ask("edit_strategy", { id, config: { orderSize: 40 }, planHash: plan.planHash });
    await grid.pass(3);
    const { unexplained } = (await grid.status()) as Status & { unexplained: { assets: object } };
    expect(unexplained.assets).toEqual({});
    expect(decimal((await grid.status()).position)).toBeGreaterThanOrEqual(0n);
  });
});
