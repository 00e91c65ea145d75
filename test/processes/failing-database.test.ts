/** Servers on a disk that is full, a database that is locked, gone or newer than the program: real ones all of them. */

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { besideServer } from "../support/beside.ts";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { gridRequest, orderRequest } from "../support/requests.ts";
import { startSqld } from "../support/sqld.ts";
import { tempFolder } from "../support/temp.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 4, orderSize: 100 });
const ORDER = orderRequest({ symbol: "ETH/USDT", amount: 0.01, price: 2000 });

interface Answer {
  readonly status: number;
  readonly error?: string;
  readonly message?: string;
}

async function serving(folder: string, database: string) {
  const server = await serve(folder, ["--sandbox", "--tick-interval", "200", "--db", database]);
  const ask = async (path: string, body?: object): Promise<Answer> => {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await server.ask(path, init);
    return { ...((await answer.json()) as object), status: answer.status };
  };
  const ready = () => ask("/ready");
  const grid = async () => {
    const { strategies } = (await ask("/api/v1/strategy/grid/status")) as unknown as {
      strategies: readonly { lastError: string | null; lastStepAt: number }[];
    };
    return strategies[0];
  };
  return {
    server,
    ask,
    ready,
    grid,
    order: () => ask("/api/v1/orders", ORDER),
    resting: async () => (await ask("/api/v1/orders?exchange=kraken&symbol=ETH/USDT")) as { count?: number },
    start: () => ask("/api/v1/strategy/grid", GRID),
    notReady: (why: RegExp) =>
      eventually(ready, ({ status, message = "" }) => status === 503 && why.test(message)),
    readyAgain: () => eventually(ready, ({ status }) => status === 200),
    /** Passes are made again, and nothing is said to be wrong. */
    async stepsAgain() {
      const before = (await grid())?.lastStepAt ?? 0;
      await eventually(grid, (one) => (one?.lastStepAt ?? 0) > before && one?.lastError === null);
    },
  };
}

/** A file system of so many MiB, where this machine lets one be made: smaller than the log that SQLite writes over again. */
function smallDisk(mebibytes: number): string | undefined {
  const folder = join(tempFolder(), "disk");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

/**
 * A program that takes all room there is, and what a log gives back when its connection is made anew. Returns how to
 * end it.
 */
function fillUp(file: string): () => Promise<void> {
  const loop = 'while :; do cat /dev/zero >> "$1"; sleep 0.002; done';
  const child = spawn("sh", ["-c", loop, "sh", file], { stdio: "ignore", detached: true });
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), "SIGKILL");
    await closed;
  };
  onTestFinished(end);
  return end;
}

describe("a server with a failing database", () => {
  it("recovers from a full disk, and reports it while it lasts", async ({ skip }) => {
    const disk = smallDisk(3);
    skip(disk === undefined, "no file system can be mounted here");
    const { start, notReady, readyAgain, stepsAgain, grid, order, resting } = await serving(
      tempFolder(),
      `file:${join(disk as string, "edge.db")}`,
    );
    expect((await start()).status).toBe(200);
    const filler = join(disk as string, "filler");
    const end = fillUp(filler);
    await notReady(/disk is full/);
    await eventually(grid, (one) => /disk is full/.test(one?.lastError ?? ""));
    expect((await order()).status).toBe(500);
    await end();
    rmSync(filler);
    await readyAgain();
    await stepsAgain();
    expect((await resting()).count).toBe(0);
    expect((await order()).status).toBe(200);
  });

  it("recovers from another process's lock, and a kill overtakes waiting calls", async () => {
    const folder = tempFolder();
    const file = join(folder, "edge.db");
    const { ask, start, notReady, readyAgain, stepsAgain, grid, order, resting } = await serving(
      folder,
      `file:${file}`,
    );
    expect((await start()).status).toBe(200);
    const other = besideServer(`file:${file}`);
    onTestFinished(() => other.close());
    const lock = await other.transaction("write");
    await lock.execute("update control set kind = kind");
    await notReady(/lock|no write/);
    await eventually(grid, (one) => /lock/.test(one?.lastError ?? ""));
    /** What was sent before waits for the lock by then: the server has answered others since. */
    const waits = async () => {
      for (let answered = 0; answered < 3; answered++) await ask("/health");
      await new Promise((resolve) => setTimeout(resolve, 300));
    };
    const waiting = order();
    await waits();
    const killed = ask("/api/v1/kill", { on: true });
    await waits();
    await lock.rollback();
    // A kill that waits longer than a second is answered before it is written.
    expect([200, 503]).toContain((await killed).status);
    expect(await waiting).toMatchObject({ status: 403, message: expect.stringMatching(/kill switch/) });
    expect((await resting()).count).toBe(0);
    await readyAgain();
    expect((await ask("/api/v1/kill", { on: false })).status).toBe(200);
    await stepsAgain();
  });

  it("recovers when a moved file is back; until then it places nothing and creates no file", async () => {
    const folder = tempFolder();
    const file = join(folder, "edge.db");
    const { start, notReady, readyAgain, stepsAgain, order, resting } = await serving(folder, `file:${file}`);
    expect((await start()).status).toBe(200);
    renameSync(file, join(folder, "away.db"));
    await notReady(/file is gone/);
    expect((await order()).status).toBe(500);
    expect(existsSync(file)).toBe(false);
    renameSync(join(folder, "away.db"), file);
    await readyAgain();
    await stepsAgain();
    expect((await resting()).count).toBe(0);
  });

  it("recovers from a newer program's changes once they are undone, and names them until then", async () => {
    const folder = tempFolder();
    const file = join(folder, "edge.db");
    const { start, notReady, readyAgain, stepsAgain, order, resting, grid } = await serving(
      folder,
      `file:${file}`,
    );
    expect((await start()).status).toBe(200);
    const other = besideServer(`file:${file}`);
    onTestFinished(() => other.close());
    await other.execute("insert into migrations values ('9999_future.sql', 0)");
    await notReady(/newer edgemaker migrated this database .to 9999_future\.sql/);
    await eventually(grid, (one) => /9999_future/.test(one?.lastError ?? ""));
    expect(await order()).toMatchObject({ status: 500, message: expect.stringMatching(/9999_future/) });
    const older = await edgemaker(tempFolder(), ["grid", "list", "--sandbox", "--db", `file:${file}`]);
    expect({ code: older.code, stderr: older.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/9999_future\.sql/),
    });
    await other.execute("delete from migrations where name = '9999_future.sql'");
    await readyAgain();
    await stepsAgain();
    expect((await resting()).count).toBe(0);
  });

  it("recovers after its database server was stopped", async () => {
    const sqld = await startSqld();
    onTestFinished(() => sqld.stop());
    const { start, notReady, readyAgain, stepsAgain } = await serving(tempFolder(), sqld.url);
    expect((await start()).status).toBe(200);
    await sqld.halt();
    await notReady(/server does not respond/);
    await sqld.resume();
    await readyAgain();
    await stepsAgain();
  });
});
