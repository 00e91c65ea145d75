import { describe, expect, it } from "vitest";
import { gridWakeOf, nearer, wakeOf } from "../../../src/backtest/run/walk.ts";
import type { GridConfig } from "../../../src/grid/state/lots.ts";
import type { GridState, GridStrategy, Slot } from "../../../src/grid/state/state.ts";
import { ZERO } from "../../../src/kernel/decimal.ts";
import type { Order } from "../../../src/model/order.ts";
import type { RefusalReason } from "../../../src/model/strategy.ts";
import { d, slot, state } from "../../support/grid.ts";
import { order, strategy } from "../../support/made.ts";

const TICK = d("1");
const NEVER = { below: -Infinity, above: Infinity };
/** A slot that buys at 100, and one that sells at 120. */
const SLOTS = [
  slot({ index: 0, lower: d("100"), upper: d("110") }),
  slot({ index: 1, lower: d("110"), upper: d("120"), side: "sell", base: d("1") }),
];
const ORDERS = [
  order({ slot: 0, side: "buy", price: d("100") }),
  order({ slot: 1, side: "sell", price: d("120") }),
];

interface Over {
  readonly grid?: Partial<GridStrategy>;
  readonly config?: Partial<GridConfig>;
  readonly state?: Partial<GridState>;
  readonly slots?: readonly Slot[];
  readonly orders?: readonly Order[];
  readonly lastTicks?: number;
}
const made = ({ grid, config = {}, state: over, slots = SLOTS }: Over): GridStrategy =>
  ({ ...strategy({ state: state(slots, over) }), config, ...grid }) as GridStrategy;
const wake = (over: Over = {}) =>
  wakeOf({ strategy: made(over), orders: over.orders ?? ORDERS }, TICK, over.lastTicks);
const changed = (index: number, over: Partial<Order>) =>
  ORDERS.map((one) => (one.slot === index ? { ...one, ...over } : one));

describe("prices at which a grid needs a pass", () => {
  it("are none while every order is in its place", () => {
    expect(wake()).toEqual(NEVER);
    for (const life of ["submitted", "partially_filled"] as const)
      expect(wake({ orders: changed(0, { state: life }) })).toEqual(NEVER);
    expect(wake({ grid: { phase: "placing" } })).toEqual(NEVER);
    expect(wake({ grid: { status: "stopped" }, orders: [] })).toEqual(NEVER);
  });

  it.each<[string, Over]>([
    ["the grid starts", { grid: { phase: "starting" } }],
    ["the grid is in error", { grid: { status: "error" } }],
    ["an exit is under way", { state: { exit: {} as never } }],
    ["levels are being moved", { state: { rebuild: {} as never } }],
    ["the grid follows the market", { state: { trail: { way: "up" } as never } }],
    ["base is being bought", { state: { firstBuy: {} as never } }],
    ["a price is being confirmed", { state: { signal: {} as never } }],
    ["the account's balance is unexplained", { state: { unexplained: {} as never } }],
    ["the grid is halted", { state: { halted: {} as never } }],
    ["its width depends on time", { config: { centered: { volatility: {} } as never } }],
    ["an option needs every pass", { config: { bound: {} as never } }],
    ["an order is at another price", { orders: changed(0, { price: d("99") }) }],
    ["a sell is at another price", { orders: changed(1, { price: d("119") }) }],
    ["an order is on another side", { orders: changed(0, { side: "sell", price: d("110") }) }],
    ["an order is of another generation", { orders: changed(0, { generation: 1 }) }],
    ["an order is of no slot", { orders: [...ORDERS, order({ slot: 7 })] }],
    ["an order may not exist", { orders: changed(0, { state: "unknown" }) }],
    ["an order is being sent", { orders: changed(0, { state: "pending" }) }],
    ["an order has ended", { orders: changed(0, { state: "filled" }) }],
    ["a slot has no order", { orders: ORDERS.slice(1) }],
  ])("are unknown if %s", (_what, over) => {
    expect(wake(over)).toBeUndefined();
  });

  it("include its stop prices, on their side", () => {
    const config = { stopLossPrice: d("90"), takeProfitPrice: d("130") };
    expect(wake({ config })).toEqual({ below: 91, above: 130 });
    expect(wake({ config: { stopLossPrice: d("90.5") } })).toEqual({ below: 91, above: Infinity });
    expect(gridWakeOf(made({ config }), TICK)).toEqual({ below: 91, above: 130 });
  });

  it("are its trigger price alone while it waits, from where it was", () => {
    const idle = (startPrice: string, triggerPrice?: string) =>
      wake({
        grid: { status: "idle" },
        config: triggerPrice === undefined ? {} : { triggerPrice: d(triggerPrice), stopLossPrice: d("50") },
        state: { startPrice: d(startPrice) },
        orders: [],
      });
    expect(idle("100", "110")).toEqual({ below: -Infinity, above: 110 });
    expect(idle("100", "90")).toEqual({ below: 91, above: Infinity });
    expect(idle("100", "100")).toEqual({ below: 101, above: Infinity });
    expect(idle("100")).toEqual(NEVER);
  });
});

