import { describe, expect, it } from "vitest";
import { walkThePage } from "../support/acceptance.ts";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";
import { commandIn } from "../support/signed-in.ts";

describe.skipIf(!findChromium())("the page on Node in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "500"]);

  it("supports every task in one tab without a reload", async () => {
    const { server, browser, url, folder, call } = served;
    await walkThePage({
      browser,
      url,
      token: server.token,
      call,
      shock: (percent) =>
        commandIn(folder, "sandbox", "shock", "--symbol", "BTC/USDT", `--percent=${percent}`),
      step: async () => expect(server.child.exitCode, server.stderr()).toBeNull(),
    });
  });
});
