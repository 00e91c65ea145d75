import { expect, it } from "vitest";
import { backtestOperation, pastDefinitions } from "../../../src/backtest/operations/backtest.ts";
import { suggestOperation } from "../../../src/backtest/operations/past.ts";
import { type Candles, candlesIn } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Call, Operation } from "../../../src/operation.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { CandlesRequest } from "../../../src/ports/venue.ts";
import { minutesOf } from "../../suggest/series.ts";
import { d, GRID } from "../../support/grid.ts";
import { runOperation, START, testSandbox } from "../../support/sandbox.ts";
import { FROM, type Reported, taped } from "../taped.ts";

const OPERATIONS: readonly Operation[] = [backtestOperation(["kraken"]), suggestOperation(["kraken"])];

it.each([
  ["backtest", "POST /backtest", "backtest", true],
  ["suggest_grid", "POST /strategy/grid/suggest", "suggest", false],
])("%s reads, with a token, beside other heavy calls", (name, route, path, hasCsv) => {
  const found = OPERATIONS.find((one) => one.name === name);
  expect(found).toMatchObject({
    effect: "read",
    access: "token",
    lane: "heavy",
    failure: "Fetch failed",
    http: { route, from: route.startsWith("GET") ? "query" : "body" },
  });
  const { summary, cli, mcp, csv, input, output } = found as Operation;
  expect(summary).toMatch(/^[A-Z].*[^.]$/);
  expect(cli).toMatchObject({ path, view: expect.any(Function) });
  const examples =
    name === "backtest"
      ? pastDefinitions().flatMap(({ forms }) => forms.flatMap((form) => form.examples ?? []))
      : cli?.examples;
  expect(examples?.length).toBeGreaterThan(0);
  expect(examples?.every((example) => example.startsWith(`edgemaker ${path} `))).toBe(true);
  expect(mcp).toMatchObject({ summarize: expect.any(Function) });
  if (hasCsv) expect(mcp).toMatchObject({ defaults: { fills: 0 } });
  expect([csv !== undefined, typeof input, typeof output]).toEqual([hasCsv, "object", "object"]);
});

it("a backtest of a grid has the defaults of a start on the command line", () => {
  const grids = pastDefinitions().flatMap(({ name, forms }) => (name === "grid" ? forms : []));
  expect(grids.map(({ word, defaults }) => [word, defaults])).toEqual([
    ["grid", { allowLoss: false, useOwnBase: false }],
    ["centered", { allowLoss: false, useOwnBase: false }],
  ]);
});

it("a backtest reads a config as the schema of its definition, and names the field that is wrong", () => {
  const { input } = backtestOperation(["kraken"]);
  const where = { exchange: "kraken", symbol: "BTC/USDT" };
  const issuesOf = (given: object) =>
    input.safeParse(given).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
  const range = { lowerPrice: 90, upperPrice: 110, gridLevels: 4, orderSize: 50 };
  expect(issuesOf({ ...where, config: range })).toEqual([]);
  expect(issuesOf({ ...where, config: { geometry: "centered" } })).toEqual([]);
  expect(issuesOf({ ...where, definition: "quote", config: { spreadPercent: 1, size: 5 } })).toEqual([]);
  expect(issuesOf({ from: "grid-kraken-BTC-USDT-1", config: { gridLevels: 4 } })).toEqual([]);
  expect(issuesOf({ ...where, config: { ...range, lowerPrice: 120 } })).toEqual([
    "config.upperPrice: Invalid range: lowerPrice must be below upperPrice",
  ]);
  expect(issuesOf({ ...where, config: { ...range, spreadPercent: 1 } })).toEqual([
    expect.stringMatching(/^config: .*spread/),
  ]);
  expect(issuesOf({ ...where, definition: "quote", config: { spreadPercent: 1 } })).toEqual([
    expect.stringMatching(/^config.size: Invalid order size: /),
  ]);
  expect(issuesOf({ ...where, definition: "other" })).toEqual([expect.stringMatching(/^definition: /)]);
  expect(issuesOf({ config: range })).toEqual([
    expect.stringMatching(/^exchange: Invalid exchange: /),
    expect.stringMatching(/^symbol: Missing symbol: /),
  ]);
});

it("a search reads as many candles as its windows need, unless it is given a start", async () => {
  const asked: CandlesRequest[] = [];
  const long = minutesOf(1, { bars: 6000, keeps: 1 });
  const part = (count: number): Candles => {
    const from = long.times.length - count;
    const cut = <T extends Float64Array | Int32Array>(column: T) => column.subarray(from) as T;
    return {
      ...long,
      from: long.times[from] as number,
      times: cut(long.times),
      volume: cut(long.volume),
      open: cut(long.open),
      high: cut(long.high),
      low: cut(long.low),
      close: cut(long.close),
    };
  };
  const run = async (newest: number, since?: number) => {
    asked.length = 0;
    const kept = {
      async candles(request: CandlesRequest) {
        asked.push(request);
        return asked.length === 1 ? part(newest) : part(2880);
      },
    };
    const deps = { kept, local: { monotonic: () => 0, sleep: async () => undefined } } as unknown as Deps;
    const input = {
      exchange: "kraken",
      symbol: "BTC/USDT",
      timeframe: "1m",
      budget: d("1000"),
      windows: 3,
      candidates: 2,
      seed: 1,
      seconds: 5,
      tick: d("0.01"),
      lot: d("0.00001"),
      makerFee: 0n,
      since,
    };
    const call = { actor: "local" } as unknown as Call;
    const { bars } = (await suggestOperation(["kraken"]).run(deps, input as never, call)) as { bars: number };
    return [bars, asked.map((request) => request.since)];
  };
  const last = long.times.at(-1) as number;
  // Three windows of 960 candles.
  expect(await run(2879)).toEqual([2880, [undefined, last - 2880 * MINUTE]]);
  expect(await run(2880)).toEqual([2880, [undefined]]);
  await expect(run(2879, 5)).rejects.toThrow();
  expect(asked.map(({ since }) => since)).toEqual([5]);
});

