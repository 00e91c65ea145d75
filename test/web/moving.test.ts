import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";
import { startBody } from "../support/starts.ts";

const LABELS = {
  lowerPrice: "Lower price, USDT",
  upperPrice: "Upper price, USDT",
  gridLevels: "Levels, 2 to 100",
  orderSize: "Per order, USDT",
} as const;

function forms(served: ReturnType<typeof servedPage>) {
  const running = async () => (await served.call<{ count: number }>("GET", "/strategies")).count;
  /** A grid of narrow levels, with the price of now in the middle between two of them. */
  async function formOfNow(exchange = "mexc") {
    const { last } = await served.call<{ last: number }>(
      "GET",
      `/ticker?exchange=${exchange}&symbol=BTC/USDT`,
    );
    return {
      lowerPrice: Math.round(last * 0.98),
      upperPrice: Math.round(last * 1.0226),
      gridLevels: 16,
      orderSize: 20,
    };
  }
  async function opened(exchange = "mexc") {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/start`);
    await page.getByLabel("Exchange").selectOption(exchange);
    const form = await formOfNow(exchange);
    for (const [name, label] of Object.entries(LABELS))
      await page.getByLabel(label).fill(String(form[name as keyof typeof form]));
    return { page, context };
  }
  return { running, formOfNow, opened };
}

describe.skipIf(!findChromium())("a plan in a fast market (skipped where there is no Chromium)", () => {
  const { opened } = forms(servedPage(["--speed", "600"]));

  it("is made again while a person reads it, and says what it was before", async () => {
    const { page, context } = await opened();
    const button = page.getByRole("button", { name: /^Start: / });
    await button.waitFor();
    await page.getByText("The market has moved. Before: ").waitFor({ timeout: 120_000 });
    const [before] = /\d+ orders?.*(?=\.)/.exec(await page.getByText("Before: ").innerText()) ?? [];
    expect(await button.innerText()).not.toBe(`Start: ${before}, simulated`);
    await context.close();
  });
});

describe.skipIf(!findChromium())("a confirmed plan (skipped where there is no Chromium)", () => {
  const served = servedPage([]);
  const { running, formOfNow, opened } = forms(served);

  it("is started with the first click, although it is another one by then", async () => {
    const { page, context } = await opened();
    await page.getByLabel("Sell base already in the account").check();
    const button = page.getByRole("button", { name: /^Start: \d+ orders, .* BTC in sells, simulated$/ });
    await expect.poll(() => button.isEnabled()).toBe(true);
    const before = await running();
    await button.click();
    const dialog = page.getByRole("dialog");
    const [, count = ""] =
      /^(\d+) orders are placed now/.exec(await dialog.locator("p").first().innerText()) ?? [];
    await dialog.getByText("unless they could use or lose 1 % more").waitFor();
    // Another order locks the base, so the grid can sell less than the plan says.
    const [btc] = (
      await served.call<{ balances: readonly { free: number }[] }>("GET", "/balance?exchange=mexc&asset=BTC")
    ).balances;
    const amount = Math.floor(1e4 * Number(btc?.free)) / 1e4 - 0.001;
    const price = Math.round(1.1 * (await formOfNow()).upperPrice);
    const sell = { exchange: "mexc", symbol: "BTC/USDT", side: "sell", type: "limit", price };
    for (let part = 0; part < 3; part++)
      await served.call("POST", "/orders", { ...sell, amount: Number((amount / 3).toFixed(5)) });
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.request().method() === "POST" && response.url().endsWith("/strategies"))
        statuses.push(response.status());
    });
    await dialog.getByRole("button", { name: "Start it" }).click();
    await page.getByRole("heading", { level: 1, name: /BTC\/USDT/ }).waitFor();
    expect([statuses[0], statuses.at(-1)]).toEqual([409, 200]);
    expect(await running()).toBe(before + 1);
    const { strategies } = await served.call<{ strategies: { openOrders: number }[] }>("GET", "/strategies");
    expect(strategies.some(({ openOrders }) => openOrders > 0 && openOrders < Number(count))).toBe(true);
    await context.close();
  });

  it("starts nothing if the plan of that moment is worse, and shows it", async () => {
    const { page, context } = await opened("bitget");
    await page.getByRole("button", { name: /^Start: / }).click();
    const form = await formOfNow("bitget");
    // It leaves 60 USDT of 100,000, and at least five buys of 20 USDT are to be placed.
    const other = { lowerPrice: form.lowerPrice / 2, upperPrice: form.lowerPrice, gridLevels: 4 };
    const place = { exchange: "bitget", symbol: "BTC/USDT", orderSize: 24_985 };
    await served.call("POST", "/strategies", startBody("grid", { ...place, ...other, useOwnBase: false }));
    const before = await running();
    await page.getByRole("dialog").getByRole("button", { name: "Start it" }).click();
    await page.getByRole("dialog").getByText("is out of date").waitFor();
    await page.getByText("Here is the new plan").waitFor();
    expect(await running()).toBe(before);
    await context.close();
  });
});
