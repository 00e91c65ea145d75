import { expect, it } from "vitest";
import { createLiquidityStore } from "../../../src/liquidity/store/store.ts";
import type { LiquidityMinute } from "../../../src/model/samples/sample.ts";
import { opened } from "../../adapters/libsql/stores/opened.ts";
import { d } from "../../support/grid.ts";

const BTC = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const ETH = { exchange: "kraken", symbol: "ETH/USDT" } as const;
const MEXC = { exchange: "mexc", symbol: "BTC/USDT" } as const;
const YEAR = 396 * 1440;

const row = (minute: number, over: Partial<LiquidityMinute> = {}): LiquidityMinute => ({
  minute,
  samples: 1,
  spread: d("0.01"),
  ownSpread: null,
  ownOrders: { bids: 2, asks: 1 },
  ownDepth: null,
  depth: null,
  isCutShort: false,
  deviation: null,
  sources: 2,
  absence: null,
  offer: null,
  ...over,
});

it("stores the first sample of a pair's minute", async () => {
  const store = createLiquidityStore((await opened()).context);
  await store.keep(BTC, row(7));
  await store.keep(BTC, row(7, { ownOrders: { bids: 9, asks: 9 } }));
  await store.keep(ETH, row(7, { samples: 5 }));
  expect(await store.minutes(BTC, 7, 8)).toEqual([row(7)]);
  expect((await store.minutes(ETH, 7, 8))[0]?.samples).toBe(5);
  expect(await store.minutes(MEXC, 7, 8)).toEqual([]);
});

it("lists minutes in order, from one up to another", async () => {
  const store = createLiquidityStore((await opened()).context);
  for (const minute of [9, 7, 8]) await store.keep(BTC, row(minute));
  const readOutput = async (from: number, to: number) =>
    (await store.minutes(BTC, from, to)).map(({ minute }) => minute);
  expect([await readOutput(0, 99), await readOutput(7, 9), await readOutput(8, 9)]).toEqual([
    [7, 8, 9],
    [7, 8],
    [8],
  ]);
});

it("lists the pairs that have no sample for a minute", async () => {
  const store = createLiquidityStore((await opened()).context);
  await store.keep(BTC, row(7));
  await store.keep(ETH, row(6));
  await store.keep(ETH, row(8));
  expect(await store.lacking([BTC, ETH, MEXC], 7)).toEqual([ETH, MEXC]);
  expect(await store.lacking([], 7)).toEqual([]);
});

it("deletes a pair's minutes after thirteen months, and no other pair's", async () => {
  const store = createLiquidityStore((await opened()).context);
  for (const pair of [BTC, ETH, MEXC]) for (const minute of [1, 2]) await store.keep(pair, row(minute));
  await store.keep(BTC, row(2 + YEAR));
  const left = async (pair: typeof BTC | typeof ETH | typeof MEXC) =>
    (await store.minutes(pair, 0, 9)).map(({ minute }) => minute);
  expect([await left(BTC), await left(ETH), await left(MEXC)]).toEqual([[2], [1, 2], [1, 2]]);
});

it("stores the first reason for a missing minute of each pair, as long as the minutes", async () => {
  const store = createLiquidityStore((await opened()).context);
  const miss = (minute: number, cause: string) => ({ minute, cause }) as Parameters<typeof store.keepMiss>[1];
  for (const minute of [9, 7, 8]) await store.keepMiss(BTC, miss(minute, "stopped"));
  await store.keepMiss(BTC, miss(8, "unreachable"));
  await store.keepMiss(ETH, miss(7, "unreachable"));
  expect(await store.misses(BTC, 7, 9)).toEqual([miss(7, "stopped"), miss(8, "stopped")]);
  expect(await store.misses(ETH, 0, 99)).toEqual([miss(7, "unreachable")]);
  expect(await store.misses(MEXC, 0, 99)).toEqual([]);
  await store.keepMiss(BTC, miss(8 + YEAR, "stopped"));
  expect((await store.misses(BTC, 0, 99)).map(({ minute }) => minute)).toEqual([8, 9]);
  expect(await store.misses(ETH, 0, 99)).toHaveLength(1);
});

it("reports since when a pair is watched", async () => {
  const store = createLiquidityStore((await opened()).context);
  for (const minute of [9, 7, 8]) await store.keep(BTC, row(minute));
  expect([await store.since(BTC), await store.since(ETH)]).toEqual([7, undefined]);
});
