import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { statement } from "../../src/storage/client/context.ts";
import { createMetricsStore, metricsQueries } from "../../src/storage/metrics.ts";
import { testApp } from "../support/app.ts";
import { root } from "../support/bundle.ts";
import { d } from "../support/grid.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

/** Samples by name and labels. */
function read(text: string): Readonly<Record<string, number>> {
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    samples.map((line) => [
      line.slice(0, line.lastIndexOf(" ")),
      Number(line.slice(line.lastIndexOf(" ") + 1)),
    ]),
  );
}

const metered = () => testApp({ realTime: false });

it("metrics report running strategies in Prometheus format to any token", async () => {
  const box = await metered();
  const { ask, tokens } = box;
  expect((await ask("/metrics")).status).toBe(401);
  const scrape = async () => {
    const response = await ask("/metrics", { headers: { authorization: `Bearer ${tokens.read}` } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return response.text();
  };
  const { id } = await runOperation<{ id: string }>(
    box.deps,
    "start_grid",
    gridInput({ lowerPrice: d("50000"), upperPrice: d("70000"), useOwnBase: false }),
  );
  const output = await scrape();
  const names = output.split("\n").filter((line) => line.startsWith("# TYPE"));
  expect(new Set(names).size).toBe(names.length);
  const samples = read(output);
  const grid = `{strategy="${id}",exchange="kraken",kind="sandbox",symbol="BTC/USDT"}`;
  const account = '{exchange="kraken",kind="sandbox"}';
  expect(samples).toMatchObject({
    'edgemaker_strategies{status="running"}': 1,
    'edgemaker_strategies{status="error"}': 0,
    [`edgemaker_strategy_open_orders${grid}`]: 3,
    [`edgemaker_strategy_missing_orders${grid}`]: 1,
    [`edgemaker_strategy_realized_profit${grid}`]: 0,
    [`edgemaker_failed_passes${account}`]: 0,
    [`edgemaker_lease_held${account}`]: 0,
    'edgemaker_orders{exchange="kraken",kind="sandbox",state="submitted"}': 3,
    edgemaker_fills_total: 0,
  });
  for (const name of ["pass_age_seconds", "pass_duration_seconds", "exchange_calls_today"])
    expect(samples[`edgemaker_${name}${account}`], name).toBeGreaterThanOrEqual(0);
  box.time.pass(90_000);
  expect(read(await scrape())[`edgemaker_pass_age_seconds${account}`]).toBeGreaterThanOrEqual(90);
  await box.context.client.execute("update accounts set stepped_at = stepped_at + 3600000");
  expect(read(await scrape())[`edgemaker_pass_age_seconds${account}`]).toBeGreaterThan(3000);
});

it.each([
  ["of a kind that this version does not know", "kind = 'martingale'"],
  ["stored by a newer version", "version = 99"],
])("metrics name a strategy %s and report the others", async (_what, change) => {
  const box = await metered();
  const start = (symbol: string) =>
    runOperation<{ id: string }>(box.deps, "start_grid", {
      exchange: "kraken",
      symbol,
      gridLevels: 4,
      orderSize: d("100"),
      useOwnBase: false,
      ...(symbol === "BTC/USDT"
        ? { lowerPrice: d("50000"), upperPrice: d("70000") }
        : { lowerPrice: d("2500"), upperPrice: d("3500") }),
    });
  const [known, other] = [await start("BTC/USDT"), await start("ETH/USDT")];
  await box.context.client.execute({ sql: `update strategies set ${change} where id = ?`, args: [other.id] });
  const response = await box.ask("/metrics", { headers: { authorization: `Bearer ${box.tokens.read}` } });
  expect(response.status).toBe(200);
  const output = await response.text();
  expect(output).toMatch(new RegExp(`^edgemaker_strategy_unreadable\\{strategy="${other.id}".*\\} 1$`, "m"));
  expect(output).toMatch(new RegExp(`^edgemaker_strategy_unreadable\\{strategy="${known.id}".*\\} 0$`, "m"));
  expect(output).toMatch(new RegExp(`^edgemaker_strategy_realized_profit\\{strategy="${known.id}"`, "m"));
  expect(output).not.toMatch(
    new RegExp(`^edgemaker_strategy_(realized_profit|missing_orders)\\{strategy="${other.id}"`, "m"),
  );
});

it("metrics queries read running strategies only, however long the history is", async () => {
  const { context } = await metered();
  for (const query of metricsQueries(context)) {
    const { sql, args } = statement(query);
    const { rows } = await context.client.execute({ sql: `explain query plan ${sql}`, args });
    const plan = rows.map((row) => String(row.detail)).join("\n");
    expect(plan).not.toMatch(/SCAN (events|fills|messages|strategies)/);
    expect(plan).not.toMatch(/SCAN orders(?! USING (COVERING )?INDEX orders_unsettled$)/m);
  }
  expect((await createMetricsStore(context).readings()).orders).toEqual([]);
});

it("metrics include everything that the dashboard queries", async () => {
  const box = await metered();
  const { ask, tokens } = box;
  const source = readFileSync(join(root, "src/metrics/operations/metrics.ts"), "utf8");
  const dashboard = JSON.parse(readFileSync(join(root, "deploy/grafana.json"), "utf8")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const requests = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const names = requests.flatMap((expr) => expr.match(/edgemaker_\w+/g) ?? []);
  expect(names.length).toBeGreaterThanOrEqual(requests.length);
  for (const name of new Set(names)) {
    const known = name.replace(/^edgemaker_/, "");
    expect(
      source.includes(`"${known}"`) || source.includes(`"${known.replace(/^strategy_/, "")}"`),
      name,
    ).toBe(true);
  }
  expect((await ask("/metrics", { headers: { authorization: `Bearer ${tokens.read}` } })).status).toBe(200);
});
