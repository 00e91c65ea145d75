import { describe, expect, it } from "vitest";
import { startTrading, trigger } from "../../../src/grid/plan/run.ts";
import type { GridConfig, GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, observedMarket, quote, strategy, turn } from "../../support/made.ts";

const SLOTS = [slot(), slot({ index: 1, lower: d("110"), upper: d("120"), side: "sell" })];
const grid = (over: object = {}, of: Partial<GridState> = {}) =>
  strategy({
    config: { orderSize: d("120") } as GridConfig,
    ...over,
    state: state(SLOTS, { epoch: 1, ...of }),
  }) as GridStrategy;

describe("a grid that waits for its trigger", () => {
  const at = (price: string) => ({ market: market(), quote: quote({ bid: d(price), ask: d(price) }) });
  const idle = (triggerPrice: string, of: Partial<GridState> = {}) =>
    grid({ status: "idle", config: { orderSize: d("120"), triggerPrice: d(triggerPrice) } }, of);
  const begins = (triggerPrice: string, price: string) =>
    trigger(idle(triggerPrice), at(price)) !== undefined;

  it("starts when the mid reaches it, from either side", () => {
    // It was started at 105.
    expect([begins("107", "106.99"), begins("107", "107"), begins("107", "120")]).toEqual([
      false,
      true,
      true,
    ]);
    expect([begins("103", "103.01"), begins("103", "103"), begins("103", "90")]).toEqual([false, true, true]);
    expect([begins("105", "105.01"), begins("105", "105")]).toEqual([false, true]);
  });

  it("waits while the spread is wider than 2 %", () => {
    const wide = (bid: string, ask: string) =>
      trigger(idle("100"), { market: market(), quote: quote({ bid: d(bid), ask: d(ask) }) });
    expect(wide("98.99", "101.01")).toBeUndefined();
    expect(wide("99", "101")).toBeDefined();
  });

  it("is laid out as if it started at that moment", () => {
    const notices = [{ code: "loss_limit", message: "" }] as GridState["notices"];
    const begun = trigger(idle("107", { notices }), at("115"));
    const mid = d("115");
    expect(begun).toMatchObject({ status: "running", phase: "starting" });
    expect(begun?.state).toMatchObject({ startPrice: mid, center: mid, laidAt: NOW, notices: [] });
    expect(begun?.state.slots.map(({ side }) => side)).toEqual(["buy", "buy"]);
    expect(trigger(idle("103"), at("100"))?.state.slots.map(({ side }) => side)).toEqual(["sell", "sell"]);
    const holding = { ...(SLOTS[1] as (typeof SLOTS)[0]), base: d("1") };
    const restored = trigger(idle("107", { slots: [slot(), holding] }), at("115"));
    expect(restored?.state.slots[1]).toBe(holding);
    const buying = trigger(idle("107", { firstBuy: { tries: 0, ask: d("106") } }), at("115"));
    expect(buying?.state.firstBuy).toEqual({ tries: 0, ask: mid });
  });

  it("keeps the side of slots that have sold, even if the database has lost its start", () => {
    const ledger = { ...state(SLOTS).ledger, filledOrders: 1 };
    const restored = trigger(idle("103", { ledger }), at("100"));
    expect(restored?.state.slots.map(({ side }) => side)).toEqual(["buy", "sell"]);
  });

  it("does not wait if no trigger is set or it has already started", () => {
    expect(trigger(grid({ status: "idle" }), at("1"))).toEqual(grid({ status: "idle" }));
    const running = { ...idle("107"), status: "running" } as GridStrategy;
    expect(trigger(running, at("1"))).toBe(running);
  });
});

describe("a grid that starts", () => {
  // Its selling slot wants 120 at 120.
  const start = (
    over: object,
    { of = {}, config = {}, now = NOW }: { of?: Partial<GridState>; config?: object; now?: number } = {},
  ) =>
    startTrading(
      grid(
        { phase: "starting", config },
        { slots: [slot(), { ...(SLOTS[1] as (typeof SLOTS)[0]), size: d("120") }], laidAt: NOW, ...of },
      ),
      turn(over),
      quote({ at: now }),
    );
  const base = (one: GridStrategy | undefined) => one?.state.slots[1]?.base;
  const own = (least: string, isSure: boolean) => ({ ownBase: { least: d(least), isSure } });

  it("takes the account's base once the amount is certain", () => {
    const sure = start(own("5", true));
    expect([sure?.phase, base(sure), sure?.state.startPrice]).toEqual(["placing", d("1"), d("105")]);
    expect(start({ ownBase: undefined })).toBeUndefined();
  });

  it("waits at most five minutes while the certain amount is less than it needs", () => {
    const waiting = start(own("0.99999", false));
    expect(waiting).toMatchObject({
      phase: "starting",
      lastError: "it starts when the balances show the open and recent orders of the account",
    });
    expect(base(start(own("1", false)))).toBe(d("1"));
    expect(start(own("0.5", false), { now: NOW + 5 * MINUTE - 1 })?.phase).toBe("starting");
    const late = start(own("0.5", false), { now: NOW + 5 * MINUTE });
    expect([late?.phase, base(late)]).toEqual(["placing", 0n]);
  });

  it("takes no base if set so, and does not wait for any", () => {
    const result = start(own("5", false), { config: { useOwnBase: false } });
    expect([result?.phase, base(result)]).toEqual(["placing", 0n]);
    expect(start(own("0", false), { config: { useOwnBase: true } })?.phase).toBe("starting");
  });

  it("waits for possible earlier fills, and needs a market to start", () => {
    const orphan = start({ ...own("5", true), orphan: "a restore", epoch: 2 });
    expect([orphan?.phase, base(orphan)]).toEqual(["starting", 0n]);
    const blind = start({ ...own("5", true), observed: observedMarket({ market: undefined }) });
    expect([blind?.phase, base(blind)]).toEqual(["starting", 0n]);
    const active = grid({ phase: "active" });
    expect(startTrading(active, turn(own("5", true)), quote())).toBe(active);
  });
});
