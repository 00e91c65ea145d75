import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";
import { commandIn, newToken } from "../support/signed-in.ts";

const where = { exchange: "kraken", symbol: "BTC/USDT" };

describe.skipIf(!findChromium())(
  "the page and its permissions in Chromium (skipped without Chromium)",
  () => {
    const served = servedPage(["--tick-interval", "500"]);

    /** A grid around the price, that ends a little below and above it. */
    const start = async () => {
      const response = await served.server.ask(`/api/v1/ticker?${new URLSearchParams(where)}`);
      const { last } = (await response.json()) as { last: number };
      const at = (share: number) => Math.round(last * share);
      const body = {
        ...where,
        lowerPrice: at(0.99),
        upperPrice: at(1.01),
        gridLevels: 4,
        orderSize: 100,
        stopLossPrice: at(0.985),
        takeProfitPrice: at(1.015),
      };
      const answer = await served.server.ask("/api/v1/strategy/grid", {
        method: "POST",
        body: JSON.stringify(body),
      });
      const { id, message } = (await answer.json()) as { id?: string; message: string };
      expect(id, message).toBeDefined();
      return { id: id ?? "", ...body };
    };

    it("draws stop prices, and shows a triggered stop and its result without a reload", async () => {
      const { page, context, errors, strangers } = await served.signIn();
      const grid = await start();
      await page.goto(`${served.url}/#/strategy/${grid.id}`);
      await page.getByText("vs buy and hold").first().waitFor();
      await page.getByText("The chart as a table").click();
      const levels = page.getByRole("table", { name: "Levels of the chart" });
      await levels.getByRole("row", { name: /stop loss/ }).waitFor();
      await levels.getByRole("row", { name: /take profit/ }).waitFor();
      await commandIn(served.folder, "sandbox", "shock", "--symbol", "BTC/USDT", "--percent=-3");
      await page.locator("h1 b", { hasText: "stopped" }).waitFor();
      await page
        .getByRole("status")
        .getByText(/stopped: stop_loss at .* in all$/)
        .waitFor();
      await page.getByRole("link", { name: "Events", exact: true }).click();
      await page
        .getByRole("region", { name: "Events" })
        .getByText("all orders are canceled")
        .first()
        .waitFor();
      expect(errors).toEqual([]);
      expect(strangers).toEqual([]);
      await context.close();
    });

    it("shows read-only users no control that writes, on any page, and the server refuses each", async () => {
      const token = await newToken(served.folder, "read");
      const { id } = await start();
      const { page, context, errors } = await served.signIn({}, token);
      const writes =
        /^(edit|pause|resume|run a|turn|stop(?!ped$)|cancel|panic|kill|start( it|:)|approve|refuse|change|add|make|revoke|remove|test)/i;
      const ready = {
        "": "Active (",
        [`strategy/${id}`]: "vs buy and hold",
        "account/kraken": "Open orders",
        alerts: "This token has no access to this page",
        limits: "This token has no access to this page",
        access: "This token has no access to this page",
        agents: "This token has no access to this page",
        audit: "This token has no access to this page",
      };
      for (const [path, text] of Object.entries(ready)) {
        // The pages without access show the same text, so each of them is loaded anew.
        await page.goto("about:blank");
        await page.goto(`${served.url}/#/${path}`);
        await page.getByText(text).first().waitFor();
        await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
        expect(await page.getByRole("button", { name: writes }).allTextContents(), path).toEqual([]);
      }
      const headers = { authorization: `Bearer ${token}` };
      const refused = [
        ["POST", "/kill", { on: true }],
        ["POST", "/kill", { on: true, stop: true }],
        ["POST", `/strategies/${id}/pause`, {}],
        ["DELETE", "/strategy/grid", { id }],
        ["POST", "/orders", where],
        ["DELETE", "/orders/1?exchange=kraken&symbol=BTC%2FUSDT", undefined],
        ["PATCH", `/strategies/${id}`, { config: { orderSize: 200 } }],
        ["PUT", "/limits", { scope: "every" }],
        ["POST", "/tokens", { scope: "admin" }],
        ["DELETE", "/tokens/tok_read", undefined],
        ["POST", "/channels", { channel: "ops", kind: "ntfy", url: "https://ntfy.example/t" }],
        ["DELETE", "/channels/ops", undefined],
        ["POST", "/keys/kraken/test", {}],
      ] as const;
      for (const [method, path, body] of refused) {
        const answer = await served.server.ask(`/api/v1${path}`, {
          method,
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        expect([method, path, answer.status]).toEqual([method, path, 403]);
      }
      expect(errors).toEqual([]);
      await context.close();
    });
  },
);
