import { describe, expect, it } from "vitest";
import { advance } from "../../../src/engine/decide/advance.ts";
import {
  hasTriggered,
  judgeEnding,
  judgeTime,
  reachedStop,
  stopLevels,
  waitForTrigger,
  willSellAtOnce,
} from "../../../src/engine/decide/ending.ts";
import { exitPlan, exitReach, stop } from "../../../src/engine/decide/stop.ts";
import { sellsBase } from "../../../src/engine/pass/urgent.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { text } from "../../../src/kernel/decimal.ts";
import { canExit, type StrategyConfig } from "../../../src/model/strategy.ts";
import type { AdvancedStrategy } from "../../../src/ports/kind.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, observedMarket, order, quote, strategy, turn } from "../../support/made.ts";

const at = (mid: string, time = NOW) => quote({ bid: d(mid) - d("0.5"), ask: d(mid) + d("0.5"), at: time });
const running = (config: StrategyConfig, of: Parameters<typeof state>[1] = {}) =>
  strategy({
    config: config as never,
    state: state([slot({ base: d("2"), cost: d("200"), side: "sell" })], of),
  });
const judged = (one: ReturnType<typeof running>, mid: string, time = NOW) =>
  judgeEnding(gridKind, one, at(mid, time));
const exitAt = (config: StrategyConfig, mid: string) =>
  judged(running({ ...config, stopAtOnce: true }), mid).state.exit?.reason ?? null;

