import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/compose/config.ts";
import { createOperations } from "../../src/operations.ts";
import { createLimiter } from "../../src/transport/access.ts";
import { createEdgeDoor } from "../../src/transport/edge-door.ts";
import { urgentRoutes } from "../../src/transport/http.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const ACCESS = { adminTokens: [], allowedHosts: ["grid.example"], checkHost: true };

/** A door with a clock that a test moves, and the requests that it has admitted. */
function openDoor(rates: string) {
  let now = 0;
  const limiter = createLimiter(parseConfig({ EDGEMAKER_RATE_LIMIT: rates }).rateLimits, () => now);
  const exempt = urgentRoutes(createOperations(EXCHANGES));
  const door = createEdgeDoor({
    access: ACCESS,
    limiter,
    local: { monotonic: () => now, randomText: () => "id" },
    exempt,
    build: { version: "1.2.3", commit: "abc" },
  });
  const admitted: string[] = [];
  const ends: (() => void)[] = [];
  const send = (method: string, path: string, headers: Record<string, string> = { host: "grid.example" }) =>
    door(new Request(`https://grid.example${path}`, { method, headers }), ({ address, limiter: rest }) => {
      admitted.push(path);
      rest(address).request();
      return new Promise((resolve) => void ends.push(() => resolve(new Response("done"))));
    });
  const refusal = (response: Promise<Response>) =>
    response.then(
      ({ status }) => status,
      ({ label }: { label: string }) => label,
    );
  const pass = (millis: number) => {
    now = millis;
  };
  return { send, refusal, admitted, ends, pass };
}

const READ = "/api/v1/strategy/grid/list";

describe("request admission in a Worker", () => {
  it("admits sixteen requests at a time, and urgent ones on top of them", async () => {
    const { send, refusal, admitted, ends } = openDoor("off");
    const responses = Array.from({ length: 24 }, () => refusal(send("GET", READ)));
    expect(await Promise.all(responses.slice(16))).toEqual(Array(8).fill("Too many requests"));
    for (const [method, path] of [
      ["POST", "/api/v1/kill"],
      ["DELETE", "/api/v1/orders/abc"],
    ] as const)
      void send(method, path);
    expect(admitted.slice(16)).toEqual(["/api/v1/kill", "/api/v1/orders/abc"]);
    expect((await send("GET", "/health")).status).toBe(200);
    ends[0]?.();
    expect(await responses[0]).toBe(200);
    void send("GET", READ);
    expect(admitted).toHaveLength(19);
  });

  it("names what was deployed without the service", async () => {
    const { send, admitted } = openDoor("off");
    const answer = await send("GET", "/version");
    expect([answer.status, await answer.json()]).toEqual([200, { version: "1.2.3", commit: "abc" }]);
    expect(admitted).toEqual([]);
  });

  it("spreads refused requests over half a minute with Retry-After", async () => {
    const { send, pass } = openDoor("off");
    for (let count = 0; count < 16; count++) void send("GET", READ);
    const refuse = () =>
      send("GET", READ).then(
        () => undefined,
        ({ extras }: { extras: { retryAfterSeconds: number } }) => extras.retryAfterSeconds,
      );
    const seconds = await Promise.all(Array.from({ length: 3000 }, refuse));
    const returning = (at: number) => seconds.filter((one) => one === at).length;
    expect([1, 2, 3, 29].map(returning)).toEqual([1, 50, 50, 50]);
    expect([seconds[0], Math.max(...seconds.map(Number))]).toEqual([1, 30]);
    pass(30_000);
    expect(await refuse()).toBe(1);
  });

  it("counts a request that never ends as open for one minute", async () => {
    const { send, refusal, admitted, pass } = openDoor("off");
    for (let count = 0; count < 16; count++) void send("GET", READ);
    pass(60_000);
    expect(await refusal(send("GET", READ))).toBe("Too many requests");
    pass(60_001);
    void send("GET", READ);
    expect(admitted).toHaveLength(17);
  });

  it("counts a request once for its address, and refuses it before it opens a service", async () => {
    const { send, refusal, admitted } = openDoor("address=1,burst=3");
    for (let count = 0; count < 3; count++) void send("GET", READ);
    expect(admitted).toHaveLength(3);
    expect(await refusal(send("GET", READ))).toBe("Too many requests");
    expect(await refusal(send("GET", "/health"))).toBe("Too many requests");
    expect(admitted).toHaveLength(3);
  });

  it("answers health for allowed hosts only", async () => {
    const { send, refusal } = openDoor("off");
    expect(await (await send("GET", "/health")).json()).toEqual({
      status: "ok",
      version: "edge",
      instance: "edge",
    });
    expect(await refusal(send("GET", "/health", { host: "evil.example" }))).toBe("Forbidden");
  });
});
