import { expect, it } from "vitest";
import { drivenApp, type GridOut } from "../support/driven.ts";
import { startOf } from "../support/starts.ts";

const QUOTES = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 1,
  size: 100,
  useOthers: false,
  useDex: false,
  maxAge: 30_000,
};

interface Quotes extends GridOut {
  readonly notices: readonly { readonly code: string }[];
}

it("cancels its orders when the book cannot be read for longer than its price counts", async () => {
  const { call, tick, resting, switches } = await drivenApp();
  const started = (await call<Quotes>("POST", ...startOf("quote", QUOTES))).body;
  const { id } = started;
  await tick();
  const before = await resting();
  expect(before.length).toBeGreaterThan(0);
  switches.isBookCut = true;
  await tick(15_000);
  expect(await resting()).toEqual(before);
  for (const _pass of [1, 2]) await tick(15_000);
  await tick();
  expect(await resting()).toEqual([]);
  const status = async () => (await call<Quotes>("GET", `/strategies/${id}`)).body;
  expect((await status()).notices).toMatchObject([{ code: "no_reference" }]);
  switches.isBookCut = false;
  await tick();
  expect(await resting()).toHaveLength(before.length);
});
