import { describe, expect, it } from "vitest";
import { applyResume, pausedPhase } from "../../../src/engine/decide/advance.ts";
import {
  cancellable,
  draftOf,
  isLasting,
  isRecovering,
  limitedAgain,
  type StrategyPass,
  unchanged,
  waitsForLimit,
  windowOf,
} from "../../../src/engine/decide/intents.ts";
import { noteMarketClosed, noteUnreadable } from "../../../src/engine/decide/stop.ts";
import { waitsOf } from "../../../src/engine/decide/waits.ts";
import { HOUR } from "../../../src/kernel/time.ts";
import type { Wait, WaitCode } from "../../../src/model/memory.ts";
import { NEW_ORDER } from "../../../src/model/order.ts";
import { EXIT_SLOT, type Strategy } from "../../../src/model/strategy.ts";
import { d, slot, state } from "../../support/grid.ts";
import { ACCOUNT, NOW, order, SYMBOL, strategy, TIMING, turn } from "../../support/made.ts";

const DAY = 24 * HOUR;
const WHY = "BTC/USDT is closed";
const within = (over: object, more: Partial<Strategy> = {}): Strategy =>
  strategy({ state: state([slot()], over), ...more });

describe("a closed market", () => {
  const since = (one: Strategy) => one.state.closedSince;

  it("is recorded once, with the time of the first observation", () => {
    const noted = noteMarketClosed(strategy(), WHY, NOW);
    expect([since(noted), noted.status]).toEqual([NOW, "running"]);
    expect(noteMarketClosed(noted, WHY, NOW + DAY - 1)).toBe(noted);
  });

  it("becomes an error after a day, reported once", () => {
    const noted = noteMarketClosed(strategy(), WHY, NOW);
    const after = noteMarketClosed(noted, WHY, NOW + DAY);
    expect(after).toMatchObject({
      status: "error",
      lastError: `${WHY}, for a day now; stop the grid, or resume it when the pair trades again`,
    });
    const result = { ...after, lastError: "another" };
    expect(noteMarketClosed(result, WHY, NOW + DAY)).toBe(result);
  });

  it.each([
    ["stops", { wants: "stop" as const }, {}],
    ["exits", {}, { exit: { reason: "stop", tries: 0 } }],
  ])("does not affect a strategy that %s", (_, more, over) => {
    const noted = within({ closedSince: NOW, ...over }, more);
    expect(noteMarketClosed(noted, WHY, NOW + DAY)).toBe(noted);
  });

  it("is cleared once it reopens, with its message", () => {
    const noted = within({ closedSince: NOW }, { lastError: WHY });
    const after = noteMarketClosed(noted, null, NOW);
    expect("closedSince" in after.state).toBe(false);
    expect(after.lastError).toBe(null);
    const failed = { ...noted, status: "error" as const };
    expect(noteMarketClosed(failed, null, NOW).lastError).toBe(WHY);
    expect(since(noteMarketClosed(failed, null, NOW))).toBeUndefined();
    const open = strategy({ lastError: "another" });
    expect(noteMarketClosed(open, null, NOW)).toBe(open);
  });

  it("is left unchanged when its state is unknown", () => {
    const noted = within({ closedSince: NOW });
    expect(noteMarketClosed(noted, undefined, NOW + DAY)).toBe(noted);
  });

  it("reports once what the venue refuses to return", () => {
    const first = noteUnreadable(strategy(), "no such market", NOW);
    expect(first).toMatchObject({ lastError: "BTC/USDT cannot be read: no such market", status: "running" });
    expect(noteUnreadable(first, "no such market", NOW + 1)).toBe(first);
    expect(noteUnreadable(first, "no such market", NOW + DAY).lastError).toContain("for a day now");
    const failed = strategy({ status: "error", lastError: "before" });
    expect(noteUnreadable(failed, "no such market", NOW).lastError).toBe("before");
  });
});

describe("a user's resume", () => {
  const failed = strategy({ status: "error", lastError: "it failed", resumes: 1 });

  it("restarts a strategy once", () => {
    const after = applyResume(failed);
    expect(after).toMatchObject({ status: "running", lastError: null, state: { resumes: 1 } });
    const again = { ...after, status: "error" as const, lastError: "once more" };
    expect(applyResume(again)).toBe(again);
    expect(applyResume(strategy())).toEqual(strategy());
  });

  it.each(["stop", "pause"] as const)("is recorded for a strategy that is requested to %s", (wants) => {
    expect(applyResume({ ...failed, wants })).toMatchObject({
      status: "error",
      lastError: "it failed",
      state: { resumes: 1 },
    });
  });

  it("changes nothing else for a running strategy", () => {
    const running = strategy({ resumes: 2, lastError: "told" });
    expect(applyResume(running)).toEqual({ ...running, state: { ...running.state, resumes: 2 } });
  });

  it("makes a strategy wait again if its trigger was not reached", () => {
    const config = { triggerPrice: d("90") };
    expect(applyResume({ ...failed, config, phase: "starting" }).status).toBe("idle");
    expect(applyResume({ ...failed, config }).status).toBe("running");
    expect(applyResume({ ...failed, phase: "starting" }).status).toBe("running");
  });

  it("leaves a strategy that has not started as it was", () => {
    expect(pausedPhase(strategy({ phase: "starting" }))).toBe("starting");
    expect(pausedPhase(strategy({ phase: "placing" }))).toBe("paused");
  });
});

