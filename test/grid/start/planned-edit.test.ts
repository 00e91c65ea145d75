import { describe, expect, it } from "vitest";
import { checkCentered, checkStart } from "../../../src/grid/start/check.ts";
import { edited, type GridChange } from "../../../src/grid/start/edited.ts";
import {
  describeChanges,
  type EditInputs,
  editFacts,
  editWarnings,
  planEdit,
} from "../../../src/grid/start/planned-edit.ts";
import type { GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import { sum, text, wire } from "../../../src/kernel/decimal.ts";
import type { Order } from "../../../src/model/order.ts";
import { holds, planHashOf } from "../../../src/model/shown-plan.ts";
import { need } from "../../../src/model/strategy.ts";
import { AROUND, d, market, state } from "../../support/grid.ts";
import { order, quote, strategy } from "../../support/made.ts";

/** The market is at 105, and 100 are free. A buy of 2 at 100 rests, half of it filled: with its fee it holds 100.1. */
const MARKET = market();
const REQUEST = { lowerPrice: d("90"), upperPrice: d("120"), gridLevels: 3, orderSize: d("50") };
const CHECKED = checkStart(REQUEST, { market: MARKET, quote: quote(), balances: undefined });
const setup = (over: Partial<EditInputs> = {}): EditInputs => ({
  market: MARKET,
  quote: quote(),
  balances: [{ asset: "USDT", free: d("100"), used: d("100.1") }],
  orders: [
    order({ filled: d("1") }),
    order({ clientId: "other", strategy: "h", side: "sell", price: d("130") }),
  ],
  kept: { quote: 0n, base: 0n },
  killed: false,
  ...over,
});
const grid = (of: Partial<GridState> = {}, config = CHECKED.config) =>
  strategy({ config, state: state(CHECKED.slots, of) }) as GridStrategy;

function planned(
  request: GridChange,
  over: Partial<EditInputs> = {},
  of: Partial<GridState> = {},
  config = CHECKED.config,
) {
  const [one, all] = [grid(of, config), setup(over)];
  const plan = planEdit(one, edited(one, request, all), all);
  const { orders, refused, free, price } = editFacts(one, plan, all, { reason: "none" });
  return {
    plan,
    out: {
      orders: orders.map((one) => ({ ...one, price: wire(one.price) })),
      refused,
      free: text(free.quote),
      price: price && wire(price),
      bought: text(
        sum(plan.intents.filter(({ side }) => side === "buy").map((one) => need(MARKET, one).amount)),
      ),
      cancelled: plan.cancels.length,
      changes: describeChanges(plan.edited),
      warnings: editWarnings(one, plan, all),
      planHash: planHashOf(plan.shown),
    },
  };
}

describe("the plan of a change that moves the levels", () => {
  it("cancels only its own orders, and can use the funds that they lock", () => {
    const { plan, out } = planned({ orderSize: d("60") });
    expect(plan.cancels).toMatchObject([{ strategy: "g" }]);
    expect(plan.free).toBe(d("200.1"));
    expect(out).toMatchObject({
      cancelled: 1,
      free: "200.1",
      price: 105,
      refused: [{ reason: "no_base" }],
    });
    expect(out.orders.map(({ side, price }) => [side, price])).toEqual([
      ["buy", 100],
      ["buy", 90],
    ]);
    expect(planned({ orderSize: d("60") }, { kept: { quote: d("150"), base: 0n } }).out.free).toBe("50.1");
    expect(planned({ orderSize: d("60") }, { kept: { quote: d("300"), base: 0n } }).out.free).toBe("0");
  });

  it("places orders where its own were, and crosses no orders of others", () => {
    const balances = [{ asset: "USDT", free: d("300"), used: 0n }];
    const refused = (of: Partial<Order>) => {
      const orders = [order({ side: "sell", price: d("95"), ...of })];
      return planned({ orderSize: d("60") }, { orders, balances }).out.refused;
    };
    expect(refused({})).toMatchObject([{ reason: "no_base" }]);
    expect(refused({ strategy: "h" })).toHaveLength(2);
  });

  it("reports the cost of its buys, and includes no immediate buy of base", () => {
    const { out } = planned({ orderSize: d("60") });
    // 0.6 at 100 and 0.66666 at 90, with their fee.
    expect(out.bought).toBe("120.1193994");
    const free = { balances: [{ asset: "USDT", free: d("80.08"), used: d("100.1") }] };
    const bought = { ...CHECKED.config, initialBuy: true };
    expect(planned({ orderSize: d("60") }, free, {}, bought).out.warnings).toEqual([]);
  });

  it("reports the errors in the request", () => {
    const codes = (request: GridChange) => planned(request).out.warnings.map(({ code }) => code);
    expect(codes({ upperPrice: d("104") })).toEqual(["market_outside"]);
    expect(codes({ orderSize: d("60"), stopLossPrice: d("80") })).toEqual([]);
  });

  it("reports what it lacks, and the base that no slot sells", () => {
    const codes = (over: Partial<EditInputs>, of: Partial<GridState> = {}) =>
      planned({ orderSize: d("60") }, over, of).out.warnings.map(({ code }) => code);
    expect(codes({})).toEqual([]);
    expect(codes({ balances: [] })).toEqual(["funds_missing"]);
    const idle = [{ base: d("10"), cost: d("900"), first: false }];
    expect(codes({}, { idle })).toEqual(["idle_base"]);
  });

  it("holds with other prices of its orders, and not once anything else differs", () => {
    const size = { orderSize: d("60") };
    const { planHash } = planned(size).out;
    const isHeld = (request: GridChange, over: Partial<EditInputs> = {}) =>
      holds(planned(request, over).plan.shown, planHash);
    const at = (bid: string, ask: string) => ({ quote: quote({ bid: d(bid), ask: d(ask) }) });
    expect(planHash).toMatch(/^[0-9a-f]{32}-105$/);
    expect([isHeld(size), isHeld(size, at("101.9", "102")), isHeld(size, at("108", "108.1"))]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isHeld(size, at("101.6", "102")), isHeld(size, at("108", "108.4"))]).toEqual([false, false]);
    expect(isHeld({ orderSize: d("61") })).toBe(false);
    expect(isHeld(size, { killed: true })).toBe(false);
    expect(isHeld(size, { balances: [] })).toBe(false);
  });
});

