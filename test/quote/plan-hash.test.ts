import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";
import { previewOf, startOf } from "../support/starts.ts";
import { REQUEST } from "./requested.ts";

interface Answer {
  readonly id?: string;
  readonly planHash: string;
  readonly orders: unknown;
}

/** Around a price that the market does not move. */
const FIXED = { ...REQUEST, useOwn: false, useOthers: false, fixedPrice: 60_000 };

it("two different previews of quotes have different hashes", async () => {
  const { call } = await drivenApp();
  const preview = async (over: object) =>
    (await call<Answer>("POST", ...previewOf("quote", { ...FIXED, ...over }))).body;
  const overs = [{}, { spreadPercent: 1.1 }, { exchange: "mexc" }, { dryRun: true }, { fixedPrice: 60_001 }];
  const shown = [];
  for (const over of overs) shown.push(await preview(over));
  expect(new Set(shown.map(({ planHash }) => planHash.slice(0, 32))).size).toBe(overs.length);
  expect(await preview({})).toEqual(shown[0]);
});

it("quotes do not start as shown if the balances no longer cover them", async () => {
  const { call, resting } = await drivenApp();
  const request = { ...FIXED, size: 50_000, levels: 1, baseBudget: 2, quoteBudget: 100_000 };
  const { planHash } = (await call<Answer>("POST", ...previewOf("quote", request))).body;
  const order = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    side: "buy",
    type: "limit",
    amount: 1.5,
    price: 50_000,
  };
  expect((await call("POST", "/orders", order)).status).toBe(200);
  expect((await call("POST", ...startOf("quote", { ...request, planHash }))).status).toBe(409);
  expect(await resting()).toHaveLength(1);
});

it("quotes start as shown until the price has moved by more than 3 %", async () => {
  const { call, move, resting } = await drivenApp();
  const request = { ...REQUEST, useOthers: false, useDex: false };
  const preview = async () => (await call<Answer>("POST", ...previewOf("quote", request))).body;
  const { planHash } = await preview();
  await move(1.031);
  const refused = await call("POST", ...startOf("quote", { ...request, planHash }));
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining("planHash") } });
  expect(await resting()).toEqual([]);
  const other = await call("POST", ...startOf("quote", { ...request, spreadPercent: 1.2, planHash }));
  expect(other.status).toBe(409);
  const again = await preview();
  await move(0.98);
  const started = await call("POST", ...startOf("quote", { ...request, planHash: again.planHash }));
  expect(started, JSON.stringify(started.body)).toMatchObject({ status: 200, body: { status: "running" } });
});
