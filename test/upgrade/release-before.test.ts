import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { createOperations } from "../../src/operations.ts";
import { auditBooks } from "../support/audit.ts";
import { root } from "../support/bundle.ts";
import { EXCHANGES, runOperation, testSandbox } from "../support/sandbox.ts";
import { makeFolder } from "../support/temp.ts";

/**
 * A sandbox's database as the first release left it (commit 3a5b3a7), a day and a half after seven grids were
 * started there, and what that release said of them. Its last word to the exchange was a cancel that got no answer.
 */
const fixture = (name: string) => readFileSync(join(root, "test/upgrade", name));

interface Before {
  readonly now: number;
  readonly ids: Readonly<
    Record<"running" | "trailing" | "centered" | "paused" | "stopped" | "failed" | "stopping", string>
  >;
  readonly strategies: readonly { readonly id: string; readonly [field: string]: unknown }[];
  /** Client ids of what rests, per exchange. */
  readonly open: Readonly<Record<string, readonly string[]>>;
}

const before = JSON.parse(String(fixture("release-before.json"))) as Before;
const folder = makeFolder();
let box: Awaited<ReturnType<typeof testSandbox>>;

const ask = async <T>(name: string, input: object): Promise<T> => {
  const operation = createOperations(EXCHANGES).find((one) => one.name === name);
  return runOperation<T>(box.deps, name, operation?.input.parse(input) as object);
};

const statuses = async () => {
  const { strategies } = await ask<{ strategies: Before["strategies"] }>("get_grid_status", {
    stopped: true,
  });
  return new Map(strategies.map((one) => [one.id, one]));
};

const audits = () => Promise.all(EXCHANGES.map((exchange) => auditBooks(box.context, exchange)));

const openOn = async () =>
  Object.fromEntries((await audits()).map(({ exchange, open }) => [exchange, [...open].sort()]));

async function pass(minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left--) {
    box.time.pass(MINUTE);
    for (const { outcome } of await runRound(box.deps)) expect(["stepped", "short"]).toContain(outcome);
  }
}

beforeAll(async () => {
  const file = join(folder.path, "sandbox.db");
  writeFileSync(file, gunzipSync(fixture("release-before.db.gz")));
  box = await testSandbox({ url: `file:${file}`, start: before.now, isOld: true });
});

afterAll(() => {
  box.context.client.close();
  folder.remove();
});

it("an upgrade leaves each grid, each ledger and each order unchanged", async () => {
  const now = await statuses();
  expect(now.size).toBe(before.strategies.length);
  for (const result of before.strategies) expect(now.get(result.id)).toMatchObject(result);
  expect(await openOn()).toEqual(before.open);
});

it("after an upgrade, stopping grids finish, and failed and paused ones stay as they are", async () => {
  await pass(3);
  const { paused, stopped, failed, stopping, running, trailing, centered } = before.ids;
  const now = await statuses();
  expect(now.get(stopping)).toMatchObject({ status: "stopped", openOrders: 0 });
  expect(now.get(stopped)).toMatchObject({ status: "stopped", openOrders: 0 });
  expect(now.get(failed)).toMatchObject({ status: "error", openOrders: 3 });
  expect(now.get(paused)).toMatchObject({ status: "running", phase: "paused" });
  for (const id of [running, trailing, centered])
    expect(now.get(id)).toMatchObject({ status: "running", phase: "active" });
});

it("after an upgrade, running grids place each order once, and their ledger matches the account", async () => {
  const { paused, failed, running, trailing, centered } = before.ids;
  for (const id of [paused, failed]) await ask("resume_strategy", { id });
  await pass(3 * 60);
  const now = await statuses();
  const filled = (id: string) => now.get(id)?.filledOrders as number;
  const filledBefore = (id: string) => before.strategies.find((one) => one.id === id)?.filledOrders as number;
  for (const id of [paused, failed, running, trailing, centered]) {
    expect(now.get(id)).toMatchObject({ status: "running", phase: "active", lastError: null });
    expect(filled(id)).toBeGreaterThanOrEqual(filledBefore(id));
  }
  expect([running, trailing, centered].filter((id) => filled(id) > filledBefore(id))).not.toEqual([]);
  for (const audit of await audits())
    expect(audit).toMatchObject({ withoutIntent: [], twice: [], unbooked: [], differences: [] });
});
