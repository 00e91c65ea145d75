import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it } from "vitest";
import { MINUTE } from "../../../src/kernel/time.ts";
import { createOperations } from "../../../src/operations.ts";
import { servedOver, testApp } from "../../support/app.ts";
import { eventually } from "../../support/command.ts";
import { liveApp } from "../../support/live.ts";
import { appClient, callTool, errorOf } from "../../support/mcp.ts";
import { orderRequest } from "../../support/requests.ts";
import { EXCHANGES, runOperation } from "../../support/sandbox.ts";
import { starts } from "../../support/starts.ts";

type App = Awaited<ReturnType<typeof testApp>>;
const ORDER = orderRequest();
/** The tools that trade; the specification's start of a grid is no tool, because `start_strategy` does it. */
const TRADING = createOperations(EXCHANGES).filter(
  ({ effect, hasNoTool }) => effect === "trade" && !hasNoTool,
);

const trading = (confirm: "plan" | "terminal" = "plan", realTime = false) =>
  testApp({ realTime, mcp: { trading: true, confirm } });
const clientOf = (app: App, scope: "read" | "trade" | "admin" = "trade") => appClient(app, scope);
const onVenue = async ({ venue }: App) => (await venue("kraken").openOrders()).length;
const planOf = async (client: Client, name = "create_order", input: object = ORDER): Promise<string> =>
  ((await callTool(client, name, input as never)).structuredContent as { planId: string }).planId;

describe("trading in two steps", () => {
  it("uses a preview that places nothing and a commit that places what it showed", async () => {
    const app = await trading();
    const client = await clientOf(app);
    await client.listTools();
    const { structuredContent: shown } = await callTool(client, "create_order", ORDER);
    expect(shown).toMatchObject({
      planId: expect.stringMatching(/^plan_[0-9a-z]{20}$/),
      preview: {
        what: "buy 0.001 BTC at 50000 USDT on kraken (limit order)",
        cost: "50 USDT and a fee of at most 0.05 USDT",
        limits: ["minimum order: 5 USDT", "free balance: 100000 USDT, covers it"],
      },
    });
    expect(await onVenue(app)).toBe(0);
    const { planId } = shown as { planId: string };
    const { structuredContent: done } = await callTool(client, "create_order", { ...ORDER, planId });
    expect(done).toMatchObject({ success: true, order: { price: 50_000, amount: 0.001, status: "open" } });
    expect(await onVenue(app)).toBe(1);
  });

  it("previews and commits with each tool that trades", async () => {
    const app = await trading();
    const client = await clientOf(app);
    const grid = { lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 100 };
    const market = { exchange: "kraken", symbol: "BTC/USDT" };
    const act = async (name: string, input: object) => {
      const planId = await planOf(client, name, input);
      const result = await callTool(client, name, { ...input, planId });
      expect(result.isError, `${name}: ${JSON.stringify(result.content)}`).toBeFalsy();
      return result.structuredContent as { id: string; order: { id: string } };
    };
    const { tools } = await client.listTools();
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    expect(writing.map(({ name }) => name)).toEqual(TRADING.map(({ name }) => name));
    expect(writing.every(({ annotations }) => annotations?.destructiveHint)).toBe(true);

    const { order } = await act("create_order", ORDER);
    await act("cancel_order", { ...market, id: order.id });
    expect(await onVenue(app)).toBe(0);
    await act("create_order", ORDER);
    expect(await act("cancel_all_orders", { exchange: "kraken" })).toMatchObject({ cancelled: 1 });
    const started = await act(...starts("grid", { ...market, ...grid, useOwnBase: true }));
    expect(await onVenue(app)).toBe(4);
    await act("stop_strategy", { id: started.id });
    expect(await onVenue(app)).toBe(0);
  });

  it("returns an error and no plan for a preview that cannot be executed", async () => {
    const app = await trading();
    const client = await clientOf(app);
    const output = errorOf(await callTool(client, "create_order", { ...ORDER, amount: 0.00001 }));
    expect(output).toMatchObject({ error: "Invalid amount", message: expect.stringContaining("at least") });
    expect(await app.store.plans({ limit: 100 })).toEqual([]);
  });
});

