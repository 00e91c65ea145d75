import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { edgeApp } from "../support/edge.ts";

it("workerd names each request, the methods of a path, unknown fields, and answers agents in JSON", async () => {
  const app = await edgeApp();
  try {
    const own = { headers: { "x-request-id": "mine-1" } };
    for (const path of ["/health", "/api/v1/none", "/api/v1/ticker"]) {
      expect((await app.ask(path, own)).headers.get("x-request-id"), path).toBe("mine-1");
      expect((await app.ask(path)).headers.get("x-request-id"), path).toMatch(/^\w{12}$/);
    }
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const build = await (await app.ask("/version")).json();
    expect(build).toEqual({ version, commit: expect.stringMatching(/^[0-9a-f]{40}/) });
    const other = await app.ask("/api/v1/orders/x1", { method: "PUT" });
    expect([other.status, other.headers.get("allow")]).toEqual([405, "GET, HEAD, DELETE"]);
    const unknown = await app.ask("/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limt=5");
    expect([unknown.status, await unknown.json()]).toMatchObject([
      400,
      { message: "unknown field: limt; did you mean limit?" },
    ]);
    const document = (await (await app.ask("/openapi.json")).json()) as { paths: object };
    expect(document.paths).toHaveProperty("/events");
    const tools = await app.ask("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${app.tokens.agent}`,
        "content-type": "application/json",
        accept: "*/*",
        ...own.headers,
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}',
    });
    expect([tools.status, tools.headers.get("x-request-id")]).toEqual([200, "mine-1"]);
    expect(await tools.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  } finally {
    await app.close();
  }
});
