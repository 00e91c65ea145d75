import { createClient } from "@libsql/client";
import { expect, it, onTestFinished } from "vitest";
import { edgeDatabase } from "../support/edge.ts";
import { fireCron } from "../support/edge-live.ts";
import { eachMigration } from "../support/migrations.ts";
import { startWorker } from "../support/worker.ts";

it("a Worker refuses a database of another version with the way back, and places and cancels nothing", async () => {
  const { settings, url, deps, close } = await edgeDatabase({ EDGEMAKER_SANDBOX: "1" });
  onTestFinished(close);
  const client = createClient({ url });
  const last = eachMigration.at(-1)?.name ?? "";
  const stateOf = async () =>
    JSON.stringify((await client.execute("select * from accounts, control order by account")).rows);
  const before = await stateOf();
  const asked = async () => {
    const worker = await startWorker(settings, {});
    try {
      await fireCron(worker, Date.UTC(2026, 0, 1));
      const headers = { authorization: `Bearer ${settings.EDGEMAKER_TOKEN}` };
      const response = await worker.dispatchFetch("http://localhost/api/v1/strategy/grid/status", {
        headers,
      });
      return { status: response.status, text: await response.text() };
    } finally {
      await worker.dispose();
    }
  };
  await client.execute("insert into migrations (name, applied_at) values ('9999_later.sql', 1)");
  const newer = await asked();
  expect(newer.text).toContain(
    "a newer edgemaker migrated this database (to 9999_later.sql); deploy the newer version again, or restore an older backup",
  );
  expect(newer.status).toBe(500);
  await client.execute({ sql: "delete from migrations where name in ('9999_later.sql', ?)", args: [last] });
  const older = await asked();
  expect(older.text).toContain(`and this version needs ${last}; run`);
  expect(older.status).toBe(500);
  expect(await stateOf()).toBe(before);
  await client.execute({ sql: "insert into migrations (name, applied_at) values (?, 1)", args: [last] });
  expect((await asked()).status).toBe(200);
  expect(await deps.store.killed()).toBe(false);
});
