import { afterAll, beforeAll, expect, it } from "vitest";
import { ATTEMPTS, overspend, type Sandbox, type Surface } from "../pentest/overspend.ts";
import { edgeApp } from "../support/edge.ts";

const CAP = 500;
let box: Sandbox;
let close: () => Promise<void>;
beforeAll(async () => {
  const app = await edgeApp({
    EDGEMAKER_MCP_TRADING: "1",
    EDGEMAKER_MCP_MOST: `USDT=${CAP}`,
    EDGEMAKER_MCP_STRATEGIES: "all",
  });
  const limit = (body: object) =>
    app.ask("/api/v1/limits", {
      method: "PUT",
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await limit({ orderNotional: "USDT=1000000" })).status).toBe(200);
  expect((await limit({ scope: "token:tok_trade", dayNotional: `USDT=${CAP}` })).status).toBe(200);
  const pass = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
  box = { ask: app.ask, adminToken: app.tokens.admin, callerToken: app.tokens.trade, pass };
  close = app.close;
});
afterAll(() => close());

const cases = (["MCP", "HTTP"] as const).flatMap((surface: Surface) =>
  ATTEMPTS.filter(({ name }) => /start_quote|stop_quote|edit_grid|create_order/.test(name)).map(
    (attempt) => [surface, attempt.name, attempt] as const,
  ),
);

it.each(cases)("the worker refuses, over %s, %s beyond a limit", async (surface, _name, attempt) => {
  const { answer } = await overspend(box, attempt, surface);
  expect(answer).toMatchObject({ isDone: false, body: { error: "Forbidden" } });
});
