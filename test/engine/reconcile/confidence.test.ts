import { describe, expect, it } from "vitest";
import { agreement, confidenceAt, confidenceFrom } from "../../../src/engine/reconcile/confidence.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Confidence } from "../../../src/model/memory.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Reference } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import { runOperation, START, testSandbox } from "../../support/sandbox.ts";

const reference = (over: Partial<Reference> = {}): Reference => ({
  prices: [{ source: "gateio", price: d("100") }],
  maxConfidence: null,
  listed: true,
  ...over,
});
const silent = reference({ prices: [] });
const known = (over: Partial<Confidence> = {}): Confidence => ({
  value: d("0.8"),
  source: "the median of gateio",
  at: 0,
  requestedAt: 0,
  ...over,
});

describe("the confidence in a price", () => {
  it.each([
    ["100", ["100"], "1"],
    ["102.5", ["100"], "0.5"],
    ["97.5", ["100"], "0.5"],
    ["105", ["100"], "0"],
    ["200", ["100"], "0"],
    ["100", ["90", "100", "300"], "1"],
    ["100", ["99", "101"], "1"],
  ])("of %s among %j is %s", (mid, others, value) => {
    expect(agreement(d(mid), others.map(d))).toBe(d(value));
  });

  it.each([
    ["the chain's own, where that is lower", reference({ maxConfidence: d("0.4") }), undefined, 0, "0.4"],
    ["1 where nobody else lists the pair", reference({ prices: [], listed: false }), undefined, 0, "1"],
    ["0 where nobody answers and nothing is known", silent, undefined, 0, "0"],
    ["the last value while nobody answers", silent, known(), 5 * MINUTE, "0.8"],
    ["0 when nobody has answered for longer than five minutes", silent, known(), 5 * MINUTE + 1, "0"],
  ])("is %s", (_name, result, last, now, value) => {
    expect(confidenceFrom(result, { mid: d("100"), last, now }).value).toBe(d(value));
  });

  it.each([
    [MINUTE, "1"],
    [MINUTE + 1, "0"],
  ])("of a quote of %d ms ago is %s", (age, value) => {
    const quote = { bid: d("99"), ask: d("101"), at: 0 };
    expect(confidenceAt(quote, { reference: reference(), now: age }).value).toBe(d(value));
  });

  it("stays as old as its responses, however many requests go unanswered", () => {
    const first = confidenceFrom(silent, { mid: d("100"), last: known(), now: 4 * MINUTE });
    expect(first).toMatchObject({ at: 0, requestedAt: 4 * MINUTE });
    expect(confidenceFrom(silent, { mid: d("100"), last: first, now: 6 * MINUTE }).value).toBe(0n);
  });
});

describe("the reference price of a pair from other venues", () => {
  it("comes from each other venue, and from the chain for its own token", async () => {
    const { deps } = await testSandbox();
    const ask = deps.reference as NonNullable<Deps["reference"]>;
    const sources = async (symbol: "BTC/USDT" | "SNEK/USDT" | "BTC/EUR") => {
      const { prices, maxConfidence, listed } = await ask("kraken", symbol);
      return { sources: prices.map(({ source }) => source), isCapped: maxConfidence !== null, listed };
    };
    const others = ["mexc", "gateio", "bitget"];
    expect(await sources("BTC/USDT")).toEqual({ sources: others, isCapped: false, listed: true });
    expect(await sources("SNEK/USDT")).toEqual({ sources: [...others, "dex"], isCapped: true, listed: true });
    expect(await sources("BTC/EUR")).toEqual({ sources: [], isCapped: false, listed: false });
  });
});

describe("a grid with a minimum confidence", () => {
  const CONFIG = { lowerPrice: d("59000"), upperPrice: d("61000"), gridLevels: 4, orderSize: d("50") };
  const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
  interface Reported {
    readonly id: string;
    readonly warnings: readonly { code: string }[];
  }
  interface Status {
    readonly strategies: readonly {
      readonly refused: readonly { reason: string }[];
      readonly confidence: { readonly value: number; readonly source: string } | null;
    }[];
  }

  async function started(confidence: string, price?: string) {
    const box = await testSandbox();
    let requestCount = 0;
    const ask: Deps["reference"] = async (exchange, symbol) => {
      requestCount++;
      const real = await box.deps.reference?.(exchange, symbol);
      return price === undefined && real
        ? real
        : reference({ prices: [{ source: "gateio", price: d(price ?? "0") }] });
    };
    const deps: Deps = { ...box.deps, reference: ask };
    const input = { ...MARKET, ...CONFIG, confidence: d(confidence) };
    const { id, warnings } = await runOperation<Reported>(deps, "start_grid", input);
    const status = async () => (await runOperation<Status>(deps, "get_grid_status", { id })).strategies[0];
    const open = () => box.venue("kraken").openOrders("BTC/USDT");
    return { ...box, deps, warnings, status, open, countRequests: () => requestCount };
  }

  it("places its orders when the venues agree, and status explains the confidence", async () => {
    const { open, status, warnings } = await started("0.9");
    expect(await open()).toHaveLength(4);
    expect(warnings.map(({ code }) => code)).not.toContain("low_confidence");
    expect(await status()).toMatchObject({
      confidence: { source: "the median of mexc, gateio, bitget", value: expect.closeTo(1, 1) },
    });
  });

  it("places nothing while the venues differ, warns at the start and reports the reason", async () => {
    const { open, status, warnings } = await started("0.6", "63000");
    expect(await open()).toEqual([]);
    expect(warnings.map(({ code }) => code)).toContain("low_confidence");
    const result = await status();
    expect(result?.refused.map(({ reason }) => reason)).toEqual(Array(4).fill("low_confidence"));
    expect(result?.confidence?.value).toBeLessThan(0.1);
  });

  it("requests prices at most once a minute, whichever process steps it", async () => {
    const { deps, countRequests, time } = await started("0.6", "63000");
    const first = countRequests();
    for (let seconds = 0; seconds < 55; seconds += 5) {
      time.pass(5000);
      await runOperation({ ...deps }, "tick", {});
    }
    expect(countRequests()).toBe(first);
    time.pass(10_000);
    await runOperation(deps, "tick", {});
    expect(countRequests()).toBe(first + 1);
    expect(time.now()).toBeGreaterThan(START);
  });

  it("requests no prices while every slot has an open order", async () => {
    const { deps, countRequests, time } = await started("0.6");
    const first = countRequests();
    for (let minutes = 0; minutes < 3; minutes++) {
      time.pass(2000);
      await runOperation(deps, "tick", {});
    }
    time.pass(MINUTE + 1);
    expect(countRequests()).toBe(first);
  });
});
