import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AppError, VenueError } from "../../../src/kernel/errors.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { type Exposure, NO_EXPOSURE } from "../../../src/model/proposal.ts";
import { operation, type TradeOperation } from "../../../src/operation.ts";
import { commit, type McpOptions, type McpSettings, propose } from "../../../src/transport/mcp/plans.ts";
import type { Answer } from "../../../src/transport/run.ts";
import { BY } from "../../support/by.ts";
import { d } from "../../support/grid.ts";
import { testSandbox } from "../../support/sandbox.ts";

const spends = (quote: string): Exposure => ({
  trades: "known",
  symbol: "BTC/USDT",
  base: 0n,
  exits: 0n,
  quote: d(quote),
  counted: d(quote),
  largest: d(quote),
});

interface Proposed {
  readonly planId: string;
  readonly expiresAt: number;
  readonly preview: { readonly limits: readonly string[] };
  readonly next: string;
}

/** A trading tool over the real store of plans; what it would trade, and whose strategies it changes, is set by the test. */
async function agentBox(given: Partial<McpSettings> = {}) {
  const { deps, store, time } = await testSandbox();
  const tool = {
    exposure: spends("100") as Exposure | (() => Promise<Exposure>),
    strategies: [] as readonly string[],
    check: () => {},
  };
  const acts: object[] = [];
  const trade = operation({
    name: "act",
    summary: "Act",
    effect: "trade",
    access: "token",
    failure: "Order failed",
    http: { route: "POST /act", from: "body" },
    input: () => z.object({}),
    output: () => z.object({ done: z.boolean() }),
    async prepare(_deps, input, call) {
      return {
        preview: async () => ({
          what: "it acts",
          cost: "100",
          worstCase: "100",
          limits: [],
          holds: { shown: "1" },
        }),
        exposure: tool.exposure,
        strategies: async () => tool.strategies,
        check: () => tool.check(),
        act: async (isLimited) => {
          acts.push({ input, isLimited, requestKey: call.requestKey, isAgent: call.isAgent });
          return { done: true };
        },
      };
    },
  }) as TradeOperation;
  const settings = { trading: true, confirm: "plan", ...given } as const;
  const optionsOf = (over: Partial<McpOptions> = {}): McpOptions => ({
    deps,
    operations: [trade],
    tools: async () => [],
    settings,
    version: "0",
    caller: { actor: "tok_a", scope: "trade", key: "key a" },
    ...over,
  });
  const requestOf = (input: object) => ({
    operation: trade,
    given: { ...input },
    input: { ...input },
    call: { actor: "tok_a", requestId: "r", isAgent: true } as const,
  });
  const show = (input: object = {}, over: Partial<McpOptions> = {}) =>
    propose(requestOf(input), optionsOf(over));
  const planned = async (input: object = {}) => (await show(input)).body as Proposed;
  const execute = (
    planId: unknown,
    input: object = {},
    over: Partial<McpOptions> & { signal?: AbortSignal } = {},
  ) => {
    const { signal = new AbortController().signal, ...options } = over;
    return commit(requestOf(input), planId, { ...optionsOf(options), signal, waiter: "waiter" });
  };
  return { deps, store, time, tool, acts, show, planned, execute };
}
const refusalOf = ({ status, body }: Answer) => ({ status, ...(body as { error: string; message: string }) });

