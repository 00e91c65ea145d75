import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { currentBundle } from "../../cli/build/current.cjs";
import { calculationThread } from "../../cli/host/process/calculations.ts";
import {
  CALCULATIONS,
  type GridJob,
  type ReplayJob,
  type SearchJob,
} from "../../src/backtest/operations/calculations.ts";
import { finish } from "../../src/backtest/run/begin.ts";
import { replayIn } from "../../src/backtest/schema/replay.ts";
import { AppError } from "../../src/kernel/errors.ts";
import type { CalculationThread } from "../../src/ports/heavy.ts";
import { randomCandles } from "../backtest/random-bars.ts";
import { d, market } from "../support/grid.ts";
import { runOperation } from "../support/sandbox.ts";
import { swung } from "../support/swings.ts";
import { tempFolder } from "../support/temp.ts";

const MARKET = market({ tick: d("1"), lot: d("0.0001") });
const UNLIMITED = { maxMillis: Number.POSITIVE_INFINITY, signal: undefined };

const REPLAY = { timeframe: "1m", extremes: "nearest", fills: 100, config: {} };

const gridJob = (bars: number): GridJob => ({
  request: {
    lowerPrice: d("9000"),
    upperPrice: d("11000"),
    gridLevels: 20,
    orderSize: d("100"),
    allowLoss: true,
  } as never,
  past: randomCandles(7, bars, 40),
  options: { market: MARKET, withBand: true },
  over: { definition: "grid", config: {}, exchange: "kraken", fills: 50 },
});
const searchJob = (bars: number): SearchJob => ({
  candles: randomCandles(7, bars, 40),
  options: { market: MARKET, budget: 1000, windows: 3, candidates: 100, seed: 1 },
  over: { exchange: "kraken", symbol: "BTC/USDT", budget: 1000, bars },
});

describe("a calculation thread", () => {
  let thread: CalculationThread;
  beforeAll(async () => {
    const file = join(dirname(await currentBundle()), "calculation-thread.js");
    thread = calculationThread(file) as CalculationThread;
  });

  it("returns the same result as the calculation in this process", async () => {
    expect(await thread("grid", gridJob(2000), UNLIMITED)).toEqual(
      finish(CALCULATIONS.grid(gridJob(2000), () => false)),
    );
    expect(await thread("search", searchJob(3000), UNLIMITED)).toEqual(
      finish(CALCULATIONS.search(searchJob(3000), () => false)),
    );
  });

  it("fails like the calculation in this process", async () => {
    const failing = thread("search", searchJob(10), UNLIMITED);
    await expect(failing).rejects.toBeInstanceOf(AppError);
    await expect(failing).rejects.toMatchObject({
      label: "Invalid request",
      message: expect.stringMatching(/too few/),
    });
  });

  it("stops at its limit and returns the partial result", async () => {
    const { options, ...job } = gridJob(200_000);
    const walking = { ...job, options: { ...options, engine: "walk" as const } };
    expect(await thread("grid", walking, { ...UNLIMITED, maxMillis: 0 })).toMatchObject({ isWhole: false });
  });

  it("returns the same result for lists that are sent in parts", async () => {
    const { app, id } = await swung({ minutes: 60 });
    const jobs: ReplayJob[] = [];
    const capture: CalculationThread = async (_name, job) => void jobs.push(job as ReplayJob);
    await runOperation({ ...app.deps, calculationThread: capture }, "backtest", { strategy: id, ...REPLAY });
    const [{ lists, ...rest }] = jobs as [ReplayJob];
    const events = Array.from({ length: 2500 }, () => lists.events).flat();
    const job = { ...rest, lists: { ...lists, events } };
    const here = finish(CALCULATIONS.replay(job, () => false));
    expect(replayIn(here)?.executed.record).toBeGreaterThan(0);
    expect(await thread("replay", job, UNLIMITED)).toEqual(here);
    expect(await thread("grid", gridJob(500), UNLIMITED)).toMatchObject({ isWhole: true });
  });

  it("ends on cancel, and the next calculation gets a new thread", async () => {
    const left = new AbortController();
    const canceled = thread("search", searchJob(400_000), { ...UNLIMITED, signal: left.signal });
    left.abort();
    await expect(canceled).rejects.toThrow("the client has canceled this request");
    expect(await thread("grid", gridJob(500), UNLIMITED)).toMatchObject({ isWhole: true });
  });

  it("is undefined when its code file does not exist", () => {
    expect(calculationThread(join(tempFolder(), "none.cjs"))).toBeUndefined();
  });
});
