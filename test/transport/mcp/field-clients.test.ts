import { describe, expect, it } from "vitest";
import { createOperations } from "../../../src/operations.ts";
import { testApp } from "../../support/app.ts";
import { appClient, callTool, errorOf, textOf } from "../../support/mcp.ts";
import { previews, starts } from "../../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const ORDER = { ...MARKET, side: "buy", type: "limit", amount: 0.001, price: 50_000 };
const AS_TEXT = { ...ORDER, amount: "0.0010", price: "50000" };
const GRID = { ...MARKET, lowerPrice: 55_000, upperPrice: 66_000, gridLevels: 4, orderSize: 100 };

const open = async (mcp: object = { trading: true, confirm: "plan" }) => {
  const app = await testApp({ mcp: mcp as never });
  return { app, client: await appClient(app, "trade") };
};

describe("arguments", () => {
  it("accept numbers and flags as text, and null for optional fields", async () => {
    const { client } = await open();
    const book = async (over: object) => {
      const result = await callTool(client, "get_orderbook", { ...MARKET, ...over });
      expect(result.isError, textOf(result)).toBeFalsy();
      return (result.structuredContent as { bids: object[] }).bids.length;
    };
    expect([await book({ limit: "5" }), await book({ limit: null })]).toEqual([5, 10]);
    const grid = {
      gridLevels: "4",
      lowerPrice: "55000.0",
      useOwnBase: "true",
      name: null,
      trail: '{"up":70000}',
    };
    const result = await callTool(client, ...previews("grid", { ...GRID, ...grid }));
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ details: { slots: { length: 4 } } });
  });

  it("as text commit the plan that the same numbers previewed", async () => {
    const { app, client } = await open();
    const shown = await callTool(client, "create_order", { ...AS_TEXT, planId: null });
    const { planId } = shown.structuredContent as { planId: string };
    const done = await callTool(client, "create_order", { ...ORDER, planId });
    expect(done.isError, textOf(done)).toBeFalsy();
    expect(await app.venue("kraken").openOrders()).toHaveLength(1);
  });

  it.each([
    ["amount", "ten", "amount must be a number, not text"],
    ["amount", "1,000", "amount must be a number, not text"],
    ["amount", "0.12345678901234567", "amount must be a number, not text"],
    ["amount", "", "amount must be a number, not text"],
    ["amount", null, "amount must be a number, not null"],
    ["amount", true, "amount must be a number, not true or false"],
    ["price", ["50000"], "price must be a number, not a list"],
    ["price", {}, "price must be a number, not an object"],
    ["symbol", 5, "symbol must be text, not a number"],
  ])("refuse %s %j and name the type", async (field, value, message) => {
    const { client } = await open();
    const refused = errorOf(await callTool(client, "create_order", { ...ORDER, [field]: value }));
    expect(refused.message).toBe(message);
  });

  it.each([
    ["spreadPercent", "two", "spreadPercent must be a number, not text"],
    ["spreadPercent", null, "spreadPercent must be a number, not null"],
    ["useOwn", 1, "useOwn must be true or false, not a number"],
    ["spreadPercnt", 2, "unknown field: spreadPercnt; did you mean spreadPercent?"],
  ])("refuse %s %j within the config of a start, and name the type", async (field, value, message) => {
    const { client } = await open();
    const quotes = { ...MARKET, spreadPercent: 2, levels: 1, size: 50, [field]: value };
    expect(errorOf(await callTool(client, ...starts("quote", quotes))).message).toBe(message);
  });

  it("have the cautious defaults of a grid within the config of a start, and its schema states them", async () => {
    const { client } = await open();
    const { tools } = await client.listTools();
    for (const name of ["preview_strategy", "start_strategy"]) {
      const { config } = (tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {}) as {
        config: { anyOf: { title: string; properties: Record<string, { default?: unknown }> }[] };
      };
      const defaults = config.anyOf.map(({ title, properties: { allowLoss, useOwnBase } }) => [
        title,
        allowLoss?.default,
        useOwnBase?.default,
      ]);
      expect(defaults).toEqual([
        ["grid", false, false],
        ["centered", false, false],
        ["quote", undefined, undefined],
      ]);
    }
    for (const definition of ["grid", "centered"]) {
      const { exchange, symbol, lowerPrice, upperPrice, gridLevels, orderSize } = GRID;
      const range = { lowerPrice, upperPrice, gridLevels, orderSize };
      const fields = { exchange, symbol, ...(definition === "grid" ? range : {}) };
      const sold = async (over: object) => {
        const result = await callTool(client, ...previews(definition, { ...fields, ...over }));
        expect(result.isError, textOf(result)).toBeFalsy();
        return (result.structuredContent as { uses: { base: string } }).uses.base;
      };
      expect(await sold({})).toBe("0");
      expect(Number(await sold({ useOwnBase: true }))).toBeGreaterThan(0);
    }
  });

  it("keep the sentence of a field whose value has the right type", async () => {
    const { client } = await open();
    const message = async (over: object) =>
      errorOf(await callTool(client, "create_order", { ...ORDER, ...over })).message;
    expect(await message({ amount: "-1" })).toMatch(/^must be a positive number/);
    expect(await message({ side: 1 })).toBe("must be buy or sell");
    expect(errorOf(await callTool(client, "get_orderbook", { ...MARKET, limit: "1.5" })).message).toMatch(
      /^must be a whole number from 1 to 100/,
    );
  });

  it("name the type in a body over HTTP too, where text is not a number", async () => {
    const { app } = await open();
    const response = await app.ask("/api/v1/orders", {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify(AS_TEXT),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: "Invalid amount", message: "amount must be a number, not text" },
    ]);
  });
});

