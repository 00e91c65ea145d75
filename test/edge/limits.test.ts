import { expect, it } from "vitest";
import { edgeApp } from "../support/edge.ts";

it("the worker rate-limits each client address across all requests of its isolate", async () => {
  const app = await edgeApp({ EDGEMAKER_RATE_LIMIT: "address=1,burst=20" });
  try {
    const statuses = async (headers: Record<string, string>) => {
      const requests = Array.from({ length: 60 }, () => app.ask("/health", { headers }));
      return (await Promise.all(requests)).map(({ status }) => status);
    };
    const startedAt = performance.now();
    const answered = await statuses({ "cf-connecting-ip": "203.0.113.1" });
    const seconds = (performance.now() - startedAt) / 1000;
    const accepted = answered.filter((status) => status === 200).length;
    expect(accepted).toBeGreaterThanOrEqual(20);
    expect(accepted).toBeLessThanOrEqual(20 + Math.ceil(seconds));
    expect(answered.filter((status) => status === 429)).toHaveLength(60 - accepted);
    const other = await app.ask("/health", { headers: { "cf-connecting-ip": "203.0.113.2" } });
    expect(other.status).toBe(200);
    expect((await statuses({ "cf-connecting-ip": "127.0.0.1" })).every((status) => status === 200)).toBe(
      true,
    );
  } finally {
    await app.close();
  }
});
