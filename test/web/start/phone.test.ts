import { expect, it } from "vitest";
import { findChromium } from "../../support/browser.ts";
import { servedPage } from "../../support/served.ts";

const served = servedPage(["--tick-interval", "3600000"]);

it.skipIf(!findChromium())("a start on a phone shows few fields, and the plan in a line", async () => {
  const { page, context, errors } = await served.signIn({ viewport: { width: 390, height: 844 } });
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  await expect.poll(focused).toBe("Strategies");
  const menu = page.getByRole("button", { name: "Menu" });
  const top = () => page.locator("h1").evaluate((one) => one.getBoundingClientRect().y);
  const before = await top();
  await menu.click();
  const start = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Start" });
  await start.waitFor();
  expect(await top()).toBe(before);
  await page.keyboard.press("Escape");
  await start.waitFor({ state: "hidden" });
  await expect.poll(focused).toBe("Menu");

  await page.goto(`${served.url}/#/start`);
  await page.getByRole("button", { name: /^Usual/ }).click();
  await page.getByRole("button", { name: /^Start: / }).waitFor();
  const line = page.getByText(/^At most [\d,.]+ USDT\. Worst case: [\d,.]+ lost at [\d,.]+\.$/);
  await expect.poll(() => line.isVisible()).toBe(true);
  const { y = 0, height = 0 } = (await line.boundingBox()) ?? {};
  expect(y > 0 && y + height <= 844).toBe(true);
  const safety = page.getByRole("region", { name: "Safety" });
  const shown = () => safety.locator("label:visible > span").allTextContents();
  const few = ["Stop loss, USDT", "Take profit, USDT", "Loss limit, USDT"];
  expect(await shown()).toEqual([...few, "Name of the template"]);
  const limit = safety.getByLabel("Loss limit, USDT");
  await safety.getByLabel("Take profit, USDT").focus();
  await page.evaluate("scrollTo(0, 0)");
  await page.keyboard.press("Tab");
  await expect.poll(() => limit.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  const [field, bar] = await Promise.all([limit.boundingBox(), page.locator(".start").boundingBox()]);
  expect((field?.y ?? 844) + (field?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
  await safety.getByText("Advanced", { exact: true }).click();
  expect(await shown()).toEqual(expect.arrayContaining(["Trailing stop, %", "Trigger, USDT", "Ends at"]));

  // Settings that an address carries are in sight.
  await page.goto(`${served.url}/#/start/quote`);
  await page.goto(`${served.url}/#/start?symbol=BTC/USDT&trailingStopPercent=5`);
  await expect.poll(shown).toEqual(expect.arrayContaining(["Trailing stop, %"]));
  expect(errors).toEqual([]);
  await context.close();
});
