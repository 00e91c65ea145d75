import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../support/command.ts";
import { edgeApp } from "../support/edge.ts";
import { RUNTIMES } from "../support/runtimes.ts";
import { tempFolder } from "../support/temp.ts";

type Ask = (path: string, init?: { method?: string; body?: string }) => Promise<Response>;

async function onWorkerd(): Promise<Ask> {
  const app = await edgeApp();
  onTestFinished(() => app.close());
  const headers = { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" };
  return (path, init) => app.ask(path, { ...init, headers });
}

async function onRuntime(name: string): Promise<Ask> {
  const { ask } = await serve(
    tempFolder(),
    ["--sandbox", "--tick-interval", "3600000"],
    {},
    RUNTIMES[name]?.(),
  );
  return ask;
}

describe.each([...Object.keys(RUNTIMES), "workerd"])("the service on %s", (name) => {
  it("returns a price, and starts, steps, shows and stops a grid", async () => {
    const ask = name === "workerd" ? await onWorkerd() : await onRuntime(name);
    const json = async (path: string, init?: Parameters<Ask>[1]) => {
      const response = await ask(`/api/v1${path}`, init);
      expect(response.status, path).toBe(200);
      return (await response.json()) as Record<string, unknown>;
    };
    const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) });
    const { bid } = await json("/ticker?exchange=gateio&symbol=BTC/USDT");
    // The market begins within a slot, so that seconds do not decide what becomes of it.
    const [lowerPrice, upperPrice] = [Math.round(Number(bid) * 0.975), Math.round(Number(bid) * 1.035)];
    const grid = {
      exchange: "gateio",
      symbol: "BTC/USDT",
      lowerPrice,
      upperPrice,
      gridLevels: 6,
      orderSize: 50,
    };
    const { id } = await json("/strategy/grid", post(grid));
    expect(await json("/internal/tick", post({}))).toMatchObject({
      accounts: [{ account: "sandbox:gateio:", outcome: "stepped" }],
    });
    const { strategies } = await json(`/strategy/grid/status?id=${id}`);
    const [shown] = strategies as Record<string, unknown>[];
    expect(shown).toMatchObject({ id, status: "running", openOrders: 6 });
    expect(await json("/strategy/grid", { ...post({ id }), method: "DELETE" })).toMatchObject({
      success: true,
    });
    const { orders } = await json("/orders?exchange=gateio");
    expect(orders).toEqual([]);
  });
});
