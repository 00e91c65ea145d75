/** Exchange keys of a request: they are of one call on balances or orders, and of nothing else. */

import { expect, it } from "vitest";
import { type Target, testApp } from "../support/app.ts";
import { canary } from "../support/canary.ts";
import { edgeApp } from "../support/edge.ts";
import { gridRequest, orderRequest } from "../support/requests.ts";
import { startOf } from "../support/starts.ts";

const KEYS = {
  "x-exchange-key": canary("request-key"),
  "x-exchange-secret": canary("request-secret"),
};
const GRID = gridRequest({ lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 50 });
const ORDER = orderRequest();

const post = async ({ ask, tokens }: Target, path: string, body: object, headers: Record<string, string>) => {
  const answer = await ask(`/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

const refused = {
  status: 400,
  body: { error: "Invalid request", message: expect.stringMatching(/X-Exchange-/) },
};

it.each([
  ["/strategy/grid", GRID],
  startOf("centered", { exchange: "kraken", symbol: "BTC/USDT" }),
  ["/internal/tick", {}],
])(
  "a request to %s with exchange keys is refused, and nothing trades on the operator's account",
  async (path, body) => {
    const app = await testApp();
    for (const name of ["x-exchange-key", "x-exchange-secret", "x-exchange-passphrase"])
      expect(await post(app, path, body, { [name]: canary("request-key") })).toMatchObject(refused);
    expect(await app.store.strategies({})).toEqual([]);
    expect(await app.venue("kraken").openOrders()).toEqual([]);
  },
);

it("the Worker refuses a request with exchange keys too", async () => {
  const app = await edgeApp();
  try {
    expect(await post(app, "/strategy/grid", GRID, KEYS)).toMatchObject(refused);
    expect(await app.deps.store.strategies({})).toEqual([]);
  } finally {
    await app.close();
  }
});

it("an Idempotency-Key returns the stored response only for the whole credential", async () => {
  const app = await testApp();
  const send = (secret: string) =>
    post(app, "/orders", ORDER, { ...KEYS, "x-exchange-secret": secret, "idempotency-key": "one" });
  const first = await send(canary("request-secret"));
  expect(first.status).toBe(200);
  expect(await send(canary("request-secret"))).toEqual(first);
  const other = await send(canary("another-secret"));
  expect(other.body.order).not.toEqual(first.body.order);
});
