import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/compose/config.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { createLimiter } from "../../src/transport/access.ts";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { canary } from "../support/canary.ts";
import { appClient } from "../support/mcp.ts";

const set = (text: string) => parseConfig({ EDGEMAKER_RATE_LIMIT: text }).rateLimits;

/** The app at a time that only the test moves; `from` asks it from an address. */
async function limitedApp(text = "") {
  let now = 0;
  const app = await testApp({
    rates: { limiter: createLimiter(set(text), () => now), addressOf: (c) => c.req.header("x-from") },
  });
  const from =
    (address: string | undefined) =>
    (path: string, headers: Record<string, string> = {}, method = "GET") =>
      app.ask(path, { method, headers: { ...headers, ...(address ? { "x-from": address } : {}) } });
  const wait = (millis: number) => {
    now += millis;
  };
  return { ...app, from, wait };
}

/** How often each status was answered to `count` requests at once. */
async function counted(count: number, ask: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: count }, ask)))
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const wrong = { authorization: `Bearer em_${canary("wrong")}` };

describe("requests from one address", () => {
  it("are limited to 120 at once and 60 a second, separately for each address", async () => {
    const { from, wait } = await limitedApp();
    const ask = from("203.0.113.1");
    expect(await counted(200, () => ask("/health"))).toEqual({ 200: 120, 429: 80 });
    expect(await counted(1, () => from("203.0.113.2")("/health"))).toEqual({ 200: 1 });
    wait(1000);
    expect(await counted(100, () => ask("/api/v1/exchanges"))).toEqual({ 200: 60, 429: 40 });
  });

  it("are refused with the label and the seconds until a retry", async () => {
    const { from } = await limitedApp("address=1,burst=2");
    const ask = from("203.0.113.1");
    await counted(2, () => ask("/health"));
    const refused = await ask("/health");
    expect({ status: refused.status, after: refused.headers.get("retry-after") }).toEqual({
      status: 429,
      after: "1",
    });
    expect(await refused.json()).toEqual({
      error: "Too many requests",
      message: "too many requests from this address; try again in 1 s",
      requestId: expect.stringMatching(/^\w+$/),
    });
  });

  it("are counted after the Host and route checks, and before the token check", async () => {
    const { from } = await limitedApp("burst=1");
    const ask = from("203.0.113.1");
    expect((await ask("/health", { host: "evil.test" })).status).toBe(403);
    expect((await ask("/nothing")).status).toBe(404);
    expect((await ask("/api/v1/orders", {}, "PATCH")).status).toBe(405);
    expect((await ask("/api/v1/orders")).status).toBe(401);
    expect((await ask("/api/v1/orders")).status).toBe(429);
    expect((await ask("/nothing")).status).toBe(404);
  });

  it.each([
    ["/ready"],
    ["/openapi.json"],
    ["/docs"],
    ["/api/v1/exchanges"],
    ["/api/v1/cardano/tokens"],
    ["/mcp", "POST"],
  ])("count %s", async (path, method = "GET") => {
    const { from } = await limitedApp("burst=1");
    const ask = from("203.0.113.1");
    expect((await ask(path, {}, method)).status).not.toBe(429);
    expect((await ask(path, {}, method)).status).toBe(429);
  });

  it.each<[string, (string | undefined)[], Record<number, number>]>([
    ["of this machine are not", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"], { 200: 12 }],
    ["of unknown addresses are those of one", [undefined, undefined], { 200: 2, 429: 4 }],
    ["of one IPv6 network are those of one", ["2001:db8::1", "2001:db8:0:0:1::2"], { 200: 2, 429: 4 }],
    ["of two networks are not", ["2001:db8::1", "2001:db8:0:1::1"], { 200: 4, 429: 2 }],
    ["of IPv4 within IPv6 are those of IPv4", ["::ffff:203.0.113.1", "203.0.113.1"], { 200: 2, 429: 4 }],
    ["of IPv4 within IPv6 are not of one network", ["::ffff:203.0.113.1", "203.0.113.9"], { 200: 4, 429: 2 }],
  ])("%s", async (_what, addresses, statuses) => {
    const { from } = await limitedApp("burst=2");
    const asks = addresses.flatMap((address) => Array.from({ length: 3 }, () => from(address)));
    expect(await counted(asks.length, () => (asks.pop() ?? from("x"))("/health"))).toEqual(statuses);
  });
});

describe("requests with one token", () => {
  it("are limited to 120 at once and 30 a second, from any number of addresses", async () => {
    const { from, wait, tokens } = await limitedApp();
    let requestCount = 0;
    const ask = (token: string) => () =>
      from(`203.0.113.${requestCount++ % 250}`)("/api/v1/strategy/grid/list", bearer(token));
    expect(await counted(150, ask(tokens.read))).toEqual({ 200: 120, 429: 30 });
    expect(await counted(1, ask(tokens.admin))).toEqual({ 200: 1 });
    wait(1000);
    expect(await counted(50, ask(tokens.read))).toEqual({ 200: 30, 429: 20 });
  });

  it("are refused before their scope is checked", async () => {
    const { from, tokens } = await limitedApp("burst=1");
    const post = (address: string) => from(address)("/api/v1/orders", bearer(tokens.read), "POST");
    expect((await post("203.0.113.1")).status).toBe(403);
    const refused = await post("203.0.113.2");
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { message: string }).message).toContain("this API token");
  });

  it("are limited the same way over MCP, including the official client", async () => {
    const { from, tokens } = await limitedApp("burst=1");
    const post = (address: string) => from(address)("/mcp", bearer(tokens.read), "POST");
    expect((await post("203.0.113.1")).status).not.toBe(429);
    expect((await post("203.0.113.2")).status).toBe(429);
    const client = await appClient(await limitedApp("burst=6"), "read");
    const lists = await Promise.allSettled(Array.from({ length: 6 }, () => client.listTools()));
    const refused = lists.flatMap((list) => (list.status === "rejected" ? [String(list.reason)] : []));
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeLessThan(6);
    for (const output of refused) expect(output).toContain("Too many requests");
  });
});

