import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** A Chromium of this machine; undefined where there is none. */
export function findChromium(): string | undefined {
  const given = process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...(given ? [given] : []), ...found].find((file) => existsSync(file));
}

/** As long as a slow machine needs. */
const PATIENCE = 240_000;

const launching = () => ({
  timeout: PATIENCE,
  executablePath: findChromium() ?? "chromium",
  // A test runs as root in a container, where there is no other sandbox to be in.
  args: ["--no-sandbox", "--disable-gpu"],
});

export const startBrowser = (): Promise<Browser> => chromium.launch(launching());

/** A window with a profile of its own, which is not private: what it installs stays. */
export const openProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, launching());

/** What a page must never do, as far as it did. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors, uncaught exceptions, violations of the policy. */
  readonly errors: string[];
  /** Requests to anywhere but its own server. */
  readonly strangers: string[];
}

type Look = Parameters<Browser["newContext"]>[0];

/** A page in a profile of its own, of which every error and every request elsewhere is heard. */
export async function openPage(browser: Browser, origin: string, look: Look = {}): Promise<Watched> {
  // A service worker would carry requests past the routes of a test.
  const context = await browser.newContext({ serviceWorkers: "block", ...look });
  context.setDefaultTimeout(PATIENCE);
  // A route that still waits for its answer would fail after the test.
  const close = context.close.bind(context);
  context.close = async (options) => {
    await context.unrouteAll({ behavior: "ignoreErrors" });
    await Promise.all(context.pages().map((one) => one.unrouteAll({ behavior: "ignoreErrors" })));
    await close(options);
  };
  const page = await context.newPage();
  const errors: string[] = [];
  const strangers: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => {
    const { protocol, origin: query } = new URL(request.url());
    if (protocol !== "data:" && query !== origin) strangers.push(request.url());
  });
  return { page, context, errors, strangers };
}

/**
 * Holds requests to a URL, or only the first `times` of them, until the returned function is called. The route stays:
 * Chromium can lose a held request, or one beside it, when its last route is taken away.
 */
export async function holdRequests(page: Page, url: string, times = Infinity): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = 0;
  await page.route(url, async (route) => {
    if (held++ >= times) return route.fallback();
    await released;
    await route.continue();
  });
  return release;
}
