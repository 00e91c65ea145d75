import { describe, expect, it } from "vitest";
import { pageText } from "../../src/web/page-text.ts";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";
import { newToken } from "../support/signed-in.ts";
import { startBody, startOf } from "../support/starts.ts";

const ADA = { exchange: "mexc", symbol: "ADA/USDT", baseBudget: 500, quoteBudget: 2000 };

/** Three hours of a sampled pair, the second without a sample. */
const OFFERED = {
  findings: [{ unit: "quote", limit: 150 }],
  hours: {
    from: 0,
    ownSpreadPercent: [1, null, 1.2],
    ownBidsWithin2: ["100", null, "90"],
    ownAsksWithin2: ["200", null, "300"],
  },
};

describe.skipIf(!findChromium())("quotes on the page (skipped without Chromium)", () => {
  const served = servedPage();

  it("appear automatically with their open orders, and leave the table when they stop", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    await page.getByText("No strategy runs.").waitFor();
    const request = { exchange: "kraken", symbol: "BTC/USDT", spreadPercent: 2, size: 100, levels: 2 };
    const started = await served.server.ask("/api/v1/strategies", {
      method: "POST",
      body: JSON.stringify(startBody("quote", request)),
    });
    expect(started.status).toBe(200);
    await page.getByRole("heading", { name: "Active (1)" }).waitFor();
    const table = page.getByRole("table", { name: "Active strategies" });
    await table.getByRole("cell", { name: "4", exact: true }).waitFor();
    await expect
      .poll(() => page.getByLabel("Totals in USDT").locator("dt").allTextContents())
      .toEqual(["Total, USDT", "7 days", "Realized", "Unrealized", "vs buy and hold", "Capital"]);
    expect(await table.innerText()).toMatch(/BTC\/USDT\s+quote, kraken\s+running/);
    const { id } = (await started.json()) as { id: string };
    await served.server.ask("/api/v1/strategy/grid", { method: "DELETE", body: JSON.stringify({ id }) });
    await page.getByRole("heading", { name: "Active (0)" }).waitFor();
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("are paused, resumed and stopped on a separate page that first shows the effect", async () => {
    const { id } = await served.call<{ id: string }>(
      "POST",
      ...startOf("quote", {
        exchange: "kraken",
        symbol: "BTC/USDT",
        spreadPercent: 2,
        size: 100,
        levels: 2,
        volatilityFactor: 0,
        quoteBudget: 1000,
        baseBudget: 0.01,
      }),
    );
    const open = async () =>
      (await served.call<{ count: number }>("GET", "/orders?exchange=kraken&symbol=BTC%2FUSDT")).count;
    const { page, context, errors, strangers } = await served.signIn();
    await page
      .getByRole("table", { name: "Active strategies" })
      .getByRole("link", { name: "BTC/USDT" })
      .click();
    const listed = page.getByRole("region", { name: "Open orders" });
    await page.getByRole("link", { name: "Orders and fills" }).click();
    await listed.getByText("sell").first().waitFor();
    const answer = async (button: string, says: RegExp, yes: string, pattern: RegExp) => {
      await page.getByRole("button", { name: button, exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(says).waitFor();
      await dialog.getByRole("button", { name: yes, exact: true }).click();
      await page.getByRole("status").getByText(pattern).first().waitFor();
      await dialog.waitFor({ state: "detached" });
    };
    await expect.poll(open).toBe(4);
    await answer("Pause", /4 orders are canceled/, "Pause them", /is paused/);
    await page.getByText("There are no open orders.").waitFor();
    await expect.poll(open).toBe(0);
    await answer("Resume", /places both sides again/, "Resume them", /is resumed/);
    await listed.getByText("sell").first().waitFor();
    await expect.poll(open).toBe(4);
    const orders = async () =>
      (await served.call<{ orders: { price: number }[] }>("GET", "/orders?exchange=kraken&symbol=BTC%2FUSDT"))
        .orders;
    const nearest = async () => Math.max(...(await orders()).map(({ price }) => price));
    const before = await nearest();
    await page.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("region", { name: "Change these quotes" });
    await edit.getByLabel("Spread between bid and ask, %").fill("20");
    await edit
      .getByRole("table", { name: "Changes" })
      .getByRole("row", { name: "Spread between bid and ask, % 2 20" })
      .waitFor();
    expect(await edit.innerText()).not.toMatch(/[a-z]Percent/);
    await answer("Change exactly as planned", /canceled/, "Change it", /is changed/);
    // The outermost sell moves from about 1 % to about 10 % away.
    await expect.poll(nearest).toBeGreaterThan(before * 1.05);
    await answer("Stop", /stay yours/, "Stop them", /is stopped/);
    await expect.poll(open).toBe(0);
    const { events } = await served.call<{ events: { message: string }[] }>(
      "GET",
      `/strategies/${id}/events`,
    );
    await page.getByRole("link", { name: "Events", exact: true }).click();
    const shown = page.getByRole("region", { name: "Events" });
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("region", { name: "P&L" }).waitFor();
    await page.getByText("Details", { exact: true }).click();
    await page.getByText("Yearly rate").waitFor();
    for (const name of ["Reference price", "Inventory", "Order book"])
      expect(await page.getByRole("region", { name }).count(), name).toBe(0);
    for (const name of ["Reference price", "Requested spread", "Current spread"])
      expect(await page.getByText(name).count(), name).toBe(0);
    await page.getByRole("link", { name: "Events", exact: true }).click();
    for (const { message } of events) await shown.getByText(pageText(message)).first().waitFor();
    expect(events.map(({ message }) => message).join("\n")).toMatch(/pause/);
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("show their orders in the order book, the reference price with its sources, and the inventory", async () => {
    const { id } = await served.call<{ id: string }>(
      "POST",
      ...startOf("quote", {
        ...ADA,
        spreadPercent: 1,
        depth: 200,
        levels: 3,
        minBase: 100,
        maxBase: 3000,
        defend: "20:60",
      }),
    );
    interface Quotes {
      readonly orders: readonly { price: string; amount: string }[];
      readonly details: { reference: string; sources: readonly { source: string; counted: boolean }[] };
    }
    const status = () => served.call<Quotes>("GET", `/strategies/${id}`);
    await expect.poll(async () => (await status()).orders.length).toBe(6);
    const { page, context, errors, strangers } = await served.signIn();
    await page.route("**/liquidity/pairs", (route) =>
      route.fulfill({ json: { day: "2026-01-01", pairs: [ADA], count: 1 } }),
    );
    let offered: object = OFFERED;
    await page.route("**/liquidity/report?*", (route) => route.fulfill({ json: { markets: [offered] } }));
    await page.goto(`${served.url}/#/strategy/${id}`);
    const ladder = page.getByRole("table", { name: "Order book" });
    const rows = ladder.locator("tr.mine");
    // An order moves with the price, so both are read until they are the same.
    await expect
      .poll(async () => {
        const shown = await rows.evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll("td")].map(({ textContent }) => Number(textContent))),
        );
        const placed = (await status()).orders.map(({ price, amount }) => [Number(price), Number(amount)]);
        const inLadder = shown.map(([price, , own]) => [price, own]);
        return JSON.stringify(inLadder.sort()) === JSON.stringify(placed.sort());
      })
      .toBe(true);
    const { sources } = (await status()).details;
    const chips = page.getByRole("list", { name: "Price sources" }).getByRole("listitem");
    expect(await chips.count()).toBe(sources.length);
    await expect
      .poll(() => chips.filter({ hasText: /\d\.\d+.*ago, counts/ }).count())
      .toBe(sources.filter(({ counted }) => counted).length);
    await page.getByText(/: the median of \d of \d sources/).waitFor();
    await page.getByRole("img", { name: /^500 ADA between 100 and 3,000, target [\d,]+/ }).waitFor();
    await page
      .getByText(/^Half-spread 0\.5\d*\s%\. The middle of the quotes is .* inventory is below/)
      .waitFor();
    // The hour without a sample is no point of the lines.
    const spread = page.getByRole("img", { name: /^Spread, now 1\.20\s%, requested 1\.00\s%/ });
    expect((await spread.locator("polyline.own").getAttribute("points"))?.split(" ")).toHaveLength(2);
    await page
      .getByRole("img", { name: "Depth of the thinner side, now 90.00 USDT, promised 150.00 USDT" })
      .waitFor();
    // Without an agreement on the depth, nothing is promised.
    offered = { ...OFFERED, findings: [] };
    await page.reload();
    const depth = page.getByRole("img", { name: "Depth of the thinner side, now 90.00 USDT", exact: true });
    await depth.waitFor();
    expect(await depth.locator("polyline").count()).toBe(1);

    await page.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("region", { name: "Change these quotes" });
    await edit.getByLabel("Maximum position, ADA").fill("");
    await edit.getByText("Maximum position, ADA: this cannot be removed while it runs").waitFor();
    expect(await page.getByRole("button", { name: "Change exactly as planned" }).count()).toBe(0);
    await edit.getByRole("button", { name: "Discard" }).click();
    const asked = page.waitForRequest(`**/${id}/preview`);
    await edit.getByLabel("If a side is picked off").selectOption("Nothing");
    expect((await asked).postDataJSON()).toEqual({ config: { defend: "off" } });
    await edit
      .getByRole("row", { name: "If a side is picked off Move it 20 ticks away for 60 passes none" })
      .waitFor();
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
    await served.call("POST", `/strategies/${id}/stop`, {});
  });

  it("have no controls for read-only users", async () => {
    const { id } = await served.call<{ id: string }>(
      "POST",
      ...startOf("quote", {
        exchange: "mexc",
        symbol: "BTC/USDT",
        spreadPercent: 2,
        size: 100,
      }),
    );
    const { page, context } = await served.signIn({}, await newToken(served.folder, "read"));
    await page.goto(`${served.url}/#/strategy/${id}/orders`);
    await page.getByRole("region", { name: "Open orders" }).getByText("buy").first().waitFor();
    expect(await page.getByRole("button", { name: /pause|stop|resume/i }).count()).toBe(0);
    await context.close();
  });
});
