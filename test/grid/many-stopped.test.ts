import { expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { createStore } from "../../src/adapters/libsql/store.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { bearer } from "../contract/suite.ts";
import { appOver } from "../support/app.ts";
import { GRID, REQUEST } from "../support/grid.ts";
import { migrations } from "../support/migrations.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { startSqld } from "../support/sqld.ts";
import { previews } from "../support/starts.ts";

/** The service over a libSQL server, which tells how many rows each question has read. */
async function counted() {
  const database = await startSqld();
  onTestFinished(() => database.stop());
  const read = { rows: 0, requests: 0 };
  const counting: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const text = await answer.text();
    read.requests++;
    for (const [, rows] of text.matchAll(/"rows_read":(\d+)/g)) read.rows += Number(rows);
    return new Response(text, answer);
  };
  const box = await testSandbox({ realTime: true });
  const context = await openDatabase({
    client: { url: database.url, fetch: counting },
    local: nodeLocal,
    migrations,
    kind: "sandbox",
  });
  const deps: Deps = { ...box.deps, store: createStore(context) };
  const app = await appOver(deps);
  const ask = async (path: string) => (await app.ask(path, { headers: bearer(app.tokens.admin) })).json();
  return { deps, context, read, ask };
}

/** Rows and requests of one question. */
async function costOf({ read }: Awaited<ReturnType<typeof counted>>, question: () => Promise<unknown>) {
  const before = { ...read };
  await question();
  return { rows: read.rows - before.rows, requests: read.requests - before.requests };
}

it("ten thousand stopped grids cost no more than ten", async () => {
  const service = await counted();
  const { deps, context, ask } = service;
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
  const stopped = async (from: number, to: number) =>
    context.client.execute(
      `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})
       insert into strategies (id, number, account, symbol, config, state, wants, keep_orders, status, phase, started_at, stopped_at, epoch)
       select 'old-' || i, i, account, symbol, config, state, 'stop', 0, 'stopped', 'done', started_at, started_at, epoch from n, strategies where id = '${id}'`,
    );
  const questions = {
    status: () => ask("/api/v1/strategy/grid/status"),
    one: () => ask(`/api/v1/strategy/grid/status?id=${id}`),
    page: () => ask("/api/v1/strategy/grid/status?stopped=true&limit=5"),
    list: () => ask("/api/v1/strategy/grid/list"),
    preview: () => runOperation(deps, ...previews("grid", REQUEST)),
    due: () => deps.store.due(),
  };
  const costs = async () => {
    const found: Record<string, unknown> = {};
    for (const [name, question] of Object.entries(questions)) found[name] = await costOf(service, question);
    return found;
  };
  await stopped(1, 11);
  const few = await costs();
  await stopped(11, 10_001);
  expect(await costs()).toEqual(few);
  expect((await questions.status()).strategies.map((one: { id: string }) => one.id)).toEqual([id]);
});

it("stopped grids are listed newest first, page by page, each once", async () => {
  const { deps, context, ask } = await counted();
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
  await context.client.execute(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 7)
     insert into strategies (id, number, account, symbol, config, state, wants, keep_orders, status, phase, started_at, stopped_at, epoch)
     select 'old-' || i, i, account, symbol, config, state, 'stop', 0, 'stopped', 'done', started_at, started_at, epoch from n, strategies where id = '${id}'`,
  );
  const found: string[] = [];
  for (let next = ""; ; ) {
    const page = await ask(`/api/v1/strategy/grid/status?stopped=true&limit=3${next && `&before=${next}`}`);
    found.push(...page.strategies.map((one: { id: string }) => one.id));
    if (page.next === null) break;
    next = page.next;
  }
  expect(found).toEqual([id, ...[7, 6, 5, 4, 3, 2, 1].map((number) => `old-${number}`)]);
});
