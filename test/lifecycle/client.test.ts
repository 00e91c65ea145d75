/** A client that is generated once from the OpenAPI document does every verb on every definition. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { describe, expect, it, onTestFinished } from "vitest";
import twoSided from "../../examples/two-sided.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { text } from "../../src/kernel/decimal.ts";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { checkAlarms } from "../../src/report/operations/alarm-checks.ts";
import { servedOver } from "../support/app.ts";
import { type ApiDocument, ErrorResponse, generatedClient } from "../support/generated-client.ts";
import { testSandbox } from "../support/sandbox.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const BUDGET = { quoteBudget: 2000, baseBudget: 0.05 };
const QUOTES = { spreadPercent: 0.4, size: 100 };

const TABLE = {
  grid: {
    options: {},
    config: { geometry: "range", lowerPrice: 59_000, upperPrice: 61_000, gridLevels: 8, orderSize: 100 },
    edit: { orderSize: 90 },
    keepsOrders: true,
  },
  quote: { options: BUDGET, config: QUOTES, edit: { spreadPercent: 0.1 }, keepsOrders: false },
  "two-sided": { options: BUDGET, config: QUOTES, edit: { spreadPercent: 0.1 }, keepsOrders: false },
} as const;

/** The verbs of a strategy's life, by the beginning of their paths. */
const VERBS = /^\/(strategies|definitions|backtest|report|strategy\/quality)/;

/** Of Node: the files of one process share it. */
const { Response: given } = globalThis;

/** A server on a socket, whose market moves when the test says so. */
async function listening(definitions: StrategyDefinitions) {
  const box = await testSandbox({ speed: 1 });
  const deps = { ...box.deps, kinds: kindsOf(kindsWith(definitions)) };
  const app = servedOver(deps, { definitions });
  const server = serve({
    fetch: app.app.fetch,
    port: 0,
    hostname: "127.0.0.1",
    overrideGlobalObjects: false,
  });
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
  return { ...box, deps, url, document, token: app.tokens.admin };
}

const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => ({ path, method, operationId })),
  );

async function clientOf({ url, token, time, deps }: Awaited<ReturnType<typeof listening>>) {
  const client = await generatedClient(url, token);
  const called = new Set<string>();
  const call = async <T>(id: string, input: object = {}): Promise<T> => {
    const method = client[id];
    if (!method) throw new Error(`the document has no operation ${id}`);
    called.add(id);
    return (await method(input as Readonly<Record<string, unknown>>)) as T;
  };
  const tick = async (millis: number) => {
    time.pass(millis);
    await call("tick");
    await checkAlarms(deps);
  };
  return { call, tick, called };
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly openOrders: number;
  readonly orders?: readonly object[];
}

interface Plan {
  readonly planHash: string;
  readonly orders: readonly { readonly side: string; readonly price: string; readonly amount: string }[];
}

