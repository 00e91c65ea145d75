import type { Page } from "playwright-core";

/** What the browser's console says of a plan that the market has left behind. */
export const MOVED = /status of 409/;

/** What the page asks before a start. Near an end of its range, a grid has one order or none. */
export const PLACED_NOW = /orders? (is|are) placed now/;

/** Types levels one percent apart around the price: at any hour buys are placed, and a fall of 2 % fills one. */
export async function rangeAround(page: Page, { last }: { readonly last: number }): Promise<void> {
  await page.getByLabel("Lower price, USDT").fill(String(Math.round(last * 0.95)));
  await page.getByLabel("Upper price, USDT").fill(String(Math.round(last * 1.05)));
  await page.getByLabel("Levels, 2 to 100").fill("11");
}

/**
 * Starts the plan that the page shows, as a person does. Where the market has moved meanwhile, the page starts the plan of
 * that moment; if it is worse, nothing starts, and the next plan is looked at. Returns the hash of the plan that has started.
 */
export async function startShown(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  const started = page.getByRole("heading", { level: 1, name: /BTC\/USDT/ });
  const moved = dialog.getByText("is out of date");
  let planHash = "";
  page.on("request", (one) => {
    if (one.method() !== "POST" || !/\/strategies$/.test(one.url())) return;
    ({ planHash } = one.postDataJSON() as { planHash: string });
  });
  for (;;) {
    await page.getByRole("button", { name: /^Start: / }).click();
    await dialog.getByText(PLACED_NOW).waitFor();
    await page.getByRole("button", { name: "Start it" }).click();
    await started.or(moved).first().waitFor();
    if (await started.isVisible()) return planHash;
    await dialog.getByRole("button", { name: "Go back" }).click();
  }
}
