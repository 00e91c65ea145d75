import { expect, it, onTestFinished } from "vitest";
import { TOKENS } from "../support/app.ts";
import { edgeDatabase } from "../support/edge.ts";
import { fireCron, liveAccounts } from "../support/edge-live.ts";
import { runOperation } from "../support/sandbox.ts";
import { eventually } from "../support/server.ts";
import { startWorker } from "../support/worker.ts";

const MINUTE = 60_000;

it("the cron checks account types and key rights once, and status reports them", async () => {
  const accounts = await liveAccounts(1, { unified: true });
  const { gateio, kraken, bitget } = accounts.venues;
  gateio.grant({ withdraw: true });
  const database = await edgeDatabase(accounts.settings);
  const said: unknown[] = [];
  const worker = await startWorker(database.settings, { onLog: ({ message }) => said.push(message) });
  onTestFinished(async () => {
    await worker.dispose();
    await database.close();
    await accounts.close();
  });
  let minute = Date.UTC(2026, 0, 1);
  const cron = async () => {
    minute += MINUTE;
    await fireCron(worker, minute);
  };
  // A cron that takes long leaves some for the next one.
  await eventually(
    async () => {
      await cron();
      return [gateio, kraken].map((venue) => venue.count("permissions"));
    },
    (counts) => counts.every((count) => count > 0),
  );
  for (let more = 0; more < 2; more++) await cron();
  for (const venue of [gateio, kraken]) expect(venue.count("permissions"), venue.name).toBe(1);
  const line = "the keys of gateio can withdraw; create keys that can only read and trade";
  await expect.poll(() => said.filter((one) => one === line)).toHaveLength(1);
  // Of which kind an account is was found out by the first to ask, in whatever invocation.
  const headers = { authorization: `Bearer ${TOKENS.read}` };
  for (const { name } of [gateio, bitget]) {
    const answer = await worker.dispatchFetch(`http://localhost/api/v1/balance?exchange=${name}`, {
      headers,
    });
    expect((await answer.json()) as object, name).toMatchObject({ balances: expect.any(Array) });
  }
  expect([gateio.count("kind"), bitget.count("kind")]).toEqual([1, 1]);
  const { warnings } = await runOperation<{ warnings: string[] }>(database.deps, "get_grid_status", {});
  expect(warnings).toEqual([line]);
});
