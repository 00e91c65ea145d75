import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { passProblemsWatch } from "../../../../src/grid/operations/status.ts";
import { readMetrics } from "../../../../src/metrics/operations/metrics.ts";
import { newUse } from "../../../../src/model/limits.ts";
import type { StrategyFilter, StrategyView } from "../../../../src/ports/stores/store.ts";
import { checkAlarms } from "../../../../src/report/operations/alarm-checks.ts";
import { BY } from "../../../support/by.ts";
import { d } from "../../../support/grid.ts";
import { runOperation, testSandbox } from "../../../support/sandbox.ts";
import { type Sqld, startSqld } from "../../../support/sqld.ts";
import { started } from "./rows.ts";

const [ACCOUNTS, EACH] = [100, 20];
const SLOTS = 10;
const ALL = ACCOUNTS * EACH;
const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: d("57000"),
  upperPrice: d("63000"),
  gridLevels: 20,
  orderSize: d("100"),
};

/** One grid as often as is asked, each stopped one as long as those that run: more than a server tells at once. */
async function many(url?: string) {
  const box = await testSandbox(url ? { url } : {});
  const { client } = box.context;
  const { id } = await runOperation<{ id: string }>(box.deps, "start_grid", GRID);
  const copied = async (table: string, others: Readonly<Record<string, string>>, from: string) => {
    const { rows } = await client.execute(`select name from pragma_table_info('${table}')`);
    const columns = rows.map(({ name }) => String(name));
    await client.execute(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${ALL - 1})
       insert or ignore into ${table} (${columns.map((name) => `"${name}"`).join(", ")})
       select ${columns.map((name) => others[name] ?? `"${name}"`).join(", ")} from n, (select * from ${from})`,
    );
  };
  const account = `printf('sandbox:x%03d:', i % ${ACCOUNTS})`;
  await copied("accounts", { account }, "accounts where account = 'sandbox:kraken:'");
  const grid = `strategies where id = '${id}'`;
  const others = { account, request: "null" };
  await copied("strategies", { ...others, id: "printf('r%04d', i)", number: "10000 + i" }, grid);
  const past = { id: "'s' || i", number: "1000 + i", status: "'stopped'" };
  await copied("strategies", { ...others, ...past }, grid);
  const order = "(select * from orders limit 1)";
  const resting = { account, exchange_id: "null", strategy: "printf('r%04d', i)" };
  for (let slot = 0; slot < SLOTS; slot++)
    await copied("orders", { ...resting, client_id: `'o' || i || ' ${slot}'`, slot: `${slot}` }, order);
  return { ...box, id };
}

const idsOf = (views: readonly StrategyView[]) => views.map(({ strategy }) => strategy.id);
const RUNNING = Array.from({ length: ALL }, (_, i) => `r${String(i).padStart(4, "0")}`);

describe.each(["a file", "a server"])("two thousand strategies of a hundred accounts, on %s", (where) => {
  let sqld: Sqld | undefined;
  let box: Awaited<ReturnType<typeof many>>;
  beforeAll(async () => {
    sqld = where === "a server" ? await startSqld() : undefined;
    box = await many(sqld?.url);
  });
  afterAll(() => sqld?.stop());

  it("are listed completely and once, oldest first, each with the state of its account", async () => {
    const views = await box.store.strategies({ stopped: false });
    expect(idsOf(views)).toEqual([...RUNNING, box.id]);
    expect(new Set(views.map(({ memory }) => memory.turn))).toEqual(new Set([0]));
    expect(views.every(({ steppedAt, now }) => steppedAt !== null && now >= steppedAt)).toBe(true);
    expect(views.map(({ openOrders }) => openOrders)).toEqual([...RUNNING.map(() => SLOTS), 20]);
    expect(new Set(views.map(({ strategy }) => strategy.state.slots.length))).toEqual(new Set([20]));
  });

  it("are listed newest first in pages, stopped ones included", async () => {
    const ask = async (filter: StrategyFilter) => idsOf(await box.store.strategies(filter));
    const newest = [box.id, ...RUNNING.toReversed()];
    expect(await ask({ stopped: false, page: { limit: 500 } })).toEqual(newest.slice(0, 500));
    expect(await ask({ page: { limit: 1000, before: 10_010 } })).toEqual([
      ...newest.slice(-10),
      ...Array.from({ length: 990 }, (_, i) => `s${ALL - 1 - i}`),
    ]);
    expect(await ask({ stopped: false, kind: "quote" })).toEqual([]);
    expect(await ask({ stopped: false, kind: "grid", account: "sandbox:x007:" })).toEqual(
      RUNNING.filter((_, i) => i % ACCOUNTS === 7),
    );
  });

  it("have their orders listed completely and once, and those of one account alone", async () => {
    const orders = await box.store.unsettledOrders();
    expect(new Set(orders.map(({ account, clientId }) => `${account} ${clientId}`)).size).toBe(orders.length);
    expect(orders).toHaveLength(SLOTS * ALL + 20);
    const accounts = orders.map(({ account }) => account);
    expect(accounts).toEqual(accounts.toSorted());
    expect(await box.store.unsettledOrders("sandbox:x099:")).toEqual(
      orders.filter(({ account }) => account === "sandbox:x099:"),
    );
    const { use } = await costOf(box, () => box.store.unsettledOrders());
    // Of the account in which a part ends some are looked at again.
    if (where === "a server") expect(use.rowsRead).toBeLessThan(3 * SLOTS * ALL);
  });

  it("are supervised, measured and reported", async () => {
    const { deps } = box;
    await checkAlarms(deps);
    const { rows } = await box.context.client.execute("select count(*) from strategy_days");
    expect(Number(rows[0]?.[0])).toBe(ALL + 1);
    const text = (await readMetrics(deps, "1")) ?? "";
    expect(text.match(/^edgemaker_strategy_position\{/gm)).toHaveLength(ALL + 1);
    for (const name of ["list_grids", "get_grid_status"])
      expect(await runOperation(deps, name, { stopped: false })).toMatchObject({ count: ALL + 1 });
    expect(await runOperation(deps, "list_strategies", { definition: "quote" })).toMatchObject({ count: 0 });
    expect(await passProblemsWatch(deps)()).toBeUndefined();
  });

  it("cost no row read for stopped ones, and few requests", async () => {
    // As a process that has read none of them.
    const { strategies: readAnew } = createStore(box.context);
    const { use, requests } = await costOf(box, () => readAnew({ stopped: false }));
    expect(use.databaseRequests).toBeLessThanOrEqual(6);
    // Of each its length, its account beside that, itself and its orders: as few for every one more as for one.
    if (where === "a server") expect(use.rowsRead).toBeLessThan((8 + SLOTS) * ALL);
    const looks = (await Promise.all(requests.map((one) => looksOf(box, one)))).flat();
    const endless = looks.filter((look) => /SCAN (strategies|accounts|orders)/.test(look));
    expect(endless.filter((look) => !/USING (COVERING )?INDEX strategies_running$/.test(look))).toEqual([]);
    expect(looks).toContain("SEARCH strategies USING INDEX strategies_running ((account,number)>(?,?))");
    expect(looks).not.toContain("USE TEMP B-TREE FOR ORDER BY");
  });
});

describe("a panic over them, on a server", () => {
  it("requests every one to stop, and reports all that have not stopped", async () => {
    const sqld = await startSqld();
    const box = await many(sqld.url);
    // As a person does, it repeats the request while a slow database has not written the switch within a second.
    const panic = (): Promise<{ grids: { status: string }[]; message: string }> =>
      runOperation<{ grids: { status: string }[]; message: string }>(box.deps, "set_kill_switch", {
        on: true,
        stop: true,
      }).catch((error: unknown) => {
        if (!/is not written yet/.test(String(error))) throw error;
        return panic();
      });
    const result = await panic();
    expect(result.grids.filter(({ status }) => status === "running")).toHaveLength(ALL);
    expect(result.message).toMatch(
      /; 2000 strategies are not stopped yet, 20000 orders could still be open; this process has no/,
    );
    const { rows } = await box.context.client.execute(
      "select wants, status, count(*) from strategies group by 1, 2",
    );
    expect(rows.map((row) => [...Object.values(row)].slice(0, 3))).toEqual([
      ["run", "stopped", ALL],
      ["stop", "running", ALL],
      ["stop", "stopped", 1],
    ]);
    expect(await box.deps.store.createStrategy(started(), BY)).toBeUndefined();
    await sqld.stop();
  });
});

type Box = Awaited<ReturnType<typeof many>>;

/** What is sent to the database, and what that costs there. */
async function costOf({ context: { client } }: Box, ask: () => Promise<unknown>) {
  const { execute, batch } = client;
  const [use, requests] = [newUse(), [] as { sql: string; args: [] }[]];
  const counting: Pick<typeof client, "execute" | "batch"> = {
    execute(statement) {
      requests.push(statement as never);
      return execute(statement, use);
    },
    batch(statements, mode) {
      requests.push(...(statements as never[]));
      return batch(statements, mode, use);
    },
  };
  Object.assign(client, counting);
  await ask();
  Object.assign(client, { execute, batch });
  return { use, requests };
}

async function looksOf({ context: { client } }: Box, { sql, args }: { sql: string; args: [] }) {
  const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args });
  return rows.map(({ detail }) => String(detail));
}
