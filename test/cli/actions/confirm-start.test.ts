import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { confirmEdit } from "../../../cli/actions/edit.ts";
import { startPlan } from "../../../cli/actions/plan-confirmation.ts";
import { confirmStart } from "../../../cli/actions/start.ts";
import { GRID_FORMS } from "../../../src/grid/forms.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import type { Answer } from "../../../src/transport/run.ts";
import { drivenApp } from "../../support/driven.ts";
import { gridRequest } from "../../support/requests.ts";
import { previewOf, startOf } from "../../support/starts.ts";

const one = { form: GRID_FORMS[0], kind: gridKind };

const given = [process.stdin.isTTY, process.stdout.isTTY] as const;
beforeEach(() => {
  [process.stdin.isTTY, process.stdout.isTTY] = [true, true];
});
afterEach(() => {
  [process.stdin.isTTY, process.stdout.isTTY] = given;
});

it("grid start starts nothing if it cannot show the plan", async () => {
  const start = vi.fn(async () => ({ status: 200, body: {} }));
  const failed = { status: 502, body: { error: "Fetch failed", message: "kraken did not answer" } };
  const asks = { one, preview: async () => failed, start };
  expect(await confirmStart({ symbol: "BTC/USDT" }, {}, asks)).toBe(failed);
  expect(start).not.toHaveBeenCalled();
  await confirmStart({ symbol: "BTC/USDT" }, { yes: true }, asks);
  expect(start).toHaveBeenCalledTimes(1);
});

it("grid start requires --yes or a plan hash when there is no terminal", async () => {
  process.stdin.isTTY = false;
  const start = vi.fn(async () => ({ status: 200, body: {} }));
  const asks = { one, preview: vi.fn(), start };
  expect(() => confirmStart({ symbol: "BTC/USDT" }, {}, asks)).toThrow(/add --yes/);
  expect(() => confirmStart({ symbol: "BTC/USDT" }, { json: true }, asks)).toThrow(/add --yes/);
  await expect(confirmEdit({ id: "grid" }, {}, asks)).rejects.toThrow(/add --yes/);
  expect(start).not.toHaveBeenCalled();
  await confirmStart({ symbol: "BTC/USDT", planHash: "0" }, {}, asks);
  await confirmStart({ symbol: "BTC/USDT", dryRun: true }, {}, asks);
  await confirmEdit({ id: "grid" }, { yes: true }, asks);
  expect(start).toHaveBeenCalledTimes(3);
});

const GRID = gridRequest({ lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 100, orderSize: 50 });

/** A plan that was shown, and the requests of the terminal to a server. */
async function shownPlan() {
  const app = await drivenApp();
  const asks = {
    preview: (input: object) => app.call("POST", ...previewOf("grid", input)) as Promise<Answer>,
    start: (input: object) => app.call("POST", ...startOf("grid", input)) as Promise<Answer>,
  };
  const { body } = await asks.preview(GRID);
  return { ...app, asks, plan: body as { planHash: string; price: string } };
}

it("notices that the market has changed the plan, and starts nothing", async () => {
  const { asks, plan, move, grids } = await shownPlan();
  await move(1.04);
  expect(await startPlan(GRID, plan, asks)).toBeUndefined();
  expect(await grids()).toEqual([]);
});

it("follows small moves of a simulated market, and no large ones", async () => {
  const { asks, plan, move, grids } = await shownPlan();
  await move(1.05);
  expect(await startPlan(GRID, plan, { ...asks, isSimulated: true })).toBeUndefined();
  expect(await grids()).toEqual([]);
  await move(0.96);
  expect(await startPlan(GRID, plan, { ...asks, isSimulated: true })).toMatchObject({ status: 200 });
  expect(await grids()).toHaveLength(1);
});

it("follows small moves of a simulated market with quotes too", async () => {
  const { call, move } = await drivenApp();
  const quotes = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    spreadPercent: 0.2,
    size: 100,
    useOthers: false,
    useDex: false,
    quoteBudget: 500,
    baseBudget: 0.01,
  };
  const asks = {
    preview: (input: object) =>
      call("POST", ...previewOf("quote", { ...quotes, ...input })) as Promise<Answer>,
    start: (input: object) => call("POST", ...startOf("quote", { ...quotes, ...input })) as Promise<Answer>,
    isSimulated: true,
  };
  const plan = (await asks.preview({})).body as { planHash: string };
  await move(1.05);
  expect(await startPlan({}, plan, asks)).toBeUndefined();
  await move(0.96);
  expect(await startPlan({}, plan, asks)).toMatchObject({ status: 200 });
});