it("a backtest from a stored grid has its settings, and its consent to a loss", async () => {
  const box = await testSandbox();
  const times = Float64Array.from([0, 1, 2], (minute) => START + minute * MINUTE);
  const at = Int32Array.of(60_000, 60_000, 60_000);
  const past = candlesIn({
    pair: "BTC/USDT",
    spanMillis: MINUTE,
    scale: 0,
    times,
    volume: new Float64Array(3),
    open: at,
    high: at,
    low: at,
    close: at,
  });
  const asked: CandlesRequest[] = [];
  const candles = async (request: CandlesRequest) => {
    asked.push(request);
    return past;
  };
  const deps = { ...box.deps, kept: { candles } };
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
  const levelsOf = async (from: string, input: object) => {
    const { since, until, ...config } = input as { since?: number; until?: number };
    const result = await runOperation<{ details: { slots: readonly object[] }; band: object | null }>(
      deps,
      "backtest",
      backtestOperation(["kraken"]).input.parse({ from, timeframe: "5m", fills: 0, since, until, config }),
    );
    expect(result.band).not.toBeNull();
    return result.details.slots.length;
  };
  // An option that is not set is the grid's.
  expect(await levelsOf(id, {})).toBe(6);
  expect(await levelsOf(id, { gridLevels: 4 })).toBe(4);
  await levelsOf(id, { since: START + 1, until: START + 2 * MINUTE });
  const where = { exchange: GRID.exchange, symbol: GRID.symbol, span: 5 * MINUTE };
  expect(asked.slice(-2)).toEqual([
    { ...where, since: undefined, until: undefined },
    { ...where, since: START + 1, until: START + 2 * MINUTE },
  ]);
  // The slots of 100 levels are 60 wide, a tenth of a percent, which is less than the fees of a cycle.
  const dense = { gridLevels: 100, orderSize: 50 };
  const refused = "every cycle loses money";
  await expect(levelsOf(id, { ...dense, allowLoss: false })).rejects.toThrow(refused);
  for (const consent of [{}, { allowLoss: true }])
    expect(await levelsOf(id, { ...dense, ...consent })).toBe(100);
  const idWith = async (request: object) =>
    (await runOperation<{ id: string }>(deps, "start_grid", { ...GRID, ...request })).id;
  const bold = await idWith({ ...dense, orderSize: d("50"), exchange: "mexc", allowLoss: true });
  expect(await levelsOf(bold, {})).toBe(100);
  await expect(levelsOf(bold, { allowLoss: false })).rejects.toThrow(refused);
  const careful = await idWith({ exchange: "bitget", allowLoss: false });
  for (const consent of [{}, { allowLoss: false }])
    await expect(levelsOf(careful, { ...dense, ...consent })).rejects.toThrow(refused);
  expect(await levelsOf(careful, { ...dense, allowLoss: true })).toBe(100);
});

it("a backtest over books names the model of its queue, and one without books has none", async () => {
  const events = (isBook: boolean) => [
    { at: 0, price: 105, amount: 1 },
    ...(isBook ? [{ at: 1000, bids: [[104, 1]] as const, asks: [[106, 1]] as const }] : []),
    { at: 2000, price: 105, amount: 1 },
  ];
  const ranged = OPERATIONS[0] as Operation;
  const answerOf = async (isBook: boolean, more: object = {}) => {
    const found = { tape: taped(events(isBook) as Reported[]), hash: "0", duplicates: 0, refused: [] };
    const deps = {
      kept: { tape: async () => found },
      local: { monotonic: () => 0, sleep: async () => undefined },
    } as unknown as Deps;
    const input = ranged.input.parse({
      exchange: "kraken",
      symbol: "BTC/USDT",
      config: { lowerPrice: 100, upperPrice: 110, gridLevels: 2, orderSize: 100, allowLoss: true },
      tick: 0.1,
      lot: 0.01,
      makerFee: 0,
      queue: "proportional",
      ...more,
    });
    const call = { actor: "local" } as unknown as Call;
    return (await ranged.run(deps, input as never, call)) as {
      tape: { queue: unknown };
      position: string;
      bars: number;
    };
  };
  const [booked, plain] = [await answerOf(true), await answerOf(false)];
  expect([booked.tape.queue, plain.tape.queue]).toEqual(["proportional", null]);
  // With a balance of its own, the upper slot begins with 100 / 110 of base, in whole lots.
  const own = await answerOf(false, { baseBudget: 3, quoteBudget: 1000 });
  expect([plain.position, own.position]).toEqual(["0", "0.9"]);
  const [late, early] = [
    await answerOf(false, { since: FROM + 1 }),
    await answerOf(false, { until: FROM + 2000 }),
  ];
  expect([plain.bars, late.bars, early.bars]).toEqual([2, 1, 1]);
});
