import { describe, expect, it } from "vitest";
import type { PlanOfGrid } from "../../src/web/types.ts";
import { drivenApp } from "../support/driven.ts";
import { appClient, callTool, textOf } from "../support/mcp.ts";

interface Guide {
  readonly past: { readonly lowPrice: number; readonly highPrice: number };
  readonly start: {
    readonly config: {
      readonly lowerPrice: number;
      readonly upperPrice: number;
      readonly gridLevels: number;
      readonly orderSize: number;
      readonly useOwnBase: boolean;
      readonly stopLossPrice?: number;
      readonly takeProfitPrice?: number;
      readonly trail?: { readonly up: number; readonly down: number };
    };
  };
}

const REQUEST = { exchange: "kraken", symbol: "BTC/USDT", budget: 500 };

const guideOf = async (app: Awaited<ReturnType<typeof drivenApp>>, over: object = {}) =>
  app.call<Guide & { error?: string; message?: string }>("POST", "/strategy/grid/guide", {
    ...REQUEST,
    ...over,
  });

describe("a guided start", () => {
  it.each([
    ["narrow", "wait", "kraken", "BTC/USDT", 500],
    ["usual", "follow", "mexc", "ADA/USDT", 80],
    ["wide", "stop", "bitget", "SNEK/USDT", 35],
    ["usual", "wait", "gateio", "BTC/USDT", 12],
    ["narrow", "follow", "kraken", "ADA/USD", 10_000],
  ])("%s, %s on %s %s stays within its budget, is profitable and starts as shown", async (...requests) => {
    const [width, onLeave, exchange, symbol, budget] = requests;
    const app = await drivenApp();
    const { status, body } = await guideOf(app, { width, onLeave, exchange, symbol, budget });
    expect(status, body.message).toBe(200);
    const { body: plan } = await app.call<PlanOfGrid>("POST", "/strategies/preview", body.start);
    expect(Number(plan.uses.quote)).toBeLessThanOrEqual(budget);
    expect(Number(plan.uses.quote), "and nearly all of it").toBeGreaterThan(0.9 * budget);
    expect(Math.min(...plan.details.slots.map(({ netPercent }) => netPercent))).toBeGreaterThan(0.3);
    const { config } = body.start;
    expect(config.lowerPrice).toBeLessThanOrEqual(body.past.lowPrice);
    expect(config.upperPrice).toBeGreaterThanOrEqual(body.past.highPrice);
    expect(config.useOwnBase).toBe(false);
    const { planHash } = plan;
    const started = await app.call("POST", "/strategies", { ...body.start, planHash });
    expect(started).toMatchObject({ status: 200, body: { status: "running", uses: plan.uses } });
  });

  it("describes its behavior outside the range in the fields of the start", async () => {
    const app = await drivenApp();
    const [wait, follow, stop] = await Promise.all(
      ["wait", "follow", "stop"].map(async (onLeave) => (await guideOf(app, { onLeave })).body.start.config),
    );
    expect(wait).not.toHaveProperty("trail");
    expect(wait).not.toHaveProperty("stopLossPrice");
    expect(follow?.trail?.up).toBeGreaterThan(follow?.upperPrice ?? Number.NaN);
    expect(follow?.trail?.down).toBeLessThan(follow?.lowerPrice ?? Number.NaN);
    expect(stop?.stopLossPrice).toBeLessThan(stop?.lowerPrice ?? Number.NaN);
    expect(stop?.takeProfitPrice).toBeGreaterThan(stop?.upperPrice ?? Number.NaN);
  });

  it("has a wider range for a longer history", async () => {
    const app = await drivenApp();
    const widthOf = async (width: string) => {
      const { config } = (await guideOf(app, { width })).body.start;
      return config.upperPrice - config.lowerPrice;
    };
    const widths = [await widthOf("narrow"), await widthOf("usual"), await widthOf("wide")];
    expect(widths).toEqual([...widths].sort((a, b) => a - b));
    expect(new Set(widths).size).toBe(3);
  });

  it("names the minimum budget, which then works", async () => {
    const app = await drivenApp();
    const { status, body } = await guideOf(app, { budget: 5 });
    expect([status, body.error]).toEqual([400, "Invalid amount"]);
    const least = Number(/at least ([\d.]+) USDT/.exec(body.message ?? "")?.[1]);
    expect((await guideOf(app, { budget: least })).status).toBe(200);
  });

  it("invents no range when no price history is available", async () => {
    const app = await drivenApp();
    app.switches.isCandlesCut = true;
    const { status, body } = await guideOf(app);
    expect(status).toBe(500);
    expect(body.message).toContain("the line is cut");
  });

  it("is a tool whose response lets an agent propose the start", async () => {
    const app = await drivenApp({ mcp: { trading: true, confirm: "plan" } });
    const client = await appClient(app, "trade");
    await client.listTools();
    const guide = await callTool(client, "guide_grid", REQUEST);
    expect(guide.isError, textOf(guide)).toBeFalsy();
    const { start } = guide.structuredContent as unknown as Guide;
    const plan = (await callTool(client, "preview_strategy", { ...start })).structuredContent;
    const { lastWeek } = (plan as unknown as PlanOfGrid).details;
    expect(lastWeek.message).toMatch(/^if the price/);
    const proposed = await callTool(client, "start_strategy", { ...start });
    expect(proposed.isError, textOf(proposed)).toBeFalsy();
    expect(textOf(proposed)).toContain("break-even: if the price crosses its levels");
  });
});
