import { expect, it } from "vitest";
import * as z from "zod";
import { rootCommand } from "../../cli/commands/root.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { endingFields } from "../../src/engine/operations/ending-fields.ts";
import { ONE } from "../../src/kernel/decimal.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { defineStrategy, RESERVED_FIELDS } from "../../src/own/define.ts";
import { ownLines } from "../../src/own/schema/view.ts";
import type { StrategyDefinitions, StrategyInput } from "../../src/ports/definition.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { StrategyText } from "../../src/ports/kind.ts";
import { inputRefusal } from "../../src/transport/input.ts";
import { toolOf } from "../../src/transport/mcp/tools.ts";
import { openApi } from "../../src/transport/openapi.ts";
import { commandsOf } from "../support/pages.ts";
import { EXCHANGES, testSandbox } from "../support/sandbox.ts";
import { previews, starts } from "../support/starts.ts";
import { buyer, twoSided } from "./deeds.ts";

const PLACE = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 0.2,
  size: 100,
  quoteBudget: 1000,
  baseBudget: 0.1,
};

async function asking(definitions: StrategyDefinitions, over: Partial<Deps> = {}) {
  const { deps, time } = await testSandbox();
  const own = { ...deps, ...over, kinds: kindsOf(kindsWith(definitions)) };
  const operations = createOperations(EXCHANGES, definitions);
  const ask = async <T>(name: string, input: object): Promise<T> => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const answer = await operation.run(own, operation.input.parse(input), { actor: "local" });
    // It has the fields of its schema, and no others.
    expect(operation.output.parse(answer)).toEqual(answer);
    return answer as T;
  };
  return { ask, deps: own, time };
}

interface Started {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly planHash: string;
  readonly orders: readonly { readonly id: string; readonly side: string }[];
  readonly warnings: readonly { readonly message: string }[];
}

it("a status shows the state that the strategy returned last", async () => {
  const { ask } = await asking([buyer]);
  const { id } = await ask<Started>(...starts("buyer", PLACE));
  const status = await ask<StrategyText>("get_strategy", { id });
  expect(status).toMatchObject({ details: { kind: "strategy", state: { round: 0, bought: "0" } } });
  expect(ownLines(status).state).toBe('{"round":0,"bought":"0"}');
});

it("a declared strategy shows a plan, starts exactly that plan, and stops", async () => {
  const { ask } = await asking([twoSided]);
  const plan = await ask<Started>(...previews("two-sided", PLACE));
  expect(plan.orders.map(({ id, side }) => `${id} ${side}`)).toEqual(["bid buy", "ask sell"]);
  const started = await ask<Started>(...starts("two-sided", { ...PLACE, planHash: plan.planHash }));
  expect(started).toMatchObject({ status: "running", definition: "two-sided", warnings: [] });
  const status = await ask<Started>("get_strategy", { id: started.id });
  expect(status).toMatchObject({ details: { config: { spreadPercent: 0.2, size: 100 } }, lastError: null });
  expect(status.orders.map(({ id }) => id)).toEqual(["bid", "ask"]);
  expect(await ask("list_strategies", {})).toMatchObject({
    count: 1,
    strategies: [{ definition: "two-sided" }],
  });
  expect(await ask("pause_strategy", { id: started.id })).toMatchObject({ success: true, phase: "paused" });
  expect(await ask("resume_strategy", { id: started.id })).toMatchObject({ success: true });
  expect(await ask("stop_strategy", { id: started.id })).toMatchObject({ status: "stopped" });
  expect(await ask("get_strategy_orders", { id: started.id })).toMatchObject({ id: started.id });
});

it("a plan for an agent names the orders that would not be placed, and why", async () => {
  const { deps } = await asking([twoSided]);
  const [name, input] = starts("two-sided", { ...PLACE, quoteBudget: 0 });
  const start = createOperations(EXCHANGES, [twoSided]).find((one) => one.name === name);
  if (start?.effect !== "trade") throw new Error("there is no start");
  const given = start.input.parse(input);
  const preview = await (await start.prepare(deps, given, { actor: "tok_a", isAgent: true })).preview();
  expect(preview.what).toMatch(/: 0 buys and 1 sell now, with the market at [\d.]+$/);
  expect(preview.limits).toEqual(["not placed now: 1 order: there is not enough free quote"]);
});

