import { describe, expect, it } from "vitest";
import { drivenApp } from "../../support/driven.ts";
import { appClient, callTool, errorOf, textOf } from "../../support/mcp.ts";
import { previews, starts } from "../../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 10, orderSize: 100 };

interface Proposal {
  readonly planId: string;
  readonly preview: Record<"what" | "cost" | "worstCase", string> & { readonly limits: readonly string[] };
}

async function agent() {
  const app = await drivenApp({ mcp: { trading: true, confirm: "plan" } });
  const client = await appClient(app, "trade");
  await client.listTools();
  const propose = async (tool: string, input: object) => {
    const result = await callTool(client, tool, { ...input });
    expect(result.isError, textOf(result)).toBeFalsy();
    const proposal = result.structuredContent as unknown as Proposal;
    return { ...proposal, commit: () => callTool(client, tool, { ...input, planId: proposal.planId }) };
  };
  const placed = async () => (await app.venue("kraken").openOrders()).length;
  return { ...app, client, propose, placed };
}

describe("a plan to start a grid", () => {
  it.each<[string, object, number]>([
    [...starts("grid", RANGE), 1.05],
    [...starts("centered", MARKET), 1.031],
  ])("%s is refused when the price has left it, and places nothing", async (tool, input, factor) => {
    const { propose, placed, move, grids } = await agent();
    const { commit } = await propose(tool, input);
    await move(factor);
    expect(errorOf(await commit())).toMatchObject({
      error: "Conflict",
      message: expect.stringContaining("out of date"),
      next: expect.stringContaining("new preview"),
    });
    expect(await placed()).toBe(0);
    expect(await grids()).toEqual([]);
  });

  it.each<[string, object, number]>([
    [...starts("centered", { ...MARKET, useOwnBase: true }), 10],
    [...starts("grid", { ...RANGE, useOwnBase: true }), 10],
    [...starts("centered", MARKET), 6],
  ])("%s with %j is committed while the price moves between two levels", async (tool, input, count) => {
    const { propose, placed, move, grids } = await agent();
    const { commit } = await propose(tool, input);
    await move(1.002);
    const result = await commit();
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(await placed()).toBe(count);
    expect(await grids()).toHaveLength(1);
  });

  it("is refused when the account's funds were spent elsewhere", async () => {
    const { propose, placed } = await agent();
    const { commit } = await propose(...starts("grid", { ...RANGE, orderSize: 15_000 }));
    const order = { ...MARKET, side: "buy", type: "limit", amount: 1, price: 50_000 };
    await (await propose("create_order", order)).commit();
    expect(errorOf(await commit()).error).toBe("Conflict");
    expect(await placed()).toBe(1);
  });

  it("shows the current orders, cost and limits", async () => {
    const { propose } = await agent();
    const { preview } = await propose(...starts("centered", { ...MARKET, size: 20_000, useOwnBase: false }));
    expect(preview.what).toMatch(/ 10 slots of 20000 USDT .*: 3 buys and 0 sells now/);
    expect(preview.cost).toMatch(/^5999\d\.\d+ USDT in buys.* 0 BTC that you already own/);
    expect(preview.limits).toEqual([
      "minimum order: 5 USDT",
      "free balances: 100000 USDT, 2 BTC",
      "at most 80 % of the capital in BTC",
      "20 % of the capital stay in USDT",
      expect.stringMatching(/^break-even: if the price crosses its levels as in the last 7 days/),
      expect.stringMatching(
        /^2 of 10 slots wait: it has reached its maximum base; 5 of 10 slots wait: the price has to rise above [\d.]+ \(for the last slot above [\d.]+\) first, or buy the missing base at once$/,
      ),
      expect.stringMatching(
        /^the buys need 200200 USDT and 100000 USDT are free: 3 of 10 orders are placed first$/,
      ),
    ]);
  });

  it("marks paper trading", async () => {
    const { propose } = await agent();
    const { preview } = await propose(...starts("grid", { ...RANGE, dryRun: true }));
    expect(preview.what).toContain("at kraken (paper trading):");
  });

  it("is refused if its cycles do not cover their fees, unless allowLoss is set", async () => {
    const { client, propose, placed } = await agent();
    const narrow = { ...RANGE, lowerPrice: 60_000, upperPrice: 60_400 };
    const requests = [starts("grid", narrow), previews("grid", narrow)];
    for (const request of requests)
      expect(errorOf(await callTool(client, request[0], { ...request[1] }))).toMatchObject({
        error: "Invalid spacing",
      });
    const { preview } = await propose(...starts("grid", { ...narrow, allowLoss: true }));
    expect(preview.limits.join()).toContain("every cycle loses");
    expect(await placed()).toBe(0);
  });
});
