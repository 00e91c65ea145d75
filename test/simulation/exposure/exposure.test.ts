import { describe, expect, it } from "vitest";
import { decimal } from "../../../src/kernel/decimal.ts";
import { tempFolder } from "../../support/temp.ts";
import { isWhole, most } from "../../support/whole.ts";
import { exposureProperty } from "./property.ts";
import { type TradedFill, tradedIn } from "./traded.ts";

const TOOLS = [
  "cancel_all_orders",
  "cancel_order",
  "create_order",
  "edit_strategy",
  "pause_strategy",
  "resume_strategy",
  "start_grid",
  "start_strategy centered",
  "start_strategy quote",
  "stop_strategy",
];

describe("an action of a limited caller", () => {
  it("trades no more in the next hour than was counted against its limit", async () => {
    const result = await exposureProperty({ from: 1, count: most(300, 10), folder: tempFolder() });
    expect(result.beyond).toEqual([]);
    // Few runs come across most tools, all of them across each.
    const tools = Object.keys(result.tools).sort();
    expect(tools).toEqual(isWhole ? TOOLS : TOOLS.filter((tool) => tools.includes(tool)));
    expect(tools.length).toBeGreaterThan(TOOLS.length / 2);
    expect(result.traded).toBeGreaterThan(most(20, 5));
    expect(result.crashes).toBeGreaterThan(most(20, 5));
    expect(result.share).toBeGreaterThan(0.9);
  });
});

const exact = (figure: number) => decimal(`${figure}`);
const fill = (
  side: "buy" | "sell",
  price: number,
  amount: number,
  over: Partial<TradedFill> = {},
): TradedFill => ({
  side,
  price: exact(price),
  amount: exact(amount),
  isExit: false,
  isEarlier: false,
  ...over,
});
const total = (...fills: readonly TradedFill[]) => tradedIn(fills, exact(100)).total;

describe("the totals of fills", () => {
  it("add the amounts spent and sold, with base valued at the mid", () => {
    expect(total(fill("buy", 90, 1))).toBe(exact(90));
    expect(total(fill("sell", 110, 1))).toBe(exact(100));
    expect(total(fill("sell", 110, 1), fill("buy", 105, 3))).toBe(exact(100 + 315 - 110));
  });

  it("count the cycles of a strategy once", () => {
    const cycle = [fill("buy", 90, 1), fill("sell", 95, 1)];
    expect(total(...cycle, ...cycle, ...cycle)).toBe(exact(90));
  });

  it("add what an exit sells of the base that was bought", () => {
    expect(total(fill("buy", 90, 1), fill("sell", 80, 1, { isExit: true }))).toBe(exact(180));
    expect(total(fill("sell", 80, 2, { isExit: true }))).toBe(exact(200));
  });

  it("leave out what earlier orders buy, unless an exit sells it", () => {
    const earlier = fill("buy", 90, 1, { isEarlier: true });
    expect(total(earlier)).toBe(exact(0));
    expect(total(earlier, fill("sell", 80, 1))).toBe(exact(0));
  });
});