it("a start rejects a failing strategy, and one whose plan is no longer valid", async () => {
  const failing = defineStrategy({
    name: "failing",
    config: z.object({}),
    orders: () => {
      throw new Error("boom");
    },
  });
  const { ask } = await asking([twoSided, failing]);
  const { spreadPercent: _, size: _size, ...place } = PLACE;
  await expect(ask(...starts("failing", place))).rejects.toMatchObject({
    message: "the strategy fails: boom",
    extras: { code: "strategy_failed" },
  });
  const plan = await ask<Started>(...previews("failing", place));
  expect(plan.warnings).toMatchObject([{ code: "strategy_failed" }]);
  const shown = await ask<Started>(...previews("two-sided", PLACE));
  const other = { ...PLACE, spreadPercent: 0.4, planHash: shown.planHash };
  await expect(ask(...starts("two-sided", other))).rejects.toThrow("is out of date");
});

it("a resume restarts a failed strategy and reports its next failure", async () => {
  let isBroken = false;
  const once = defineStrategy({
    ...twoSided,
    name: "once",
    orders(input) {
      if (isBroken) throw new Error("broken");
      return twoSided.orders(input);
    },
  });
  const { ask } = await asking([once]);
  const { id } = await ask<Started>(...starts("once", PLACE));
  isBroken = true;
  expect(await ask("resume_strategy", { id })).toMatchObject({
    success: false,
    message: `${id} stays paused: broken`,
  });
  const paused = await ask<{ success: boolean; message: string }>("pause_strategy", { id });
  expect(paused).toMatchObject({
    success: true,
    message: `${id} is paused: nothing new is placed, and its orders are canceled`,
  });
  isBroken = false;
  expect(await ask("resume_strategy", { id })).toMatchObject({ success: true });
});

it("a declared strategy's config appears with its descriptions in the API document and agent tools", async () => {
  const described = defineStrategy({
    ...twoSided,
    config: z.object({ spreadPercent: z.number().describe("Spread, in percent"), size: z.number() }),
  });
  const operations = createOperations(EXCHANGES, [described]);
  const start = operations.find(({ name }) => name === "start_strategy");
  const tool = JSON.stringify(start && toolOf(start).inputSchema);
  const { paths } = openApi(operations, "1");
  const document = JSON.stringify(paths?.["/strategies"]);
  for (const text of [tool, document]) expect(text).toContain("Spread, in percent");
  expect(document).toContain('"422":{"description":"One of: Start failed"');
  expect(JSON.stringify(paths?.["/strategy/grid"])).not.toContain('"422"');
});

it("a strategy's own file adds commands that preview and start it, and no operation", () => {
  const bare = defineStrategy({ ...twoSided, name: "bare" });
  const names = (definitions: StrategyDefinitions) =>
    createOperations(EXCHANGES, definitions).map(({ name }) => name);
  expect(names([bare])).toEqual(names([]));
  const commands = new Map(commandsOf(rootCommand(EXCHANGES, [bare])));
  for (const path of ["start bare", "strategy start bare"])
    expect(commands.get(path)).toMatchObject({
      meta: { description: "Start the strategy bare" },
      args: { strategies: expect.anything() },
    });
  for (const path of ["preview bare", "strategy preview bare"])
    expect(commands.get(path)?.meta).toMatchObject({
      description: "Show orders, cost and worst case of the strategy bare",
    });
});

it("the strategies that can be started are listed with their versions and configs", async () => {
  const { ask } = await asking([
    { ...twoSided, summary: "Quote both sides" },
    defineStrategy({ ...buyer, version: 3 }),
  ]);
  const { id } = await ask<Started>(...starts("two-sided", PLACE));
  expect(await ask("list_strategies", { definition: "two-sided" })).toMatchObject({
    count: 1,
    strategies: [{ id, definition: "two-sided", symbol: "BTC/USDT" }],
  });
  const { definitions } = await ask<{
    definitions: readonly { builtIn: boolean; config: { properties: object } }[];
  }>("list_definitions", {});
  expect(definitions.slice(0, 2)).toMatchObject([
    { name: "grid", title: "Grid", builtIn: true, config: { anyOf: [{}, {}] } },
    { name: "quote", title: "Quotes", builtIn: true, config: { properties: { spreadPercent: {} } } },
  ]);
  const loaded = definitions.filter(({ builtIn }) => !builtIn);
  expect(loaded).toMatchObject([
    { name: "two-sided", summary: "Quote both sides", version: 1 },
    { name: "buyer", summary: null, version: 3 },
  ]);
  // What every strategy can end with stands beside the definition's own fields.
  const endings = Object.keys(endingFields());
  expect(loaded.map(({ config }) => Object.keys(config.properties))).toEqual([
    ["spreadPercent", "size", ...endings],
    ["spreadPercent", "size", ...endings],
  ]);
});

