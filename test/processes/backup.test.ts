import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

describe("edgemaker db", () => {
  const made = async () => {
    const folder = tempFolder();
    const run = (words: readonly string[], db = "trade.db") =>
      edgemaker(folder, [...words, "--db", `file:${join(folder, db)}`, "--sandbox"]);
    await run(["kill", "on"]);
    expect(await run(["db", "backup", "whole.db"])).toMatchObject({ code: 0 });
    const bytes = () => readFileSync(join(folder, "trade.db"));
    return { folder, run, bytes };
  };

  it("backs up only an existing database, and overwrites nothing", async () => {
    const { folder, run } = await made();
    const before = readFileSync(join(folder, "whole.db"));
    const again = await run(["db", "backup", "whole.db"]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
    expect(await run(["db", "backup", "absent/copy.db"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the folder ${join(folder, "absent")} does not exist; create it`),
    });
    expect(readFileSync(join(folder, "whole.db"))).toEqual(before);
    const none = await run(["db", "backup", "other.db"], "none.db");
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no database") });
    expect(readdirSync(folder).filter((name) => /none|other|partial/.test(name))).toEqual([]);
  });

  it("rejects a file that is no backup, and leaves the database unchanged", async () => {
    const { folder, run, bytes } = await made();
    writeFileSync(
      join(folder, "text.db"),
      "these are no pages of a database, but quite a lot of text".repeat(100),
    );
    await createClient({ url: `file:${join(folder, "strange.db")}` }).execute("create table a (b)");
    const whole = readFileSync(join(folder, "whole.db"));
    writeFileSync(join(folder, "half.db"), whole.subarray(0, whole.length / 2));
    writeFileSync(join(folder, "torn.db"), Buffer.from(whole).fill(0xff, 8 * 4096, 9 * 4096));
    const before = bytes();
    for (const [file, code, pattern] of [
      ["missing.db", 1, /there is no backup/],
      ["trade.db", 2, /is the database itself/],
      ["text.db", 2, /is not a backup/],
      ["strange.db", 2, /is not a backup/],
      ["half.db", 2, /damaged/],
      ["torn.db", 2, /damaged/],
    ] as const) {
      const ran = await run(["db", "restore", file]);
      expect(ran, file).toMatchObject({ code, stderr: expect.stringMatching(pattern) });
    }
    expect(bytes()).toEqual(before);
    expect(readdirSync(folder).filter((name) => /before|restored|copied/.test(name))).toEqual([]);
  });

  it.each([
    "create trigger planted after insert on tokens begin delete from limits; end",
    "create trigger planted after insert on migrations begin delete from limits; end",
    "create view planted as select * from tokens",
    "create table planted (a)",
    "create index planted on orders (abs(price))",
    "drop trigger events_append_only",
    "drop index orders_unsettled",
  ])("rejects a backup after: %s", async (change) => {
    const { folder, run, bytes } = await made();
    const client = createClient({ url: `file:${join(folder, "whole.db")}` });
    await client.execute(change);
    client.close();
    const before = bytes();
    const ran = await run(["db", "restore", "whole.db"]);
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /edgemaker did not make this part of the backup, so restore another one: \w+ planted|It lacks /,
      ),
    });
    expect(bytes()).toEqual(before);
  });

  it("refuses while another process has the database open", async () => {
    const { folder, run } = await made();
    const locking = createClient({ url: `file:${join(folder, "trade.db")}` });
    await locking.execute("select * from control");
    const ran = await run(["db", "restore", "whole.db"]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("another process uses") });
    locking.close();
  });

  it("refuses while another process is writing to the database", async () => {
    const { folder, run, bytes } = await made();
    const before = bytes();
    const writing = await createClient({ url: `file:${join(folder, "trade.db")}` }).transaction("write");
    const ran = await run(["db", "restore", "whole.db"]);
    await writing.rollback();
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("another process") });
    expect(bytes()).toEqual(before);
    expect(readdirSync(folder).filter((name) => /before|restored|copied/.test(name))).toEqual([]);
  });

  it("restores over a broken or missing database, and keeps the kill switch on", async () => {
    const { folder, run } = await made();
    expect(await run(["db", "restore", "whole.db"], "new.db")).toMatchObject({ code: 0 });
    await run(["kill", "off"], "new.db");
    expect(await run(["db", "backup", "off.db"], "new.db")).toMatchObject({ code: 0 });
    expect(await run(["db", "restore", "off.db"])).toMatchObject({ code: 0 });
    expect((await run(["kill", "status", "--json"])).stdout).toContain('"on": true');
    writeFileSync(join(folder, "trade.db"), "broken");
    const ran = await run(["db", "restore", "whole.db"]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("could not be read") });
    expect((await run(["kill", "status", "--json"])).stdout).toContain('"on": true');
    expect(statSync(join(folder, "trade.db")).mode & 0o777).toBe(0o600);
  });

  it("points to a remote database's own restore, and records it with `db restored`", async () => {
    const folder = tempFolder();
    for (const words of [
      ["backup", "x.db"],
      ["restore", "x.db"],
    ]) {
      const ran = await edgemaker(folder, ["db", ...words, "--db", "libsql://grid.example"]);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/Turso.*edgemaker db restored/) });
    }
    const noted = await edgemaker(folder, ["db", "restored", "--db", "file:here.db", "--sandbox", "--json"]);
    expect(noted).toMatchObject({ code: 0, stdout: expect.stringContaining('"restored": true') });
    const { rows } = await createClient({ url: `file:${join(folder, "here.db")}` }).execute(
      "select epoch from control",
    );
    expect(rows[0]?.epoch).toBe(1);
  });
});