describe("a slot without an order that the account refuses", () => {
  const refused = (reason: RefusalReason, of: Partial<Slot>, over: Over = {}) =>
    wake({
      slots: [{ ...(SLOTS[0] as Slot), ...of }, SLOTS[1] as Slot],
      state: {
        refused: [
          { slot: 1, reason: "would_take" },
          { slot: 0, reason },
        ],
      },
      orders: ORDERS.slice(1),
      ...over,
    });

  it.each<RefusalReason>(["no_base", "below_minimum", "inventory_missing"])(
    "needs no pass while nothing fills: %s",
    (reason) => {
      expect(refused(reason, {})).toEqual(NEVER);
    },
  );

  it.each<RefusalReason>(["no_quote", "max_position", "safety_reserve"])(
    "needs one at a new low, where its buy costs less: %s",
    (reason) => {
      expect(refused(reason, {}, { lastTicks: 105 })).toEqual({ below: 100, above: Infinity });
      expect(refused(reason, {}, { lastTicks: 100 })).toEqual({ below: 99, above: Infinity });
      expect(refused(reason, {})).toEqual({ below: 100, above: Infinity });
      const sells = { side: "sell", base: d("1") } as const;
      expect(refused(reason, sells, { lastTicks: 105 })).toEqual(NEVER);
    },
  );

  it("needs one above its lower price if it has no base to sell", () => {
    expect(refused("no_base", { side: "sell" })).toEqual({ below: -Infinity, above: 100 });
    expect(refused("no_base", { side: "sell", base: d("0.1") })).toEqual(NEVER);
    expect(refused("no_base", { side: "sell", bought: d("0.1") })).toEqual(NEVER);
    expect(refused("no_base", { side: "sell", base: ZERO, lower: d("100.9") })?.above).toBe(100);
  });

  it("needs every pass if that may end by itself", () => {
    expect(refused("would_self_cross", {})).toBeUndefined();
    expect(refused("rejected", {})).toBeUndefined();
    expect(refused("no_quote", { retryAt: 5 })).toBeUndefined();
  });

  it("counts as one of several, of which the nearest price is the next", () => {
    const slots = [
      ...SLOTS,
      slot({ index: 2, lower: d("80"), upper: d("90") }),
      slot({ index: 3, lower: d("130"), upper: d("140"), side: "sell" }),
    ];
    const reasons = [
      { slot: 2, reason: "no_quote" as const },
      { slot: 3, reason: "no_base" as const },
    ];
    const config = { stopLossPrice: d("70"), takeProfitPrice: d("150") };
    expect(wake({ slots, state: { refused: reasons }, config })).toEqual({ below: 80, above: 130 });
  });
});

it("the nearer of two prices counts on each side", () => {
  expect(nearer({ below: 1, above: 9 }, { below: 2, above: 10 })).toEqual({ below: 2, above: 9 });
});
