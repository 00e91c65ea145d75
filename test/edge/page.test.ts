import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { edgeApp } from "../support/edge.ts";
import { MOVED, startShown } from "../support/shown-plan.ts";
import { signedIn } from "../support/signed-in.ts";

describe.skipIf(!findChromium())("the page from workerd in Chromium (skipped without Chromium)", () => {
  let app: Awaited<ReturnType<typeof edgeApp>>;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    app = await edgeApp({}, { assets: true });
    browser = await startBrowser();
    url = (await app.worker.ready).origin;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  it("starts the shown plan and updates live", async () => {
    const { page, context, errors, strangers } = await signedIn(browser, url, app.tokens.admin);
    await page.getByText("connected", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: /^Usual/ }).click();
    await startShown(page);
    await page.getByRole("img", { name: /Candles of BTC\/USDT .* open orders/ }).waitFor();

    // Somebody else pauses it: the page hears of it.
    const [strategy] = (await app.deps.store.strategies({ stopped: false })).map((view) => view.strategy);
    const headers = { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" };
    const path = `/api/v1/strategies/${strategy?.id}/pause`;
    expect((await app.ask(path, { method: "POST", body: "{}", headers })).status).toBe(200);
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(errors.filter((error) => !MOVED.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("installs its service worker for all of the page", async () => {
    const { page, context, errors } = await openPage(browser, url, { serviceWorkers: "allow" });
    await page.goto(url);
    expect(await page.evaluate("navigator.serviceWorker.ready.then(({ scope }) => scope)")).toBe(`${url}/`);
    const protocol = await context.newCDPSession(page);
    expect((await protocol.send("Page.getAppManifest")).errors).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("still returns JSON to clients that do not accept HTML", async () => {
    const response = await app.ask("/", { headers: { accept: "application/json" } });
    expect([response.status, await response.json()]).toMatchObject([404, { error: "Not found" }]);
  });
});
