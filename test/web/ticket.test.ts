import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../support/axe.ts";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

interface Orders {
  readonly orders: readonly {
    readonly id: string;
    readonly price: number;
    readonly amount: number;
    readonly side: string;
  }[];
}

const MARKET = "exchange=kraken&symbol=BTC/USDT";

describe.skipIf(!findChromium())("an order on the page in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  const openOrders = async () => (await served.call<Orders>("GET", `/orders?${MARKET}`)).orders;

  const openTicket = async (amount: string, price = "30000") => {
    const opened = await served.signIn();
    await opened.page.goto(`${served.url}/#/markets/kraken/BTC%2FUSDT`);
    const form = opened.page.getByRole("region", { name: "New order" });
    await form.getByLabel("Price, USDT").fill(price);
    await form.getByLabel("Amount", { exact: true }).fill(amount);
    return { ...opened, form, dialog: opened.page.getByRole("dialog") };
  };

  /** Loses the responses to the first requests of an order, after the server has done them. */
  const loseResponses = async (page: Page, count: number) => {
    const sent: { readonly key: string | undefined; readonly body: string | null }[] = [];
    await page.route("**/api/v1/orders", async (route) => {
      const request = route.request();
      sent.push({ key: request.headers()["idempotency-key"], body: request.postData() });
      if (sent.length > count) return route.continue();
      await route.fetch();
      await route.abort();
    });
    return sent;
  };

  it("plans also where the smallest order is above a thousand of the quote asset", async () => {
    const { page, context } = await served.signIn();
    const sizes: number[] = [];
    await page.route("**/api/v1/strategies/preview", async (route) => {
      const { config } = route.request().postDataJSON() as {
        readonly config: { readonly orderSize: number };
      };
      sizes.push(config.orderSize);
      if (config.orderSize > 5000) return route.continue();
      const message = "orderSize must be at least 5000";
      return route.fulfill({ status: 400, json: { error: "Invalid order size", message } });
    });
    await page.goto(`${served.url}/#/markets/kraken/BTC%2FUSDT`);
    const form = page.getByRole("region", { name: "New order" });
    await form.getByLabel("Amount", { exact: true }).fill("0.001");
    await form.getByText(/^buy 0\.001 BTC at/).waitFor();
    expect([...new Set(sizes)]).toEqual([1000, 1_000_000]);
    await context.close();
  });

  it("takes its price from a row of the book, and places one order after a double click", async () => {
    const { page, context, errors, form, dialog } = await openTicket("0.001");
    const before = await openOrders();
    const row = page.getByRole("region", { name: "Book" }).getByRole("button").last();
    const shown = Number((await row.textContent())?.replaceAll(",", ""));
    await row.click();
    expect(Number(await form.getByLabel("Price, USDT").inputValue())).toBe(shown);
    await form.getByText(/^buy 0\.001 BTC at/).waitFor();
    await form.getByText(/a fee of at most .* USDT/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await form.getByRole("button", { name: "Buy 0.001 BTC" }).click();
    await dialog.getByText("largest order 100,000 USDT").waitFor();
    await dialog.getByRole("button", { name: "Place it" }).dblclick();
    await form.getByRole("status").getByText("The order is open: 0 of 0.001 BTC filled.").waitFor();
    const [order, ...others] = (await openOrders()).filter(({ id }) => !before.some((one) => one.id === id));
    expect(order).toMatchObject({ side: "buy", price: shown, amount: 0.001 });
    expect(others).toEqual([]);
    const cancel = page.getByRole("button", { name: /^Cancel buy of 0.001 BTC\/USDT/ });
    await cancel.click();
    await dialog.getByRole("button", { name: "Cancel it" }).click();
    await page.getByRole("status").getByText("the exchange accepted the cancel").waitFor();
    await page.getByText("No open orders.").waitFor();
    expect(await openOrders()).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("sends an order again with its key if the response is lost, so that the exchange has one", async () => {
    const { page, context, form, dialog } = await openTicket("0.002");
    const sent = await loseResponses(page, 1);
    await form.getByRole("button", { name: "Buy 0.002 BTC" }).click();
    await dialog.getByRole("button", { name: "Place it" }).click();
    await form.getByRole("status").getByText("The order is open").waitFor();
    expect(sent.length).toBe(2);
    expect(sent[0]).toEqual(sent[1]);
    expect(sent[0]?.key).toMatch(/^[\w-]{36}$/);
    expect((await openOrders()).map(({ amount }) => amount)).toEqual([0.002]);
    await context.close();
  });

  it("remembers an order without a response over a reload, and places it once", async () => {
    const { page, context, form, dialog } = await openTicket("0.003", "31000");
    const before = await openOrders();
    const sent = await loseResponses(page, 3);
    await form.getByRole("button", { name: "Buy 0.003 BTC" }).click();
    await dialog.getByRole("button", { name: "Place it" }).click();
    await dialog.getByText("It is unknown whether this was done").waitFor();
    await page.reload();
    await form.getByText("It is unknown whether this order was placed: buy 0.003 BTC at 31000").waitFor();
    await form.getByLabel("Amount", { exact: true }).fill("0.004");
    expect(await form.getByRole("button", { name: "Buy 0.004 BTC" }).isDisabled()).toBe(true);
    await form.getByRole("button", { name: "Send it again" }).click();
    await dialog.getByRole("button", { name: "Place it" }).click();
    await form.getByRole("status").getByText("The order is open").waitFor();
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
    expect((await openOrders()).length).toBe(before.length + 1);
    expect(await form.getByText("It is unknown").count()).toBe(0);
    await context.close();
  });

  it("says before and after it is sent why an order is refused", async () => {
    const { context, form, dialog } = await openTicket("5");
    const before = await openOrders();
    await form.getByText(/lacks .* USDT: the exchange would refuse it/).waitFor();
    await form.getByRole("button", { name: "Buy 5 BTC" }).click();
    await dialog.getByRole("button", { name: "Place it" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/Order failed.*USDT free/)
      .waitFor();
    await dialog.getByRole("button", { name: "Go back" }).click();
    // Nothing is unknown about it.
    expect(await form.getByText("It is unknown").count()).toBe(0);
    await form.getByRole("button", { name: "Sell" }).click();
    await form.getByLabel("Amount", { exact: true }).fill("0.001");
    await form.getByText(/could fill against your own order/).waitFor();
    expect((await openOrders()).length).toBe(before.length);
    await context.close();
  });

  it("sells a share of what is free at the market, from the page Account", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/account/gateio`);
    await page.getByRole("button", { name: "Show new order" }).click();
    const form = page.getByRole("region", { name: "New order" });
    await form.getByLabel("Pair").fill("ETH/USDT");
    await form.getByRole("button", { name: "Sell", exact: true }).click();
    await form.getByRole("button", { name: "Market" }).click();
    await form.getByLabel("Amount in").selectOption({ label: "% of what is free" });
    await form.getByLabel("Amount", { exact: true }).fill("1");
    const { balances } = await served.call<{ balances: readonly { readonly free: string }[] }>(
      "GET",
      "/balance?exchange=gateio&asset=ETH",
    );
    const amount = Number(balances[0]?.free) / 100;
    await form.getByRole("button", { name: `Sell ${amount} ETH` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Place it" }).click();
    await form
      .getByRole("status")
      .getByText(`The order is filled: ${amount} of ${amount} ETH filled.`)
      .waitFor();
    await context.close();
  });

  it("is not offered to a token that only reads", async () => {
    const { token } = await served.call<{ token: string }>("POST", "/tokens", { scope: "read" });
    const { page, context } = await served.signIn({}, token);
    await page.goto(`${served.url}/#/markets/kraken/BTC%2FUSDT`);
    await page.getByRole("region", { name: "Open orders", exact: true }).waitFor();
    expect(await page.getByRole("region", { name: "New order" }).count()).toBe(0);
    expect(await page.getByRole("region", { name: "Book" }).getByRole("button").count()).toBe(0);
    await context.close();
  });
});
