import { describe, expect, it } from "vitest";
import twoSided from "../../examples/two-sided.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { kindsWith } from "../../src/kinds.ts";
import { adminAsks, servedOver } from "../support/app.ts";
import { testSandbox } from "../support/sandbox.ts";
import { startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 2000, baseBudget: 0.05 };
const ENDINGS = {
  stopLossPrice: 30_000.5,
  takeProfitPrice: 90_000,
  trailingStopPercent: 12.5,
  stopAtOnce: true,
  triggerPrice: 50_000,
  maxLoss: 123.45,
  endsAt: "2030-01-31T08:00Z",
  onEnd: "sell",
};
const RANGE = { lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 100 };
const CENTERED = { levels: 3, spacing: 0.01, size: 50 };
const FORMS = {
  "a grid": ["grid", RANGE],
  "a grid with all options": [
    "grid",
    {
      ...RANGE,
      gridSpacing: 1000,
      spacingModel: "linear",
      trail: { up: 70_000, down: 50_000 },
      allowLoss: true,
      useOwnBase: true,
      initialBuy: true,
      postOnly: false,
      confidence: 0.25,
      maxPosition: 0.9,
      safetyReserve: 0.05,
      ...ENDINGS,
    },
  ],
  "a centered grid": ["centered", CENTERED],
  "a centered grid with all options": [
    "centered",
    {
      ...CENTERED,
      spacingModel: "custom",
      customSpacings: [0.01, 0.02, 0.035],
      spacingFactor: 1.7,
      sizeModel: "custom",
      sizeWeights: [1, 1.5, 2],
      deviation: 0.033,
      deviationFrom: "center",
      debounce: 4000,
      maxPosition: 0.7,
      safetyReserve: 0.1,
      confidence: 0.2,
      volatility: true,
      volatilityLow: 0.011,
      volatilityHigh: 0.044,
      useOwnBase: false,
      ...ENDINGS,
    },
  ],
  quotes: ["quote", { ...BUDGET, spreadPercent: 1, size: 100 }],
  "quotes with growing sizes": [
    "quote",
    {
      ...BUDGET,
      spreadPercent: 1.3,
      levels: 3,
      size: 20,
      growth: 1.5,
      gapPercent: 0.7,
      volatilityFactor: 0.5,
      target: 0.4,
      skewPercent: 0.9,
      defend: "20:60",
      maxBase: 0.2,
      minBase: 0.001,
      useOthers: false,
      maxAge: 60_000,
      collarPercent: 5,
      tolerancePercent: 0.3,
      ...ENDINGS,
    },
  ],
  "quotes with a depth, a fixed price and a model": [
    "quote",
    {
      ...BUDGET,
      spreadPercent: 2,
      depth: 300,
      withinPercent: 3,
      fixedPrice: 60_000,
      collarPercent: 0,
      useDex: false,
      gamma: 0.1,
      sigma: 2,
      k: 1.5,
      horizon: 0.5,
    },
  ],
  "a strategy of one's own": ["two-sided", { ...BUDGET, spreadPercent: 1.5, size: 77, ...ENDINGS }],
} as const;

interface Status {
  readonly definition: string;
  readonly startAgain: Readonly<Record<string, unknown>> & { readonly config: object };
}

async function served() {
  const definitions = [twoSided];
  const box = await testSandbox({ speed: 1 });
  const deps = { ...box.deps, kinds: kindsOf(kindsWith(definitions)) };
  const ask = adminAsks(servedOver(deps, { definitions }));
  const stored = async (id: string) => (await deps.store.strategies({ id }))[0]?.strategy;
  const status = (id: string) => ask<Status>("GET", `/strategies/${id}`);
  const pass = async (millis: number) => {
    box.time.pass(millis);
    await ask("POST", "/internal/tick", {});
  };
  const marketTime = async () => (await box.venue("kraken").ticker("BTC/USDT")).at;
  return { ask, stored, status, pass, marketTime };
}

describe("the same settings again", () => {
  it.each(Object.entries(FORMS))("start %s with the config that it has", async (_what, [name, fields]) => {
    const { ask, stored, status } = await served();
    const [path, body] = startOf(name, { ...MARKET, ...fields });
    const { id } = await ask<{ id: string }>("POST", path, body);
    await ask("POST", `/strategies/${id}/stop`, {});
    const { startAgain } = await status(id);
    const second = await ask<{ id: string }>("POST", path, startAgain);
    expect((await stored(second.id))?.config).toEqual((await stored(id))?.config);
    // Asked for fields are there under their own names, with the numbers that were typed.
    const { endsAt: _, ...asked } = body.config as Readonly<Record<string, unknown>>;
    expect(startAgain.config).toMatchObject(asked);
    expect(await ask("GET", `/strategies/${second.id}`)).toMatchObject({ startAgain });
  });

  it("contain a change, and no end time that has passed", async () => {
    const { ask, status, pass, marketTime } = await served();
    const [path, body] = startOf("quote", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 100 });
    const { id } = await ask<{ id: string }>("POST", path, body);
    await ask("PATCH", `/strategies/${id}`, { config: { spreadPercent: 2, levels: 2, maxLoss: 50 } });
    await pass(6000);
    expect((await status(id)).startAgain.config).toMatchObject({ spreadPercent: 2, levels: 2, maxLoss: 50 });
    const later = { endsAt: "2040-01-01", onEnd: "sell" };
    await ask("PATCH", `/strategies/${id}`, { config: later });
    await pass(6000);
    expect((await status(id)).startAgain.config).toMatchObject({
      endsAt: Date.UTC(2040, 0, 1),
      onEnd: "sell",
    });
    await ask("PATCH", `/strategies/${id}`, { config: { endsAt: (await marketTime()) + 1000 } });
    await pass(6000);
    const ended = (await status(id)).startAgain.config;
    expect(Object.keys(ended)).not.toContain("endsAt");
    expect(Object.keys(ended)).not.toContain("onEnd");
  });

  it("contain a change that waits for the next pass", async () => {
    const { ask, status } = await served();
    const [path, body] = startOf("quote", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 100 });
    const { id } = await ask<{ id: string }>("POST", path, body);
    await ask("POST", `/strategies/${id}/pause`, {});
    await ask("PATCH", `/strategies/${id}`, { config: { spreadPercent: 3 } });
    expect((await status(id)).startAgain.config).toMatchObject({ spreadPercent: 3 });
  });

  it("stay on paper", async () => {
    const { ask, status } = await served();
    const [path, body] = startOf("grid", { ...MARKET, ...RANGE, dryRun: true });
    const { id } = await ask<{ id: string }>("POST", path, body);
    expect((await status(id)).startAgain).toMatchObject({ dryRun: true, definition: "grid" });
  });
});