describe("Accept", () => {
  const post = async (accept: string | undefined) => {
    const { app } = await open();
    return app.ask("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${app.tokens.agent}`,
        "content-type": "application/json",
        ...(accept === undefined ? {} : { accept }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null }),
    });
  };

  it.each([undefined, "*/*", "application/json", "application/*;q=0.9", "text/html, */*;q=0.1"])(
    "%s gets an answer in JSON",
    async (accept) => {
      const response = await post(accept);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(await response.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    },
  );

  it.each(["text/html", "application/xml", "application/jsonl"])("%s gets status 406", async (accept) => {
    expect((await post(accept)).status).toBe(406);
  });
});

describe("the resource of all strategies", () => {
  it("lists grids and quotes, and reads each of them by its id", async () => {
    const { client } = await open();
    const started = async (tool: string, input: object) => {
      const shown = await callTool(client, tool, { ...input });
      const { planId } = shown.structuredContent as { planId: string };
      const result = await callTool(client, tool, { ...input, planId });
      expect(result.isError, textOf(result)).toBeFalsy();
      return (result.structuredContent as { id: string }).id;
    };
    const ids = [
      await started(...starts("grid", GRID)),
      await started(
        ...starts("quote", {
          ...MARKET,
          spreadPercent: 2,
          size: 50,
          baseBudget: 0.01,
          quoteBudget: 500,
        }),
      ),
    ];
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents as { text: string }[];
      const body = JSON.parse(content?.text ?? "") as {
        id?: string;
        strategies?: { id: string }[];
      };
      return { ...body, ids: body.strategies?.map(({ id }) => id) };
    };
    expect(await read("edgemaker://strategies")).toMatchObject({ ids, count: 2 });
    for (const id of ids) {
      expect(await read(`edgemaker://strategies/${id}`)).toMatchObject({ id, orders: expect.any(Array) });
      expect(await read(`edgemaker://strategies/${id}/events`)).toMatchObject({ events: expect.any(Array) });
    }
  });
});

