import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressedText } from "../../cli/host/server-parts.ts";
import { digest } from "../../src/kernel/digest.ts";
import { bearer } from "../contract/suite.ts";
import { servedOver, testApp } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { testSandbox } from "../support/sandbox.ts";
import { most } from "../support/whole.ts";

type App = Awaited<ReturnType<typeof testApp>>;

const market = { exchange: "kraken", symbol: "BTC/USDT" };
const limitOrder = { ...market, side: "buy", type: "limit", amount: 0.001, price: 50_000 };

const post = (app: App, body: BodyInit, headers: Record<string, string> = {}, path = "/api/v1/orders") =>
  app.ask(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(app.tokens.admin), ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  } as RequestInit);

const label = async (response: Response) => ({
  status: response.status,
  label: ((await response.json()) as { error?: string }).error,
});

/** Rows of every table that a request could write to. */
async function written({ context }: App): Promise<string> {
  const counts = await context.client.execute(
    "select (select count(*) from orders), (select count(*) from strategies), (select count(*) from venue_orders), (select count(*) from requests), (select count(*) from events)",
  );
  return JSON.stringify(counts.rows[0]);
}

const chunks = (size: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let sent = 0; sent < size; sent += 1024) controller.enqueue(new Uint8Array(1024).fill(0x20));
      controller.close();
    },
  });

const nested = (depth: number): string => (depth === 0 ? "1" : `{"a":${nested(depth - 1)}}`);

describe("a long response", () => {
  const trades = "/api/v1/trades?exchange=kraken&symbol=BTC/USDT&limit=500";
  const served = async () => servedOver((await testSandbox()).deps, { compress: compressedText });
  const read = async (ask: App["ask"], path: string, accepted: string) => {
    const response = await ask(path, { headers: { "accept-encoding": accepted } });
    expect(response.status).toBe(200);
    return { encoding: response.headers.get("content-encoding"), bytes: Buffer.from(await response.bytes()) };
  };

  it("is compressed if the client accepts it, and a short one never", async () => {
    const { ask } = await served();
    const plain = await read(ask, trades, "br, gzip;q=0");
    const packed = await read(ask, trades, "gzip, br");
    expect([plain.encoding, packed.encoding]).toEqual([null, "gzip"]);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect((await read(ask, trades.replace("500", "5"), "gzip")).encoding).toBeNull();
  });
});

describe("an invalid body", () => {
  it.each<[string, () => BodyInit, Record<string, string>, number, string]>([
    ["malformed JSON", () => '{"exchange":', {}, 400, "Invalid JSON"],
    ["NaN", () => '{"amount":NaN}', {}, 400, "Invalid JSON"],
    ["a list", () => "[]", {}, 400, "Invalid request"],
    ["null", () => "null", {}, 400, "Invalid request"],
    ["a text", () => '"x"', {}, 400, "Invalid request"],
    ["65 KiB", () => `"${"x".repeat(65 * 1024)}"`, {}, 413, "Payload too large"],
    ["65 KiB in chunks", () => chunks(65 * 1024), {}, 413, "Payload too large"],
    [
      "plain text",
      () => JSON.stringify(limitOrder),
      { "content-type": "text/plain" },
      415,
      "Unsupported media type",
    ],
    [
      "a form",
      () => new URLSearchParams(limitOrder as never),
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "Unsupported media type",
    ],
    ["nine levels", () => nested(9), {}, 400, "Invalid request"],
    [
      "levels enough to exhaust the stack",
      () => `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`,
      {},
      400,
      "Invalid request",
    ],
    ["__proto__", () => '{"__proto__":{"side":"buy"}}', {}, 400, "Invalid request"],
    ["an escaped __proto__", () => '{"\\u005f_proto__":{"side":"buy"}}', {}, 400, "Invalid request"],
    ["1e309", () => JSON.stringify(limitOrder).replace("0.001", "1e309"), {}, 400, "Invalid amount"],
    ["1e-19", () => JSON.stringify(limitOrder).replace("0.001", "1e-19"), {}, 400, "Invalid amount"],
    ["a negative amount", () => JSON.stringify(limitOrder).replace("0.001", "-1"), {}, 400, "Invalid amount"],
  ])("%s returns its error label, and nothing is written", async (_what, body, headers, status, expected) => {
    const app = await testApp();
    const before = await written(app);
    expect(await label(await post(app, body(), headers))).toEqual({ status, label: expected });
    expect(await written(app)).toBe(before);
  });

  it("returns the name of the unknown field", async () => {
    const app = await testApp();
    const response = await post(app, JSON.stringify({ ...limitOrder, stopLoss: 1 }));
    expect(await response.json()).toMatchObject({
      error: "Invalid request",
      message: expect.stringContaining("stopLoss"),
    });
  });

  it("is checked after the token and the scope", async () => {
    const app = await testApp();
    expect(await label(await post(app, "{", { authorization: "Bearer wrong" }))).toEqual({
      status: 401,
      label: "Unauthorized",
    });
    expect(await label(await post(app, "{", bearer(app.tokens.read)))).toEqual({
      status: 403,
      label: "Forbidden",
    });
  });
});

