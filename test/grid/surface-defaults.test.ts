import { expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { toolOf } from "../../src/transport/mcp/tools.ts";
import { openApi } from "../../src/transport/openapi.ts";
import { drivenApp } from "../support/driven.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const STARTS = [
  "start_grid",
  "start_centered_grid",
  "preview_grid",
  "backtest_grid",
  "backtest_centered_grid",
];
const operations = createOperations(EXCHANGES);

it.each(STARTS)(
  "%s has the cautious defaults for agents and on the command line, and states those of HTTP",
  (name) => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no ${name}`);
    const tool = toolOf(operation).inputSchema.properties as Record<string, { default?: unknown }>;
    expect([tool.useOwnBase?.default, tool.allowLoss?.default]).toEqual([false, false]);
    if (operation.cli) expect(operation.cli.defaults).toMatchObject({ useOwnBase: false, allowLoss: false });
    const schema = JSON.stringify(openApi(operations, "1"));
    expect(
      schema.includes('"description":"false leaves base alone that you already own","default":true'),
    ).toBe(true);
  },
);

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
    "/strategy/grid/preview",
    grid,
  );
  expect(body.orders.filter(({ side }) => side === "sell").length).toBeGreaterThan(0);
  expect(body.warnings.map(({ code }) => code)).toContain("own_base_used");
  const { structuredContent } = await callTool(client, "start_grid", grid);
  const { preview } = structuredContent as unknown as { preview: { what: string; cost: string } };
  expect(preview.what).toMatch(/\d buys? and 0 sells now/);
  expect(preview.cost).toMatch(/and 0 BTC that you already own in sells/);
});

it("warns of a spread that was meant as a percentage", async () => {
  const app = await drivenApp();
  const quotes = { exchange: "kraken", symbol: "BTC/USDT", depth: 500, levels: 3 };
  const codes = async (spread: number) => {
    const { body } = await app.call<{ warnings: { code: string; message: string }[] }>(
      "POST",
      "/strategy/quote/preview",
      { ...quotes, spread, within: spread },
    );
    return body.warnings.filter(({ code }) => code === "wide_spread");
  };
  expect(await codes(0.2)).toEqual([]);
  expect(await codes(1)).toMatchObject([
    { message: expect.stringMatching(/^the spread is 100 % of the price/) },
  ]);
});
