import { createClient } from "@libsql/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { edgeApp } from "../support/edge.ts";
import { withinOneDay } from "../support/one-day.ts";
import { buy, post } from "../support/orders.ts";

let app: Awaited<ReturnType<typeof edgeApp>>;
beforeAll(async () => {
  app = await edgeApp();
});
afterAll(() => app.close());

const limit = async (body: object) => {
  const answer = await app.ask("/api/v1/limits", {
    method: "PUT",
    headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
};
const order = async (over: object = {}) => {
  const answer = await post(app, buy("kraken", over));
  return { status: answer.status, limit: ((await answer.json()) as { limit?: string }).limit };
};
const intents = async () => {
  const client = createClient({ url: app.url });
  const { rows } = await client.execute("select client_id from orders");
  client.close();
  return rows.length;
};

it("the worker checks an order against the collar before recording it", async () => {
  const far = await order({ side: "sell", amount: 0.1, price: 600 });
  expect(far).toEqual({ status: 403, limit: "limit_collar" });
  expect(await intents()).toBe(0);
});

it("the worker keeps concurrent orders within the daily cap", async () => {
  await withinOneDay();
  // Each counts 50 USDT.
  await limit({ dayNotional: "USDT=120" });
  const answers = await Promise.all(Array.from({ length: 6 }, () => order()));
  const refused = answers.filter(({ status }) => status === 403);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(refused).toEqual(Array(4).fill({ status: 403, limit: "limit_day" }));
  expect(await intents()).toBe(2);
});
