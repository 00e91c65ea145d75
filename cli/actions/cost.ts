import { createOperations } from "../../src/operations.ts";
import { readSettings, wholeFlag } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { fail } from "../terminal/refused.ts";
import { type GridUsage, monthOf, priceOf, unitsOf } from "./estimate.ts";
import { PLANS, PRICES_OF } from "./plans.ts";
import { openAnswering, remoteOf } from "./run-operation.ts";

/** Estimates the monthly price of the running grids on several hosting plans, from the last counted day. */
export async function estimateCost(values: Values): Promise<number> {
  const status = createOperations([]).find(({ name }) => name === "get_grid_status");
  if (!status) throw new Error("there is no operation get_grid_status");
  const settings = readSettings(values, process.env);
  const remote = await remoteOf(settings, values);
  const { ask, close } = await openAnswering(settings, remote);
  const answer = await ask(status, {}).finally(close);
  if (answer.status !== 200) return fail(answer, { remote });
  const grids = (answer.body as { strategies: readonly GridUsage[] }).strategies.filter(
    (grid) => grid.status !== "stopped",
  );
  const months = grids.map((grid) => ({ ...grid, month: monthOf(grid) }));
  const known = months.flatMap(({ month }) => (month ? [month] : []));
  const sum = (of: (month: (typeof known)[number]) => number) => known.reduce((all, one) => all + of(one), 0);
  const rows = { rowsRead: sum((one) => one.rowsRead ?? 0), rowsWritten: sum((one) => one.rowsWritten ?? 0) };
  const accounts = new Set(grids.map(({ exchange }) => exchange)).size;
  const perMinute = wholeFlag(values, "passes", { usual: 1, least: 1, most: 12 });
  const units = unitsOf(accounts, perMinute, rows);
  const isUnknown = known.some(({ rowsRead }) => rowsRead === null);
  return print(values, {
    pricesOf: PRICES_OF,
    ...(isUnknown ? { note: "a database file does not count rows, so the prices do not include them" } : {}),
    ...(known.length < months.length
      ? {
          uncounted: `${months.length - known.length}: ran for less than a minute today; try again later`,
        }
      : {}),
    month: { ...units, exchangeCalls: sum((one) => one.exchangeCalls) },
    grids: months.map(({ id, month }) => ({ id, ...month })),
    plans: PLANS.map((plan) => ({
      plan: plan.name,
      dollars: priceOf(plan, units) ?? "not within its limits",
    })),
  });
}
