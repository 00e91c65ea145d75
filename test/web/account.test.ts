import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

interface Balances {
  readonly balances: readonly { readonly asset: string; readonly total: string; readonly worth: string }[];
}

const numberIn = (text: string | null): number => Number(text?.replaceAll(",", ""));

describe.skipIf(!findChromium())("the account page in Chromium (skipped without Chromium)", () => {
  const served = servedPage();

  it("offers a new order only where there are keys", async () => {
    const { page, context } = await served.signIn();
    let hasKeys = true;
    await page.route("**/api/v1/exchanges", async (route) => {
      const response = await route.fetch();
      const { exchanges } = (await response.json()) as { exchanges: object[] };
      await route.fulfill({ json: { exchanges: exchanges.map((one) => ({ ...one, configured: hasKeys })) } });
    });
    await page.goto(`${served.url}/#/account/kraken`);
    await page.getByRole("heading", { name: "New order" }).waitFor();
    hasKeys = false;
    await page.reload();
    await page.getByRole("link", { name: "kraken no keys" }).waitFor();
    await page.getByRole("heading", { name: "Open orders" }).waitFor();
    expect(await page.getByRole("heading", { name: "New order" }).count()).toBe(0);
    await context.close();
  });

  it("shows the value of each balance and the total of all with a price", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    // The first page reads the balances of all accounts.
    const answered = page.waitForResponse("**/api/v1/balance?exchange=kraken*withdrawable*");
    await page.goto(`${served.url}/#/account/kraken`);
    const { balances } = (await (await answered).json()) as Balances;
    const part = page.getByRole("region", { name: "Balances", exact: true });
    await part.getByText("Total, USDT").waitFor();
    const known = balances.filter(({ worth }) => worth !== null);
    expect(known.length).toBeGreaterThan(1);
    // What has no price here is left out, and said to be.
    expect(known.length).toBeLessThan(balances.length);
    const left = balances.filter(({ worth }) => worth === null).map(({ asset }) => asset);
    await part.getByText(`Not counted: ${left.join(", ")} on kraken: no price there.`).waitFor();
    const sum = known.reduce((all, { worth }) => all + Number(worth), 0);
    expect(numberIn(await part.locator("dd").first().textContent())).toBeCloseTo(sum, 1);
    for (const { asset, worth } of balances) {
      const cell = part
        .getByRole("row", { name: new RegExp(`^${asset} `) })
        .locator("td")
        .last();
      const output = await cell.textContent();
      if (worth === null) expect(output, asset).toBe("–");
      else expect(numberIn(output), asset).toBeCloseTo(Number(worth), 1);
    }
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("adds up all accounts in the chosen quote asset, and names what is not in the sum", async () => {
    const { page, context, errors } = await served.signIn();
    await page.route("**/api/v1/balance?exchange=mexc*", (route) =>
      route.fulfill({ status: 500, json: { error: "Exchange error", message: "mexc does not respond" } }),
    );
    const part = page.getByRole("region", { name: "Worth of all accounts" });
    const total = async (quote: string) => {
      let sum = 0;
      for (const exchange of ["gateio", "bitget", "kraken"]) {
        const read = await served.call<Balances>("GET", `/balance?exchange=${exchange}&quote=${quote}`);
        for (const { worth } of read.balances) sum += Number(worth ?? 0);
      }
      return sum;
    };
    for (const path of ["", "account"]) {
      await page.goto(`${served.url}/#/${path}`);
      // The first page has loaded without the route.
      await page.reload();
      await part.getByText("Total, USDT, simulated").waitFor();
      await part.getByText("mexc: mexc does not respond").waitFor();
      // The market moves on between the two, a little.
      const shown = numberIn(await part.locator("dd").first().textContent());
      expect(shown / (await total("USDT"))).toBeCloseTo(1, 1);
    }
    await part.getByRole("button", { name: "EUR", exact: true }).click();
    await part.getByText("Total, EUR, simulated").waitFor();
    await part.getByText(/BTC.* on gateio: no price there/).waitFor();
    expect(numberIn(await part.locator("dd").first().textContent()) / (await total("EUR"))).toBeCloseTo(1, 1);
    expect(await part.locator(".stat", { hasText: "mexc" }).textContent()).toBe("mexcunknown");
    await page.getByRole("link", { name: "kraken" }).click();
    await page.getByRole("button", { name: "You can withdraw" }).waitFor();
    await page.getByRole("link", { name: "All", exact: true }).click();
    await part.waitFor();
    expect(errors.filter((error) => !/500/.test(error))).toEqual([]);
    await context.close();
  });

  it("shows the total as unknown while no asset has a price", async () => {
    const { page, context } = await served.signIn();
    const unpriced = { asset: "BTC", total: "2", free: "2", used: "0", worth: null };
    await page.route("**/api/v1/balance*", (route) =>
      route.fulfill({ json: { exchange: "kraken", balances: [unpriced] } }),
    );
    await page.goto(`${served.url}/#/account/kraken`);
    const part = page.getByRole("region", { name: "Balances", exact: true });
    await part.getByText("Not counted: BTC on kraken").waitFor();
    expect(await part.locator("dd").first().textContent()).toBe("unknown");
    await context.close();
  });

  it("shows the first of many orders on a phone, and all of them on request", async () => {
    for (let at = 0; at < 16; at++)
      await served.call("POST", "/orders", {
        exchange: "bitget",
        symbol: "BTC/USDT",
        side: "buy",
        type: "limit",
        amount: 0.001,
        price: 40_000 + at,
      });
    const { page, context } = await served.signIn();
    await page.setViewportSize({ width: 390, height: 900 });
    await page.goto(`${served.url}/#/account/bitget`);
    const orders = page.getByRole("region", { name: "Open orders", exact: true });
    await orders.getByRole("button", { name: "Show all 16" }).waitFor();
    const cancels = orders.getByRole("button", { name: /^Cancel buy/ });
    expect(await cancels.count()).toBe(10);
    await orders.getByRole("button", { name: "Show all 16" }).click();
    await cancels.nth(15).waitFor();
    await context.close();
  });

  it("uses the current mid, and shows no value without a quote asset", async () => {
    const { bid, ask } = await served.call<{ bid: number; ask: number }>(
      "GET",
      "/ticker?exchange=kraken&symbol=BTC/USDT",
    );
    const { balances } = await served.call<Balances>("GET", "/balance?exchange=kraken&asset=BTC&quote=USDT");
    const [btc] = balances;
    // The market moves on between the two, a little.
    expect(Number(btc?.worth) / Number(btc?.total) / ((bid + ask) / 2)).toBeCloseTo(1, 1);
    const plain = await served.call<Balances>("GET", "/balance?exchange=kraken");
    expect(plain.balances.every((one) => !Object.hasOwn(one, "worth"))).toBe(true);
  });
});
