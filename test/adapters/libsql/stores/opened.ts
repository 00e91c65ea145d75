import { createClient } from "@libsql/client";
import { openDatabase } from "../../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../../support/local.ts";
import { migrations } from "../../../support/migrations.ts";

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000;

/** A database of its own in memory, with every migration, and a clock that moves only when told. */
export async function opened() {
  const time = virtualLocal(START);
  const client = createClient({ url: "file::memory:", concurrency: 1 });
  const context = await openDatabase({
    client,
    local: time.local,
    migrations,
    kind: "sandbox",
    clock: time.now,
  });
  return { context, time };
}