describe("the permitted actions", () => {
  it("include canceling orders that the exchange accepted and that have not ended", () => {
    const all = [order(), order({ exchangeId: null }), order({ state: "canceled" })];
    expect(cancellable(all)).toEqual([all[0]]);
  });

  const free = { orphan: null, unshown: null, epoch: 1, now: NOW, timing: TIMING };
  it.each([
    ["a row is missing", { orphan: "em1" }, {}],
    ["an order does not show", { unshown: "em1" }, {}],
    ["a restore is not noted yet", { epoch: 2 }, {}],
    ["what was under way may still live", {}, { recoversUntil: NOW + 1 }],
  ])("include nothing new while %s", (_, over, of) => {
    const one = within({ epoch: 1, ...of });
    expect(isRecovering(one, { ...free, ...over })).toBe(true);
    expect(isRecovering(within({ epoch: 1, recoversUntil: NOW }), free)).toBe(false);
    expect(isRecovering(within({ epoch: 1, recoversUntil: NOW + HOUR }), free)).toBe(false);
  });

  it("include nothing in a turn that does nothing", () => {
    const one = strategy();
    expect(unchanged(one, { USDT: 1n })).toEqual({
      strategy: one,
      intents: [],
      terms: null,
      cancels: [],
      events: [],
      released: [],
      funds: { USDT: 1n },
      placing: false,
      short: false,
    });
  });
});

describe("an intent", () => {
  const lease = { account: ACCOUNT, token: 1, owner: "one", now: NOW, until: NOW + 45_000 };

  it("is sent before its lease can expire, and takes effect no later than its deadline", () => {
    expect(windowOf(lease, TIMING)).toEqual({ sendBy: NOW + 35_000, notAfter: NOW + 51_000 });
  });

  it("is stored as a row before it is sent to the venue", () => {
    const { window } = turn();
    const intent = { slot: 1, side: "sell", price: d("110"), amount: d("2") } as const;
    expect(draftOf(within({ generation: 3 }), intent, { window, at: 70 })).toEqual({
      ...NEW_ORDER,
      ...window,
      account: ACCOUNT,
      strategy: "g",
      kind: "slot",
      generation: 3,
      slot: 1,
      symbol: SYMBOL,
      side: "sell",
      type: "limit",
      price: d("110"),
      amount: d("2"),
      timeInForce: "post_only",
      createdAt: 70,
    });
    const exit = draftOf(strategy(), { ...intent, slot: EXIT_SLOT }, { window, at: 70, kind: "exit" });
    expect(exit).toMatchObject({ kind: "exit", timeInForce: "ioc" });
  });
});

describe("a limit that rejects an order", () => {
  it("persists if nothing is expected to end it soon", () => {
    const lasting = ["limit_order", "limit_day", "limit_open_orders", "limit_symbol"] as const;
    expect(lasting.map(isLasting)).toEqual([true, true, true, true]);
    const passing = ["limit_collar", "limit_price_age", "limit_gap", "limit_loss", "no_quote"] as const;
    expect(passing.map(isLasting)).toEqual(passing.map(() => false));
  });

  it("is not checked again during the wait", () => {
    const waiting = slot({ limited: { times: 1, until: NOW, version: 3 } });
    expect(waitsForLimit(waiting, { now: NOW - 1, version: 3 })).toBe(true);
    expect(waitsForLimit(waiting, { now: NOW, version: 3 })).toBe(false);
  });

  it("reports in whole seconds, rounded up, when the next attempt is due", () => {
    const backoff = { first: 1_001, max: 9_000 };
    const result = limitedAgain(slot(), { reason: "limit_day" }, { now: NOW, version: 3 }, backoff);
    expect(result.refusal.detail).toContain("it is tried again after 2 s");
    expect(result.slot.limited).toEqual({ times: 1, until: NOW + 1_001, version: 3 });
  });
});

describe("a wait for funds", () => {
  const lacking = (reason: "no_quote" | "inventory_missing") => within({ refused: [{ slot: 0, reason }] });
  const codes = (
    reason: "no_quote" | "inventory_missing",
    funds: StrategyPass["funds"],
    had: WaitCode[] = [],
  ) => waitsOf(lacking(reason), [], turn({ funds }), had.map(waitOf)).map(({ code }) => code);
  const waitOf = (code: WaitCode): Wait => ({
    code,
    strategy: strategy().id,
    message: "",
    since: NOW,
    isReported: true,
  });

  it("begins if the account lacks what the strategy needs, and ends when it has it", () => {
    expect(codes("no_quote", { USDT: 0n, BTC: 0n })).toEqual(["funds_missing"]);
    expect(codes("no_quote", { USDT: d("10000"), BTC: 0n }, ["funds_missing"])).toEqual([]);
  });

  it("neither begins nor ends while the balances are unknown", () => {
    expect(codes("no_quote", undefined)).toEqual([]);
    expect(codes("no_quote", undefined, ["funds_missing"])).toEqual(["funds_missing"]);
    expect(codes("inventory_missing", undefined, ["base_missing"])).toEqual(["base_missing"]);
    expect(codes("inventory_missing", undefined, ["funds_missing"])).toEqual([]);
  });
});