describe.each(Object.entries(TABLE))("a generated client and %s", (definition, row) => {
  const start = { definition, ...MARKET, ...row.options, config: row.config };

  it("does every verb, with its effect on the exchange", async () => {
    const server = await listening([twoSided]);
    const { call, tick, called } = await clientOf(server);
    const venue = server.venue("kraken");
    const open = async () =>
      (await venue.openOrders())
        .map(({ side, price, amount }) => `${side} ${text(amount)} at ${text(price)}`)
        .sort();
    const plannedOf = ({ orders }: Plan) =>
      orders.map(({ side, price, amount }) => `${side} ${amount} at ${price}`).sort();

    const { definitions } = await call<{ definitions: { name: string }[] }>("list_definitions");
    expect(definitions.map(({ name }) => name)).toContain(definition);

    const plan = await call<Plan>("preview_strategy", start);
    expect(plan.orders.length).toBeGreaterThan(1);
    expect(await open()).toEqual([]);

    const { id } = await call<Row>("start_strategy", { ...start, planHash: plan.planHash });
    for (let passes = 0; (await open()).length === 0 && passes < 5; passes++) await tick(1000);
    const before = await open();
    expect(before).toHaveLength(plan.orders.length);

    const { strategies } = await call<{ strategies: Row[] }>("list_strategies", { definition });
    expect(strategies).toMatchObject([{ id, status: "running", openOrders: before.length }]);
    expect((await call<Row>("get_strategy", { id })).orders).toHaveLength(before.length);

    const change = await call<Plan>("preview_edit", { id, config: row.edit });
    expect(await open()).toEqual(before);
    await call("edit_strategy", { id, config: row.edit, planHash: change.planHash, name: "desk" });
    // A replacement can be open before the old order is canceled.
    for (let passes = 0; passes < 4; passes++) await tick(1000);
    const edited = await open();
    expect(edited).toHaveLength(before.length);
    expect(edited.filter((order) => before.includes(order))).toEqual([]);
    if (row.keepsOrders) expect(edited).toEqual(plannedOf(change));

    await call("pause_strategy", { id });
    expect(await open()).toHaveLength(row.keepsOrders ? before.length : 0);
    await call("pause_strategy", { id, cancelOrders: true });
    expect(await open()).toEqual([]);
    await call("resume_strategy", { id });
    expect(await open()).toHaveLength(before.length);

    const filled = async () =>
      (await venue.fills(MARKET.symbol, { from: 0 })).fills.map((fill) => fill.id).sort();
    for (let passes = 0; (await filled()).length < 2 && passes < 600; passes++) await tick(10 * MINUTE);
    await tick(1000);
    const { fills } = await call<{ fills: { id: string; slot: number | string }[] }>("get_strategy_fills", {
      id,
    });
    expect(fills.length).toBeGreaterThan(1);
    expect(fills.map((fill) => fill.id).sort()).toEqual(await filled());
    const { orders } = await call<{ orders: { status: string; slot: number | string }[] }>(
      "get_strategy_orders",
      { id },
    );
    const named = new Set([...fills, ...orders].map(({ slot }) => slot));
    if (definition === twoSided.name) expect([...named].sort()).toEqual(["ask", "bid"]);
    else expect([...named].every((slot) => typeof slot === "number")).toBe(true);
    expect(orders.filter(({ status }) => status === "open")).toHaveLength((await open()).length);
    const { events } = await call<{ events: { kind: string }[] }>("get_strategy_events", { id, limit: 1000 });
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["started", "edited", "renamed"]));

    const { days } = await call<{ days: { fills: number }[] }>("get_quality", { id });
    expect(days.reduce((sum, day) => sum + day.fills, 0)).toBe(fills.length);
    const report = await call<{ strategies: { id: string }[] }>("get_report");
    expect(report.strategies).toMatchObject([{ id }]);

    const until = server.time.now();
    const past = { since: until - 4 * HOUR, until, tickInterval: MINUTE };
    const tested = await call<{ fills: object[] }>("backtest", {
      ...start,
      ...past,
      config: { ...row.config, ...row.edit },
    });
    expect(tested.fills.length).toBeGreaterThan(0);

    expect((await open()).length).toBeGreaterThan(0);
    expect(await call("stop_strategy", { id })).toMatchObject({ success: true, status: "stopped" });
    expect(await open()).toEqual([]);
    expect(await call("list_strategies", { definition })).toMatchObject({ count: 0 });
    expect(await call("list_strategies", { definition, stopped: true })).toMatchObject({ count: 1 });
    expect(await call("get_strategy", { id })).toMatchObject({ status: "stopped", orders: [] });

    const verbs = operationsOf(server.document).filter(({ path }) => VERBS.test(path));
    expect(verbs.map(({ operationId }) => operationId).filter((verb) => !called.has(verb))).toEqual([]);
  });

  it("gets the described error for an outdated plan, and places nothing", async () => {
    const server = await listening([twoSided]);
    const { call } = await clientOf(server);
    const refused = call("start_strategy", { ...start, planHash: "0".repeat(32) });
    await expect(refused).rejects.toThrow(ErrorResponse);
    await expect(refused).rejects.toMatchObject({ status: 409 });
    await expect(call("get_strategy", { id: "none-1" })).rejects.toMatchObject({ status: 404 });
    expect(await server.venue("kraken").openOrders()).toEqual([]);
  });
});

it("does not replace the Response that other files of its process use", async () => {
  await listening([]);
  expect(Response).toBe(given);
});

describe("the document of the generated client", () => {
  it("has a schema that refuses a wrong request before it is sent", async () => {
    const { call } = await clientOf(await listening([twoSided]));
    const start = { definition: "two-sided", ...MARKET, config: QUOTES };
    for (const [wrong, message] of [
      [{ ...start, definition: "three-sided" }, /definition must be equal to one of the allowed values/],
      [{ ...start, exchange: undefined }, /must have required property 'exchange'/],
      [{ ...start, config: { spreadPercent: "wide" } }, /config\/spreadPercent must be number/],
      [{ ...start, budget: 1 }, /^start_strategy has no field budget$/],
    ] as const)
      await expect(call("start_strategy", wrong)).rejects.toThrow(message);
    await expect(call("get_strategy", {})).rejects.toThrow("get_strategy requires id");
    expect(await call("list_strategies", { stopped: true })).toMatchObject({ count: 0 });
  });

  it("gets no path and no operation from a user's file", async () => {
    const without = operationsOf((await listening([])).document);
    expect(without.length).toBeGreaterThan(40);
    expect(operationsOf((await listening([twoSided])).document)).toEqual(without);
  });
});
