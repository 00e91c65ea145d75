import { describe, expect, it } from "vitest";
import { eventNews } from "../../src/notify/news.ts";
import { askingOf, testSandbox } from "../support/sandbox.ts";
import { previews, starts } from "../support/starts.ts";

const RANGE = { lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, orderSize: 100 };
const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const QUOTES = { ...MARKET, spreadPercent: 1, size: 100, quoteBudget: 1000, baseBudget: 0.1 };

interface Reported {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly strategies: readonly { readonly id: string; readonly name: string | null }[];
}

async function named(name?: string) {
  const box = await testSandbox();
  const { ask, preview } = askingOf(box.deps);
  const start = (over: object = {}) =>
    ask<Reported>("start_grid", { ...MARKET, ...RANGE, ...(name ? { name } : {}), ...over });
  const { id } = await start();
  return { ...box, ask, preview, start, id };
}

describe("a strategy's name", () => {
  it("is shown in its status and in lists, and identifies it where an id does", async () => {
    const { ask, id } = await named("treasury");
    const [status] = (await ask<Reported>("get_grid_status", { id: "treasury" })).strategies;
    expect(status).toMatchObject({ id, name: "treasury" });
    expect((await ask<Reported>("list_grids")).strategies).toMatchObject([{ id, name: "treasury" }]);
    expect(await ask("get_strategy_orders", { id: "treasury" })).toMatchObject({ id, count: 4 });
    expect(await ask("pause_strategy", { id: "treasury" })).toMatchObject({ id, phase: "paused" });
    expect(await ask("stop_strategy", { id: "treasury" })).toMatchObject({ id });
    expect((await ask<Reported>("list_grids")).strategies).toEqual([]);
  });

  it("names quotes too", async () => {
    const { ask } = await named();
    const { id } = await ask<Reported>(...starts("quote", { ...QUOTES, name: "desk" }));
    expect((await ask<Reported>("list_strategies", { definition: "quote" })).strategies).toMatchObject([
      { id, name: "desk" },
    ]);
    expect(await ask<Reported>("get_strategy", { id: "desk" })).toMatchObject({ id, name: "desk" });
    expect(await ask("stop_strategy", { id: "desk" })).toMatchObject({ id, status: "stopped" });
  });

  it("identifies nothing while two running strategies have it, and the open one after the other stops", async () => {
    const { ask, start, id } = await named("treasury");
    const { id: other } = await start({ symbol: "ETH/USDT", lowerPrice: 2500, upperPrice: 3500 });
    await expect(ask("pause_strategy", { id: "treasury" })).rejects.toMatchObject({
      label: "Conflict",
      message: `2 strategies are called treasury; use an id: ${id}, ${other}`,
    });
    await ask("stop_strategy", { id });
    expect(await ask("pause_strategy", { id: "treasury" })).toMatchObject({ id: other });
  });

  it("stands for its id in a plan, which a rename does not redirect", async () => {
    const { preview, id } = await named("treasury");
    expect(await preview("stop_strategy", { id: "treasury" })).toMatchObject({ holds: { id } });
  });

  it("changes later, is recorded, and leaves the plan and the orders alone", async () => {
    const { ask, store, venue, id } = await named();
    const before = await venue("kraken").openOrders("BTC/USDT");
    expect(await ask("edit_strategy", { id, name: "desk" })).toMatchObject({ id, name: "desk" });
    expect(await ask("edit_strategy", { id: "desk", name: "desk-2" })).toMatchObject({
      id,
      name: "desk-2",
    });
    await ask("tick");
    expect((await ask<Reported>("get_grid_status", { id: "desk-2" })).strategies).toMatchObject([{ id }]);
    await expect(ask("get_grid_status", { id: "desk" })).rejects.toMatchObject({ label: "Not found" });
    expect(await venue("kraken").openOrders("BTC/USDT")).toEqual(before);
    const events = await store.eventsOf(id, { limit: 100 });
    expect(events.filter(({ kind }) => kind === "renamed").map(({ message }) => message)).toEqual([
      "is called desk-2",
      "is called desk",
    ]);
    expect(await ask("edit_strategy", { id, name: null })).toMatchObject({ name: null });
  });

  it("does not change the plan's hash", async () => {
    const { ask } = await named();
    const hash = async (over: object) =>
      (await ask<{ planHash: string }>(...previews("grid", { ...MARKET, ...RANGE, ...over }))).planHash;
    expect(await hash({ name: "desk" })).toBe(await hash({}));
  });

  it.each(["grid-kraken-BTC-USDT-1767225600000", "two words", "", "-x", "1st"])(
    "cannot be %j",
    async (name) => {
      const { start } = await named();
      await expect(start({ name })).rejects.toThrow("name must have 1 to 40 characters");
    },
  );

  it("stands before the id in alerts", () => {
    const event = {
      id: 1,
      account: "sandbox:kraken:",
      strategy: "grid-1",
      at: 0,
      kind: "error",
      message: "x",
    } as const;
    expect(eventNews({ ...event, name: "desk" })?.text).toBe("desk (grid-1): error, x");
    expect(eventNews({ ...event, name: null })?.text).toBe("grid-1: error, x");
  });
});
