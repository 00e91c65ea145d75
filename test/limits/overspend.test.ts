import { describe, expect, it } from "vitest";
import type { McpSettings } from "../../src/transport/mcp/plans.ts";
import {
  ATTEMPTS,
  callTool,
  httpCaller,
  isProtected,
  mcpCaller,
  overspend,
  type Sandbox,
  type Surface,
  UNPROTECTING,
} from "../pentest/overspend.ts";
import { drivenApp } from "../support/driven.ts";
import { d } from "../support/grid.ts";

const CAP = 500;
const CAPPED: McpSettings = {
  trading: true,
  confirm: "plan",
  maxNotional: new Map([["USDT", d(String(CAP))]]),
  strategies: "all",
};

async function sandbox(mcp: McpSettings = CAPPED) {
  const app = await drivenApp({ mcp });
  const { ask, tokens, time, call } = app;
  await call("PUT", "/limits", { orderNotional: "USDT=1000000" });
  const box: Sandbox = {
    ask,
    adminToken: tokens.admin,
    callerToken: tokens.trade,
    pass: (millis) => void time.pass(millis),
  };
  return { ...app, box };
}

const SURFACES: readonly Surface[] = ["MCP", "HTTP"];

describe.each(SURFACES)("a limit of 500 USDT, over %s,", (surface) => {
  it.each(ATTEMPTS.map((attempt) => [attempt.name, attempt] as const))(
    "refuses %s",
    async (_name, attempt) => {
      const { box, call } = await sandbox();
      if (surface === "HTTP")
        await call("PUT", "/limits", { scope: "token:tok_trade", dayNotional: `USDT=${CAP}` });
      const { moved, answer } = await overspend(box, attempt, surface);
      expect(moved).toBeLessThanOrEqual(CAP);
      expect(answer).toMatchObject({ isDone: false, body: { error: "Forbidden" } });
    },
  );
});

describe("a daily limit alone", () => {
  it("refuses a request that exceeds the rest of the day's limit", async () => {
    const { box } = await sandbox({
      trading: true,
      confirm: "plan",
      maxNotionalPerDay: new Map([["USDT", d(String(CAP))]]),
    });
    const [create] = ATTEMPTS.filter(({ name }) => name === "create_order");
    if (!create) throw new Error("no such attempt");
    const { moved, answer } = await overspend(box, create, "MCP");
    expect(moved).toBe(0);
    expect(answer).toMatchObject({ isDone: false, body: { error: "Forbidden" } });
  });
});

describe("a capped caller", () => {
  it.each(UNPROTECTING.map((attempt) => [attempt.name, attempt] as const))(
    "cannot remove a person's protection by %s",
    async (_name, { setUp, attack }) => {
      for (const surface of SURFACES) {
        const { box, call } = await sandbox();
        await call("PUT", "/limits", { scope: "token:tok_trade", dayNotional: `USDT=${CAP}` });
        const id = await setUp(httpCaller(box, box.adminToken));
        expect(await isProtected(box, id)).toBe(true);
        const caller = surface === "MCP" ? mcpCaller(box, box.callerToken) : httpCaller(box, box.callerToken);
        await attack(caller, id);
        expect(await isProtected(box, id), surface).toBe(true);
      }
    },
  );
});

it("a plan that can sell more at its commit than it showed is refused", async () => {
  const { box, start, tick, call, move } = await sandbox({ ...CAPPED, maxNotional: new Map() });
  const { id } = await start({
    exchange: "kraken",
    symbol: "BTC/USDT",
    lowerPrice: 57_000,
    upperPrice: 63_000,
    gridLevels: 6,
    orderSize: 100,
    useOwnBase: false,
  });
  const input = { id, sellBase: true };
  const stop = (over: object) =>
    callTool(box, box.callerToken, { tool: "stop_strategy", input: { ...input, ...over } });
  const { body } = await stop({});
  await call("PATCH", `/strategies/${id}`, { config: { orderSize: 5000 } });
  await move(0.98);
  await tick(60_000);
  expect(await stop({ planId: body.planId })).toMatchObject({
    isDone: false,
    body: { error: "Conflict", message: expect.stringMatching(/more than its plan showed/) },
  });
});
