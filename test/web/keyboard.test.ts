import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../support/axe.ts";
import { findChromium } from "../support/browser.ts";
import { PLACES } from "../support/places.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 4, orderSize: 100 });

/** Remembers what has had the focus. */
const WATCH = `addEventListener("focusin", ({ target }) => target.setAttribute("data-reached", ""))`;
/** Whatever a person can press, choose or type into, as far as it is shown; a text of each that was never reached. */
const controls = (which: string): string =>
  `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((one) => !one.disabled && one.checkVisibility() && one.matches(${JSON.stringify(which)}))
    .map((one) => one.tagName + " " + (one.ariaLabel || one.textContent || one.name || one.type).slice(0, 60))`;

describe.skipIf(!findChromium())("the keyboard alone in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);
  let id: string;
  beforeAll(async () => {
    id = (await served.call<{ id: string }>("POST", "/strategy/grid", GRID)).id;
  });

  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ ariaLabel, textContent, labels }) => ariaLabel || labels?.[0]?.textContent || textContent || "")(document.activeElement ?? {})`,
    );
  const tabTo = async (page: Page, name: RegExp) => {
    for (let pressed = 0; pressed < 100; pressed++) {
      await page.keyboard.press("Tab");
      if (name.test(await focused(page))) return;
    }
    throw new Error(`Tab does not come to ${name}`);
  };

  it("reaches every control of every page", async () => {
    const { page, context } = await served.signIn();
    for (const [path, text] of PLACES) {
      await page.goto(`${served.url}/#/${path.replace("ID", id)}`);
      await page.reload();
      await page.getByText(text).first().waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      await page.evaluate(WATCH);
      // Controls that appear while Tab is pressed are reached in another round.
      const unreached = async () => {
        const all = await page.evaluate<string[]>(controls("*"));
        expect(all.length, path).toBeGreaterThan(10);
        // Regions that scroll are stops too.
        for (let pressed = 0; pressed < all.length + 20; pressed++) await page.keyboard.press("Tab");
        return page.evaluate<string[]>(controls(":not([data-reached])"));
      };
      await expect.poll(unreached, { message: path }).toEqual([]);
    }
    await context.close();
  });

  it("changes a grid", async () => {
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByText("vs buy and hold").first().waitFor();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await tabTo(page, /^Edit$/);
    await page.keyboard.press("Enter");
    await page.getByLabel("Stop loss, USDT").waitFor();
    await tabTo(page, /^Stop loss, USDT/);
    await page.keyboard.type("40000");
    await page.getByRole("button", { name: "Change exactly as planned" }).waitFor();
    await page.getByRole("row", { name: /^Stop loss, USDT none 40,000/ }).waitFor();
    await tabTo(page, /^Change exactly as planned$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Change it" }).waitFor();
    await tabTo(page, /^Change it$/);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText(`${id} is changed`).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const result = await served.call("GET", `/strategy/grid/status?id=${id}`);
    expect(result).toMatchObject({ strategies: [{ stopPrices: [{ price: 40_000 }] }] });
    expect(errors).toEqual([]);
    await context.close();
  });

  it("reads the result where the action was, and does not lose its place", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/strategy/${id}`);
    const result = page.locator(".actions").getByRole("status");
    const dialog = page.getByRole("dialog");
    const act = async (button: RegExp, yes: RegExp) => {
      await page.getByRole("button", { name: button }).waitFor();
      await tabTo(page, button);
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: yes }).waitFor();
      await tabTo(page, yes);
      await page.keyboard.press("Enter");
    };
    const isAtResult = () =>
      page.evaluate<boolean>(`document.activeElement.matches(".actions [role=status]")`);
    await page.route("**/pause", (route) =>
      route.fulfill({ status: 500, json: { error: "Internal error", message: "the disk is full" } }),
    );
    await act(/^Pause$/, /^Pause it$/);
    await dialog.getByRole("alert").getByText("the disk is full").waitFor();
    expect(await result.textContent()).toBe("");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.unroute("**/pause");
    await act(/^Pause$/, /^Pause it$/);
    await result.getByText("is paused").waitFor();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(isAtResult).toBe(true);
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await expect.poll(() => result.textContent()).toBe("");
    await act(/^Stop$/, /^Stop it$/);
    await page.locator("h1 b", { hasText: "stopped" }).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
    await result.getByText("is stopped").waitFor();
    await expect.poll(isAtResult).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
});
