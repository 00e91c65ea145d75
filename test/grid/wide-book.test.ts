import { describe, expect, it } from "vitest";
import { render } from "../../cli/terminal/output.ts";
import { gridsView, listView } from "../../src/grid/schema/view.ts";
import { drivenApp } from "../support/driven.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { gridRequest } from "../support/requests.ts";

const RANGE = gridRequest();

interface Reported {
  readonly strategies: readonly {
    readonly status: string;
    readonly notices: readonly { readonly code: string; readonly message: string }[];
    readonly stopPrices: readonly { readonly armed: boolean }[];
  }[];
}

const LISTED = { priority: ["id", "status", "stalled", "notices", "symbol", "exchange", "startedAt"] };
const DELAYED = /the stop at 55000 waits for a narrower spread.*edgemaker grid stop <id> --sell-base$/;

describe("an order book so wide that a stop price waits", () => {
  it("is reported with the remedy in status, list and to agents, until the stop price works again", async () => {
    const app = await drivenApp();
    await app.start({ ...RANGE, stopLossPrice: 55_000 });
    await app.tick();
    const status = async () => (await app.call<Reported>("GET", "/strategy/grid/status")).body;
    expect((await status()).strategies[0]?.stopPrices[0]?.armed).toBe(true);
    app.switches.isWide = true;
    for (let at = 0; at < 3; at++) await app.tick(6000);
    const result = await status();
    expect(result.strategies[0]?.notices).toEqual([
      { code: "stop_price_held_up", message: expect.stringMatching(DELAYED) },
    ]);
    expect(result.strategies[0]?.stopPrices[0]?.armed).toBe(false);
    const list = await app.call<Reported>("GET", "/strategy/grid/list");
    expect(list.body.strategies[0]?.notices).toEqual(result.strategies[0]?.notices);
    const { columns } = process.stdout;
    for (const width of [80, 120]) {
      process.stdout.columns = width;
      expect(render(gridsView(result)).replace(/\s+/g, " ")).toContain("waits for a narrower spread");
      expect(render(listView(list.body), LISTED)).toContain("stop_price_held_up");
    }
    process.stdout.columns = columns;
    const client = await appClient(app, "read");
    const { structuredContent } = await callTool(client, "list_strategies", {});
    expect((structuredContent as unknown as Reported).strategies[0]?.notices).toEqual(
      result.strategies[0]?.notices,
    );
    // It is passed meanwhile: nothing follows, which is said too, and everything does once the book is narrow.
    await app.move(0.9);
    for (let at = 0; at < 3; at++) await app.tick(6000);
    const passed = await status();
    expect(passed.strategies[0]).toMatchObject({ status: "running" });
    expect(passed.strategies[0]?.notices[0]?.message).toContain("its mid has passed 55000");
    app.switches.isWide = false;
    for (let at = 0; at < 6; at++) await app.tick(6000);
    const { body } = await app.call<Reported>("GET", "/strategy/grid/status?stopped=true");
    expect(body.strategies[0]).toMatchObject({ status: "stopped" });
  });

  it("is only a wide book if no stop price is set", async () => {
    const app = await drivenApp();
    await app.start(RANGE);
    app.switches.isWide = true;
    await app.tick(6000);
    const { body } = await app.call<Reported>("GET", "/strategy/grid/status");
    expect(body.strategies[0]?.notices.map(({ code }) => code)).toEqual(["wide_spread"]);
  });
});
