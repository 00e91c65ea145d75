import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { walkThePage } from "../../support/acceptance.ts";
import { findChromium, startBrowser } from "../../support/browser.ts";
import { edgeApp } from "../../support/edge.ts";
import { commandIn } from "../../support/signed-in.ts";
import { makeFolder } from "../../support/temp.ts";

describe.skipIf(!findChromium())("the page in workerd, in Chromium (skipped where there is none)", () => {
  const made = makeFolder();
  let app: Awaited<ReturnType<typeof edgeApp>>;
  let browser: Browser;

  beforeAll(async () => {
    app = await edgeApp({}, { assets: true });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    made.remove();
  });

  it("lets a person do everything, in one tab that is never reloaded", async () => {
    const { origin } = await app.worker.ready;
    const headers = { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" };
    const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${origin}/api/v1${path}`, { method, headers, ...sent });
      const output = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${output}`);
      return JSON.parse(output) as T;
    };
    await walkThePage({
      browser,
      url: origin,
      token: app.tokens.admin,
      call,
      shock: (percent) =>
        commandIn(
          made.path,
          "sandbox",
          "shock",
          "--db",
          app.url,
          "--symbol",
          "BTC/USDT",
          `--percent=${percent}`,
        ),
      // No cron fires here by itself.
      step: () => call("POST", "/internal/tick", {}),
    });
  });
});
