import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { runNode } from "../support/bundle.ts";
import { environment, launcher, type Spawned, spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";

/** A page of another origin, of which nothing but its origin matters. */
async function otherSite() {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>another site</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,idempotency-key",
};

describe("pages of other origins", () => {
  const made = makeFolder();
  let site: Awaited<ReturnType<typeof otherSite>>;
  let server: Spawned;

  beforeAll(async () => {
    site = await otherSite();
    server = spawnServer(made.path, ["--sandbox"], {
      EDGEMAKER_CORS: `https://app.example.org,${site.origin}`,
    });
    await server.listens;
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    await site.close();
    made.remove();
  });

  const ask = (path: string, origin: string, init: RequestInit = {}) =>
    server.ask(path, { ...init, headers: { ...init.headers, origin } });

  it("are allowed if EDGEMAKER_CORS names their origin, in the preflight too", async () => {
    const reply = await ask("/api/v1/orders", "https://app.example.org", {
      method: "OPTIONS",
      headers: PREFLIGHT,
    });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("access-control-allow-origin")).toBe("https://app.example.org");
    expect(reply.headers.get("access-control-allow-methods")).toContain("POST");
    expect(reply.headers.get("access-control-allow-headers")).toContain("idempotency-key");
    expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
    expect(reply.headers.get("vary")).toMatch(/origin/i);
  });

  it("can read successes and errors alike", async () => {
    for (const [path, status] of [
      ["/api/v1/exchanges", 200],
      ["/api/v1/ticker", 400],
      ["/api/v1/nothing", 404],
      ["/health", 200],
    ] as const) {
      const answer = await ask(path, "https://app.example.org");
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example.org");
    }
  });

  it.each(["https://evil.test", "http://app.example.org", "https://app.example.org:8443", "null"])(
    "of %s are refused, in the preflight and after it",
    async (origin) => {
      for (const method of ["OPTIONS", "GET"]) {
        const answer = await ask("/api/v1/exchanges", origin, { method, headers: PREFLIGHT });
        expect(answer.status).toBe(403);
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
    },
  );

  it("still need a token", async () => {
    const headers = { authorization: "Bearer none", origin: "https://app.example.org" };
    const answer = await server.ask("/api/v1/balance?exchange=kraken", { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example.org");
  });

  it.skipIf(!findChromium())("read and write from Chromium, which sends a preflight", async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(site.origin);
      const url = await server.listens;
      const countRequests = async ([at, token]: [string, string]) => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const order = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", type: "limit", amount: 0.001 };
        const init = { method: "POST", headers, body: JSON.stringify({ ...order, price: 50_000 }) };
        const placed = await fetch(`${at}/api/v1/orders`, init);
        const refused = await fetch(`${at}/api/v1/orders`, { ...init, body: "{}" });
        return [
          placed.status,
          ((await placed.json()) as { order?: { symbol?: string } }).order?.symbol,
          refused.status,
        ];
      };
      expect(await page.evaluate(countRequests, [url ?? "", server.token] as [string, string])).toEqual([
        200,
        "BTC/USDT",
        400,
      ]);
    } finally {
      await browser.close();
    }
  });

  it.each(["*", "app.example.org", "https://app.example.org/page", "ftp://app.example.org"])(
    "must be named by their origin: the server refuses %s at startup",
    async (entry) => {
      const run = runNode(process.execPath, [launcher, "serve", "--sandbox", "--port", "0"], {
        env: environment(made.path, { EDGEMAKER_CORS: entry }),
      });
      await expect(run).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining("EDGEMAKER_CORS must be the origins of pages"),
      });
    },
  );
});
