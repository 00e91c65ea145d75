import { describe, expect, it } from "vitest";
import twoSided from "../../examples/two-sided.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { text } from "../../src/kernel/decimal.ts";
import { kindsWith } from "../../src/kinds.ts";
import { servedOver } from "../support/app.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { testSandbox } from "../support/sandbox.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 2000, baseBudget: 0.05 };
const QUOTES = { spreadPercent: 1, size: 100 };

/** What is started, one change of it, and a field that it does not have. */
const KINDS = {
  grid: {
    start: {
      ...MARKET,
      definition: "grid",
      config: { geometry: "range", lowerPrice: 58_000, upperPrice: 62_000, gridLevels: 4, orderSize: 100 },
    },
    config: { orderSize: 90 },
    other: "stopLossPrice",
    changes: [{ field: "orderSize", from: "100", to: "90" }],
    wrong: [{ orderSize: -1 }, /must be a positive number/],
  },
  quote: {
    start: { ...MARKET, ...BUDGET, definition: "quote", config: QUOTES },
    config: { spreadPercent: 4 },
    other: "maxLoss",
    changes: [
      { field: "spreadPercent", from: "1", to: "4" },
      { field: "tolerancePercent", from: "0.125", to: "0.5" },
    ],
    wrong: [{ spreadPercent: -1 }, /must be a positive number/],
  },
  "a user's strategy": {
    start: { ...MARKET, ...BUDGET, definition: "two-sided", config: QUOTES },
    config: { spreadPercent: 4 },
    other: "size",
    changes: [{ field: "spreadPercent", from: "1", to: "4" }],
    wrong: [{ spreadPercent: -1 }, /spreadPercent/],
  },
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

interface Answer {
  readonly id: string;
  readonly planHash: string;
  readonly planId: string;
  readonly message: string;
  readonly made: boolean;
  readonly changes: readonly object[];
  readonly cancelled: number;
  readonly kept: number;
  readonly orders: readonly { readonly side: string; readonly price: string; readonly amount: string }[];
  readonly details: Readonly<Record<string, unknown>>;
}

async function started({ start }: Kind, definitions = [twoSided]) {
  const box = await testSandbox({ speed: 1 });
  const deps = { ...box.deps, kinds: kindsOf(kindsWith(definitions)) };
  const app = servedOver(deps, { definitions, mcp: { trading: true, confirm: "plan", strategies: "all" } });
  const send = async (method: string, where: string, sent: object = {}) => {
    const response = await app.ask(`/api/v1${where}`, {
      method,
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify(sent) }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const ask = async (method: string, where: string, sent?: object) => (await send(method, where, sent)).body;
  const { id } = await ask("POST", "/strategies", start);
  const open = async () =>
    (await box.venue("kraken").openOrders())
      .map(({ side, price, amount }) => `${side} ${text(amount)} at ${text(price)}`)
      .sort();
  const tick = async () => {
    box.time.pass(1000);
    await ask("POST", "/internal/tick");
  };
  for (let passes = 0; (await open()).length === 0 && passes < 5; passes++) await tick();
  expect((await open()).length).toBeGreaterThan(1);
  return { id, app, ask, send, open, tick, box, deps };
}

/** Makes a change over a surface. */
async function edit(
  surface: "http" | "agent",
  { app, ask, id }: Awaited<ReturnType<typeof started>>,
  more: object,
) {
  if (surface === "http") return ask("PATCH", `/strategies/${id}`, more);
  const client = await appClient(app, "admin");
  const call = async (planId?: string) =>
    (await callTool(client, "edit_strategy", { id, ...more, ...(planId ? { planId } : {}) }))
      .structuredContent as unknown as Answer;
  return call((await call()).planId);
}

describe.each(Object.entries(KINDS))("%s", (_what, kind) => {
  it("shows the orders of a change, and places exactly these", async () => {
    const { id, ask, open, tick } = await started(kind);
    const before = await open();
    const plan = await ask("POST", `/strategies/${id}/preview`, { config: kind.config });
    expect(plan).toMatchObject({ id, changes: kind.changes, ...MARKET });
    expect(plan.cancelled + plan.kept).toBe(before.length);
    expect(await open()).toEqual(before);
    const { planHash } = plan;
    expect(await ask("PATCH", `/strategies/${id}`, { config: kind.config, planHash })).toMatchObject({
      success: true,
      made: true,
      message: `${id} is changed`,
      changes: kind.changes,
    });
    const planned = plan.orders.map(({ side, price, amount }) => `${side} ${amount} at ${price}`).sort();
    // Quotes wait for their passes: a replacement is open before the old order is canceled.
    for (let passes = 0; kind.start.definition === "quote" && passes < 4; passes++) await tick();
    if (kind.start.definition !== "quote") expect(await open()).toEqual(planned);
    expect(await open()).not.toEqual(before);
    expect(await open()).toHaveLength(planned.length + plan.kept);
    expect((await ask("PATCH", `/strategies/${id}`, { config: kind.config })).message).toMatch(
      /^this changes nothing/,
    );
  });

  it.each(["http", "agent"] as const)("has the same orders after a change over %s", async (surface) => {
    const strategy = await started(kind);
    const { open, tick } = strategy;
    const before = await open();
    expect(await edit(surface, strategy, { config: kind.config })).toMatchObject({ made: true });
    for (let passes = 0; passes < 4; passes++) await tick();
    expect(await open()).not.toEqual(before);
    expect(await open()).toHaveLength(before.length);
  });

  it("takes numbers as text, and null for no change, from an agent", async () => {
    const strategy = await started(kind);
    const before = await strategy.open();
    const config = Object.fromEntries(
      Object.entries(kind.config).map(([name, value]) => [name, String(value)]),
    );
    expect(await edit("agent", strategy, { config: { ...config, [kind.other]: null } })).toMatchObject({
      made: true,
      changes: kind.changes,
    });
    for (let passes = 0; passes < 4; passes++) await strategy.tick();
    expect(await strategy.open()).not.toEqual(before);
  });

  it("names the field and the type of a value that is not a number", async () => {
    const { id, send, open } = await started(kind);
    const before = await open();
    const [field = ""] = Object.keys(kind.config);
    const { status, body } = await send("PATCH", `/strategies/${id}`, { config: { [field]: "six" } });
    expect([status, body.message]).toEqual([400, `${field} must be a number, not text`]);
    expect(await open()).toEqual(before);
  });

  it.each(["http", "agent"] as const)("gets a name and loses it over %s", async (surface) => {
    const strategy = await started(kind);
    const before = await strategy.open();
    expect(await edit(surface, strategy, { name: "desk" })).toMatchObject({ name: "desk", made: true });
    expect(await edit(surface, strategy, { name: null })).toMatchObject({ name: null });
    expect(await strategy.open()).toEqual(before);
  });

  it("refuses a wrong value, an unknown field and an outdated plan by name", async () => {
    const { id, send, open } = await started(kind);
    const before = await open();
    const [wrong, why] = kind.wrong;
    expect(await send("PATCH", `/strategies/${id}`, { config: wrong })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(why) },
    });
    expect((await send("PATCH", `/strategies/${id}`, { config: { spred: 1 } })).body.message).toMatch(
      /^spred is not a setting of /,
    );
    expect((await send("PATCH", `/strategies/${id}`, {})).body.message).toMatch(/set at least one field/);
    const planHash = "0".repeat(32);
    expect((await send("PATCH", `/strategies/${id}`, { config: kind.config, planHash })).status).toBe(409);
    expect(await open()).toEqual(before);
  });

  it("keeps its id, position and history, and is refused once it is stopped", async () => {
    const { id, ask, send } = await started(kind);
    await ask("PATCH", `/strategies/${id}`, { config: kind.config });
    await ask("POST", `/strategies/${id}/stop`);
    const { status, body } = await send("PATCH", `/strategies/${id}`, { config: kind.config });
    expect([status, body.message]).toEqual([409, `${id} is stopped and cannot be changed; start a new one`]);
    expect(await send("PATCH", `/strategies/${id}`, { name: "old" })).toMatchObject({ status: 200 });
  });
});

describe("a centered grid whose price has moved", () => {
  const kind = {
    ...KINDS.grid,
    start: {
      ...MARKET,
      definition: "grid",
      config: { geometry: "centered", levels: 2, spacing: 0.01, size: 100, confidence: 0, deviation: 0.5 },
    },
  } as unknown as Kind;

  it("keeps its orders when a change has no field of its config", async () => {
    const { id, send, open, box } = await started(kind);
    const before = await open();
    box.time.pass(3_600_000);
    for (const route of [`/strategies/${id}`, `/strategies/${id}/preview`])
      expect(
        (await send(route.endsWith("preview") ? "POST" : "PATCH", route, { config: {} })).body,
      ).toMatchObject({
        error: "Invalid request",
        message: "set at least one field of config, or a name",
      });
    expect((await send("PATCH", `/strategies/${id}`, { config: {}, name: "desk" })).body).toMatchObject({
      name: "desk",
      changes: [{ field: "name", from: "none", to: "desk" }],
    });
    expect(await open()).toEqual(before);
  });
});

describe("a user's strategy", () => {
  const kind = KINDS["a user's strategy"];

  it("takes over a change that is stored, but whose pass runs in another process", async () => {
    const { id, open, tick, deps } = await started(kind);
    const before = await open();
    const [view] = await deps.store.strategies({ id });
    const config = { ...view?.strategy.config, options: { ...QUOTES, spreadPercent: 4 } } as never;
    await deps.store.setEdit(id, { config, after: 0, description: "" }, {
      actor: "test",
      request: null,
    } as never);
    expect(await open()).toEqual(before);
    for (let passes = 0; passes < 4; passes++) await tick();
    expect(await open()).not.toEqual(before);
  });
});
