import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { MOVED, rangeAround, startShown } from "./shown-plan.ts";
import { signedIn } from "./signed-in.ts";

/** What serves the page, and the market and the clock behind it. */
export interface Stage {
  readonly browser: Browser;
  readonly url: string;
  /** Of an administrator. */
  readonly token: string;
  /** Moves the price of BTC/USDT, as the sandbox's command does. */
  shock(percent: number): Promise<unknown>;
  /** Lets a pass be made where no timer does. */
  step(): Promise<unknown>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Everything that a person does with the page, once, in one tab that is never reloaded. */
export async function walkThePage(stage: Stage): Promise<void> {
  const { page, context, errors, strangers } = await signedIn(stage.browser, stage.url, stage.token);
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  await startOnPage(page, stage);
  await seeFill(page, stage);
  await editIt(page);
  await seeStopFire(page, stage);
  await startOnPage(page, stage);
  await stopIt(page);
  await cancelOrder(page, stage);
  await compare(page);
  await backtest(page);
  await panic(page, stage);
  expect(loads).toEqual([]);
  await page.getByRole("link", { name: "API", exact: true }).click();
  await page.getByText("Suggest grid settings from a pair's price history").first().waitFor();
  expect(errors.filter((error) => !MOVED.test(error))).toEqual([]);
  expect(strangers).toEqual([]);
  await context.close();
}

const go = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();

/** Whether it came to be seen by itself, while passes are made. */
async function comes(observed: Locator, { step }: Stage): Promise<void> {
  while (!(await observed.first().isVisible())) {
    await step();
    await observed
      .first()
      .waitFor({ timeout: 3000 })
      .catch(() => undefined);
  }
}

async function startOnPage(page: Page, { call }: Stage): Promise<void> {
  await go(page, "Start");
  // After the fall of BTC, another asset of the account is worth more, and its pair is filled in.
  await page.getByLabel("Pair").fill("BTC/USDT");
  await page.getByRole("button", { name: /^Usual/ }).click();
  await page.getByText("Smallest profitable spacing").waitFor();
  const exchange = await page.getByLabel("Exchange").inputValue();
  await rangeAround(page, await call("GET", `/ticker?exchange=${exchange}&symbol=BTC/USDT`));
  await startShown(page);
  await page.getByRole("img", { name: /Candles of BTC\/USDT .* open orders/ }).waitFor();
}

async function seeFill(page: Page, stage: Stage): Promise<void> {
  await stage.shock(-2);
  await page.getByRole("link", { name: "Orders and fills" }).click();
  await comes(page.getByRole("region", { name: "Fills" }).getByRole("table"), stage);
}

/** Another size and a stop price; a plan that the market has left behind is looked at anew. */
async function editIt(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Edit" }).click();
  const part = page.getByRole("region", { name: "Change this grid" });
  const dialog = page.getByRole("dialog");
  // Below where the price is, wherever in its last week that is.
  const stopLoss = Math.floor(Number(await part.getByLabel("Lower price, USDT").inputValue()) * 0.95);
  await part.getByLabel("Per order, USDT").fill("30");
  await part.getByLabel("Stop loss, USDT").fill(String(stopLoss));
  await part.getByRole("row", { name: /^Stop loss/ }).waitFor();
  const changed = page.getByRole("status").getByText(/^grid-\S+ (is changed|changes with its next passes)/);
  const moved = dialog.getByText("is out of date");
  do {
    if (await moved.isVisible()) await dialog.getByRole("button", { name: "Go back" }).click();
    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    await dialog.getByRole("button", { name: "Change it" }).click();
    await changed.or(moved).first().waitFor();
  } while (!(await changed.isVisible()));
  await dialog.waitFor({ state: "detached" });
}

async function seeStopFire(page: Page, stage: Stage): Promise<void> {
  await comes(page.getByText("Stop loss", { exact: true }), stage);
  await page.getByText("The chart as a table").click();
  const levels = page.getByRole("table", { name: "Levels of the chart" });
  await levels.getByRole("row", { name: /stop loss/ }).waitFor();
  await stage.shock(-40);
  await comes(page.locator("h1 b", { hasText: "stopped" }), stage);
  await page
    .getByRole("status")
    .getByText(/stopped: stop_loss at .* in all$/)
    .waitFor();
}

async function stopIt(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByText("open orders are canceled").waitFor();
  await page.getByRole("button", { name: "Stop it" }).click();
  await page
    .getByRole("status")
    .getByText(/stopped|is stopping/)
    .waitFor();
}

async function cancelOrder(page: Page, { call }: Stage): Promise<void> {
  const { last } = await call<{ last: number }>("GET", "/ticker?exchange=gateio&symbol=BTC/USDT");
  const order = { exchange: "gateio", symbol: "BTC/USDT", side: "buy", type: "limit", amount: 0.001 };
  await call("POST", "/orders", { ...order, price: Math.round(last * 0.95) });
  await go(page, "Account");
  await page.getByRole("link", { name: /^gateio/ }).click();
  await page.getByRole("button", { name: /^Cancel buy of 0.001 BTC\/USDT/ }).click();
  await page.getByRole("button", { name: "Cancel it" }).click();
  await page.getByText("No open orders.").waitFor();
  expect(await call("GET", "/orders?exchange=gateio")).toMatchObject({ count: 0 });
}

async function compare(page: Page): Promise<void> {
  await go(page, "Markets");
  await go(page, "Compare");
  await page.getByText("Lowest ask").waitFor();
  await page.getByRole("table", { name: "Prices by exchange" }).getByText("kraken").waitFor();
}

async function backtest(page: Page): Promise<void> {
  await go(page, "Backtest");
  for (const [label, text] of [
    ["Lower price, USDT", "40000"],
    ["Upper price, USDT", "70000"],
    ["Levels, 2 to 100", "10"],
    ["Per order, USDT", "100"],
  ] as const)
    await page.getByLabel(label).fill(text);
  await page.getByRole("button", { name: "Run it" }).click();
  await page.getByRole("img", { name: /^Final equity/ }).waitFor();
}

async function panic(page: Page, { call }: Stage): Promise<void> {
  await page.getByRole("button", { name: "Panic" }).click();
  await page.getByRole("button", { name: "Stop all" }).click();
  await page.getByRole("status").getByText("the kill switch is on").waitFor();
  await page.getByRole("button", { name: "Kill switch is on" }).waitFor();
  expect(await call("GET", "/kill")).toMatchObject({ on: true });
}
