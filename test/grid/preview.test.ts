import { describe, expect, it } from "vitest";
import { gridOver } from "../support/path.ts";

interface Preview {
  readonly planHash: string;
  readonly orders: readonly { readonly side: string; readonly price: number; readonly amount: number }[];
}

const flat = (price: number) => Array.from({ length: 120 }, () => price);
const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 80 };

describe("a preview", () => {
  it.each([
    ["a range grid", "preview_grid", "start_grid", RANGE],
    ["a geometric one", "preview_grid", "start_grid", { ...RANGE, spacingModel: "geometric" }],
    ["a centered one", "preview_centered_grid", "start_centered_grid", { sizeModel: "pyramidal" }],
  ])(
    "of %s shows the orders that its start places, no more and no less",
    async (_name, preview, start, asked) => {
      const grid = await gridOver(flat(100.5), { quote: "1000", base: "3" });
      const shown = await grid.ask<Preview>(preview, { ...grid.where, ...asked });
      expect(await grid.gate.openOrders()).toEqual([]);
      await grid.ask(start, { ...grid.where, ...asked, planHash: shown.planHash });
      const told = (orders: readonly { side: string; price: unknown; amount: unknown }[]) =>
        orders.map(({ side, price, amount }) => `${side} ${price} ${amount}`).sort();
      const resting = (await grid.gate.openOrders()).map(({ side, price, amount }) => ({
        side,
        price: Number(price) / 1e18,
        amount: Number(amount) / 1e18,
      }));
      expect(shown.orders.length).toBeGreaterThan(5);
      expect(told(resting)).toEqual(told(shown.orders));
    },
  );

  it("no longer holds when the market has moved past a level", async () => {
    const grid = await gridOver([...flat(100.5).slice(0, 10), ...flat(103)], { quote: "1000", base: "3" });
    const { planHash } = await grid.ask<Preview>("preview_grid", { ...grid.where, ...RANGE });
    grid.time.pass(20 * 60_000);
    await expect(grid.ask("start_grid", { ...grid.where, ...RANGE, planHash })).rejects.toThrow(
      /no longer holds/,
    );
    expect(await grid.gate.openOrders()).toEqual([]);
    expect(await grid.store.strategies({})).toEqual([]);
  });
});

describe("the options of a range grid", () => {
  it("buys missing base at the start, with its fee on top, and rests all its sells", async () => {
    const grid = await gridOver(flat(100.5), { quote: "2000" });
    await grid.ask("start_grid", { ...grid.where, ...RANGE, initialBuy: true });
    await grid.pass(4);
    const open = await grid.gate.openOrders();
    expect(open.filter(({ side }) => side === "sell")).toHaveLength(4);
    expect(open).toHaveLength(10);
  });

  it("leaves own base alone when asked to", async () => {
    const grid = await gridOver(flat(100.5), { quote: "1000", base: "3" });
    await grid.ask("start_grid", { ...grid.where, ...RANGE, useOwnBase: false });
    await grid.pass(2);
    expect((await grid.gate.openOrders()).filter(({ side }) => side === "sell")).toEqual([]);
  });

  it("stays idle until its trigger is reached", async () => {
    const path = [...flat(100.5).slice(0, 10), ...flat(104.5)];
    const grid = await gridOver(path, { quote: "1000", base: "3" });
    await grid.ask("start_grid", { ...grid.where, ...RANGE, triggerPrice: 104 });
    await grid.pass(3);
    expect((await grid.status()).status).toBe("idle");
    expect(await grid.gate.openOrders()).toEqual([]);
    await grid.pass(15);
    expect((await grid.status()).status).toBe("running");
    expect(await grid.gate.openOrders()).toHaveLength(10);
  });

  it("follows the market up, as far as it was told, and never rests two orders in a slot", async () => {
    const path = [
      ...flat(100.5).slice(0, 10),
      ...Array.from({ length: 60 }, (_, i) => 100.5 + i / 2),
      ...flat(130),
    ];
    const grid = await gridOver(path, { quote: "1000", base: "3" });
    await grid.ask("start_grid", { ...grid.where, ...RANGE, trail: { up: 116 } });
    await grid.pass(120, async () => {
      expect((await grid.gate.openOrders()).length).toBeLessThanOrEqual(10);
    });
    const { lowerPrice, upperPrice, status } = await grid.status();
    expect({ lowerPrice, upperPrice, status }).toEqual({
      lowerPrice: 96,
      upperPrice: 116,
      status: "running",
    });
  });

  it("sells all from error too, when it is stopped so", async () => {
    const grid = await gridOver(flat(100.5), { quote: "1000", base: "3" });
    const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE });
    await grid.context.client.execute("update strategies set status = 'error', last_error = 'planted'");
    await grid.ask("stop_grid", { id, sellBase: true });
    await grid.pass(4);
    const { status, position } = await grid.status();
    expect({ status, position }).toEqual({ status: "stopped", position: "0" });
    expect(await grid.gate.openOrders()).toEqual([]);
  });
});
