import { join } from "node:path";
import { createClient } from "@libsql/client";
import { expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { openDatabase } from "../../../src/adapters/libsql/client/open.ts";
import { migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

/** SQLite's own numbers: with FULL a commit is on the disk before it is told, with NORMAL it may not be. */
const [NORMAL, FULL] = [1, 2];

it.each([
  ["live", FULL],
  ["sandbox", NORMAL],
] as const)("commits to a file for a %s exchange wait for the disk as they have to", async (kind, mode) => {
  const client = createClient({ url: `file:${join(tempFolder(), "store.db")}`, concurrency: 1 });
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind });
  onTestFinished(() => context.client.close());
  const { rows } = await context.client.execute("pragma synchronous");
  expect(rows[0]?.[0]).toBe(mode);
});