describe("a commit is refused, and places nothing,", () => {
  it.each<[string, (app: App, client: Client, planId: string) => Promise<unknown>, RegExp]>([
    [
      "with another amount",
      (_app, client, planId) => callTool(client, "create_order", { ...ORDER, amount: 0.002, planId }),
      /unknown, or belongs to other parameters/,
    ],
    [
      "with one parameter more",
      (_app, client, planId) => callTool(client, "create_order", { ...ORDER, clientOrderId: "a1", planId }),
      /other parameters/,
    ],
    [
      "by another tool",
      (_app, client, planId) => callTool(client, "cancel_all_orders", { exchange: "kraken", planId }),
      /another tool/,
    ],
    [
      "by another token",
      async (app, _client, planId) =>
        callTool(await clientOf(app, "admin"), "create_order", { ...ORDER, planId }),
      /another token/,
    ],
    [
      "after five minutes",
      (app, client, planId) => {
        app.time.pass(5 * MINUTE);
        return callTool(client, "create_order", { ...ORDER, planId });
      },
      /has expired/,
    ],
    [
      "with an id that nobody was given",
      (_app, client) => callTool(client, "create_order", { ...ORDER, planId: "plan_00000000000000000000" }),
      /is unknown/,
    ],
    [
      "with no text as its id",
      (_app, client) => callTool(client, "create_order", { ...ORDER, planId: 7 }),
      /is unknown/,
    ],
  ])("%s", async (_what, act, pattern) => {
    const app = await trading();
    const client = await clientOf(app);
    const planId = await planOf(client);
    expect(errorOf((await act(app, client, planId)) as never)).toMatchObject({
      error: "Conflict",
      message: expect.stringMatching(pattern),
      next: expect.stringContaining("new preview"),
    });
    expect(await onVenue(app)).toBe(0);
  });

  it("by a read-only token", async () => {
    const app = await trading();
    const planId = await planOf(await clientOf(app));
    const reader = await clientOf(app, "read");
    const { tools } = await reader.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(errorOf(await callTool(reader, "create_order", { ...ORDER, planId })).error).toBe("Forbidden");
    expect(await onVenue(app)).toBe(0);
  });

  it("a second time; of twenty at once, one places one order", async () => {
    const app = await trading();
    const client = await clientOf(app);
    const planId = await planOf(client);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => callTool(client, "create_order", { ...ORDER, planId })),
    );
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(await onVenue(app)).toBe(1);
    expect(errorOf(await callTool(client, "create_order", { ...ORDER, planId })).message).toMatch(
      /was already used/,
    );
    expect(await onVenue(app)).toBe(1);
  });
});

describe("without EDGEMAKER_MCP_CONFIRM", () => {
  it("a plan on a live exchange waits until a person approves it", async () => {
    const { deps } = await liveApp(["kraken"]);
    const app = servedOver(deps, { mcp: { trading: true } });
    const client = await appClient(app, "trade");
    const shown = await callTool(client, "create_order", ORDER);
    const { planId, next } = shown.structuredContent as { planId: string; next: string };
    expect(next).toContain(`edgemaker plans approve ${planId}`);
    const committing = callTool(client, "create_order", { ...ORDER, planId });
    await eventually(
      () => deps.store.plans({ limit: 100 }),
      (plans) => plans.length === 1,
    );
    const headers = { authorization: `Bearer ${app.tokens.admin}` };
    const count = async () => {
      const answer = await app.ask("/api/v1/orders?exchange=kraken", { headers });
      return ((await answer.json()) as { orders: readonly object[] }).orders.length;
    };
    expect(await count()).toBe(0);
    expect((await decide(app, planId, "approve")).status).toBe(200);
    expect(await committing).toMatchObject({ structuredContent: { success: true } });
    expect(await count()).toBe(1);
  });

  it("a plan on a simulated exchange needs no approval", async () => {
    const app = await testApp({ mcp: { trading: true } });
    const client = await clientOf(app);
    const planId = await planOf(client);
    expect(await callTool(client, "create_order", { ...ORDER, planId })).toMatchObject({
      structuredContent: { success: true },
    });
  });
});