describe("wrong tokens", () => {
  it("are checked ten times a minute per address; after that every token is refused", async () => {
    const { from, wait, tokens } = await limitedApp();
    const ask = from("203.0.113.1");
    const list = "/api/v1/strategy/grid/list";
    expect(await counted(40, () => ask(list, wrong))).toEqual({ 401: 10, 429: 30 });
    const refused = await ask(list, bearer(tokens.admin));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "6"]);
    expect((await ask("/mcp", bearer(tokens.admin), "POST")).status).toBe(429);
    expect((await ask(list)).status).toBe(401);
    expect((await ask("/api/v1/exchanges")).status).toBe(200);
    expect((await from("203.0.113.2")(list, bearer(tokens.admin))).status).toBe(200);
    wait(6000);
    expect((await ask(list, bearer(tokens.admin))).status).toBe(200);
    expect(await counted(2, () => ask(list, wrong))).toEqual({ 401: 1, 429: 1 });
  });

  it("are counted at /mcp too", async () => {
    const { from } = await limitedApp();
    const ask = from("203.0.113.1");
    expect(await counted(20, () => ask("/mcp", wrong, "POST"))).toEqual({ 401: 10, 429: 10 });
  });
});

describe("EDGEMAKER_RATE_LIMIT", () => {
  it("accepts the default, changes of it, and off", async () => {
    const usual = { address: 60, token: 30, burst: 120, failed: 10, loopback: false };
    expect(parseConfig({}).rateLimits).toEqual(usual);
    expect(set("loopback, address=100,burst=5")).toEqual({
      ...usual,
      address: 100,
      burst: 5,
      loopback: true,
    });
    expect(set("off")).toBeUndefined();
    const { from } = await limitedApp("off");
    expect(await counted(300, () => from("203.0.113.1")("/health"))).toEqual({ 200: 300 });
  });

  it.each(["on", "off,loopback", "address=0", "burst=1.5", "failed=", "retry=3", "token=1000000"])(
    "rejects %s",
    (text) => {
      expect(() => set(text)).toThrow(SettingsError);
      expect(() => set(text)).toThrow(/EDGEMAKER_RATE_LIMIT must be off/);
    },
  );
});
