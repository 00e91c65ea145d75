import { describe, expect, it } from "vitest";
import { digest } from "../../src/kernel/digest.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { routeOf } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { testApp } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { canary } from "../support/canary.ts";
import { appClient, callTool, errorOf } from "../support/mcp.ts";
import { orderRequest } from "../support/requests.ts";
import { EXCHANGES, START } from "../support/sandbox.ts";

const ORDER = orderRequest();

async function agentApp() {
  const app = await testApp({ realTime: false, mcp: { trading: true, confirm: "plan" } });
  const send = (method: string, path: string, body?: object) =>
    app.ask(path, {
      method,
      headers: { authorization: `Bearer ${app.tokens.agent}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  return { ...app, send };
}

describe("a token with scope agent", () => {
  it("reads and trades by plans at /mcp", async () => {
    const { venue, ...app } = await agentApp();
    const client = await appClient(app, "agent");
    expect((await callTool(client, "get_balance", { exchange: "kraken" })).isError).toBeFalsy();
    const { planId } = (await callTool(client, "create_order", ORDER)).structuredContent as {
      planId: string;
    };
    expect((await callTool(client, "create_order", { ...ORDER, planId })).isError).toBeFalsy();
    expect(await venue("kraken").openOrders()).toHaveLength(1);
  });

  it("only reads where agents are not allowed to trade", async () => {
    const app = await testApp();
    const { tools } = await (await appClient(app, "agent")).listTools();
    expect(tools.length).toBeGreaterThan(10);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  });

  it("places no order at POST /orders", async () => {
    const { send, venue } = await agentApp();
    const answer = await send("POST", "/api/v1/orders", ORDER);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      error: "Forbidden",
      message: "this token is for an agent; it works only at /mcp",
    });
    expect(await venue("kraken").openOrders()).toEqual([]);
  });

  it("is refused on every other route that needs a token", async () => {
    const { send } = await agentApp();
    const routes = createOperations(EXCHANGES)
      .filter(({ access, knowsCaller }) => access === "token" || knowsCaller)
      .map(routeOf)
      .map(({ method, path }) => [method, `/api/v1${path.replace(/:\w+/g, "x")}`] as const);
    const beside = [
      ["GET", "/api/v1/events"],
      ["GET", "/api/v1/session"],
      ["POST", "/api/v1/session/code"],
      ["GET", "/metrics"],
    ] as const;
    for (const [method, path] of [...routes, ...beside])
      expect((await send(method, path)).status, `${method} ${path}`).toBe(403);
  });

  it("is created by an administrator, and the audit log names it as an agent's", async () => {
    const { ask, tokens, context } = await agentApp();
    const made = await ask("/api/v1/tokens", {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify({ scope: "agent" }),
    });
    expect(await made.json()).toMatchObject({ scope: "agent", token: expect.stringMatching(/^em_/) });
    const { rows } = await context.client.execute(
      "select message from events where kind = 'token' order by id desc limit 1",
    );
    expect(String(rows[0]?.message)).toMatch(/^created tok_\w+, which works at \/mcp for an agent$/);
  });

  it.each([
    ["is revoked", 0],
    ["expires", 10 * SECOND],
  ])("places nothing if it %s before a person approves its waiting plan", async (_what, afterwards) => {
    let approve = async () => undefined as unknown;
    const app = await testApp({
      realTime: false,
      mcp: { trading: true, confirm: "terminal" },
      // A commit sleeps while it waits.
      connect: (deps) => ({ ...deps, local: { ...deps.local, sleep: async () => void (await approve()) } }),
    });
    const agent = `em_${canary("short")}`;
    const expiresAt = START + 5 * SECOND;
    const hash = await digest(agent);
    await app.store.addToken({ id: "tok_short", name: "short", scope: "agent", expiresAt, hash }, BY);
    const client = await appClient({ ...app, tokens: { ...app.tokens, agent } }, "agent");
    const shown = await callTool(client, "create_order", ORDER);
    const { planId } = shown.structuredContent as { planId: string };
    approve = async () => {
      if (afterwards === 0) await app.store.revokeToken("tok_short", BY);
      app.time.pass(afterwards);
      expect(await app.store.decidePlan(planId, "approved", BY)).toBe(true);
    };
    expect(errorOf(await callTool(client, "create_order", { ...ORDER, planId }))).toMatchObject({
      error: "Unauthorized",
      message: "this API token has expired or was revoked while the plan waited; nothing was done",
      next: expect.stringContaining("edgemaker token create"),
    });
    expect(await app.venue("kraken").openOrders()).toEqual([]);
  });
});
