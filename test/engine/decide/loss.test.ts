import { describe, expect, it } from "vitest";
import { delayedLoss, judgeAccount, judgeLoss, withStopped } from "../../../src/engine/decide/loss.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { NO_LEDGER } from "../../../src/grid/state/state.ts";
import type { Limits } from "../../../src/model/limits.ts";
import type { AccountMemory, Losses, LossWatch } from "../../../src/model/memory.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kind, Kinds } from "../../../src/ports/kind.ts";
import { d, slot, state } from "../../support/grid.ts";
import { bounds, quote, SYMBOL, snapshot, strategy } from "../../support/made.ts";

const KIND = gridKind as unknown as Kind;
const kinds = (() => gridKind) as unknown as Kinds;
/** A grid that has made so much. */
const made = (total: string, over: Partial<Strategy> = {}, of: object = {}): Strategy =>
  strategy({
    state: state([slot()], { ledger: { ...NO_LEDGER, quote: d(total), realized: d(total) }, ...of }),
    ...over,
  });
const watch = (over: Partial<LossWatch> = {}): LossWatch => ({
  peak: 0n,
  over: null,
  version: 1,
  resumes: 0,
  ...over,
});
const LIMITS: Limits = { strategyLoss: { USDT: d("10") } };
const judged = (one: Strategy, { limits = LIMITS, version = 1, accountLoss = null as string | null } = {}) =>
  judgeLoss(KIND, one, { quote: quote(), bounds: bounds(limits, version), accountLoss });
const BEYOND =
  "the limit strategyLoss is USDT=10, but this grid lost 10.5 USDT from the best result of 0; resume to start a new count, or an administrator can change it: edgemaker limits set --strategy-loss …";