describe("a strategy of paper trading", () => {
  it("needs no person's approval for any change, and each plan says that it is paper trading", async () => {
    const { client, app } = await open({ trading: true, confirm: "terminal" });
    const shown = async (name: string, input: object) => {
      const result = await callTool(client, name, { ...input });
      expect(result.isError, textOf(result)).toBeFalsy();
      return result.structuredContent as { planId: string; next: string; preview: { what: string } };
    };
    const act = async (name: string, input: object) => {
      const { planId, next, preview } = await shown(name, input);
      expect(preview.what, name).toContain("(paper trading)");
      expect(next, name).not.toContain("plans approve");
      expect(await app.store.plans({ limit: 100 }), name).toEqual([]);
      const result = await callTool(client, name, { ...input, planId });
      expect(result.isError, `${name}: ${textOf(result)}`).toBeFalsy();
      return result.structuredContent as { id: string; status: string };
    };
    const { id } = await act(...starts("grid", { ...GRID, dryRun: true }));
    await act("edit_strategy", { id, name: "treasury" });
    await act("edit_strategy", { id, config: { stopLossPrice: 10_000 } });
    await act("pause_strategy", { id });
    await act("resume_strategy", { id });
    expect((await act("stop_strategy", { id })).status).toBe("stopped");
    const real = await shown(...starts("grid", GRID));
    expect([real.next.includes("plans approve"), real.preview.what.includes("paper")]).toEqual([true, false]);
    expect(await app.store.plans({ limit: 100 })).toHaveLength(1);
  });

  it("refuses a plan to resume a strategy that is not paused", async () => {
    const { client } = await open({ trading: true, confirm: "plan" });
    const [name, input] = starts("grid", { ...GRID, dryRun: true });
    const { planId } = (await callTool(client, name, input)).structuredContent as { planId: string };
    const started = await callTool(client, name, { ...input, planId });
    const { id } = started.structuredContent as { id: string };
    expect(errorOf(await callTool(client, "resume_strategy", { id }))).toMatchObject({
      error: "Conflict",
      message: `${id} is not paused; nothing was done`,
      next: expect.stringContaining("get_strategy"),
    });
  });
});

it("reports why a slot without base waits in the words of `grid status`, per slot and for people", async () => {
  const { client } = await open();
  const [name, input] = starts("grid", GRID);
  const { planId } = (await callTool(client, name, input)).structuredContent as { planId: string };
  const { id } = (await callTool(client, name, { ...input, planId })).structuredContent as { id: string };
  const { structuredContent: status } = await callTool(client, "get_strategy", { id });
  const { waiting } = status as { waiting: readonly { reason: string; detail: string }[] };
  const lacking = waiting.filter(({ reason }) => reason === "no_base");
  expect(lacking.length).toBeGreaterThan(0);
  for (const { detail } of lacking) expect(detail).toMatch(/^the price has to rise above \d+ first$/);
  const view = createOperations(["kraken"])
    .find((one) => one.name === "get_strategy")
    ?.cli?.view?.(status);
  expect(view).toMatchObject({
    waiting: expect.stringMatching(/^\d of 4 slots waits?: the price has to rise/),
  });
});

describe("a dry-run start", () => {
  it("needs no person's approval, and a real one does", async () => {
    const { client, app } = await open({ trading: true, confirm: "terminal" });
    const dry = { ...GRID, dryRun: true };
    const shown = await callTool(client, ...starts("grid", dry));
    const { planId, next } = shown.structuredContent as { planId: string; next: string };
    expect(next).not.toContain("plans approve");
    const started = await callTool(client, ...starts("grid", { ...dry, planId }));
    expect(started.isError, textOf(started)).toBeFalsy();
    expect(await app.venue("kraken").openOrders()).toEqual([]);
    const real = await callTool(client, ...starts("grid", GRID));
    expect((real.structuredContent as { next: string }).next).toContain("plans approve");
    const other = errorOf(await callTool(client, ...starts("grid", { ...GRID, planId })));
    expect(other.message).toMatch(/belongs to other parameters/);
  });

  it("is the only meaning of dryRun in a tool that trades", () => {
    const tools = createOperations(["kraken"]).filter(
      ({ effect, input }) => effect === "trade" && "dryRun" in input.shape,
    );
    expect(tools.map(({ name }) => name).filter((name) => !name.startsWith("start_"))).toEqual([]);
  });
});