type Decision = "approve" | "refuse";

/** Sends a person's decision on a plan. */
const decide = (
  { ask, tokens }: Pick<App, "ask" | "tokens">,
  planId: string,
  decision: Decision,
  token = tokens.admin,
) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return ask(`/api/v1/plans/${planId}`, { method: "POST", headers, body: JSON.stringify({ decision }) });
};

describe("with EDGEMAKER_MCP_CONFIRM=terminal a commit", () => {
  it("waits for a person's approval", async () => {
    const app = await trading("terminal", true);
    const client = await clientOf(app);
    const planId = await planOf(client);
    const committing = callTool(client, "create_order", { ...ORDER, planId });
    const { plans } = await runOperation<{ plans: object[] }>(app.deps, "list_plans", {});
    expect(plans).toMatchObject([{ id: planId, tool: "create_order", approved: false }]);
    expect(await onVenue(app)).toBe(0);
    expect((await decide(app, planId, "approve")).status).toBe(200);
    expect(await committing).toMatchObject({ structuredContent: { success: true } });
    expect(await onVenue(app)).toBe(1);
  });

  it("is refused by a person or on timeout, and places nothing", async () => {
    const app = await trading("terminal");
    const client = await clientOf(app);
    const planId = await planOf(client);
    const waited = errorOf(await callTool(client, "create_order", { ...ORDER, planId }));
    expect(waited).toMatchObject({
      error: "Conflict",
      message: expect.stringContaining("not approved yet"),
    });
    expect(waited.next).toContain("same planId");
    expect((await decide(app, planId, "refuse")).status).toBe(200);
    expect(errorOf(await callTool(client, "create_order", { ...ORDER, planId })).error).toBe("Forbidden");
    expect((await decide(app, planId, "approve")).status).toBe(404);
    expect(await onVenue(app)).toBe(0);
  });

  it("cannot be approved after the client cancels it", async () => {
    const app = await trading("terminal", true);
    const client = await clientOf(app);
    const planId = await planOf(client);
    const giveUp = new AbortController();
    const committing = client.callTool({ name: "create_order", arguments: { ...ORDER, planId } }, undefined, {
      signal: giveUp.signal,
    });
    const waiter = async () =>
      (await app.context.client.execute("select waiter from plans")).rows[0]?.[0] as string | null;
    await eventually(waiter, (one) => one !== null);
    giveUp.abort();
    await expect(committing).rejects.toThrow();
    await eventually(
      () => app.store.plans({ limit: 100 }),
      (plans) => plans.length === 0,
    );
    expect((await decide(app, planId, "approve")).status).toBe(404);
    expect(await onVenue(app)).toBe(0);
  });

  it.each<Decision>(["approve", "refuse"])(
    "that has run reports it to a person who wants to %s it",
    async (decision) => {
      const app = await trading();
      const client = await clientOf(app);
      const planId = await planOf(client);
      await callTool(client, "create_order", { ...ORDER, planId });
      const answer = await decide(app, planId, decision);
      expect([answer.status, await answer.json()]).toMatchObject([
        409,
        {
          error: "Conflict",
          message: `${planId} was already used by a call, which has executed it or tried to; check open orders and strategies, and cancel or stop what you do not want`,
        },
      ]);
      const unknown = await decide(app, "plan_no", decision);
      expect([unknown.status, await unknown.json()]).toMatchObject([
        404,
        {
          message:
            "there is no open plan plan_no; it does not exist, has expired or was refused (`edgemaker plans list` shows open plans)",
        },
      ]);
    },
  );

  it("cannot be approved with the agent's own token", async () => {
    const app = await trading("terminal");
    const planId = await planOf(await clientOf(app));
    expect((await decide(app, planId, "approve", app.tokens.trade)).status).toBe(403);
  });
});
