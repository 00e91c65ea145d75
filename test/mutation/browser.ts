// In the place of playwright-core: its pages get the script that holds every change, whatever server sends them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContext, chromium as Chromium } from "playwright-core";
import { activeChange, note } from "./switch.ts";

const real = (createRequire(import.meta.url)("playwright-core") as { chromium: typeof Chromium }).chromium;

/** A change may keep what a test waits for from ever coming. */
const PATIENCE = 20_000;

const script = (): string => readFileSync(process.env.PAGE ?? "", "utf8");

/** Asks a page's process which change is on, or tells what it asks for. */
function beginning(): string {
  const active = activeChange();
  return active === undefined
    ? "{const known = new Set(); globalThis.__mutant = (n) => { if (!known.has(n)) { known.add(n); globalThis.__note(n).catch(() => {}); } return false; };}\n"
    : `globalThis.__mutant = (n) => n === ${active};\n`;
}

async function changed(context: BrowserContext): Promise<BrowserContext> {
  await context.exposeFunction("__note", (number: number) => void note(number));
  await context.route(/\/static\/page\/main-[^/]*\.js$/, (route) =>
    route.fulfill({ contentType: "text/javascript", body: beginning() + script() }),
  );
  context.setDefaultTimeout(PATIENCE);
  context.setDefaultTimeout = () => undefined;
  return context;
}

export const chromium = {
  async launch(options: Parameters<typeof real.launch>[0]) {
    const browser = await real.launch(options);
    const { newContext } = browser;
    browser.newContext = async (look) => changed(await newContext.call(browser, look));
    return browser;
  },
};