describe("any request", () => {
  it("never causes a server error, and only valid fuzzed orders are placed", async () => {
    const app = await testApp();
    const value = fc.oneof(
      fc.constantFrom(
        ...Object.values(limitOrder),
        "sell",
        "market",
        Number.POSITIVE_INFINITY,
        -1,
        0,
        1e-19,
        "",
        null,
        true,
        [],
        {},
      ),
      fc.double(),
      fc.string(),
      fc.jsonValue(),
    );
    const body = fc.dictionary(fc.constantFrom(...Object.keys(limitOrder), "clientOrderId", "x"), value, {
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.constantFrom("/api/v1/orders", "/api/v1/strategy/grid"),
        async (fields, path) => {
          const response = await post(app, JSON.stringify(fields), {}, path);
          expect(
            response.status === 400 ||
              response.status === 200 ||
              (await label(response)).label === "Order failed",
          ).toBe(true);
        },
      ),
      { numRuns: most(2000, 500) },
    );
  });
});

describe("Host and Origin", () => {
  it.each([
    ["localhost", 200],
    ["localhost:3000", 200],
    ["LOCALHOST:3000", 200],
    ["localhost.", 200],
    ["127.0.0.1:3000", 200],
    ["192.168.1.5", 200],
    ["[::1]:3000", 200],
    ["grid.example:443", 200],
    ["grid.example.", 200],
    ["evil.test", 403],
    ["evil.test:3000", 403],
    ["localhost.evil.test", 403],
    ["127.0.0.1.evil.test", 403],
    ["", 403],
  ])("Host %j returns %d", async (host, status) => {
    const { ask } = await testApp();
    expect((await ask("/api/v1/exchanges", { headers: { host } })).status).toBe(status);
  });

  it.each([
    ["http://localhost", "localhost", 200],
    ["http://localhost:3000", "localhost:3000", 200],
    ["http://127.0.0.1:3000", "127.0.0.1:3000", 200],
    ["https://grid.example", "localhost", 200],
    ["https://evil.test", "localhost", 403],
    ["http://localhost:4000", "localhost:3000", 403],
    ["null", "localhost", 403],
    ["", "localhost", 403],
  ])("Origin %j at Host %j returns %d", async (origin, host, status) => {
    const { ask } = await testApp();
    for (const path of ["/api/v1/exchanges", "/docs", "/health"]) {
      expect((await ask(path, { headers: { host, origin } })).status).toBe(status);
    }
  });
});