describe("a plan", () => {
  it("is shown with what a person approves, and executed once with what it showed", async () => {
    const { planned, execute, acts, time } = await agentBox();
    const { planId, ...shown } = await planned({ amount: 1 });
    expect(shown).toEqual({
      expiresAt: time.now() + 5 * MINUTE,
      preview: { what: "it acts", cost: "100", worstCase: "100", limits: [] },
      next: "Nothing is done yet. Show this to the person; when they agree, call again with the same parameters and this planId.",
    });
    expect(acts).toEqual([]);
    expect(await execute(planId, { amount: 1 })).toEqual({ status: 200, body: { done: true } });
    expect(acts).toEqual([
      {
        input: { amount: 1, shown: "1" },
        isLimited: false,
        isAgent: true,
        requestKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(refusalOf(await execute(planId, { amount: 1 }))).toMatchObject({
      status: 409,
      error: "Conflict",
      message: "this planId was already used by an earlier call, which has executed it or tried to",
      next: "Do not repeat the plan. Check list_orders and list_strategies for what the earlier call did.",
    });
    expect(acts).toHaveLength(1);
  });

  it("is the same whatever the order of its fields, and another one with any other value", async () => {
    const { planned, execute, acts } = await agentBox();
    const input = { a: null, b: { c: 1, d: [1, 2] } };
    const { planId } = await planned(input);
    for (const other of [
      { ...input, a: 0 },
      { a: null, b: { c: 1, d: [2, 1] } },
      { b: input.b },
      { a: null, b: { c: 1, d: { 0: 1, 1: 2 } } },
    ])
      expect(refusalOf(await execute(planId, other)).message).toContain("belongs to other parameters");
    expect(acts).toEqual([]);
    expect((await execute(planId, { b: { d: [1, 2], c: 1 }, a: null })).status).toBe(200);
  });

  it("belongs to the token that got it", async () => {
    const { planned, execute, acts } = await agentBox();
    const { planId } = await planned();
    const caller = { actor: "tok_a", scope: "trade", key: "key b" } as const;
    expect(refusalOf(await execute(planId, {}, { caller })).error).toBe("Conflict");
    for (const wrong of [undefined, 7, [planId]])
      expect(refusalOf(await execute(wrong)).message).toMatch(/^this planId is unknown/);
    expect(acts).toEqual([]);
  });
});

it("of two commits of one plan at the same time, one is executed", async () => {
  const { planned, execute, acts } = await agentBox();
  const { planId } = await planned();
  const results = (await Promise.all([execute(planId), execute(planId)])).map(refusalOf);
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(results.find(({ status }) => status === 409)?.message).toMatch(
    /^this planId was already used by an earlier call/,
  );
  expect(acts).toHaveLength(1);
});

describe("a commit does nothing", () => {
  it("if it could trade over a twentieth more than its plan showed", async () => {
    const { planned, execute, acts, tool } = await agentBox();
    for (const [now, status] of [
      ["105", 200],
      ["105.01", 409],
    ] as const) {
      tool.exposure = spends("100");
      const { planId } = await planned();
      tool.exposure = async () => spends(now);
      expect((await execute(planId)).status).toBe(status);
    }
    const unknown = async () => {
      throw new VenueError("unavailable", "no answer");
    };
    tool.exposure = spends("100");
    const { planId } = await planned();
    tool.exposure = unknown;
    expect(refusalOf(await execute(planId)).message).toBe(
      "this can trade more than its plan showed: the amount is unknown now; nothing was done",
    );
    expect(acts).toHaveLength(1);
  });

  it("if the strategy belongs to another caller by then", async () => {
    const { planned, execute, acts, tool } = await agentBox();
    const { planId } = await planned();
    tool.strategies = ["grid-1"];
    expect(refusalOf(await execute(planId))).toMatchObject({
      status: 403,
      message: expect.stringMatching(/^grid-1 was started by another caller, and agents can only/),
    });
    expect(acts).toEqual([]);
  });

  it("if it is not possible by then, and counts nothing toward the limits", async () => {
    const { planned, execute, acts, tool } = await agentBox({ maxNotional: new Map([["USDT", d("100")]]) });
    const { planId } = await planned();
    tool.check = () => {
      throw new AppError("Conflict", "the kill switch is on");
    };
    expect(refusalOf(await execute(planId)).message).toBe("the kill switch is on");
    tool.check = () => {};
    expect((await planned()).preview.limits).toEqual([
      "this could use 100 USDT (buy for 100 USDT) of the 100 that one plan can use",
      "agents can use 100 USDT more today (UTC)",
    ]);
    expect(acts).toEqual([]);
  });

  it("if its token's limit is below what it trades, and neither does a preview", async () => {
    const { planned, show, execute, acts, tool, store } = await agentBox();
    const { planId } = await planned();
    let reads = 0;
    tool.exposure = async () => {
      reads++;
      return spends("100");
    };
    const settings = { orderNotional: { USDT: d("99") } };
    await store.setLimits({ version: 0, scope: "token:tok_a", settings, message: "less" }, BY);
    const refused = { error: "Forbidden", message: expect.stringContaining("this token is USDT=99,") };
    expect(refusalOf(await execute(planId))).toMatchObject(refused);
    expect(refusalOf(await show())).toMatchObject(refused);
    expect(await store.plans({ limit: 9 })).toEqual([]);
    // A commit and a preview read the exchange once each.
    expect([acts, reads]).toEqual([[], 2]);
  });
});

it("a preview names the owner of a strategy that it changes, where agents can change all", async () => {
  const { planned, tool } = await agentBox({ strategies: "all" });
  tool.strategies = ["grid-1"];
  expect((await planned()).preview.limits).toEqual([
    "this changes a strategy of another caller: grid-1 was started by another caller",
  ]);
});

it("a preview uses up none of its token's daily limit", async () => {
  const { show, planned, execute, store, acts } = await agentBox();
  const settings = { dayNotional: { USDT: d("150") } };
  await store.setLimits({ version: 0, scope: "token:tok_a", settings, message: "less" }, BY);
  for (let again = 0; again < 3; again++) expect((await show()).status).toBe(200);
  const { planId } = await planned();
  expect((await execute(planId)).status).toBe(200);
  expect(acts).toMatchObject([{ isLimited: true }]);
  expect((await show()).status).toBe(403);
});

describe("the limits of agents' plans", () => {
  const USDT = (amount: string) => new Map([["USDT", d(amount)]]);

  it("count each plan once, per token and per UTC day", async () => {
    const { planned, show, execute, acts, time } = await agentBox({
      maxNotional: USDT("100"),
      maxNotionalPerDay: USDT("150"),
    });
    const limitsOf = async () => (await planned()).preview.limits.at(-1);
    const { planId } = await planned();
    expect(await limitsOf()).toBe("agents can use 150 USDT more today (UTC)");
    expect((await execute(planId)).status).toBe(200);
    expect(acts).toMatchObject([{ isLimited: true }]);
    expect(refusalOf(await show()).message).toBe(
      "this could use 100 USDT (buy for 100 USDT); of the 150 that an agent's plans can use in one UTC day, 100 are used (EDGEMAKER_MCP_MAX_NOTIONAL, EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY)",
    );
    const other = { caller: { actor: "tok_b", scope: "trade", key: "key b" } } as const;
    expect((await show({}, other)).status).toBe(200);
    time.pass(24 * 60 * MINUTE);
    expect(await limitsOf()).toBe("agents can use 150 USDT more today (UTC)");
  });

  it("show what is left of the day after smaller plans", async () => {
    const { planned, execute, tool } = await agentBox({ maxNotional: USDT("150") });
    tool.exposure = spends("40");
    const { planId } = await planned();
    await execute(planId);
    expect((await planned()).preview.limits.at(-1)).toBe("agents can use 110 USDT more today (UTC)");
  });

  it("of a day alone limit the day, and of one plan alone both", async () => {
    const ofDay = await agentBox({ maxNotionalPerDay: USDT("150") });
    expect((await ofDay.planned()).preview.limits).toEqual([
      "this could use 100 USDT (buy for 100 USDT)",
      "agents can use 150 USDT more today (UTC)",
    ]);
    const ofPlan = await agentBox({ maxNotional: USDT("150") });
    expect((await ofPlan.planned()).preview.limits).toEqual([
      "this could use 100 USDT (buy for 100 USDT) of the 150 that one plan can use",
      "agents can use 150 USDT more today (UTC)",
    ]);
    // It has grown by less than a twentieth of what was shown, and beyond the limit.
    ofPlan.tool.exposure = spends("150");
    const whole = await ofPlan.planned();
    ofPlan.tool.exposure = spends("150.01");
    expect(refusalOf(await ofPlan.execute(whole.planId)).message).toContain("one plan can use at most 150");
    expect(refusalOf(await ofPlan.show()).message).toBe(
      "this could use 150.01 USDT (buy for 150.01 USDT); one plan can use at most 150 (EDGEMAKER_MCP_MAX_NOTIONAL)",
    );
  });

  it("in another asset allow nothing, and an unknown amount is no amount", async () => {
    const { show, planned, execute, tool } = await agentBox({ maxNotional: new Map([["EUR", d("1000")]]) });
    expect(refusalOf(await show()).message).toBe(
      "this could use 100 USDT (buy for 100 USDT), but agents have no budget for it; a person can set EDGEMAKER_MCP_MAX_NOTIONAL",
    );
    tool.exposure = { trades: "unknown", why: "no price" };
    expect(refusalOf(await show()).message).toMatch(/^the amount that this can trade is unknown: no price;/);
    for (const exposure of [NO_EXPOSURE, { ...NO_EXPOSURE }]) {
      tool.exposure = exposure;
      const { planId, preview } = await planned();
      expect([preview.limits, (await execute(planId)).status]).toEqual([[], 200]);
    }
    tool.exposure = spends("0");
    expect((await planned()).preview.limits).toEqual([]);
  });
});

describe("a plan that a person must approve", () => {
  const terminal = { confirm: "terminal" } as const;

  it("waits at most 45 s, and is executed after the approval alone", async () => {
    const { planned, execute, acts, store, time } = await agentBox(terminal);
    const { planId, next } = await planned();
    expect(next).toContain(`\`edgemaker plans approve ${planId}\``);
    const before = time.now();
    expect(refusalOf(await execute(planId))).toMatchObject({
      status: 409,
      message: "this plan is not approved yet; nothing was done",
      next: "Ask the person to approve it, then call again with the same planId.",
    });
    expect(time.now() - before).toBe(46 * SECOND);
    expect(acts).toEqual([]);
    await store.decidePlan(planId, "approved", BY);
    expect((await execute(planId)).status).toBe(200);
    expect(acts).toHaveLength(1);
  });

  it("names the flags of a command that reaches the same database", async () => {
    const { planned } = await agentBox({ ...terminal, commandFlags: " --sandbox" });
    const { planId, next } = await planned();
    expect(next).toContain(`\`edgemaker plans approve ${planId} --sandbox\``);
  });

  it("is left to the next call if the client of the waiting one has disconnected", async () => {
    const { planned, execute, acts, store } = await agentBox(terminal);
    const { planId } = await planned();
    await store.decidePlan(planId, "approved", BY);
    expect((await execute(planId, {}, { left: AbortSignal.abort() })).status).toBe(409);
    expect(acts).toEqual([]);
    expect((await execute(planId)).status).toBe(200);
    expect(acts).toHaveLength(1);
  });

  it("is refused for good by a person, or when its client cancels", async () => {
    const { planned, execute, acts, store } = await agentBox(terminal);
    const { planId } = await planned();
    await store.decidePlan(planId, "refused", BY);
    expect(refusalOf(await execute(planId))).toMatchObject({ status: 403, error: "Forbidden" });
    const other = await planned();
    const signal = AbortSignal.abort();
    expect(refusalOf(await execute(other.planId, {}, { signal }))).toMatchObject({ status: 403 });
    expect(await store.decidePlan(other.planId, "approved", BY)).toBe(false);
    expect(refusalOf(await execute(other.planId)).message).toBe(
      "a person refused this plan, or the waiting request was canceled; nothing was done",
    );
    expect(acts).toEqual([]);
  });
});
