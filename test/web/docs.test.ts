import { expect, it } from "vitest";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";

it.skipIf(!findChromium())(
  "the API docs open in Chromium without an error or a third-party request",
  async () => {
    const made = makeFolder();
    const server = spawnServer(made.path, ["--sandbox"]);
    const browser = await startBrowser();
    try {
      const url = (await server.listens) ?? "";
      const { page, errors, strangers } = await openPage(browser, url);
      await page.goto(`${url}/docs`);
      await page.getByText("Suggest grid settings from a pair's price history").first().waitFor();
      expect(errors).toEqual([]);
      expect(strangers).toEqual([]);
    } finally {
      await browser.close();
      await server.kill("SIGTERM");
      made.remove();
    }
  },
);
