import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

describe.skipIf(!findChromium())("quotes on the page (skipped where there is no Chromium)", () => {
  const served = servedPage();

  it("are not spoken of without any, and come by themselves with what rests", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    await page.getByText("No grid runs.").waitFor();
    expect(await page.getByText("Quotes (").count()).toBe(0);
    const asked = { exchange: "kraken", symbol: "BTC/USDT", spread: 0.02, size: 100, levels: 2 };
    const started = await served.server.ask("/api/v1/strategy/quote", {
      method: "POST",
      body: JSON.stringify(asked),
    });
    expect(started.status).toBe(200);
    await page.getByRole("heading", { name: "Quotes (1)" }).waitFor();
    const table = page.getByRole("table", { name: "Quotes that run" });
    await table.getByText("2 bids, 2 asks, 0 filled").waitFor();
    const told = await table.innerText();
    expect(told).toMatch(/BTC\/USDT\s+kraken\s+quote-kraken-BTC-USDT-\d+/);
    expect(told).toMatch(/own book/);
    const { id } = (await started.json()) as { id: string };
    await served.server.ask("/api/v1/strategy/quote", { method: "DELETE", body: JSON.stringify({ id }) });
    await page.getByRole("heading", { name: "Quotes (1)" }).waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });
});
