import { describe, expect, it } from "vitest";
import { auditStore } from "../../../../src/adapters/libsql/audit-store.ts";
import { planStore } from "../../../../src/adapters/libsql/plan-store.ts";
import { DAY } from "../../../../src/kernel/time.ts";
import { BY } from "../../../support/by.ts";
import { opened, START } from "./opened.ts";

const LIFE = 60_000;
const PREVIEW = { what: "buys", cost: "10", worstCase: "20", limits: [] };
const key = (id: string, binding = "mine") => ({ id, binding });
const plan = (id: string, over: object = {}) => ({
  ...key(id),
  actor: "somebody",
  tool: "create_order",
  input: { symbol: "BTC/USDT" },
  preview: PREVIEW,
  life: LIFE,
  ...over,
});

async function open(...ids: readonly string[]) {
  const { context, time } = await opened();
  const plans = planStore(context);
  for (const id of ids) await plans.addPlan(plan(id));
  const stateOf = (of: string, over: object = {}, binding?: string) =>
    plans.planState(key(of, binding), { needsApproval: false, waiter: `waits for ${of}`, ...over });
  const listed = async (page: object = {}) => (await plans.plans({ limit: 9, ...page })).map(({ id }) => id);
  const readOutput = async () => (await auditStore(context).eventsAfter(0, 99)).map(({ message }) => message);
  return { plans, time, stateOf, listed, readOutput };
}

describe("a plan", () => {
  it("can be committed once, by the user it was made for, until it expires", async () => {
    const { plans, time } = await open("b");
    expect(await plans.addPlan(plan("a"))).toBe(START + LIFE);
    expect(await plans.consumePlan(key("a", "theirs"), false)).toBeUndefined();
    expect(await plans.consumePlan(key("zzz"), false)).toBeUndefined();
    expect(await plans.isPlanUsed("a")).toBe(false);
    expect(await plans.consumePlan(key("a"), false)).toEqual(PREVIEW);
    expect(await plans.consumePlan(key("a"), false)).toBeUndefined();
    expect([await plans.isPlanUsed("a"), await plans.isPlanUsed("b")]).toEqual([true, false]);
    expect(await plans.isPlanUsed("zzz")).toBe(false);
    time.pass(LIFE - 1);
    expect(await plans.consumePlan(key("b"), false)).toEqual(PREVIEW);
    await plans.addPlan(plan("c", { life: 1 }));
    time.pass(1);
    expect(await plans.consumePlan(key("c"), false)).toBeUndefined();
  });

  it("waits for its required approval, and ends if that is refused", async () => {
    const { plans } = await open("a", "b");
    expect(await plans.consumePlan(key("a"), true)).toBeUndefined();
    expect(await plans.decidePlan("a", "approved", BY)).toBe(true);
    expect(await plans.consumePlan(key("a"), true)).toEqual(PREVIEW);
    expect(await plans.decidePlan("b", "refused", BY)).toBe(true);
    expect(await plans.consumePlan(key("b"), false)).toBeUndefined();
    expect(await plans.consumePlan(key("b"), true)).toBeUndefined();
  });

  it("needs no approval and is not listed if it concerns paper trading, and can be refused", async () => {
    const { plans, stateOf, listed } = await open("real");
    const preview = { ...PREVIEW, isPaper: true };
    for (const id of ["a", "b"]) await plans.addPlan(plan(id, { preview }));
    expect([await stateOf("a", { needsApproval: true }), await listed()]).toEqual(["free", ["real"]]);
    expect(await plans.consumePlan(key("a"), true)).toEqual(preview);
    expect(await plans.decidePlan("b", "refused", BY)).toBe(true);
    expect(await plans.consumePlan(key("b"), true)).toBeUndefined();
  });

  it("can be approved or refused while it is open, it alone, and an event records that", async () => {
    const { plans, readOutput, time } = await open("a", "b", "c");
    expect(await plans.decidePlan("a", "approved", BY)).toBe(true);
    expect(await plans.decidePlan("a", "refused", BY)).toBe(true);
    expect(await plans.decidePlan("a", "approved", BY)).toBe(false);
    expect(await plans.decidePlan("zzz", "approved", BY)).toBe(false);
    await plans.consumePlan(key("b"), false);
    expect(await plans.decidePlan("b", "refused", BY)).toBe(false);
    time.pass(LIFE);
    expect(await plans.decidePlan("c", "approved", BY)).toBe(false);
    expect(await readOutput()).toEqual(["a approved", "a refused"]);
  });

  it("reports its state", async () => {
    const { plans, stateOf, time } = await open("a", "b", "c", "d");
    const strict = { needsApproval: true };
    expect(await stateOf("zzz")).toBe("unknown");
    expect(await stateOf("a", {}, "theirs")).toBe("unknown");
    expect([await stateOf("a"), await stateOf("a", strict)]).toEqual(["free", "waiting"]);
    await plans.decidePlan("a", "approved", BY);
    expect([await stateOf("a", strict), await stateOf("b", strict)]).toEqual(["free", "waiting"]);
    await plans.consumePlan(key("a"), true);
    await plans.decidePlan("b", "refused", BY);
    expect([await stateOf("a"), await stateOf("b")]).toEqual(["used", "refused"]);
    time.pass(LIFE - 1);
    expect(await stateOf("c")).toBe("free");
    time.pass(1);
    expect([await stateOf("a"), await stateOf("b"), await stateOf("c")]).toEqual([
      "used",
      "refused",
      "expired",
    ]);
  });

  it("is refused when the request that waits for it is abandoned, it alone", async () => {
    const { plans, stateOf, time } = await open("a", "b", "c");
    for (const id of ["a", "b", "c"]) await stateOf(id);
    expect(await plans.giveUpPlan("waits for a")).toBe(true);
    expect(await plans.giveUpPlan("waits for zzz")).toBe(false);
    expect([await stateOf("a"), await stateOf("b")]).toEqual(["refused", "free"]);
    await plans.consumePlan(key("b"), false);
    expect(await plans.giveUpPlan("waits for b")).toBe(false);
    time.pass(LIFE);
    expect(await plans.giveUpPlan("waits for c")).toBe(false);
  });
});

describe("the list of plans", () => {
  it("contains those that can still be decided on or committed, oldest first, by pages", async () => {
    const { plans, listed } = await open("a", "b", "c", "d");
    await plans.decidePlan("a", "approved", BY);
    await plans.decidePlan("b", "refused", BY);
    await plans.consumePlan(key("c"), false);
    expect(await listed()).toEqual(["a", "d"]);
    const [first] = await plans.plans({ limit: 1 });
    expect(first).toMatchObject({
      id: "a",
      decision: "approved",
      actor: "somebody",
      expiresAt: START + LIFE,
    });
    expect("binding" in (first ?? {})).toBe(false);
    expect(await listed({ after: first?.place })).toEqual(["d"]);
  });

  it("drops plans that expired a day ago", async () => {
    const { plans, stateOf, time } = await open("a");
    time.pass(1);
    await plans.addPlan(plan("b"));
    time.pass(LIFE + DAY);
    await plans.addPlan(plan("c"));
    expect([await stateOf("a"), await stateOf("b"), await stateOf("c")]).toEqual([
      "unknown",
      "expired",
      "free",
    ]);
  });
});
