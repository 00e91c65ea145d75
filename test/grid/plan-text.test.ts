import { afterEach, describe, expect, it } from "vitest";
import { render } from "../../cli/terminal/output.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { PlanAnswer } from "../../src/lifecycle/plan.ts";
import { planText } from "../../src/lifecycle/plan-view.ts";
import { drivenApp } from "../support/driven.ts";
import { gridRequest } from "../support/requests.ts";
import { previewOf } from "../support/starts.ts";

const RANGE = gridRequest({ gridLevels: 20, orderSize: 100, useOwnBase: false });

const { columns } = process.stdout;
afterEach(() => {
  process.stdout.columns = columns;
});

/** What a terminal of so many columns says of a plan, line breaks undone. */
async function readOutput(width: number, over: object, quote = "100000"): Promise<string> {
  const app = await drivenApp();
  if (quote !== "100000") await app.deposit("USDT", decimal(quote) - decimal("100000"));
  const { status, body } = await app.call<PlanAnswer>("POST", ...previewOf("grid", { ...RANGE, ...over }));
  expect(status, JSON.stringify(body)).toBe(200);
  process.stdout.columns = width;
  const text = render(planText(body, gridKind));
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
  return text.replace(/\s+/g, " ");
}

describe.each([80, 120])("a plan in %d columns", (width) => {
  it("shows the cost of its orders, the reserved part of the free balance, and the rest", async () => {
    const text = await readOutput(width, { initialBuy: true });
    expect(text).toMatch(
      /^at most [\d.]+ USDT in use market grid on BTC\/USDT at kraken orders a buy of [\d.]+ BTC at once, at up to /,
    );
    // It buys what they need: no price has to be reached first.
    expect(text).toMatch(/ not placed \d+ of 20 slots wait: the initial buy has to fill first sum/);
    expect(text).toMatch(/sum [\d.]+ USDT: [\d.]+ in buys \([\d.]+ of it at once\), 0 in sells/);
    expect(text).toMatch(
      /set aside [\d.]+ of 100000 free USDT \([\d.]+ %\); [\d.]+ USDT stay free \([\d.]+ %\)/,
    );
    expect(text).toMatch(/each cycle earns [\d.]+ to [\d.]+ USDT after fees \([\d.]+ to [\d.]+ %\)/);
    expect(text).toMatch(/break-even if the price crosses its levels as in the last 7 days/);
  });

  it("reports what does not fit: two of twenty orders", async () => {
    const text = await readOutput(width, {}, "210");
    expect(text).toMatch(
      /orders 2 buys at [\d.]+ to [\d.]+ USDT not placed \d+ of 20 slots wait: there is not enough free quote/,
    );
    expect(text).toMatch(
      /set aside [\d.]+ USDT; only 210 USDT is free and not set aside by another strategy, so [\d.]+ USDT are missing /,
    );
    expect(text).toMatch(
      /but note .*the buys need [\d.]+ USDT and 210 USDT are free: 2 of 20 orders are placed first/,
    );
  });

  it("names every active option and the maximum loss at each relevant price", async () => {
    const text = await readOutput(width, {
      stopLossPrice: 50_000,
      takeProfitPrice: 70_000,
      triggerPrice: 61_000,
      trail: { up: 66_000, down: 54_000 },
      initialBuy: true,
      maxPosition: 0.5,
      safetyReserve: 0.1,
    });
    for (const armed of [
      "it sells its base and stops at or below 50000",
      "it sells its base and stops at or above 70000",
      "waits until the market reaches 61000",
      "follows the market up to 66000 and down to 54000",
      "buys missing base for its sells at once",
      "at most 50 % of the capital in base",
      "10 % of the capital stay in quote",
    ])
      expect(text).toContain(armed);
    expect(text).toMatch(
      /worst case [\d.]+ USDT lost at 57000; [\d.]+ USDT lost at 54000; [\d.]+ USDT lost at 50000; [\d.]+ USDT lost if the price falls to 0/,
    );
  });
});
