import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsInEveryLook } from "../../support/axe.ts";
import { findChromium, startBrowser } from "../../support/browser.ts";
import { freePort } from "../../support/free-port.ts";
import { type Spawned, spawnServer } from "../../support/server.ts";
import { commandIn, signedIn } from "../../support/signed-in.ts";
import { makeFolder } from "../../support/temp.ts";

interface Status {
  readonly orders: readonly { readonly id: string; readonly price: string }[];
  readonly details: { readonly notes: object };
}

/** What the browser's console says while no server is there, and of a plan that the market has left behind. */
const AWAY = /net::ERR_|status of 409/;

/** Presses a button by keyboard alone, once it can be pressed. */
async function press(button: Locator): Promise<void> {
  await button.click({ trial: true });
  await button.press("Enter");
}

/** Confirms the shown plan. A plan that the market has left behind is replaced by the next one. */
async function confirm(page: Page, open: RegExp, yes: string, done: Locator): Promise<void> {
  const dialog = page.getByRole("dialog");
  const moved = dialog.getByText("is out of date");
  for (;;) {
    await press(page.getByRole("button", { name: open }));
    await press(dialog.getByRole("button", { name: yes }));
    await done.or(moved).first().waitFor();
    if (await done.isVisible()) return;
    await press(dialog.getByRole("button", { name: "Go back" }));
  }
}

describe.skipIf(!findChromium())("a strategy of one's own in one tab (skipped without Chromium)", () => {
  const made = makeFolder();
  const file = join(made.path, "strategies/my-quotes.ts");
  const hash = () => createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
  let serve: () => Spawned;
  let server: Spawned;
  let browser: Browser;
  beforeAll(async () => {
    await commandIn(made.path, "strategy", "new", "my-quotes");
    const port = String(await freePort());
    serve = () =>
      spawnServer(made.path, ["--sandbox", "--seed", "7", "--tick-interval", "500", "--port", port]);
    server = serve();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    made.remove();
  });

  it("starts from its file, is edited, and runs the changed file after a restart that the page asks for", async () => {
    const url = (await server.listens) ?? "";
    const { page, context, errors, strangers } = await signedIn(browser, url, server.token);
    const loads: string[] = [];
    page.on("load", () => loads.push(page.url()));
    const faults: string[] = [];
    const look = async (stage: string) =>
      faults.push(...(await faultsInEveryLook(page)).map((what) => `${stage}: ${what}`));
    const main = page.locator("main");
    const tab = (name: string) => main.getByRole("link", { name, exact: true }).click();

    await page.getByRole("link", { name: "New strategy" }).click();
    await page.getByRole("link", { name: "my-quotes" }).click();
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Spread between bid and ask, in percent").fill("2");
    await page.getByLabel("Quote per order").fill("100");
    await page.getByLabel("Quote budget, USDT").fill("1000");
    await page.getByLabel("Base budget, BTC").fill("0.05");
    const first = hash();
    await confirm(
      page,
      /^Start: 2 orders/,
      "Start it",
      main.getByText(`Its code is ${first}, the same as on disk.`),
    );
    const id = decodeURIComponent(page.url().split("/").at(-1) ?? "");
    const status = async () =>
      (await (await server.ask(`/api/v1/strategies/${id}`)).json()) as unknown as Status;
    const isOpen = async () => (await status()).orders.map((order) => order.id).toSorted();
    await expect.poll(isOpen).toEqual(["ask", "bid"]);
    await main.getByText("The chart as a table").click();
    const levels = main.getByRole("table", { name: "Levels of the chart" });
    await levels.getByRole("row", { name: /open buy/ }).waitFor();
    await levels.getByRole("row", { name: /open sell/ }).waitFor();

    await tab("Settings");
    const edit = page.getByRole("region", { name: "Change this strategy" });
    await edit.getByLabel("Spread between bid and ask, in percent").fill("4");
    const distance = async () => {
      const [one, other] = (await status()).orders.map(({ price }) => Number(price));
      // While an order is replaced there is no distance, and neither comparison holds.
      return one && other ? Math.abs(one - other) / one : Number.NaN;
    };
    await expect.poll(distance).toBeLessThan(0.03);
    const changed = page.getByRole("status").getByText(/ (is changed|changes with its next passes)/);
    await confirm(page, /^Change exactly as planned$/, "Change it", changed);
    await expect.poll(distance).toBeGreaterThan(0.03);
    await tab("Overview");

    const text = readFileSync(file, "utf8");
    const noting = text
      .replace("return [", "return { notes: { fair: String(quote.mid), half, calm: true }, orders: [")
      .replace(/\];(?=\n {2}\})/, "] };");
    writeFileSync(file, noting);
    const second = hash();
    await main
      .getByText(
        `Its file on disk has changed: ${second}. The server still runs the code that it loaded, ${first}`,
      )
      .waitFor();
    expect((await status()).details.notes).toEqual({});
    await look("a changed file");

    await server.kill("SIGTERM");
    server = serve();
    await main.getByText(`Its code is ${second}, the same as on disk.`).waitFor();
    const notes = main.getByRole("region", { name: "Notes" });
    await notes.getByText("half").waitFor();
    await notes.getByText("0.02", { exact: true }).waitFor();
    await levels.getByRole("row", { name: /fair/ }).waitFor();
    expect(await levels.getByRole("row", { name: /half/ }).count()).toBe(0);
    await expect.poll(isOpen).toEqual(["ask", "bid"]);
    await look("notes");
    expect(faults).toEqual([]);
    expect(loads).toEqual([]);
    expect(errors.filter((error) => !AWAY.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });
});
