import { expect, it } from "vitest";
import { DAY, SECOND } from "../../src/kernel/time.ts";
import { testApp } from "../support/app.ts";
import { drivenApp } from "../support/driven.ts";
import { liveApp } from "../support/live.ts";

type App = Pick<Awaited<ReturnType<typeof testApp>>, "ask">;

const asking =
  ({ ask }: App, token: string) =>
  async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await ask(`/api/v1${path}`, { method, headers, ...sent });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

it("a token is shown once and works within its scope until it is revoked", async () => {
  const app = await testApp();
  const admin = asking(app, app.tokens.admin);
  const made = await admin("POST", "/tokens", { name: "a screen", scope: "read", days: 7 });
  expect(made).toMatchObject({ status: 200, body: { scope: "read" } });
  const { id, token } = made.body as { id: string; token: string };
  const reader = asking(app, token);
  expect((await reader("GET", "/strategy/grid/list")).status).toBe(200);
  for (const [method, path, body] of [
    ["GET", "/tokens", undefined],
    ["POST", "/tokens", { scope: "admin" }],
    ["DELETE", `/tokens/${id}`, undefined],
  ] as const)
    expect((await reader(method, path, body)).status, `${method} ${path}`).toBe(403);

  const listed = await admin("GET", "/tokens");
  expect(listed.body).toMatchObject({ next: null });
  expect((listed.body.tokens as readonly unknown[])[0]).toMatchObject({
    id,
    name: "a screen",
    revokedAt: null,
  });
  expect(JSON.stringify(listed.body)).not.toContain(token);
  expect(JSON.stringify((await admin("GET", "/audit")).body)).not.toContain(token);

  expect(await admin("DELETE", `/tokens/${id}`)).toMatchObject({ status: 200, body: { id, revoked: true } });
  expect((await reader("GET", "/strategy/grid/list")).status).toBe(401);
  expect((await admin("DELETE", `/tokens/${id}`)).status).toBe(404);
});

it("a token works until its last day ends, and not longer", async () => {
  const app = await drivenApp();
  const { body } = await app.call<{ token: string }>("POST", "/tokens", { scope: "read", days: 2 });
  const status = async () => (await asking(app, body.token)("GET", "/strategy/grid/list")).status;
  app.time.pass(2 * DAY - SECOND);
  expect(await status()).toBe(200);
  app.time.pass(2 * SECOND);
  expect(await status()).toBe(401);
});

it("tokens are listed page by page", async () => {
  const app = await testApp();
  const admin = asking(app, app.tokens.admin);
  const ids = [];
  for (const name of ["one", "two", "three"]) ids.push((await admin("POST", "/tokens", { name })).body.id);
  const first = (await admin("GET", "/tokens?limit=2")).body;
  expect((first.tokens as readonly { id: string }[]).map((one) => one.id)).toEqual([ids[2], ids[1]]);
  const second = (await admin("GET", `/tokens?limit=2&before=${first.next}`)).body;
  expect((second.tokens as readonly { id: string }[])[0]?.id).toBe(ids[0]);
});

it("the key list shows the source and rights of exchange keys, and never the keys", async () => {
  const app = await liveApp(["kraken"]);
  const admin = asking(app, app.tokens.admin);
  const { body } = await admin("GET", "/keys");
  expect(body).toEqual({
    exchanges: [{ exchange: "kraken", from: "environment", storedAt: null, trouble: null }],
    count: 1,
  });
  const tested = await admin("POST", "/keys/kraken/test", {});
  expect(tested.status).toBe(200);
  expect(tested.body).toMatchObject({ exchange: "kraken", assets: expect.any(Number) });
  const { key, secret } = app.venues.kraken.keys;
  const text = JSON.stringify([body, tested.body]);
  expect(text).not.toContain(key);
  expect(text).not.toContain(secret);
  app.deps.close();
});

it("the key list is empty where exchanges are simulated", async () => {
  const app = await testApp();
  const admin = asking(app, app.tokens.admin);
  expect((await admin("GET", "/keys")).body).toEqual({ exchanges: [], count: 0 });
  expect((await admin("POST", "/keys/kraken/test", {})).status).toBe(404);
});