describe("the server's built-in pages", () => {
  it("answer health and readiness", async () => {
    const { ask, context } = await testApp();
    expect(await label(await ask("/health"))).toEqual({ status: 200, label: undefined });
    expect(await label(await ask("/ready"))).toEqual({ status: 200, label: undefined });
    context.client.close();
    expect(await label(await ask("/ready"))).toEqual({ status: 503, label: "Not ready" });
    expect((await ask("/health")).status).toBe(200);
  });

  it("name the version and the commit", async () => {
    const { ask } = await testApp();
    const answer = await ask("/version");
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { version: expect.any(String), commit: null },
    ]);
  });

  it("answer health and rejected public reads synchronously", async () => {
    const { app } = await testApp();
    const at = (path: string) =>
      app.fetch(new Request(`http://localhost${path}`, { headers: { host: "localhost" } }));
    expect(at("/health")).toMatchObject({ status: 200 });
    expect(at("/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limit=0")).toMatchObject({ status: 400 });
    expect(at("/api/v1/ticker?exchange=nowhere&symbol=BTC/USDT")).toMatchObject({ status: 400 });
  });

  it("show the documentation from the server's own assets, under a policy that allows no other", async () => {
    const { ask } = await testApp();
    const response = await ask("/docs");
    const html = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    const nonce = /'nonce-(\w+)'/.exec(policy)?.[1];
    expect(html).toContain(`<script nonce="${nonce}">`);
    expect(html).not.toMatch(/https?:\/\//);
    expect(policy).toMatch(/default-src 'none'/);
    for (const rule of ["base-uri", "form-action", "frame-ancestors"])
      expect(policy).toContain(`${rule} 'none'`);
  });

  it("return Not found elsewhere", async () => {
    const { ask } = await testApp();
    for (const path of ["/nope", "/api/v1/nope", "/api/ticker", "/api/v1/ticker/"]) {
      expect(await label(await ask(path))).toEqual({ status: 404, label: "Not found" });
    }
  });

  it("reject a URL of more than 2 KiB", async () => {
    const { ask } = await testApp();
    expect(await label(await ask(`/api/v1/ticker?x=${"y".repeat(2100)}`))).toEqual({
      status: 400,
      label: "Invalid request",
    });
  });
});

describe("tokens", () => {
  it("end at once when revoked, and automatically when they expire", async () => {
    const { ask, store, time: _time } = await testApp();
    const add = async (id: string, expiresAt: number | null) =>
      store.addToken({ id, name: id, scope: "read", expiresAt, hash: await digest(`em_${id}`) }, BY);
    await add("tok_a", null);
    await add("tok_b", 1);
    const status = async (id: string) =>
      (await ask("/api/v1/strategy/grid/list", { headers: bearer(`em_${id}`) })).status;
    expect([await status("tok_a"), await status("tok_b")]).toEqual([200, 401]);
    await store.revokeToken("tok_a", BY);
    expect(await status("tok_a")).toBe(401);
  });

  it("are stored only as a hash", async () => {
    const { context, tokens } = await testApp();
    const rows = await context.client.execute("select * from tokens");
    expect(JSON.stringify(rows.rows)).not.toContain(tokens.read);
  });
});

describe("an Idempotency-Key", () => {
  const keyed = (app: App, key: string, body: object) =>
    post(app, JSON.stringify(body), { "idempotency-key": key });

  it("places one order for fifty requests at once, and returns the same response to all", async () => {
    const app = await testApp();
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => (await keyed(app, "k1", limitOrder)).json()),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await app.venue("kraken").openOrders()).toHaveLength(1);
  });

  it("is refused with another body, and is independent per token and route", async () => {
    const app = await testApp();
    expect((await keyed(app, "k2", limitOrder)).status).toBe(200);
    expect(await label(await keyed(app, "k2", { ...limitOrder, amount: 0.002 }))).toEqual({
      status: 409,
      label: "Conflict",
    });
    const other = await post(app, JSON.stringify(limitOrder), {
      "idempotency-key": "k2",
      ...bearer(app.tokens.trade),
    });
    expect(other.status).toBe(200);
    expect(await app.venue("kraken").openOrders()).toHaveLength(2);
  });

  it("starts only one grid", async () => {
    const app = await testApp();
    const body = JSON.stringify({
      ...market,
      lowerPrice: 55_000,
      upperPrice: 65_000,
      gridLevels: 4,
      orderSize: 50,
    });
    const start = () => post(app, body, { "idempotency-key": "g1" }, "/api/v1/strategy/grid");
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => ((await (await start()).json()) as { id: string }).id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await app.store.strategies({})).toHaveLength(1);
  });

  it.each(["", " ", "x".repeat(256)])("is rejected if invalid: %j", async (key) => {
    const app = await testApp();
    const response = await keyed(app, key, limitOrder);
    expect(response.status).toBe(400);
  });
});
