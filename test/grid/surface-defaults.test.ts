import { expect, it } from "vitest";
import { inputOf } from "../../cli/terminal/fields.ts";
import { pastDefinitions } from "../../src/backtest/operations/backtest.ts";
import { flatInput, nestedInput } from "../../src/backtest/schema/input.ts";
import { GRID_FORMS } from "../../src/grid/forms.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { isTool, toolOf } from "../../src/transport/mcp/tools.ts";
import { openApi } from "../../src/transport/openapi.ts";
import { drivenApp } from "../support/driven.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { previewOf, previews, starts } from "../support/starts.ts";

const operations = createOperations(EXCHANGES);

const operationOf = (name: string) => {
  const operation = operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no ${name}`);
  return operation;
};
type Properties = Record<string, { default?: unknown }>;

it.each(["start_strategy", "preview_strategy", "backtest"])(
  "%s has the cautious defaults of a grid for agents and on the command line",
  (name) => {
    const { config } = toolOf(operationOf(name)).inputSchema.properties as unknown as {
      readonly config: {
        readonly anyOf: readonly { readonly title: string; readonly properties: Properties }[];
      };
    };
    const grids = config.anyOf.filter(({ title }) => title === "grid" || title === "centered");
    expect(
      grids.map(({ properties: { useOwnBase, allowLoss } }) => [useOwnBase?.default, allowLoss?.default]),
    ).toEqual([
      [false, false],
      [false, false],
    ]);
    for (const { defaults } of GRID_FORMS) expect(defaults).toEqual({ useOwnBase: false, allowLoss: false });
  },
);

it("states the defaults of the contract's route for grids in OpenAPI, and is no tool", () => {
  expect(isTool(operationOf("start_grid"))).toBe(false);
  const schema = JSON.stringify(openApi(operations, "1"));
  expect(schema.includes('"description":"false leaves base alone that you already own","default":true')).toBe(
    true,
  );
});

it("sells the account's own base by default over HTTP, and not by default for agents", async () => {
  const app = await drivenApp({ mcp: { trading: true, confirm: "plan" } });
  const client = await appClient(app, "trade");
  await client.listTools();
  const grid = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    lowerPrice: 57_000,
    upperPrice: 63_000,
    gridLevels: 6,
    orderSize: 200,
  };
  const { body } = await app.call<{ orders: readonly { side: string }[]; warnings: { code: string }[] }>(
    "POST",
    ...previewOf("grid", grid),
  );
  expect(body.orders.filter(({ side }) => side === "sell").length).toBeGreaterThan(0);
  expect(body.warnings.map(({ code }) => code)).toContain("own_base_used");
  const { structuredContent } = await callTool(client, ...starts("grid", grid));
  const { preview } = structuredContent as unknown as { preview: { what: string; cost: string } };
  expect(preview.what).toMatch(/\d buys? and 0 sells now/);
  expect(preview.cost).toMatch(/and 0 BTC that you already own in sells/);
  const shown = (await callTool(client, ...previews("grid", grid))).structuredContent;
  expect((shown as unknown as typeof body).orders.filter(({ side }) => side === "sell")).toEqual([]);
});

it("takes from a stored grid what a backtest does not name, and lets it be named, on every surface", async () => {
  const app = await drivenApp({ mcp: { trading: true, confirm: "plan" } });
  const client = await appClient(app, "trade");
  await client.listTools();
  const grid = { lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 200 };
  const on = { exchange: "kraken", symbol: "BTC/USDT" };
  const { body: started } = await app.call<{ id: string }>("POST", "/strategy/grid", {
    ...grid,
    ...on,
    dryBalance: "USDT=5000,BTC=1",
    dryRun: true,
  });
  const funds = { quoteBudget: 5000, baseBudget: 1 };
  const form = pastDefinitions()[0]?.forms[0];
  if (!form) throw new Error("there is no backtest");
  const { flags = {}, defaults = {} } = form;
  const flat = {
    cli: { path: "backtest", flags, defaults },
    stored: Object.keys(defaults),
    input: flatInput(form, EXCHANGES),
  } as unknown as Operation;
  const overHttp = async (request: object) =>
    (await app.call<{ total: string }>("POST", "/backtest", { ...on, ...funds, ...request })).body;
  const overMcp = async (request: object) =>
    (await callTool(client, "backtest", { ...on, ...funds, ...request })).structuredContent as {
      total: string;
    };
  const overCli = (values: object) =>
    overHttp(nestedInput(form, inputOf(flat, { from: started.id, ...values } as never)));
  const totals = new Map<boolean, string>();
  for (const useOwnBase of [true, false]) {
    const { total } = await overHttp({ config: { ...grid, useOwnBase } });
    totals.set(useOwnBase, total);
    const from = { from: started.id, config: { useOwnBase } };
    expect(total).toEqual(expect.anything());
    expect((await overHttp(from)).total).toBe(total);
    expect((await overMcp(from)).total).toBe(total);
    expect((await overCli({ "use-own-base": useOwnBase })).total).toBe(total);
  }
  expect(totals.get(true)).not.toBe(totals.get(false));
  for (const answer of [
    await overHttp({ from: started.id }),
    await overMcp({ from: started.id }),
    await overCli({}),
  ])
    expect(answer.total).toBe(totals.get(true));
});

it("warns of a spread above 20 %", async () => {
  const app = await drivenApp();
  const quotes = { exchange: "kraken", symbol: "BTC/USDT", depth: 500, levels: 3 };
  const codes = async (spreadPercent: number) => {
    const { body } = await app.call<{ warnings: { code: string; message: string }[] }>(
      "POST",
      ...previewOf("quote", { ...quotes, spreadPercent, withinPercent: spreadPercent }),
    );
    return body.warnings.filter(({ code }) => code === "wide_spread");
  };
  expect(await codes(20)).toEqual([]);
  expect(await codes(20.01)).toHaveLength(1);
  expect(await codes(100)).toMatchObject([
    { message: expect.stringMatching(/^the spread is 100 % of the price/) },
  ]);
});
