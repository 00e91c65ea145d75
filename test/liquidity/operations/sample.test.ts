import { describe, expect, it } from "vitest";
import { VenueError } from "../../../src/kernel/errors.ts";
import { DAY, HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { readStatusContent } from "../../../src/liquidity/operations/check-proof.ts";
import { bundleLines } from "../../../src/liquidity/operations/proof.ts";
import { sampleFirst, sampleLiquidity, withoutRules } from "../../../src/liquidity/operations/sample.ts";
import { statusPage } from "../../../src/liquidity/status-page.tsx";
import { createProofKeys, createProofStore } from "../../../src/liquidity/store/proofs.ts";
import {
  createAgreementStore,
  createLiquidityStore,
  type LiquidityDeps,
} from "../../../src/liquidity/store/store.ts";
import type { Order } from "../../../src/model/order.ts";
import { importKek } from "../../../src/storage/client/envelope.ts";
import { BY } from "../../support/by.ts";
import { d } from "../../support/grid.ts";
import { liquidityMinute } from "../../support/liquidity-minute.ts";
import { order, strategy } from "../../support/made.ts";
import { START, testSandbox } from "../../support/sandbox.ts";

const KRAKEN = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const MEXC = { exchange: "mexc", symbol: "BTC/USDT" } as const;
const level = (price: string) => ({ price: d(price), amount: d("10") });

/** Pairs on real libSQL, whose books are always 99 to 101; how often they are read is counted. */
async function samplingBox(pairs: readonly object[] = [KRAKEN]) {
  const box = await testSandbox();
  const store = createLiquidityStore(box.context);
  const keks = [await importKek(new Uint8Array(32).fill(7))];
  const proofs = { ...createProofStore(box.context), ...createProofKeys(box.context, async () => keks) };
  const reads: string[] = [];
  const venue: LiquidityDeps["venue"] = (exchange) => ({
    ...box.deps.venue(exchange),
    book: async () => {
      reads.push(exchange);
      return { bids: [level("99"), level("98")], asks: [level("101"), level("102")], at: box.time.now() };
    },
  });
  const deps = { ...box.deps, venue, liquidity: { store, pairs, proofs } } as unknown as LiquidityDeps;
  const rows = (pair: typeof KRAKEN | typeof MEXC = KRAKEN) => store.minutes(pair, 0, 1e9);
  const count = async (table: string) =>
    Number((await box.context.client.execute(`select count(*) from ${table}`)).rows[0]?.[0]);
  return { ...box, deps, samples: store, proofs, reads, rows, count };
}
/** So many requests are left, and each book that is read takes `each` of them. */
const requestsOf = (left: number, reads: readonly string[], each = 0) => ({
  requests: () => left - each * reads.length,
});

/** A strategy without funds for its orders. */
const strategyView = {
  accountError: null,
  strategy: {
    ...strategy(),
    state: { ...strategy().state, refused: [{ slot: 0, reason: "no_quote" as const }] },
  },
};

describe("a sample of one minute", () => {
  const own = (side: "buy" | "sell", price: string, over: Partial<Order> = {}) =>
    order({ side, price: d(price), amount: d("1"), clientId: `${side} ${price}`, ...over });
  const sampled = async (...looks: readonly (readonly Order[])[]) => {
    const { deps, store, rows, reads } = await samplingBox();
    const left = [...looks];
    const unsettledOrders = async () => (left.length > 1 ? left.shift() : left[0]) as Order[];
    await sampleLiquidity({ ...deps, store: { ...store, unsettledOrders } });
    const [row] = await rows();
    return { reads: reads.length, ...row?.ownOrders, spread: row?.ownSpread };
  };

  it("has own limit orders of its pair that the exchange has accepted", async () => {
    const others = [
      own("buy", "98", { symbol: "ETH/USDT" }),
      own("buy", "98", { type: "market" }),
      ...(["intended", "filled", "rejected"] as const).map((state) =>
        own("buy", "98", { state: state as Order["state"] }),
      ),
    ];
    const states = ["submitted", "open", "partially_filled"] as const;
    for (const state of states)
      expect(await sampled([own("buy", "99", { state }), own("sell", "101"), ...others])).toEqual({
        // 2 of a mid of 100.
        reads: 1,
        bids: 1,
        asks: 1,
        spread: d("0.02"),
      });
  });

  it("is missing because of a strategy of its own pair, not of another one", async () => {
    const { deps, store, rows } = await samplingBox();
    const view = { ...strategyView, strategy: { ...strategyView.strategy, symbol: "ETH/USDT" } };
    const strategies = async () => [view] as never;
    await sampleLiquidity({ ...deps, store: { ...store, strategies } });
    // Without a strategy of the pair, nobody quotes it.
    expect((await rows())[0]?.absence).toBe("pause");
  });

  it("is read once more if own orders have changed meanwhile, and not a third time", async () => {
    const [bid, ask] = [own("buy", "99"), own("sell", "101")];
    expect(await sampled([bid], [bid, ask], [bid, ask])).toEqual({
      reads: 2,
      bids: 1,
      asks: 1,
      spread: d("0.02"),
    });
    expect(await sampled([bid], [{ ...bid, state: "partially_filled" }])).toMatchObject({
      reads: 2,
      bids: 1,
    });
    expect(await sampled([bid], [ask], [bid, ask], [])).toMatchObject({ reads: 2, bids: 1, asks: 1 });
  });

  it("is read only once if no more requests are left", async () => {
    const { deps, store, reads, rows } = await samplingBox();
    let looks = 0;
    const unsettledOrders = async () => (++looks === 1 ? [] : [own("buy", "99")]);
    await sampleLiquidity({ ...deps, ...requestsOf(8, reads, 5), store: { ...store, unsettledOrders } });
    expect([reads.length, (await rows())[0]?.ownOrders.bids]).toEqual([1, 1]);
  });

  it("has the median of other sources' prices, which is unknown if requests are left for the passes", async () => {
    const { deps, reads, rows, time } = await samplingBox();
    const prices = ["90", "110", "120"].map((price) => ({ source: price, price: d(price) }));
    const reference: LiquidityDeps["reference"] = async () => ({ prices, maxConfidence: null, listed: true });
    const found = async (over: Partial<LiquidityDeps>) => {
      await sampleLiquidity({ ...deps, ...over });
      time.pass(MINUTE);
      const row = (await rows()).at(-1);
      return [row?.sources, row?.deviation];
    };
    // A mid of 100 is 10 below 110.
    const off = (await found({ reference }))[1];
    expect(off).toBe(d("0.090909090909090909"));
    expect(await found({ reference, ...requestsOf(12, reads) })).toEqual([3, off]);
    expect(await found({ reference, ...requestsOf(11, reads) })).toEqual([null, null]);
    const { reference: _, ...without } = deps;
    await sampleLiquidity(without as LiquidityDeps);
    expect((await rows()).at(-1)).toMatchObject({ sources: 0, deviation: null });
  });
});

describe("sampling of several pairs", () => {
  it("stops where the requests of a pass begin: four a pair, and as many for the rest", async () => {
    const sampledBy = async (left: number, each: number) => {
      const { deps, reads } = await samplingBox([KRAKEN, MEXC]);
      await sampleLiquidity({ ...deps, ...requestsOf(left, reads, each) });
      return reads;
    };
    expect(await sampledBy(7, 0)).toEqual([]);
    expect(await sampledBy(8, 5)).toEqual(["kraken"]);
    expect(await sampledBy(8, 4)).toEqual(["kraken", "mexc"]);
  });

  it("records why one could not be read, and reads the others", async () => {
    const { deps, samples, rows, time } = await samplingBox([KRAKEN, MEXC]);
    const failing = (error: Error): Partial<LiquidityDeps> => ({
      inTime: (exchange, act) => (exchange === "kraken" ? Promise.reject(error) : act()),
    });
    await sampleLiquidity({ ...deps, ...failing(new VenueError("unavailable", "maintenance")) });
    time.pass(MINUTE);
    await sampleLiquidity({ ...deps, ...failing(new TypeError("a mistake")) });
    expect(await samples.misses(KRAKEN, 0, 1e9)).toEqual([
      { minute: START / MINUTE, cause: "exchange" },
      { minute: START / MINUTE + 1, cause: "ours" },
    ]);
    expect([await rows(), (await rows(MEXC)).length]).toEqual([[], 2]);
  });

  it("takes each pair once, whatever agreements name it", () => {
    const promise = { preset: "mexc-st", request: {} } as const;
    expect(withoutRules([KRAKEN, { ...MEXC, promise }, { ...KRAKEN, promise }])).toEqual([KRAKEN, MEXC]);
  });

  it("includes the pairs of agreements that another process stores and changes meanwhile", async () => {
    const { deps, context, rows, time } = await samplingBox([]);
    const liquidity = { ...deps.liquidity, agreements: createAgreementStore(context) };
    const here = {
      ...deps,
      liquidity,
      exchanges: [{ id: "kraken" }, { id: "mexc" }],
    } as unknown as LiquidityDeps;
    const elsewhere = createAgreementStore(context);
    const agree = (version: number, until: number | null) => {
      const markets = "kraken:BTC/USDT agreement spread=2 depth=500";
      const terms = { name: "desk", version, counterparty: null, from: 0, until, markets, total: null };
      return elsewhere.add(terms as never, "", BY);
    };
    const sampled = async () => {
      const before = (await rows()).length;
      time.pass(2 * MINUTE);
      await sampleLiquidity(here);
      return (await rows()).length - before;
    };
    expect(await sampled()).toBe(0);
    await agree(1, null);
    expect(await sampled()).toBe(1);
    await agree(2, START / DAY - 2);
    expect(await sampled()).toBe(0);
  });

  it("leaves passes their requests, and delays them no longer than asked", async () => {
    const { deps, reads, rows, time } = await samplingBox();
    // In the first hour of a day, sampling does more.
    time.pass(2 * HOUR);
    await sampleFirst({ ...deps, ...requestsOf(17, reads) }, { requests: 10, within: 1000 });
    expect(await rows()).toEqual([]);
    const before = time.now();
    const hangs: LiquidityDeps["inTime"] = () => new Promise(() => undefined);
    await sampleFirst({ ...deps, inTime: hangs }, { requests: 10, within: 1000 });
    expect(time.now() - before).toBe(1000);
    const waits = { ...deps.local, sleep: () => new Promise<void>(() => undefined) };
    await sampleFirst({ ...deps, ...requestsOf(18, reads), local: waits }, { requests: 10, within: 1000 });
    expect(await rows()).toHaveLength(1);
  });
});

describe("the first hour of a day", () => {
  /** A finished day with one sample, so many minutes after midnight. */
  async function dayAfter(minutes: number, hasKey = true) {
    const box = await samplingBox();
    for (const day of [0, 1, 2, 3])
      await box.samples.keep(KRAKEN, liquidityMinute({ minute: (START + day * DAY) / MINUTE + 5 }));
    if (hasKey) await box.proofs.createKey();
    box.time.pass(4 * DAY + minutes * MINUTE);
    return box;
  }

  it("adds up and signs the days before, at most three of a pair", async () => {
    const { deps, count } = await dayAfter(59);
    await sampleLiquidity(deps);
    expect([await count("liquidity_days"), await count("liquidity_proofs")]).toEqual([1, 3]);
    const later = await dayAfter(60);
    await sampleLiquidity(later.deps);
    expect([await later.count("liquidity_days"), await later.count("liquidity_proofs")]).toEqual([0, 0]);
  });

  it("signs the last day ten minutes after its end, so that a late sample is in its proof", async () => {
    const { deps, samples, proofs, count, time } = await dayAfter(8);
    const midnight = START / DAY + 4;
    // The first pass signs three days, the second one has time for the last.
    await sampleLiquidity(deps);
    time.pass(MINUTE);
    await sampleLiquidity(deps);
    expect(await count("liquidity_proofs")).toBe(3);
    // The last minute of a day, written after midnight by a slow process.
    await samples.keep(KRAKEN, liquidityMinute({ minute: (midnight * DAY) / MINUTE - 1 }));
    time.pass(MINUTE);
    await sampleLiquidity(deps);
    expect(await count("liquidity_proofs")).toBe(4);
    const lines = [];
    const span = { from: midnight - 1, to: midnight - 1 };
    for await (const line of bundleLines({ store: samples, proofs }, KRAKEN, span)) lines.push(line);
    expect(JSON.parse(lines[1] ?? "").lines).toHaveLength(2);
  });

  it("signs one day at a time where requests are limited, and none without a key or requests", async () => {
    const warned: string[] = [];
    const log = (_level: string, text: string) => void warned.push(text);
    const signed = async (over: Partial<LiquidityDeps>, hasKey = true) => {
      const { deps, count } = await dayAfter(30, hasKey);
      await sampleLiquidity({ ...deps, log, ...over });
      return [await count("liquidity_days"), await count("liquidity_proofs")];
    };
    expect(await signed({ requests: () => 100 })).toEqual([1, 1]);
    expect(await signed({}, false)).toEqual([1, 0]);
    const { proofs: _, ...unsigned } = (await dayAfter(30)).deps.liquidity ?? ({} as never);
    expect(await signed({ liquidity: unsigned } as never)).toEqual([0, 0]);
    let left = 9;
    expect(await signed({ requests: () => (left -= 1) })).toEqual([0, 0]);
    // None of it is a failure.
    expect(warned).toEqual([]);
  });
});

it("a status page has each pair once, over 90 days and today, without costs, and its newest signed day", async () => {
  const promise = { preset: "agreement", request: {} } as const;
  const { deps, samples, proofs, time } = await samplingBox([KRAKEN, { ...KRAKEN, promise }, MEXC]);
  await samples.keep(KRAKEN, liquidityMinute({ minute: START / MINUTE + 5 }));
  await proofs.createKey();
  time.pass(DAY + HOUR / 2);
  await sampleLiquidity(deps);
  // The current minute is not over.
  time.pass(MINUTE);
  let reads = 0;
  const newest: typeof proofs.newest = (pair) => {
    reads++;
    return proofs.newest(pair);
  };
  const counted = {
    ...deps,
    liquidity: { ...deps.liquidity, proofs: { ...proofs, newest } },
  } as LiquidityDeps;
  const content = await readStatusContent(counted, { maker: "Desk", hasAmounts: true });
  const key = await proofs.key();
  expect(reads).toBe(2);
  expect(content).toMatchObject({
    maker: "Desk",
    hasAmounts: true,
    madeAt: time.now(),
    publicKey: key?.publicKey,
    pairs: [
      {
        whole: { ...KRAKEN, from: "2025-10-05", to: "2026-01-02", known: 2, preset: "agreement" },
        today: { ...KRAKEN, from: "2026-01-02", to: "2026-01-02", known: 1 },
        signedDay: "2026-01-01",
      },
      { whole: MEXC, today: { known: 1 }, signedDay: null },
    ],
  });
  for (const { whole, today } of content.pairs)
    for (const report of [whole, today])
      expect(["cost", "hours"].filter((name) => name in report)).toEqual([]);
});

it("a status page weighs each day by its known minutes, and days without a result not at all", async () => {
  const { deps } = await samplingBox();
  await sampleLiquidity(deps);
  const content = await readStatusContent(deps, { maker: null, hasAmounts: false });
  const [pair] = content.pairs;
  if (!pair) throw new Error("no pair");
  const [day] = pair.whole.days;
  const days = [
    { ...day, known: 3, upPercent: 100 },
    { ...day, known: 1440, upPercent: 50 },
    { ...day, known: 1440, upPercent: null },
  ];
  const page = statusPage({ ...content, pairs: [{ ...pair, whole: { ...pair.whole, days } }] });
  expect(page).toMatch(/Agreement met, 3 days<\/dt><dd><b>50\.1\d* %/);
});