it("the loader reserves each field name that a start, an edit and their commands use", () => {
  const bare = defineStrategy({ name: "bare", config: z.object({}), orders: () => [] });
  const commands = commandsOf(rootCommand(EXCHANGES, [bare])).filter(([path]) =>
    /^((start|preview) bare|strategy edit)$/.test(path),
  );
  expect(commands.length).toBe(3);
  const fields = commands.flatMap(([, { args }]) =>
    Object.keys(args ?? {}).map((flag) =>
      flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    ),
  );
  expect(fields.filter((field) => !RESERVED_FIELDS.has(field))).toEqual([]);
  expect(() =>
    defineStrategy({ name: "bare", config: z.object({ symbol: z.string() }), orders: () => [] }),
  ).toThrow("config.symbol");
});

it("a start names the field that fails the config's schema", () => {
  const [name, input] = starts("two-sided", { exchange: "kraken", symbol: "BTC/USDT", size: 1 });
  const start = createOperations(EXCHANGES, [twoSided]).find((one) => one.name === name);
  const parsed = start?.input.safeParse(input);
  expect(start && parsed?.error && inputRefusal(start, parsed.error)).toMatchObject({
    label: "Invalid request",
    message: "config.spreadPercent must be a number",
  });
});

it("a start rejects a config that breaks a rule over several fields, and names it", async () => {
  const ordered = defineStrategy({
    name: "ordered",
    config: z
      .object({ low: z.number(), high: z.number() })
      .refine(({ low, high }) => low < high, { path: ["high"], error: "must be above low" }),
    orders: () => [],
  });
  const { ask } = await asking([ordered]);
  const place = { exchange: "kraken", symbol: "BTC/USDT", baseBudget: 0, quoteBudget: 100 };
  await expect(ask(...previews("ordered", { ...place, low: 2, high: 1 }))).rejects.toMatchObject({
    label: "Invalid request",
    message: "high: must be above low",
  });
  expect(await ask(...previews("ordered", { ...place, low: 1, high: 2 }))).toMatchObject({
    details: { config: { low: 1, high: 2 } },
  });
});

it("a status shows orders that are not placed, by their ids", async () => {
  const small = defineStrategy({
    name: "small",
    config: z.object({}),
    orders: ({ quote }) => [
      { id: "good", side: "buy", price: quote.bid, quoteSize: 100 },
      { id: "tiny", side: "buy", price: quote.bid, quoteSize: 0.01 },
    ],
  });
  const { ask } = await asking([small]);
  const { spreadPercent: _, size: _size, ...place } = PLACE;
  const { id } = await ask<Started>(...starts("small", place));
  const status = await ask<{ waiting: object[]; orders: object[] }>("get_strategy", { id });
  expect(status.orders).toMatchObject([{ id: "good", side: "buy" }]);
  expect(status.waiting).toEqual([
    { id: "tiny", reason: "below_minimum", detail: "tiny is below the exchange's minimum" },
  ]);
});

it("a preview has the prices elsewhere and the candles that its definition requests", async () => {
  const seen: StrategyInput[] = [];
  const own = (name: string, more: object) =>
    defineStrategy({
      name,
      config: z.object({}),
      ...more,
      orders: (input) => {
        seen.push(input);
        return [];
      },
    });
  const { ask } = await asking(
    [own("all", { candles: { timeframe: "1m", count: 3 }, reference: true }), own("none", {})],
    {
      reference: async () => ({
        prices: [
          { source: "mexc", price: 60_000n * ONE },
          { source: "dex", price: 60_010n * ONE },
        ],
        maxConfidence: null,
        listed: true,
      }),
    },
  );
  const { spreadPercent: _, size: _size, ...place } = PLACE;
  await ask(...previews("all", place));
  await ask(...previews("none", place));
  const [all, none] = seen;
  expect(all?.reference.prices.map(({ source, price }) => `${source} ${price}`)).toEqual([
    "mexc 60000",
    "dex 60010",
  ]);
  expect(String(all?.reference.price)).toBe("60005");
  expect(all?.candles).toHaveLength(3);
  expect([none?.reference, none?.candles]).toEqual([{ price: null, prices: [], reason: null }, []]);
});

it("changes of a strategy name what is missing, and what it has to do", async () => {
  const { ask } = await asking([twoSided]);
  await expect(ask("pause_strategy", { id: "two-sided-9" })).rejects.toThrow(
    "there is no strategy two-sided-9",
  );
  const { id } = await ask<Started>(...starts("two-sided", PLACE));
  await ask("stop_strategy", { id });
  await expect(ask("resume_strategy", { id })).rejects.toThrow(
    `${id} is stopped and cannot be changed; start a new one`,
  );
});
