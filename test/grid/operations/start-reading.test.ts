import { describe, expect, it } from "vitest";
import { fundPaper, strategiesOn } from "../../../src/engine/operations/start-reads.ts";
import { readForStart, type StartPlace, startDoubts } from "../../../src/grid/operations/start.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { d, REQUEST } from "../../support/grid.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

const WHERE: StartPlace = { exchange: "kraken", symbol: "BTC/USDT" };

async function opened() {
  const box = await testSandbox();
  const kraken = box.venue("kraken");
  /** The same prices of an exchange that is no simulated one, whose clock is an hour ahead. */
  const real: Venue = { ...kraken, account: { exchange: "kraken", kind: "live", host: "api.kraken.com" } };
  const marketTime: Deps["marketTime"] = (_account, now) => now + 3_600_000;
  const live: Deps = { ...box.deps, venue: () => real, marketTime };
  return { ...box, ...askingOf(box.deps), kraken, live };
}

describe("the data that a start reads", () => {
  it("includes the current time to check the price's age, unless prices are simulated", async () => {
    const { deps, live, time } = await opened();
    expect((await readForStart(deps, WHERE, "test")).bounds.now).toBeUndefined();
    expect((await readForStart(live, WHERE, "test")).bounds.now).toBe(time.now() + 3_600_000);
  });

  it("includes the price confidence, at the price's time if it is simulated", async () => {
    const { deps, live } = await opened();
    const request = { ...WHERE, confidence: d("0.5") };
    const prices = { reference: async () => ({ prices: [], maxConfidence: null, listed: false }) };
    const trusted = async (of: Deps) =>
      (await readForStart({ ...of, ...prices }, request, "test")).confidence;
    expect(await trusted(deps)).toBeGreaterThan(0n);
    // An hour later it is an old price.
    expect(await trusted(live)).toBeLessThan((await trusted(deps)) as bigint);
    expect((await readForStart(deps, WHERE, "test")).confidence).toBeUndefined();
  });

  it("includes what is running, and nothing that has stopped", async () => {
    const { deps, ask, kraken, venue } = await opened();
    const { id } = await ask<{ id: string }>("start_grid", { ...REQUEST, useOwnBase: false });
    const needed = async () => (await readForStart(deps, WHERE, "test")).kept.quote;
    expect(await strategiesOn(deps, kraken)).toMatchObject([{ strategy: { id } }]);
    expect(await strategiesOn(deps, venue("mexc"))).toEqual([]);
    expect(await needed()).toBeGreaterThan(0n);
    await ask("stop_strategy", { id });
    expect(await strategiesOn(deps, kraken)).toEqual([]);
    expect(await needed()).toBe(0n);
  });

  it("includes paper balances only on request", async () => {
    const { deps, kraken } = await opened();
    const { dry: _, ...live } = deps;
    const own = { USDT: d("1500") };
    const quoteOf = async (where: StartPlace) =>
      (await readForStart(deps, where, "test")).balances.find(({ asset }) => asset === "USDT")?.free;
    expect(await quoteOf({ ...WHERE, dryRun: true, dryBalance: own })).toBe(d("1500"));
    expect(await quoteOf(WHERE)).toBe(d("100000"));
    await expect(readForStart(deps, { ...WHERE, dryBalance: own }, "test")).rejects.toThrow(
      "dryBalance requires dryRun",
    );
    await expect(fundPaper(live, WHERE, kraken)).resolves.toBeUndefined();
    await expect(fundPaper(live, { ...WHERE, dryRun: true }, kraken)).rejects.toThrow(
      "paper trading is not available",
    );
  });
});

describe("the effect of a doubtful price on the first orders", () => {
  const format = (value: string | undefined, confidence: string | undefined) =>
    startDoubts(
      {
        trust: value === undefined ? undefined : { value: d(value), source: "itself" },
        market: { active: true, symbol: "BTC/USDT" },
      } as unknown as Parameters<typeof startDoubts>[0],
      {
        ...WHERE,
        confidence: confidence === undefined ? undefined : d(confidence),
      },
    );

  it("is reported below the requested minimum, and not at it", () => {
    expect(format("0.4", "0.5")).toEqual([
      {
        code: "low_confidence",
        message: "nothing is placed now: the price's confidence is 0.4, below 0.5 (itself)",
      },
    ]);
    expect([format("0.5", "0.5"), format(undefined, "0.5"), format("0.4", undefined)]).toEqual([[], [], []]);
  });
});
