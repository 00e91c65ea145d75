import { expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/database/file-connection.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import { createAgreementStore } from "../../../src/liquidity/store/store.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";
import { migrations } from "../../support/migrations.ts";

it("throws a StoreError without SQL if a read fails", async () => {
  const context = await openDatabase({
    client: fileConnection(":memory:"),
    local: virtualLocal(0).local,
    migrations,
    kind: "sandbox",
  });
  onTestFinished(() => context.client.close());
  await context.client.execute("drop table agreements");
  const failed: unknown = await createAgreementStore(context)
    .agreements()
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreError);
  expect((failed as StoreError).message).not.toMatch(/select|params/);
});
