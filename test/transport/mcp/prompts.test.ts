import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { AppError } from "../../../src/kernel/errors.ts";
import { operation } from "../../../src/operation.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { McpOptions } from "../../../src/transport/mcp/plans.ts";
import { addPrompts } from "../../../src/transport/mcp/prompts.ts";
import { addResources } from "../../../src/transport/mcp/server.ts";

/** A client of the prompts and resources alone, over operations that record their input. */
async function connected(names: readonly string[] = ["list_exchanges", "list_strategies", "get_strategy"]) {
  const calls: { input: object; actor: string; isAgent?: boolean; requestId?: string | null }[] = [];
  const operations = names.map((name) =>
    operation({
      name,
      summary: name,
      effect: "read",
      access: "token",
      failure: "Exchange error",
      http: { route: "GET /it", from: "query" },
      input: () => z.object({ id: z.string().startsWith("grid-").optional() }),
      output: () => z.object({ name: z.string() }),
      async run(_deps, input, call) {
        calls.push({ input, ...call });
        if (input.id === "grid-gone") throw new AppError("Not found", "there is no grid-gone\u0007");
        return { name: `${name}\u0007` };
      },
    }),
  );
  const exchanges = [{ id: "kraken" }, { id: "mexc" }];
  const deps = {
    exchanges,
    local: { randomText: (length: number) => "r".repeat(length) },
  } as unknown as Deps;
  const options = {
    deps,
    operations,
    caller: { actor: "tok_a", scope: "read", key: "k" },
  } as unknown as McpOptions;
  const server = new Server({ name: "t", version: "1" }, { capabilities: { prompts: {}, resources: {} } });
  addPrompts(server, options);
  addResources(server, options);
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const prompt = async (name: string, values: Readonly<Record<string, string>>) => {
    const { messages } = await client.getPrompt({ name, arguments: { ...values } });
    return messages.map(({ role, content }) => `${role}: ${content.type === "text" ? content.text : ""}`);
  };
  const read = async (uri: string) => (await client.readResource({ uri })).contents;
  return { client, calls, prompt, read };
}

describe("prompts", () => {
  it("list their arguments, and which of them are required", async () => {
    const { prompts } = await (await connected()).client.listPrompts();
    const described = prompts.map(({ name, arguments: all = [] }) => [
      name,
      ...all.map((one) => `${one.name}${one.required ? "" : "?"}`),
    ]);
    expect(described).toEqual([
      ["market_analysis", "exchange", "symbol"],
      ["portfolio_overview", "exchange?"],
      ["grid_setup_advisor", "exchange", "symbol", "budget"],
    ]);
    expect(prompts[1]?.arguments?.[0]?.description).toBe("Only this exchange; default: all");
    expect(prompts.every((one) => !("text" in one))).toBe(true);
  });

  it("contain their arguments, and name all exchanges without one", async () => {
    const { prompt } = await connected();
    const pair = { exchange: "kraken", symbol: "BTC/USDT" };
    expect((await prompt("market_analysis", pair))[0]).toMatch(/^user: Analyze BTC\/USDT on kraken with/);
    expect(await prompt("portfolio_overview", { exchange: "mexc" })).toEqual([
      expect.stringMatching(/^user: Give an overview of the account on mexc with/),
    ]);
    expect((await prompt("portfolio_overview", {}))[0]).toContain("every exchange that list_exchanges");
    for (const budget of ["1000", "0.5", "999999999999999.000000000000000001"])
      expect((await prompt("grid_setup_advisor", { ...pair, budget }))[0]).toContain(`at most ${budget} of`);
  });

  it.each([
    ["market_analysis", { symbol: "BTC/USDT" }, /exchange is missing or not valid: Exchange id/],
    ["market_analysis", { exchange: "kraken", symbol: "BTCUSDT" }, /symbol is missing or not valid/],
    ["portfolio_overview", { exchange: "nope" }, /exchange is missing or not valid/],
    ["grid_setup_advisor", { exchange: "kraken", symbol: "BTC/USDT" }, /budget is missing or not valid/],
    ["no_such_prompt", {}, /unknown prompt; call prompts\/list/],
  ])("refuse %s with %j", async (name, values, why) => {
    await expect((await connected()).prompt(name, values)).rejects.toThrow(why);
  });

  it("refuse a budget that is not a plain number", async () => {
    const { prompt } = await connected();
    for (const budget of ["", "-1", "1e3", "1.", ".5", "1000 and all of it", "1".repeat(16), "1\n"])
      await expect(
        prompt("grid_setup_advisor", { exchange: "kraken", symbol: "BTC/USDT", budget }),
        budget,
      ).rejects.toThrow(/budget is missing or not valid/);
  });
});

describe("resources", () => {
  it("are the responses of the operations that the server has, and the guide", async () => {
    const { client } = await connected();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ["edgemaker://exchanges", "application/json"],
      ["edgemaker://strategies", "application/json"],
      ["edgemaker://guide/grid", "text/markdown"],
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toEqual([
      {
        uriTemplate: "edgemaker://strategies/{id}",
        name: "strategy",
        description: "One strategy with its orders, P&L and state",
        mimeType: "application/json",
      },
    ]);
    const none = await connected([]);
    expect((await none.client.listResources()).resources).toHaveLength(1);
    await expect(none.read("edgemaker://exchanges")).rejects.toThrow(/unknown resource/);
  });

  it("are read with the id of their address, for their caller, without hidden characters", async () => {
    const { read, calls } = await connected();
    const uri = "edgemaker://strategies/grid-kraken-BTC-USDT-1";
    expect(await read(uri)).toEqual([{ uri, mimeType: "application/json", text: '{"name":"get_strategy"}' }]);
    expect(await read("edgemaker://exchanges")).toMatchObject([{ text: '{"name":"list_exchanges"}' }]);
    expect(calls).toMatchObject([
      { input: { id: "grid-kraken-BTC-USDT-1" }, actor: "tok_a", isAgent: true, requestId: "r".repeat(12) },
      { input: {} },
    ]);
    const guide = await read("edgemaker://guide/grid");
    expect(guide).toMatchObject([{ mimeType: "text/markdown", text: expect.stringMatching(/^# Grids/) }]);
  });

  it.each([
    ["edgemaker://strategies/grid-gone", /"error":"Not found","message":"there is no grid-gone"/],
    ["edgemaker://strategies/quote-1", /this is not a resource URI/],
    ["edgemaker://strategies/a/b", /unknown resource/],
    [`edgemaker://strategies/grid-${"1".repeat(76)}`, /unknown resource/],
  ])("are refused at %s", async (uri, why) => {
    await expect((await connected()).read(uri)).rejects.toThrow(why);
  });
});
