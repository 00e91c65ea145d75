import { beforeAll, describe, expect, it } from "vitest";
import { csv } from "../../src/kernel/csv.ts";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { HistoryStore } from "../../src/ports/stores/store.ts";
import { memoryHistoryStore } from "../simulation/store/history-store.ts";
import { emptyTables, fillKey, type Tables } from "../simulation/store/tables.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

type Json = Record<string, unknown>;
type Reported = {
  id: string;
  orders: Json[];
  fills: Json[];
  events: Json[];
  count: number;
  next: string | null;
};

/** A grid that has traded for two hours of market time. */
async function traded() {
  const box = await testSandbox({ speed: 1 });
  const { id } = await runOperation<{ id: string }>(
    box.deps,
    "start_grid",
    gridInput({ lowerPrice: d("59000"), upperPrice: d("61000"), gridLevels: 40, orderSize: d("50") }),
  );
  for (let minutes = 0; minutes < 120; minutes += 5) {
    box.time.pass(5 * MINUTE);
    await runOperation(box.deps, "tick", {});
  }
  return { ...box, id };
}

const FILL_COLUMNS =
  "account, symbol, trade_id, client_id, strategy, side, price, amount, notional, fees, at, superseded";

const KINDS = ["orders", "fills", "events"] as const;

