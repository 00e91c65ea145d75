import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { expect, it } from "vitest";
import { DAY } from "../../src/kernel/time.ts";
import { besideServer } from "../support/beside.ts";
import { BY } from "../support/by.ts";
import { canaryKek } from "../support/canary.ts";
import { edgemaker } from "../support/command.ts";
import { testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

it("edgemaker db prune moves old events into yearly files, and their hash chain stays valid", async () => {
  const folder = tempFolder();
  const url = `file:${join(folder, "trade.db")}`;
  const { store, time, context } = await testSandbox({ url, start: Date.UTC(2023, 11, 1) });
  for (let i = 0; i < 12; i++) {
    await store.addToken({ id: `tok_${i}`, name: "", scope: "read", expiresAt: null, hash: `${i}` }, BY);
    time.pass(5 * DAY);
  }
  context.client.close();
  const run = (...words: string[]) =>
    edgemaker(folder, [...words, "--db", url, "--sandbox", "--json"], { EDGEMAKER_KEK: canaryKek("a") });
  const files = () => readdirSync(folder).filter((name) => /^trade-\d+\.db$/.test(name));

  const late = await run("db", "prune", "--before", "2999-01-01");
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining("too late") });
  const dry = await run("db", "prune", "--before", "2024-01-20", "--dry-run");
  expect(JSON.parse(dry.stdout)).toMatchObject({
    dryRun: true,
    archives: [
      { year: 2023, events: 7, orders: 0, samples: 0 },
      { year: 2024, events: 3 },
    ],
  });
  expect(files()).toEqual([]);

  const moved = await run("db", "prune", "--before", "2024-01-20");
  expect(JSON.parse(moved.stdout)).toMatchObject({ events: "10 moved, signed by checkpoint 1" });
  expect(files()).toEqual(["trade-2023.db", "trade-2024.db"]);
  expect(statSync(join(folder, "trade-2023.db")).mode & 0o777).toBe(0o600);
  const verdict = JSON.parse((await run("audit", "verify")).stdout);
  expect(verdict).toMatchObject({ intact: true, faults: [] });

  const old = createClient({ url: `file:${join(folder, "trade-2024.db")}` });
  const { rows } = await old.execute("select seq, hash from events order by seq");
  old.close();
  const main = besideServer(url);
  const [mark] = JSON.parse(String((await main.execute("select marks from checkpoints")).rows[0]?.[0])) as {
    from: number;
    before: string;
  }[];
  const kept = await main.execute("select min(seq) from events");
  main.close();
  const last = rows.find((row) => Number(row.seq) === (mark?.from ?? 0) - 1);
  expect(last?.hash).toBe(mark?.before);
  expect(Number(kept.rows[0]?.[0])).toBe(mark?.from);
  expect(existsSync(join(folder, "trade-2022.db"))).toBe(false);

  const again = await run("db", "prune", "--before", "2024-01-20");
  expect(JSON.parse(again.stdout)).toMatchObject({ events: "no event is old enough", archives: [] });
});