describe("a strategy's loss", () => {
  it("is measured from its zero at the start, or the best result since", () => {
    expect(judged(made("-3")).state.loss).toEqual(watch());
    expect(judged(made("7")).state.loss).toEqual(watch({ peak: d("7") }));
    expect(judged(made("3", {}, { loss: watch({ peak: d("7") }) })).state.loss).toEqual(
      watch({ peak: d("7") }),
    );
    const known = made("3", {}, { loss: watch({ peak: d("7") }) });
    expect(judged(known)).toBe(known);
  });

  it("exceeds its limit only when it is greater", () => {
    expect(judged(made("-10")).state).toMatchObject({ loss: { over: null }, halted: null });
    expect(judged(made("-10.5")).state).toMatchObject({ loss: watch({ over: BEYOND }), halted: BEYOND });
    expect(judged(made("-4", {}, { loss: watch({ peak: d("7") }) })).state.halted).toContain(
      "lost 11 USDT from the best result of 7",
    );
  });

  it("is not monitored without a limit in its quote", () => {
    const one = made("-99");
    expect(judged(one, { limits: {} })).toBe(one);
    expect(judged(one, { limits: { strategyLoss: { EUR: d("1") } } })).toBe(one);
    const known = made("-99", {}, { loss: watch({ over: "before" }), halted: "before" });
    expect(judged(known, { limits: {} }).state).toMatchObject({ loss: null, halted: null });
  });

  it("pauses a strategy of any definition beyond its own maximum, until a person resumes it", () => {
    const config = { ...made("0").config, maxLoss: d("10") };
    const lost = (total: string, over: Partial<Strategy> = {}, of: object = {}) =>
      judged(made(total, { config, ...over }, of), { limits: {} });
    expect(lost("-10").state.halted ?? null).toBe(null);
    const beyond = lost("-10.5").state;
    expect(beyond).toMatchObject({
      lostAt: 0,
      halted: "its loss exceeds its maximum of 10 USDT; raise the maximum and resume it, or stop it",
    });
    const { lostAt, halted } = beyond;
    expect(lost("5", {}, { lostAt, halted }).state.halted).toBe(halted);
    expect(lost("5", { resumes: 1 }, { lostAt, halted }).state).toMatchObject({ lostAt: null, halted: null });
    expect(lost("-11", { resumes: 1 }, { lostAt, halted }).state.lostAt).toBe(1);
  });

  const over = { loss: watch({ over: "before" }), halted: "before" };

  it("stays over the limit after the price recovers, until the limits change", () => {
    const back = made("-1", {}, over);
    expect(judged(back)).toBe(back);
    expect(judged(back, { version: 2 }).state).toMatchObject({ loss: watch({ version: 2 }), halted: null });
    expect(judged(made("-11", {}, over), { version: 2 }).state.halted).toContain("lost 11 USDT");
  });

  it("is counted from zero after a resume", () => {
    const resumed = judged(made("-11", { resumes: 1 }, over));
    expect(resumed.state).toMatchObject({ loss: watch({ peak: d("-11"), resumes: 1 }), halted: null });
    const down = {
      ...made("-15", { resumes: 1 }),
      state: { ...resumed.state, ledger: made("-15").state.ledger },
    };
    expect(judged(down)).toBe(down);
  });

  it("is not reset by an earlier resume, or by one within the limit", () => {
    const same = made("-11", { resumes: 1 }, { ...over, loss: watch({ over: "before", resumes: 1 }) });
    expect(judged(same)).toBe(same);
    const within = made("-5", { resumes: 1 }, { loss: watch({ peak: d("4") }) });
    expect(judged(within).state.loss).toEqual(watch({ peak: d("4"), resumes: 1 }));
  });

  it("halts the strategy by the account's limit, but by the strategy's limit first", () => {
    expect(judged(made("1"), { accountLoss: "all of it" }).state.halted).toBe("all of it");
    expect(judged(made("-10.5"), { accountLoss: "all of it" }).state.halted).toBe(BEYOND);
  });

  it("waits for a reliable price, and ends the strategy only with one", () => {
    const limits = { ...LIMITS, onLoss: "stop" } as const;
    const wide = quote({ bid: d("50"), ask: d("100") });
    const at = (one: Strategy, accountLoss: string | null = null) =>
      judgeLoss(KIND, one, { quote: wide, bounds: bounds(limits), accountLoss });
    const one = made("-10.5");
    expect(at(one)).toBe(one);
    const known = made("-1", {}, { loss: watch(), halted: null });
    expect(at(known)).toBe(known);
    expect(at(one, "all of it").state).toMatchObject({ halted: "all of it", exit: null });
    expect(delayedLoss(wide, bounds(limits))).toContain("the limit strategyLoss waits");
    expect(delayedLoss(wide, bounds({}))).toBe(null);
    expect(delayedLoss(quote(), bounds(limits))).toBe(null);
  });

  it("ends the strategy if so configured", () => {
    const limits = { ...LIMITS, onLoss: "stop" } as const;
    const after = judged(made("-10.5"), { limits });
    expect(after.state).toMatchObject({
      loss: watch({ over: BEYOND }),
      halted: BEYOND,
      exit: { reason: "loss", tries: 0 },
      notices: [{ code: "loss_limit", message: BEYOND }],
    });
    const known = made("-10.5", {}, { loss: watch({ over: BEYOND }), halted: BEYOND });
    expect(judged(known, { limits }).state.exit).toEqual({ reason: "loss", tries: 0, baseAtStart: 0n });
    expect(judged(made("-1"), { limits }).state.exit).toBe(null);
    expect(judged(made("-10.5"), { limits: { ...LIMITS, onLoss: "pause" } }).state.exit).toBe(null);
  });
});

