/** Files with secrets are their owner's alone, and whoever looks at them leaves them as they are. */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { edgemaker, environment, eventually, launcher, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

interface Check {
  readonly check: string;
  readonly finding: string;
  readonly detail: string;
}

/** Every file below a folder, with its mode, its inode and what is in it. */
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode, ino } = statSync(path);
    return [path, mode, ino, entry.isFile() ? readFileSync(path, "latin1") : ""];
  });

async function doctor(folder: string, ...args: readonly string[]) {
  const { code, stdout } = await edgemaker(folder, ["doctor", "--json", "--sandbox", ...args]);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { code, checks, of: (name: string) => checks.find(({ check }) => check === name) };
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe("doctor", () => {
  it("creates nothing in an empty folder, but still queries the exchanges", async () => {
    const folder = tempFolder();
    const { code, of } = await doctor(folder);
    expect(code).toBe(0);
    expect(of("database")).toMatchObject({
      finding: "note",
      detail: expect.stringMatching(/does not exist yet; .*serve/),
    });
    expect(of("kraken")).toMatchObject({ finding: "ok" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reports a database clock that was ahead", async () => {
    const folder = tempFolder();
    const url = `file:${join(folder, "edge.db")}`;
    await edgemaker(folder, [
      "token",
      "create",
      "--name",
      "one",
      "--scope",
      "read",
      "--sandbox",
      "--db",
      url,
    ]);
    expect((await doctor(folder, "--db", url)).of("database clock")).toBeUndefined();
    const client = createClient({ url });
    const hourAhead = Date.now() + 3_600_000;
    await client.execute(
      `insert into accounts (account, memory, stepped_at) values ('a', '{}', ${hourAhead})`,
    );
    client.close();
    expect((await doctor(folder, "--db", url)).of("database clock")).toMatchObject({
      finding: "note",
      detail: expect.stringMatching(/clock was \d+ min ahead for a while; nothing waits/),
    });
  });

  it("reports a database that lacks migrations and does not change it", async () => {
    const folder = tempFolder();
    const file = join(folder, "old.db");
    const client = createClient({ url: `file:${file}` });
    await client.execute("create table other (id integer)");
    client.close();
    chmodSync(file, 0o644);
    const before = filesOf(folder);
    const { code, of } = await doctor(folder, "--db", `file:${file}`);
    expect(code).toBe(1);
    expect(of("database")).toMatchObject({
      finding: "note",
      detail: expect.stringMatching(/lacks \d+ migrations/),
    });
    expect(of("old.db file")).toMatchObject({ finding: "bad", detail: expect.stringContaining("chmod 600") });
    expect(filesOf(folder).map(([path, mode]) => [path, mode])).toEqual(
      before.map(([path, mode]) => [path, mode]),
    );
  });

  it.each([
    ["its folder", "open", 0o777],
    ["its folder, as /tmp is", "open", 0o1777],
    ["a folder above it", "open/inner", 0o777],
  ])("reports that everybody can write to %s", async (_what, name, mode) => {
    const folder = tempFolder();
    const file = join(folder, name, "edge.db");
    mkdirSync(dirname(file), { recursive: true });
    const place = ["--db", `file:${file}`];
    expect((await doctor(folder, ...place)).of("database folder")).toBeUndefined();
    chmodSync(join(folder, "open"), mode);
    const { code, of } = await doctor(folder, ...place);
    expect(code).toBe(1);
    expect(of("database folder")).toMatchObject({
      finding: "bad",
      detail: expect.stringContaining(`everybody can write to ${join(folder, "open")}`),
    });
  });

  it.each(["deleted", "replaced"])(
    "reports that a server whose database was %s is not ready",
    async (how) => {
      const folder = tempFolder();
      const file = join(folder, "edge.db");
      const server = await serve(folder, ["--sandbox", "--db", `file:${file}`]);
      expect((await doctor(folder, "--db", `file:${file}`)).of("server")).toMatchObject({ finding: "ok" });
      rmSync(file);
      if (how === "replaced") writeFileSync(file, "", { mode: 0o600 });
      const { code, of } = await doctor(folder, "--db", `file:${file}`);
      expect(code).toBe(1);
      expect(of("server")).toMatchObject({
        finding: "bad",
        detail: expect.stringMatching(
          how === "deleted" ? /its file is gone; restore it/ : /was replaced while edgemaker was running/,
        ),
      });
      await eventually(
        async () => (await server.ask("/ready")).status,
        (status) => status === 503,
      );
    },
  );
});

describe("a server", () => {
  it("removes other users' read permission from its files, and logs it", async () => {
    const folder = tempFolder();
    const settings = join(environment(folder).XDG_CONFIG_HOME ?? "", "edgemaker", "edgemaker.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, "{}", { mode: 0o644 });
    const file = join(folder, "edge.db");
    const first = await serve(folder, ["--sandbox", "--db", `file:${file}`]);
    await expect.poll(first.stderr).toMatch(/other users could read the settings file/);
    await first.kill("SIGKILL");
    const left = readdirSync(folder).filter((name) => name.startsWith("edge.db"));
    expect(left).toEqual(["edge.db", "edge.db-shm", "edge.db-wal"]);
    for (const name of left) chmodSync(join(folder, name), 0o666);
    const second = await serve(folder, ["--sandbox", "--db", `file:${file}`]);
    await expect.poll(second.stderr).toMatch(/other users could read the database file/);
    expect([settings, ...left.map((name) => join(folder, name))].map(modeOf)).toEqual([
      "600",
      "600",
      "600",
      "600",
    ]);
    const data = join(environment(folder).XDG_DATA_HOME ?? "", "edgemaker");
    expect(modeOf(data)).toBe("700");
    for (const name of readdirSync(data)) expect(modeOf(join(data, name))).toBe("600");
  });
});

describe("files written under a permissive umask", () => {
  const OPEN = ["sh", "-c", 'umask 0; exec "$0" "$@"', process.execPath] as const;
  const openly = (folder: string, ...args: readonly string[]) =>
    spawnSync("sh", ["-c", 'umask 0; exec "$0" "$@"', process.execPath, launcher, ...args], {
      env: environment(folder),
      cwd: folder,
      encoding: "utf8",
    });

  it("are private to their owner, except for reports", async () => {
    const folder = tempFolder();
    const place = ["--sandbox", "--db", `file:${join(folder, "edge.db")}`];
    const bars = Array.from(
      { length: 99 },
      (_, i) => `${1_767_225_600 + 60 * i},60000,60100,59900,60000,1\n`,
    );
    writeFileSync(join(folder, "bars.csv"), bars.join(""), { mode: 0o600 });
    const server = await serve(folder, place, {}, OPEN);
    const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
    const market = ["--exchange", "kraken", "--symbol", "BTC/USDT", ...bounds];
    for (const args of [
      ["db", "backup", "whole.db", ...place],
      ["token", "create", "--name", "one", "--scope", "read", ...place],
      ["mcp", "install", "--client", "cursor"],
      ["mcp", "install", "--client", "cursor"],
      ["backtest", ...market, "--data", "bars.csv", "--report", "report.html", ...place],
    ]) {
      const { status, stderr } = openly(folder, ...args);
      expect(status, `${args.join(" ")}: ${stderr}`).toBe(0);
    }
    await server.kill("SIGTERM");
    expect(openly(folder, "db", "restore", "whole.db", ...place).status).toBe(0);
    const modes = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, modeOf(join(entry.parentPath, entry.name))] as const);
    expect(modes.length).toBeGreaterThan(5);
    for (const [name, mode] of modes)
      expect([name, mode]).toEqual([name, name === "report.html" ? "644" : "600"]);
  });
});
