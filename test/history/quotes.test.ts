import { beforeAll, describe, expect, it } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";

type Json = Record<string, unknown>;
type Reported = Record<"orders" | "fills" | "events", Json[]> & { count: number; message?: string };

/** Quotes that have traded for four hours of market time, beside a grid. */
async function quoted() {
  const box = await testSandbox({ speed: 1 });
  const request = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    spreadPercent: 0.1,
    size: 100,
    volatilityFactor: 0,
    quoteBudget: 2000,
    baseBudget: 0.03,
  };
  const quotes = await runOperation<{ id: string }>(box.deps, ...readStarts("quote", request));
  const grid = await runOperation<{ id: string }>(box.deps, "start_grid", {
    exchange: "mexc",
    symbol: "BTC/USDT",
    lowerPrice: d("59000"),
    upperPrice: d("61000"),
    gridLevels: 10,
    orderSize: d("50"),
  });
  for (let minutes = 0; minutes < 240; minutes += 5) {
    box.time.pass(5 * MINUTE);
    await runOperation(box.deps, "tick", {});
  }
  await runOperation(box.deps, "stop_strategy", { id: quotes.id, sellBase: false });
  const { ask, tokens } = await appOver(box.deps);
  const get = async (path: string, accept = "application/json") =>
    ask(`/api/v1/${path}`, { headers: { authorization: `Bearer ${tokens.read}`, accept } });
  const readOutput = async (path: string) => (await (await get(path)).json()) as Reported;
  return { ...box, get, readOutput, quotes: quotes.id, grid: grid.id };
}

describe("the history of quotes", () => {
  let box: Awaited<ReturnType<typeof quoted>>;
  beforeAll(async () => {
    box = await quoted();
  });

  it("lists their orders under quotes, with executions that add up to their orders and position", async () => {
    const { readOutput, quotes } = box;
    const { orders } = await readOutput(`strategies/${quotes}/orders?limit=1000`);
    const { fills } = await readOutput(`strategies/${quotes}/fills?limit=1000`);
    const { filledOrders } = (await readOutput(`strategies/${quotes}`)) as unknown as Json;
    expect(fills.length).toBeGreaterThan(3);
    expect(new Set(orders.map(({ kind }) => kind))).toEqual(new Set(["quote"]));
    const sum = (rows: readonly Json[], name: string, side: string) =>
      rows.filter((row) => row.side === side).reduce((all, row) => all + Number(row[name]), 0);
    for (const side of ["buy", "sell"])
      expect(sum(fills, "amount", side)).toBeCloseTo(sum(orders, "filled", side), 8);
    expect(filledOrders).toBe(orders.filter(({ status }) => status === "filled").length);
  });

  it("lists their events from start to stop", async () => {
    const { events } = await box.readOutput(`strategies/${box.quotes}/events?limit=1000`);
    const said = events.map(({ kind, message }) => `${kind} ${message}`).toReversed();
    expect(said[0]).toMatch(/start/);
    expect(said.at(-1)).toMatch(/stop/);
  });

  it("can return its executions as a table", async () => {
    const { readOutput, get, quotes } = box;
    const { count } = await readOutput(`strategies/${quotes}/fills?limit=1000`);
    const lines = (await (await get(`strategies/${quotes}/fills`, "text/csv")).text())
      .trimEnd()
      .split("\r\n");
    expect(lines).toHaveLength(count + 1);
  });

  it("has the name of the kind in the orders of each, and refuses an unknown id", async () => {
    const { readOutput, grid } = box;
    const { orders } = await readOutput(`strategies/${grid}/orders`);
    expect(new Set(orders.map(({ kind }) => kind))).toEqual(new Set(["grid"]));
    for (const what of ["orders", "fills", "events"])
      expect((await readOutput(`strategies/none-1/${what}`)).message).toBe("there is no strategy none-1");
  });
});