describe("an account's loss", () => {
  const ACCOUNT_LIMITS: Limits = { accountLoss: { USDT: d("10"), EUR: d("5") } };
  const quotes = new Map([[SYMBOL, quote()]]);
  const account = (
    strategies: readonly Strategy[],
    { losses = undefined as Losses | undefined, limits = ACCOUNT_LIMITS, more = {} } = {},
  ) => {
    const memory = { ...snapshot().memory, ...(losses ? { losses } : {}) } as AccountMemory;
    return judgeAccount(memory, strategies, { bounds: bounds(limits), quotes, kinds, ...more });
  };
  const none = { closed: 0n, watch: watch() };

  it("is the sum over all strategies with one quote, including stopped ones", () => {
    const both = [made("-4"), made("-7", { resumes: 2 }), made("-99", { symbol: "BTC/GBP" })];
    const { USDT, EUR } = account(both);
    expect(USDT?.watch).toMatchObject({
      peak: 0n,
      resumes: 2,
      over: expect.stringContaining("the account's grids lost 11 USDT"),
    });
    expect(EUR).toEqual({ closed: 0n, watch: watch() });
    const before = { USDT: { closed: d("-5"), watch: null } };
    expect(account([made("-6")], { losses: before }).USDT).toMatchObject({
      closed: d("-5"),
      watch: { over: expect.stringContaining("lost 11 USDT") },
    });
  });

  it("is the same while nothing changed", () => {
    const first = account([made("-4")]);
    expect(account([made("-4")], { losses: first })).toBe(first);
    const next = account([made("4")], { losses: first });
    expect(next.EUR).toBe(first.EUR);
    expect(next.USDT?.watch?.peak).toBe(d("4"));
  });

  it("is no longer monitored once its limit is removed", () => {
    const first = account([made("-4")]);
    expect(account([made("-4")], { losses: first, limits: { accountLoss: { USDT: d("10") } } })).toEqual({
      USDT: none,
    });
    expect(account([made("-4")], { limits: {} })).toEqual({});
  });

  it("counts each strategy at its last price, or at its start price if it never had one", () => {
    const hidden = made("-99", { symbol: "ETH/USDT" });
    expect(account([made("-4"), hidden]).USDT?.watch?.over).toContain("lost 103 USDT");
    const idle = made("0", { symbol: "ETH/USDT" });
    expect(account([made("-11"), idle]).USDT?.watch?.over).toContain("lost 11 USDT");
    const memory = { ...snapshot().memory, marks: { "ETH/USDT": { mid: d("5"), at: 1 } } };
    // It has bought one ETH for 100 USDT.
    const holding = made("-100", { symbol: "ETH/USDT" }, { slots: [slot({ base: d("1"), cost: d("100") })] });
    const known = judgeAccount(memory, [holding], { bounds: bounds(ACCOUNT_LIMITS), quotes, kinds });
    expect(known.USDT?.watch?.over).toContain("lost 95 USDT");
  });

  it("counts a strategy in a wide book only as far as both sides and its last price show a loss", () => {
    const holding = made("-100", {}, { slots: [slot({ base: d("1"), cost: d("100") })] });
    const judgedAt = (bid: string, ask: string, last?: string) => {
      const marks = last ? { [SYMBOL]: { mid: d(last), at: 1 } } : {};
      const memory = { ...snapshot().memory, marks };
      const wide = new Map([[SYMBOL, quote({ bid: d(bid), ask: d(ask) })]]);
      const around = { bounds: bounds(ACCOUNT_LIMITS), quotes: wide, kinds };
      return judgeAccount(memory, [holding], around).USDT?.watch;
    };
    expect(judgedAt("50", "100")?.over).toBe(null);
    expect(judgedAt("50", "60", "100")?.over).toBe(null);
    expect(judgedAt("50", "60", "55")?.over).toContain("lost 40 USDT");
    expect(judgedAt("100", "200")?.peak).toBe(0n);
    expect(judgedAt("150", "200", "100")?.peak).toBe(0n);
    expect(judgedAt("150", "200", "175")?.peak).toBe(d("50"));
  });

  it("includes the results of stopped strategies", () => {
    const losses = { USDT: { closed: d("1"), watch: null }, EUR: { closed: 0n, watch: null } };
    const around = { memory: snapshot().memory, quotes, kinds };
    expect(withStopped(losses, [], around)).toBe(losses);
    const stopped = [made("-4"), made("-7"), made("-99", { symbol: "ETH/USDT" })];
    expect(withStopped(losses, stopped, around)).toEqual({
      USDT: { closed: d("-109"), watch: null },
      EUR: losses.EUR,
    });
  });
});
