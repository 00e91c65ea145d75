import { expect, it } from "vitest";
import { edgeApp } from "../support/edge.ts";

const headers = { origin: "https://app.example.org", "access-control-request-method": "POST" };

it("the worker allows only the origins that EDGEMAKER_CORS names", async () => {
  const { ask, close } = await edgeApp({ EDGEMAKER_CORS: "https://app.example.org" });
  try {
    const response = await ask("/api/v1/orders", { method: "OPTIONS", headers });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
      204,
      headers.origin,
    ]);
    const read = await ask("/api/v1/exchanges", { headers: { origin: headers.origin } });
    expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, headers.origin]);
    const other = await ask("/api/v1/orders", {
      method: "OPTIONS",
      headers: { ...headers, origin: "https://evil.test" },
    });
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  } finally {
    await close();
  }
});

it("the worker allows no origin without that setting", async () => {
  const { ask, close } = await edgeApp();
  try {
    const response = await ask("/api/v1/orders", { method: "OPTIONS", headers });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  } finally {
    await close();
  }
});
