import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { expect, it } from "vitest";
import { shock } from "../../src/adapters/libsql/sandbox-books.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { carryOver, copyInto } from "../../src/storage/client/backup.ts";
import { auditSandbox, CLEAN } from "../support/audit.ts";
import { GRID } from "../support/grid.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

type Box = Awaited<ReturnType<typeof testSandbox>>;

/** The price goes up and down through the whole grid, so that every slot has new orders. */
async function trade({ deps, time, context }: Box): Promise<void> {
  for (const factor of [1.08, 1 / 1.08, 1 / 1.08, 1.08]) {
    time.pass(20_000);
    await shock(context, { symbol: "BTC/USDT", factor, at: time.now() });
    for (let pass = 0; pass < 4; pass++) {
      time.pass(20_000);
      await runRound(deps);
    }
  }
}

it("a backup restored twice never reuses an order id", async () => {
  const folder = tempFolder();
  const backup = join(folder, "backup.db");
  let box = await testSandbox({ url: `file:${join(folder, "0.db")}` });
  await runOperation(box.deps, "start_grid", GRID);
  await trade(box);
  await copyInto(box.context.client, backup);
  await trade(box);

  for (const name of ["1.db", "2.db"]) {
    const file = join(folder, name);
    copyFileSync(backup, file);
    await carryOver(box.context.client, file);
    box = await testSandbox({ url: `file:${file}`, start: box.time.now() });
    await box.store.nextEpoch();
    await runRound(box.deps);
    await trade(box);
  }
  const [view] = await box.store.strategies({});
  expect(view?.strategy).toMatchObject({ status: "running", lastError: null });
  const audit = await auditSandbox(createClient({ url: `file:${join(folder, "2.db")}` }), "kraken");
  expect({ ...audit, open: [] }).toMatchObject(CLEAN);
});
