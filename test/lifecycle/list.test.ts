import { describe, expect, it } from "vitest";
import { startedOfEach } from "./started.ts";

interface Listed {
  readonly strategies: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
  readonly totals: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
  readonly warnings: readonly string[];
}

/** Stores copies of a strategy; an expression over the number `i` is the value of a column. */
async function copyStrategy(
  { client }: Awaited<ReturnType<typeof startedOfEach>>["context"],
  id: string,
  count: number,
  others: Readonly<Record<string, string>>,
) {
  const { rows } = await client.execute("select name from pragma_table_info('strategies')");
  const columns = rows.map(({ name }) => String(name));
  const values = columns.map((name) => ({ request: "null", ...others })[name] ?? `"${name}"`);
  await client.execute(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})
     insert into strategies (${columns.map((name) => `"${name}"`).join(", ")})
     select ${values.join(", ")} from n, (select * from strategies where id = '${id}')`,
  );
}

const idsOf = ({ strategies }: Listed) => strategies.map(({ id }) => id);

describe("the list of strategies", () => {
  it("has one row of each kind, with the same fields", async () => {
    const { ask, ids, venue } = await startedOfEach();
    const { strategies, count } = await ask<Listed>("list_strategies");
    expect(count).toBe(4);
    expect(strategies.map(({ id, definition, mode }) => [id, definition, mode])).toEqual([
      [ids.grid, "grid", "simulated"],
      [ids.quote, "quote", "simulated"],
      [ids.own, "two-sided", "simulated"],
      [ids.paper, "quote", "paper"],
    ]);
    expect(new Set(strategies.map((row) => Object.keys(row).join())).size).toBe(1);
    const [grid, quote, own] = strategies;
    expect(grid?.capital).toBe("400");
    expect([grid?.capital, quote?.capital, own?.capital].map(Number)).toEqual([
      400,
      expect.closeTo(4000, -2),
      expect.closeTo(4000, -2),
    ]);
    const open = await venue("kraken").openOrders("BTC/USDT");
    expect(Number(grid?.openOrders) + Number(own?.openOrders)).toBe(open.length);
    expect(quote?.openOrders).toBe((await venue("mexc").openOrders("BTC/USDT")).length);
  });

  it("has the price, and the range of its levels or else its stop prices", async () => {
    const { ask, ids } = await startedOfEach();
    const config = { stopLossPrice: 51_000, takeProfitPrice: 66_000 };
    for (const id of [ids.quote, ids.own]) {
      const { planHash } = await ask<{ planHash: string }>("preview_edit", { id, config });
      await ask("edit_strategy", { id, config, planHash });
    }
    const { strategies } = await ask<Listed>("list_strategies");
    expect(strategies.map(({ lowerBound, upperBound }) => [lowerBound, upperBound])).toEqual([
      // Its stop loss at 50,000 is below its levels.
      ["57000", "63000"],
      ["51000", "66000"],
      ["51000", "66000"],
      [null, null],
    ]);
    for (const { price } of strategies) expect(Number(price)).toBeCloseTo(60_000, -4);
  });

  it.each([
    [{ definition: "grid" }, ["grid"]],
    [{ definition: "quote" }, ["quote", "paper"]],
    [{ definition: "two-sided" }, ["own"]],
    [{ definition: "strategy" }, ["own"]],
    [{ definition: "none" }, []],
    [{ exchange: "mexc" }, ["quote"]],
    [{ symbol: "ETH/USDT" }, []],
    [{ mode: "paper" }, ["paper"]],
    [{ mode: "simulated", exchange: "kraken" }, ["grid", "own"]],
    [{ status: "running" }, ["grid", "quote", "own", "paper"]],
    [{ status: "stopped" }, []],
  ] as const)("has only those that match %j", async (filter, names) => {
    const { ask, ids } = await startedOfEach();
    expect(idsOf(await ask<Listed>("list_strategies", filter))).toEqual(names.map((name) => ids[name]));
  });

  it("has stopped ones of every kind on request, in pages that a filter leaves full", async () => {
    const { ask, ids } = await startedOfEach();
    await ask("stop_strategy", { id: ids.quote });
    await ask("stop_strategy", { id: ids.grid });
    await ask("stop_strategy", { id: ids.own });
    expect(idsOf(await ask<Listed>("list_strategies"))).toEqual([ids.paper]);
    const newest = [ids.own, ids.quote, ids.grid];
    expect(idsOf(await ask<Listed>("list_strategies", { status: "stopped" }))).toEqual(newest);
    const first = await ask<Listed>("list_strategies", { stopped: true, limit: 2, exchange: "kraken" });
    expect(idsOf(first)).toEqual([ids.paper, ids.own]);
    const { next: before } = first;
    const second = await ask<Listed>("list_strategies", {
      stopped: true,
      limit: 2,
      exchange: "kraken",
      before,
    });
    expect([idsOf(second), second.next]).toEqual([[ids.grid], null]);
    const all = await ask<Listed>("list_strategies", { stopped: true });
    expect(all).toMatchObject({ count: 4, next: null });
  });

  it("reads ten pages at most for a filter that nothing matches, and says where to go on", async () => {
    const { ask, ids, time } = await startedOfEach();
    const grid = { exchange: "mexc", symbol: "BTC/USDT", gridLevels: 4, orderSize: 100 };
    for (const id of Object.values(ids)) await ask("stop_strategy", { id });
    for (let more = 0; more < 8; more++) {
      time.pass(1000);
      const input = { ...grid, lowerPrice: 57_000, upperPrice: 63_000 };
      await ask("stop_strategy", { id: (await ask<{ id: string }>("start_grid", input)).id });
    }
    const none = { stopped: true, limit: 1, symbol: "ETH/USDT" };
    const first = await ask<Listed>("list_strategies", none);
    const tenth = idsOf(await ask<Listed>("list_strategies", { stopped: true }))[9];
    expect([first.count, first.next]).toEqual([0, String(tenth).split("-").at(-1)]);
    const rest = await ask<Listed>("list_strategies", { ...none, before: first.next });
    expect([rest.count, rest.next]).toEqual([0, null]);
  });

  it("has at most 1,000 running ones at once, newest first, and names the rest", async () => {
    const { ask, ids, context } = await startedOfEach();
    await copyStrategy(context, ids.grid, 1100, { id: "'copy-' || i", number: "1000 + i" });
    const first = await ask<Listed>("list_strategies");
    expect([first.count, first.warnings]).toEqual([
      1000,
      ["more than 1000 strategies run: only the newest 1000 are listed"],
    ]);
    const { next: before } = first;
    const rest = await ask<Listed>("list_strategies", { before, limit: 1000 });
    expect([rest.next, rest.warnings]).toEqual([null, []]);
    const listed = [...idsOf(first), ...idsOf(rest)];
    expect(new Set(listed).size).toBe(1104);
    expect(listed.slice(0, 4)).toEqual([ids.paper, ids.own, ids.quote, ids.grid]);
    const quotes = await ask<Listed>("list_strategies", { definition: "quote" });
    expect(idsOf(quotes)).toEqual([ids.quote, ids.paper]);
  });

  it("reads the same for many stopped strategies as for none", async () => {
    const { ask, ids, context } = await startedOfEach();
    let statements = 0;
    const { client } = context;
    const batch = client.batch.bind(client);
    client.batch = (all, ...more) => {
      statements += all.length;
      return batch(all, ...more);
    };
    const readsOf = async (...inputs: readonly object[]) => {
      statements = 0;
      for (const input of inputs) await ask("list_strategies", input);
      return statements;
    };
    const inputs = [{}, { definition: "quote" }, { limit: 10 }];
    const before = await readsOf(...inputs);
    expect(before).toBeGreaterThan(0);
    const past = { id: "'past-' || i", number: "1000 + i", status: "'stopped'" };
    await copyStrategy(context, ids.grid, 2000, past);
    expect(await readsOf(...inputs)).toBe(before);
  });

  it("leaves out what only another version can read, and says so here and in its status", async () => {
    const { ask, ids, context } = await startedOfEach();
    await context.client.execute(`update strategies set version = 99 where id = '${ids.quote}'`);
    const { strategies, warnings } = await ask<Listed>("list_strategies");
    expect(strategies.map(({ id }) => id)).not.toContain(ids.quote);
    expect(strategies).toHaveLength(3);
    expect(warnings).toEqual([
      `1 strategy is left out, because another version of edgemaker stored it: ${ids.quote}`,
    ]);
    await expect(ask("get_strategy", { id: ids.quote })).rejects.toThrow(
      `${ids.quote} was stored by another version of edgemaker, which this one cannot read; use that version`,
    );
  });

  it("has totals by quote asset and mode that are the sums of its rows", async () => {
    const { ask } = await startedOfEach();
    const { strategies, totals } = await ask<Listed>("list_strategies");
    expect(totals).toMatchObject([
      { quote: "USDT", mode: "simulated", count: 3 },
      { quote: "USDT", mode: "paper", count: 1 },
    ]);
    const simulated = strategies.filter(({ mode }) => mode === "simulated");
    for (const field of ["totalProfit", "profit", "capital", "holdingProfit"]) {
      const sum = simulated.reduce((total, row) => total + Number(row[field]), 0);
      expect([field, Number(totals[0]?.[field])]).toEqual([field, expect.closeTo(sum, 6)]);
    }
  });
});
