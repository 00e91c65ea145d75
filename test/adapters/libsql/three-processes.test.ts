import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { bundleScript, runNode } from "../../support/bundle.ts";
import { connectionTo } from "../../support/connection.ts";
import { inWaves } from "../../support/in-waves.ts";
import { tempFolder } from "../../support/temp.ts";

const open = (url: string) => safeClient(connectionTo(url), nodeLocal);

describe("the safe client", () => {
  it("loses no write of three processes that write at once", async () => {
    const url = `file:${join(tempFolder(), "shared.db")}`;
    const client = await open(url);
    await client.batch(
      [
        "create table counter (n integer)",
        "insert into counter values (0)",
        "create table written (pid integer, place integer, primary key (pid, place))",
      ],
      "write",
    );
    const script = await bundleScript("writer");
    const each = 600;
    const others = [1, 2].map(() => runNode(process.execPath, [script, url, String(each)]));
    const own = Array.from(
      { length: each },
      (_, place) => () =>
        client.batch(
          [
            { sql: "update counter set n = n + 1", args: [] },
            { sql: "insert into written values (0, ?)", args: [place] },
          ],
          "write",
        ),
    );
    await Promise.all([...others, inWaves(own, 5)]);
    const counted = await client.execute("select (select n from counter), (select count(*) from written)");
    client.close();
    const [sum, rows] = [Number(counted.rows[0]?.[0]), Number(counted.rows[0]?.[1])];
    expect([sum, rows]).toEqual([3 * each, 3 * each]);
  });

  it("writes all of a batch or none of it, and names the violated constraint", async () => {
    const client = await open("file::memory:");
    await client.execute("create table one (id integer primary key)");
    const twice = client.batch(["insert into one values (1)", "insert into one values (1)"], "write");
    await expect(twice).rejects.toSatisfy(
      (error) => error instanceof StoreError && error.failure === "constraint",
    );
    expect((await client.execute("select count(*) from one")).rows[0]?.[0]).toBe(0);
  });
});
