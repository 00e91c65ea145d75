import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsInEveryLook } from "../support/axe.ts";
import { findChromium } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { commandIn } from "../support/signed-in.ts";

interface Row {
  readonly id: string;
  readonly exchange: string;
  readonly openOrders: number;
  readonly waitingSlots: number;
}

interface Balance {
  readonly asset: string;
  readonly total: number | string;
}

const FAULT = ["sandbox", "fault", "--exchange", "mexc"];

/** What the browser's console says when the balances of an exchange that cannot be reached are read. */
const UNREACHABLE = /status of 500/;

const needs = (page: Page) => page.getByRole("region", { name: /^Needs you/ });

/** Opens what an entry offers, by keyboard alone. */
const press = async (page: Page, role: "button" | "link", name: string): Promise<void> => {
  await needs(page).getByRole(role, { name }).press("Enter");
};

/** Confirms the open question with its last button. The result takes the focus, which the next key would lose. */
async function confirm(page: Page, yes: string, result: RegExp): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: yes }).press("Enter");
  await page.getByRole("status").and(page.locator(":focus")).filter({ hasText: result }).waitFor();
}

describe.skipIf(!findChromium())("an alarm in one tab (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "500"]);
  const list = async () =>
    (await served.call<{ strategies: readonly Row[] }>("GET", "/strategies")).strategies;
  const on = async (exchange: string) => (await list()).find((row) => row.exchange === exchange);
  /** Lets a grid cancel its orders, changes its account or limits in between, and lets it place them again. */
  const between = async (id: string, act: () => Promise<unknown>) => {
    await served.call("POST", `/strategies/${id}/pause`, { cancelOrders: true });
    await expect.poll(async () => (await on("kraken"))?.openOrders).toBe(0);
    await act();
    await served.call("POST", `/strategies/${id}/resume`, {});
  };
  /** Waits until every level of the grid has its order. */
  const expectAllOpen = () =>
    expect
      .poll(async () => {
        const row = await on("kraken");
        return [row?.openOrders, row?.waitingSlots];
      })
      .toEqual([6, 0]);
  const takeBase = async () => {
    const { balances } = await served.call<{ balances: readonly Balance[] }>(
      "GET",
      "/balance?exchange=kraken",
    );
    const total = balances.find(({ asset }) => asset === "BTC")?.total;
    const from = ["--exchange", "kraken", "--asset", "BTC"];
    await commandIn(served.folder, "sandbox", "deposit", ...from, `--amount=-${total}`);
  };

  it("shows missing base, a limit and a stalled account on the first page, each with what mends it", async () => {
    const grids = ["kraken", "mexc"].map((exchange) =>
      served.call<{ id: string }>("POST", "/strategy/grid", gridRequest({ exchange })),
    );
    const [{ id } = { id: "" }] = await Promise.all(grids);
    await expectAllOpen();
    // An exchange that cannot be reached counts as stalled after a minute, in which the others are played.
    await commandIn(served.folder, ...FAULT, "--kind", "failing");
    const { page, context, errors, strangers } = await served.signIn();
    const loads: string[] = [];
    page.on("load", () => loads.push(page.url()));
    const faults: string[] = [];
    const look = async (stage: string) =>
      faults.push(...(await faultsInEveryLook(page)).map((what) => `${stage}: ${what}`));
    const gone = (text: RegExp) => needs(page).getByText(text).waitFor({ state: "detached" });
    const home = () => page.getByRole("link", { name: "edgemaker" }).click();

    await between(id, takeBase);
    const missing = /slots wait for (0\.\d+) BTC that the strategy bought/;
    const text = await needs(page).getByText(missing).textContent();
    const lack = Number(missing.exec(text ?? "")?.[1]);
    await press(page, "link", "Buy BTC");
    const ticket = page.getByRole("region", { name: "New order" });
    await ticket.getByRole("button", { name: "market" }).click();
    // A little more: it pays a fee of the base that it buys.
    await ticket.getByLabel("Amount", { exact: true }).fill((lack * 1.01).toFixed(5));
    await ticket.getByRole("button", { name: /^Buy [\d.]+ BTC/ }).click();
    await confirm(page, "Place it", /The order is filled/);
    await home();
    await gone(missing);
    await expectAllOpen();

    // It is below the smallest part of a sell, so every slot keeps none.
    await between(id, () => served.call("PUT", "/limits", { scope: "every", orderNotional: "USDT=1" }));
    await needs(page)
      .getByText(/slots? waits? for a limit/)
      .waitFor();
    await look("home with needs");
    await press(page, "link", "Open limits");
    const limit = page.getByRole("region", { name: "Change a limit" });
    await limit.getByRole("combobox").first().selectOption("orderNotional");
    await limit.getByLabel("Turn this limit off").click();
    await limit.getByRole("button", { name: "Change", exact: true }).click();
    await confirm(page, "Change it", /is off/);
    await home();
    await gone(/for a limit/);
    await expectAllOpen();

    await needs(page)
      .getByText(/No pass over mexc has been complete/)
      .waitFor();
    await press(page, "button", "Run a pass now");
    // It still answers nothing: the result names the exchange, and the need stays. A pass of the timer can be under way.
    await confirm(page, "Run it", /complete pass.*; mexc: /);
    await needs(page)
      .getByText(/No pass over mexc/)
      .waitFor();
    await press(page, "button", "Run a pass now");
    await commandIn(served.folder, ...FAULT, "--clear");
    await confirm(page, "Run it", /^(2 complete passes|1 complete pass; \w+: busy)$/);
    await needs(page).waitFor({ state: "detached" });

    await between(id, takeBase);
    await needs(page).getByText(missing).waitFor();
    await press(page, "button", "Stop it");
    await confirm(page, "Stop it", /is stopp(ed|ing)/);
    await needs(page).waitFor({ state: "detached" });
    await expect.poll(async () => (await list()).map(({ exchange }) => exchange)).toEqual(["mexc"]);
    expect(faults).toEqual([]);
    expect(loads).toEqual([]);
    expect(errors.filter((error) => !UNREACHABLE.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });
});
