import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { newToken } from "../support/signed-in.ts";
import { startOf } from "../support/starts.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 10, orderSize: 100 });

interface Grid {
  readonly lowerPrice: number;
  readonly gridLevels: number;
  readonly orderSize: number;
  readonly stopPrices: readonly { readonly reason: string; readonly price: number }[];
}

/** Types one text after the other into a field, each drawn, and none followed by a frame before the last. */
const typeWithinAFrame = (page: Page, label: string, texts: readonly string[]) =>
  page.getByLabel(label).evaluate(async (field, typed) => {
    const input = field as unknown as { value: string; dispatchEvent: (event: Event) => void };
    await new Promise((resolve) => requestAnimationFrame(resolve));
    for (const text of typed) {
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      // What is drawn anew is so by the end of the turn, which no frame and no timer interrupts.
      for (let turns = 0; turns < 50; turns++) await undefined;
    }
  }, texts);

describe.skipIf(!findChromium())("editing a grid in Chromium (skipped without Chromium)", () => {
  const served = servedPage();

  const start = async () => (await served.call<{ id: string }>("POST", "/strategy/grid", GRID)).id;
  const grid = async (id: string) => {
    const result = await served.call<{ strategies: readonly Grid[] }>(
      "GET",
      `/strategy/grid/status?id=${id}`,
    );
    return result.strategies[0];
  };
  const open = async (page: Page, id: string) => {
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    return page.getByRole("region", { name: "Change this grid" });
  };

  it("requests only the plan of the last input, however fast it was typed", async () => {
    const id = await start();
    const { page, context, errors } = await served.signIn();
    const requests: unknown[] = [];
    page.on("request", (one) => {
      if (one.url().endsWith(`${id}/preview`)) requests.push(one.postDataJSON());
    });
    const part = await open(page, id);
    await typeWithinAFrame(page, "Stop loss, USDT", ["4000", "40000"]);
    await part.getByRole("row", { name: /^Stop loss, USDT none 40,000/ }).waitFor();
    expect(requests).toEqual([{ config: { stopLossPrice: 40_000 } }]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("shows what a change cancels, places and requires, and makes exactly the shown change", async () => {
    const id = await start();
    const { page, context, errors, strangers } = await served.signIn();
    const part = await open(page, id);
    await part.getByText("Change a setting").waitFor();
    await part.getByLabel("Levels, 2 to 100").fill("8");
    await part.getByLabel("Stop loss, USDT").fill("40000");
    await part.getByRole("row", { name: /Levels 10 8/ }).waitFor();
    await part.getByRole("row", { name: /Stop loss, USDT none 40,000/ }).waitFor();
    const shown = (await part.locator("code").textContent()) ?? "";
    const figures = await part.locator("dt").allTextContents();
    for (const figure of ["At most", "Now, in buys", "Canceled", "Kept", "Placed", "Free quote"])
      expect(figures).toContain(figure);
    expect(figures).toContain("Realized P&L, stays");
    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    const request = page.getByRole("dialog");
    await request.getByText(/orders are canceled, \d+ placed, and 0 stay: [\d,.]+ USDT in buys/).waitFor();
    expect((await grid(id))?.gridLevels).toBe(10);
    const sent = page.waitForRequest((one) => one.method() === "PATCH");
    await request.getByRole("button", { name: "Change it" }).click();
    expect((await sent).postDataJSON()).toEqual({
      config: { gridLevels: 8, stopLossPrice: 40_000 },
      planHash: shown,
    });
    await page.getByRole("status").getByText(`${id} is changed`).waitFor();
    await part.getByText("Change a setting").waitFor();
    await expect.poll(() => part.getByLabel("Levels, 2 to 100").inputValue()).toBe("8");
    expect(await grid(id)).toMatchObject({ gridLevels: 8, stopPrices: [{ price: 40_000 }] });

    // A stop price that is emptied is none any more, and no order is touched for it.
    await part.getByLabel("Stop loss, USDT").fill("");
    await part.getByRole("row", { name: /Stop loss, USDT 40,000 none/ }).waitFor();
    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    await request.getByText("No order is canceled or placed.").waitFor();
    await request.getByRole("button", { name: "Change it" }).click();
    await page.getByRole("status").getByText(`${id} is changed`).waitFor();
    expect(await grid(id)).toMatchObject({ stopPrices: [] });
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it.each([390, 1440])("leaves the field that is typed in where it is, %i px wide", async (width) => {
    const id = await start();
    const { page, context } = await served.signIn({ viewport: { width, height: 844 } });
    const part = await open(page, id);
    const field = part.getByLabel("Upper price, USDT");
    await field.focus();
    const before = await field.boundingBox();
    await field.fill("71000");
    const changes = part.getByLabel("Changes");
    await changes.getByText("71,000").waitFor();
    await part.getByText("Hash of the plan").waitFor();
    const [after, plan] = await Promise.all([field.boundingBox(), changes.boundingBox()]);
    expect(after?.y).toBeCloseTo(before?.y ?? Number.NaN, -1);
    // On a wide screen the plan is in sight beside the fields.
    expect(width === 390 || (plan?.y ?? 844) < 844).toBe(true);
    await context.close();
  });

  it("changes nothing with an outdated plan, reports it, and shows the new one", async () => {
    const id = await start();
    const { page, context } = await served.signIn();
    const part = await open(page, id);
    await part.getByLabel("Per order, USDT").fill("120");
    await part.getByText("Hash of the plan").waitFor();
    await served.call("PATCH", `/strategies/${id}`, { config: { lowerPrice: 51_000 } });
    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    const request = page.getByRole("dialog");
    await request.getByRole("button", { name: "Change it" }).click();
    await request.getByText("is out of date").waitFor();
    await request.getByRole("button", { name: "Change it" }).waitFor({ state: "detached" });
    expect((await grid(id))?.orderSize).toBe(100);
    await request.getByRole("button", { name: "Go back" }).click();
    await part.getByText("Here is the new plan.").waitFor();

    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    await request.getByRole("button", { name: "Change it" }).click();
    await page.getByRole("status").getByText(`${id} is changed`).waitFor();
    expect(await grid(id)).toMatchObject({ orderSize: 120, lowerPrice: 51_000 });
    await context.close();
  });

  it("shows the service's refusal in its own words, and then offers no change", async () => {
    const id = await start();
    const { page, context } = await served.signIn();
    const part = await open(page, id);
    await part.getByLabel("Lower price, USDT").fill("90000");
    await part.getByText("Invalid range").waitFor();
    await page
      .getByRole("group", { name: "Planned change" })
      .getByText(/Lower price/)
      .waitFor();
    await page.getByRole("button", { name: "Change exactly as planned" }).waitFor({ state: "detached" });
    await context.close();
  });

  it("offers the settings of a centered grid, and is hidden from read-only users", async () => {
    const request = { exchange: "kraken", symbol: "ETH/USDT", confidence: 0 };
    const { id } = await served.call<{ id: string }>("POST", ...startOf("centered", request));
    const { page, context } = await served.signIn();
    const part = await open(page, id);
    expect(await part.getByLabel("Lower price, USDT").count()).toBe(0);
    await part.getByLabel("Levels, 2 to 20").fill("8");
    await part.getByRole("row", { name: /Levels \d+ 8/ }).waitFor();
    await context.close();

    const reader = await served.signIn({}, await newToken(served.folder, "read"));
    await reader.page.goto(`${served.url}/#/strategy/${id}`);
    await reader.page.getByText("vs buy and hold").first().waitFor();
    expect(await reader.page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await reader.context.close();
  });
});