describe("the history of a grid", () => {
  let box: Awaited<ReturnType<typeof traded>>;
  let target: Awaited<ReturnType<typeof appOver>>;
  /** Of the event loop, that the app has waited for. */
  let turns = 0;
  beforeAll(async () => {
    box = await traded();
    const heard = async () => void turns++;
    target = await appOver({ ...box.deps, local: { ...box.deps.local, heard } });
  });

  it("is the same page by page as in one response, newest first, over HTTP", async () => {
    const { id } = box;
    const { ask, tokens } = target;
    const get = async (path: string) => {
      const response = await ask(`/api/v1/strategies/${id}/${path}`, {
        headers: { authorization: `Bearer ${tokens.read}` },
      });
      return (await response.json()) as Reported;
    };
    for (const kind of KINDS) {
      const whole = await get(`${kind}?limit=1000`);
      expect(whole.count, kind).toBeGreaterThan(kind === "events" ? 0 : 8);
      expect([whole.id, whole.next], kind).toEqual([id, null]);
      const paged: Json[] = [];
      for (let before: string | null = ""; before !== null; ) {
        const page: Reported = await get(`${kind}?limit=3${before ? `&before=${before}` : ""}`);
        expect(page.count, kind).toBeLessThanOrEqual(3);
        paged.push(...page[kind]);
        before = page.next;
      }
      expect(paged, kind).toEqual(whole[kind]);
      const times = whole[kind].map(({ timestamp }) => Number(timestamp));
      expect(times, kind).toEqual([...times].sort((a, b) => b - a));
    }
  });

  it("lists fills as a table, one line each, as exact as the response", async () => {
    const { id } = box;
    const { ask, tokens } = target;
    const headers = { authorization: `Bearer ${tokens.read}` };
    const path = `/api/v1/strategies/${id}/fills`;
    const result = (await (await ask(path, { headers })).json()) as Reported;
    for (const [query, accept] of [
      ["?format=csv", "*/*"],
      ["", "text/csv"],
    ] as const) {
      const response = await ask(`${path}${query}`, { headers: { ...headers, accept } });
      expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const lines = (await response.text()).trimEnd().split("\r\n");
      expect(lines).toHaveLength(result.count + 1);
      const [first] = result.fills as [Json];
      expect(lines[1]?.split(",").slice(0, 9)).toEqual([
        String(first.timestamp),
        new Date(Number(first.timestamp)).toISOString(),
        first.id,
        first.clientOrderId,
        ...[first.slot, first.side, first.price, first.amount, first.notional].map(String),
      ]);
    }
    const json = await ask(`${path}?format=json`, { headers: { ...headers, accept: "text/csv" } });
    expect(json.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("lists every fill in a table, however many, unless a limit is set", async () => {
    const { id } = box;
    const { ask, tokens } = target;
    const { client } = box.context;
    const [{ clientId: order } = { clientId: "" }] = await box.store.ordersOf(id, { limit: 1 });
    const added = Array.from(
      { length: 2500 },
      (_, place) =>
        `('sandbox:kraken:', 'BTC/USDT', 'many-${place}', '${order}', '${id}', 'buy', '59000', '0.001', '59', '[]', ${place}, 0)`,
    );
    await client.execute(`insert into fills (${FILL_COLUMNS}) values ${added.join(", ")}`);
    const headers = { authorization: `Bearer ${tokens.read}` };
    const lines = async (query: string) => {
      const response = await ask(`/api/v1/strategies/${id}/fills?format=csv${query}`, { headers });
      return { next: response.headers.get("x-next"), rows: (await response.text()).trimEnd().split("\r\n") };
    };
    const counted = await client.execute(`select count(*) from fills where strategy = '${id}'`);
    const { rows } = await lines("");
    expect(rows).toHaveLength(Number(counted.rows[0]?.[0]) + 1);
    expect(new Set(rows.map((row) => row.split(",")[2])).size).toBe(rows.length);
    expect(rows.filter((row) => row.startsWith("timestamp"))).toHaveLength(1);
    expect(rows[1]?.split(",").slice(12, 14)).toEqual(["kraken", "BTC/USDT"]);
    const turnsOf = async (query: string) => {
      const before = turns;
      await lines(query);
      return turns - before;
    };
    // Of four pages: others are answered between them.
    expect(await turnsOf("")).toBe((await turnsOf("&limit=7")) + 3);
    const page = await lines("&limit=7");
    expect(page.rows).toHaveLength(8);
    const second = await lines(`&limit=7&before=${page.next}`);
    expect(second.rows.slice(1)).toEqual(rows.slice(8, 15));
  });

  it("is the same from memory as from libSQL", async () => {
    const { store, id } = box;
    const tables: Tables = emptyTables();
    const all = { limit: 1000 };
    for (const order of await store.ordersOf(id, all)) tables.orders.set(order.clientId, order);
    for (const fill of await store.fillsOf(id, all)) tables.fills.set(fillKey(fill), fill);
    const events = [...(await store.eventsOf(id, all))].sort((a, b) => a.id - b.id);
    tables.events.push(...events.map(({ id: _, ...event }) => event));
    const memory = memoryHistoryStore(tables);
    const ids = async (from: HistoryStore, at: number) => ({
      orders: (await from.ordersOf(id, { limit: 5, before: { at } })).map(({ clientId }) => clientId),
      fills: (await from.fillsOf(id, { limit: 5, before: { at } })).map(({ tradeId }) => tradeId),
      events: (await from.eventsOf(id, { limit: 5, before: { at } })).map(({ message }) => message),
    });
    const middle = (await store.fillsOf(id, all))[4]?.at ?? 0;
    for (const at of [middle, middle + 1, middle - HOUR, 0, Number.MAX_SAFE_INTEGER])
      expect(await ids(memory, at)).toEqual(await ids(store, at));
  });
});

describe("comma-separated values", () => {
  it.each([
    ["a comma", "a,b", '"a,b"'],
    ["a quote", 'a"b', '"a""b"'],
    ["a line break", "a\nb", '"a\nb"'],
    ["a formula", "=1+1", "'=1+1"],
    ["a formula with a minus", "-A1", "'-A1"],
    ["a formula after a space", " =1+1", "' =1+1"],
    ["a formula in wide letters", "\uff1d1+1", "'\uff1d1+1"],
    ["a tab at the beginning", "\ta", '"\'\ta"'],
    ["a semicolon", "a;b", '"a;b"'],
    ["a formula after a semicolon", "a;=1+1", '"a;\'=1+1"'],
    ["a formula after a line break", "a\n@b", '"a\n\'@b"'],
    ["a negative number", "-1.5", "-1.5"],
    ["nothing", null, ""],
  ])("keep %s as text in one cell", (_name, value, output) => {
    expect(csv(["x"], [[value]])).toBe(`x\r\n${output}\r\n`);
  });
});