describe("the plan of a change that moves no levels", () => {
  it("cancels nothing, places nothing and reports nothing about funds", () => {
    const idle = [{ base: d("10"), cost: d("900"), first: false }];
    const { plan, out } = planned({ stopLossPrice: d("80") }, { balances: [] }, { idle });
    expect([plan.cancels, plan.intents, plan.free]).toEqual([[], [], 0n]);
    expect(out).toMatchObject({ cancelled: 0, orders: [], refused: [], warnings: [] });
    expect(out.changes).toEqual([{ field: "stopLossPrice", from: "none", to: "80" }]);
    expect(out.planHash).toMatch(/^[0-9a-f]{32}$/);
  });

  it("omits slots that had no open order before", () => {
    const refused = [{ slot: 2, reason: "no_base" as const }];
    expect(planned({ stopLossPrice: d("80") }, {}, { refused }).out.refused).toEqual([]);
  });
});

describe("the plan of a change of a grid around the market", () => {
  const around = checkCentered(
    { orderSize: d("50"), centered: AROUND },
    { market: MARKET, quote: quote(), balances: undefined },
  );

  it("reports the spacing, and holds although its orders follow the market", () => {
    const change = (over: Partial<EditInputs> = {}) =>
      planned({ spacing: d("0.12") }, over, { slots: around.slots }, around.config);
    const { plan, out } = change();
    expect(out.changes).toContainEqual({ field: "spacing", from: "0.1", to: "0.12" });
    expect(out.changes.length).toBeGreaterThan(1);
    const later = change({ quote: quote({ bid: d("102"), ask: d("104") }) });
    expect(later.plan.intents[0]?.price).not.toBe(plan.intents[0]?.price);
    expect(holds(later.plan.shown, out.planHash)).toBe(true);
    // What its own order holds is enough, beside a buy of the slot that waits for base.
    const balances = [{ asset: "USDT", free: d("100.1"), used: d("100.1") }];
    expect(change({ balances }).out.warnings).toEqual([]);
  });
});
