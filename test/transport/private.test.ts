import { describe, expect, it } from "vitest";
import type { Deps } from "../../src/ports/deps.ts";
import { createLimiter } from "../../src/transport/access.ts";
import { testApp } from "../support/app.ts";
import { canary } from "../support/canary.ts";

/** A server with exchange keys, asked from an address. */
async function serverAt(address: string) {
  const stored: string[] = [];
  const keys: NonNullable<Deps["keys"]> = {
    list: async () => [],
    check: async () => ({ assets: 0, mayWithdraw: false }),
    troubles: async () => [],
    warnings: async () => [],
    put: async (exchange) => {
      stored.push(exchange);
      return { assets: 2, mayWithdraw: false };
    },
  };
  const limiter = createLimiter(undefined, () => 0);
  const app = await testApp({
    connect: (deps) => ({ ...deps, keys }),
    rates: { limiter, addressOf: () => address },
  });
  const put = (origin: string, proxied: Readonly<Record<string, string>> = {}) =>
    app.app.request(`${origin}/api/v1/keys/kraken`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${app.tokens.admin}`,
        "content-type": "application/json",
        host: "127.0.0.1",
        ...proxied,
      },
      body: JSON.stringify({ key: "k", secret: canary("exchange") }),
    });
  return { stored, put };
}

describe("exchange keys in a request", () => {
  it("are refused over plain HTTP from another machine", async () => {
    const { stored, put } = await serverAt("203.0.113.9");
    const answer = await put("http://127.0.0.1");
    expect([answer.status, stored]).toEqual([403, []]);
    expect(await answer.json()).toMatchObject({
      error: "Forbidden",
      message: expect.stringContaining("over https"),
    });
  });

  it("are refused if a proxy on this machine got them over plain HTTP", async () => {
    const { stored, put } = await serverAt("127.0.0.1");
    const plain = await put("http://127.0.0.1", { "x-forwarded-proto": "http" });
    expect([plain.status, stored]).toEqual([403, []]);
    const secure = await put("http://127.0.0.1", { "x-forwarded-proto": "https" });
    expect([secure.status, stored]).toEqual([200, ["kraken"]]);
  });

  it.each([
    ["over TLS", "203.0.113.9", "https://127.0.0.1"],
    ["from this machine", "127.0.0.1", "http://127.0.0.1"],
    ["from this machine by IPv6", "::1", "http://127.0.0.1"],
  ])("are stored %s", async (_how, address, origin) => {
    const { stored, put } = await serverAt(address);
    const answer = await put(origin);
    expect([answer.status, stored]).toEqual([200, ["kraken"]]);
    expect(await answer.json()).toEqual({ exchange: "kraken", assets: 2, mayWithdraw: false });
  });
});