describe("the end of a strategy", () => {
  it("is a stop price that the mid price has reached, and the lower one first", () => {
    const config = { stopLossPrice: d("90"), takeProfitPrice: d("130") };
    expect(["90.01", "90", "129.99", "130"].map((mid) => exitAt(config, mid))).toEqual([
      null,
      "stop_loss",
      null,
      "take_profit",
    ]);
    const both = stopLevels(running({ stopLossPrice: d("100"), takeProfitPrice: d("100") }));
    expect(reachedStop(both, d("100"))?.reason).toBe("stop_loss");
  });

  it("needs two passes 5 s apart, or one with stopAtOnce, and none in a wide book", () => {
    const one = running({ stopLossPrice: d("100") });
    const seen = judged(one, "100");
    expect(seen.state).toMatchObject({ exit: null, stopObserved: { move: "stop_loss", at: NOW } });
    expect(judged(seen, "100", NOW + 4999)).toBe(seen);
    expect(judged(seen, "100", NOW + 5000).state).toMatchObject({
      stopObserved: null,
      exit: {
        reason: "stop_loss",
        tries: 0,
        reached: { mid: d("100"), price: d("100") },
        baseAtStart: d("2"),
      },
    });
    expect(judged(seen, "101", NOW + 5000).state).toMatchObject({ exit: null, stopObserved: null });
    const wide = { bid: d("80"), ask: d("90"), at: NOW };
    const atOnce = running({ stopLossPrice: d("100"), stopAtOnce: true });
    expect(judgeEnding(gridKind, atOnce, wide)).toBe(atOnce);
  });

  it("follows the highest price of a trailing stop, and only upward", () => {
    const config = { trailingStop: d("0.1"), stopAtOnce: true };
    const first = judged(running(config), "100");
    expect([text(first.state.highest ?? 0n), text(stopLevels(first).below?.price ?? 0n)]).toEqual([
      "100",
      "90",
    ]);
    const risen = judged(first, "200");
    expect(text(stopLevels(risen).below?.price ?? 0n)).toBe("180");
    expect(judged(risen, "180.01")).toBe(risen);
    expect(judged(risen, "180").state.exit).toMatchObject({
      reason: "trailing_stop",
      reached: { price: d("180") },
    });
    const wide = judgeEnding(gridKind, risen, { bid: d("200"), ask: d("300"), at: NOW });
    expect(wide.state.highest).toBe(d("200"));
  });

  it("forgets the highest price without a trailing stop, so a new one counts from then on", () => {
    const high = running({ stopLossPrice: d("1") }, { highest: d("200") });
    const forgot = judged(high, "100");
    expect(forgot.state).not.toHaveProperty("highest");
    expect(judged(forgot, "100")).toBe(forgot);
    const again = { ...forgot, config: { ...forgot.config, trailingStop: d("0.1"), stopAtOnce: true } };
    expect(judged(again, "100").state).toMatchObject({ exit: null, highest: d("100") });
  });

  it("is the nearer of a stop loss and a trailing stop", () => {
    const near = running({ trailingStop: d("0.1"), stopLossPrice: d("95") }, { highest: d("100") });
    expect(stopLevels(near).below).toEqual({ reason: "stop_loss", price: d("95") });
    const far = running({ trailingStop: d("0.1"), stopLossPrice: d("85") }, { highest: d("100") });
    expect(stopLevels(far).below).toEqual({ reason: "trailing_stop", price: d("90") });
    expect(stopLevels(running({ trailingStop: d("0.1") }))).toEqual({});
  });

  it("is its end time, which keeps its base unless it sells it", () => {
    const kept = running({ endsAt: NOW });
    expect([NOW - 1, undefined].map((now) => judgeTime(gridKind, kept, now))).toEqual([undefined, undefined]);
    expect(judgeTime(gridKind, running({}), NOW)).toBeUndefined();
    expect(judgeTime(gridKind, kept, NOW)?.state.exit).toEqual({
      reason: "end",
      tries: 0,
      keeps: true,
      baseAtStart: d("2"),
    });
    const sold = judgeTime(gridKind, running({ endsAt: NOW, onEnd: "sell" }), NOW);
    expect(sold?.state.exit).toEqual({ reason: "end", tries: 0, baseAtStart: d("2") });
    const later = { ...kept, edit: { ...kept.config, endsAt: NOW + 1 }, edits: 1 };
    expect(judgeTime(gridKind, later, NOW)).toBeUndefined();
  });

  it("has begun only once", () => {
    const one = running({ stopLossPrice: d("100") }, { exit: { reason: "loss", tries: 1 } });
    expect(judged(one, "100")).toBe(one);
  });

  it.each([
    ["without a price", {}, { observed: observedMarket({ quote: undefined, error: "no price" }) }],
    ["in an error", { status: "error" }, {}],
    ["before its trigger price", { status: "idle", phase: "starting" }, {}],
  ] as const)("at its end time begins %s too", (_what, over, around) => {
    const one = { ...running({ endsAt: NOW, triggerPrice: d("900") }, { epoch: 1 }), ...over };
    const ran = advance(one, [order()], turn(around)).next().value as AdvancedStrategy;
    expect(ran.strategy).toMatchObject({
      status: "running",
      phase: "stopping",
      state: { exit: { reason: "end" } },
    });
    expect(ran.cancels).toHaveLength(1);
    expect(ran.events.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^its end time.*: all orders are canceled, and 2 BTC stay in the account$/),
    ]);
    const paused = { ...one, wants: "pause" as const };
    const waits = advance(paused, [], turn(around)).next().value as AdvancedStrategy;
    expect(waits.strategy.state.exit).toBeNull();
  });

  it("that keeps the base cancels the orders and plans no sale", () => {
    const one = running({ endsAt: NOW }, { epoch: 1 });
    const ending = judgeTime(gridKind, one, NOW) as typeof one;
    const after = ending.state;
    expect(sellsBase(ending)).toBe(false);
    const context = turn();
    expect(stop(ending, [order()], context).cancels).toHaveLength(1);
    const ended = stop(ending, [], context);
    expect(ended.intents ?? []).toEqual([]);
    expect(ended.strategy).toMatchObject({ status: "stopped", phase: "done", lastError: null });
    expect(ended.events?.[0]?.message).toBe("stopped: its end time, 210 USDT in all");
    const place = { market: market(), quote: at("100"), funds: undefined };
    expect(exitPlan(gridKind as never, after, place).intent).toBeUndefined();
    expect(exitReach(gridKind as never, ending, place)).toEqual([]);
    // A person who stops it and sells its base gets that.
    const sold = stop({ ...ending, wants: "stop", sellBase: true }, [], context);
    expect(sold.intents).toMatchObject([{ side: "sell", amount: d("2"), kind: "exit" }]);
  });

  it("will sell all base at once at a reached stop price, or by a time", () => {
    const will = [
      { stopLossPrice: d("100") },
      { stopLossPrice: d("99") },
      { trailingStop: d("0.5") },
      { takeProfitPrice: d("90") },
      { endsAt: NOW, onEnd: "sell" },
      { endsAt: NOW },
    ].map((config) => willSellAtOnce(running(config as StrategyConfig, { highest: d("200") }), d("100")));
    expect(will).toEqual([true, false, true, true, true, false]);
  });

  it("can sell its base by each price, and by a time only if it sells then", () => {
    const can = [
      { stopLossPrice: 1n },
      { takeProfitPrice: 1n },
      { trailingStop: 1n },
      { endsAt: 1, onEnd: "sell" },
      { endsAt: 1 },
      { onEnd: "sell" },
      {},
    ].map((config) => canExit(config as StrategyConfig));
    expect(can).toEqual([true, true, true, true, false, false, false]);
  });
});

describe("a trigger price", () => {
  const waiting = (startPrice: string) => ({
    config: { triggerPrice: d("100") },
    state: { startPrice: d(startPrice) },
  });

  it("is reached from below or from above, at a reliable price", () => {
    expect(["99.99", "100"].map((mid) => hasTriggered(waiting("90"), at(mid)))).toEqual([false, true]);
    expect(["100.01", "100"].map((mid) => hasTriggered(waiting("110"), at(mid)))).toEqual([false, true]);
    expect(hasTriggered(waiting("90"), { bid: d("100"), ask: d("110"), at: NOW })).toBe(false);
    expect(hasTriggered({ config: {}, state: { startPrice: 0n } }, at("1"))).toBe(true);
  });

  it("is waited for with a notice while the spread is wide", () => {
    const one = running({ triggerPrice: d("100") });
    expect(waitForTrigger(one, at("90"))).toMatchObject({ status: "idle", phase: "starting" });
    const wide = waitForTrigger(one, { bid: d("100"), ask: d("110"), at: NOW });
    expect(wide.state.notices).toMatchObject([{ code: "wide_spread" }]);
  });
});
