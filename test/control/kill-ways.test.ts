/** Ways to the kill switch that need neither an allowance, nor HTTP, nor a database that works. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/compose/config.ts";
import { createLimiter } from "../../src/transport/access.ts";
import { testApp } from "../support/app.ts";
import { besideServer } from "../support/beside.ts";
import { canary } from "../support/canary.ts";
import { edgemaker, environment, eventually, launcher, serve } from "../support/command.ts";
import { edgeDatabase } from "../support/edge.ts";
import { buy } from "../support/orders.ts";
import { gridRequest } from "../support/requests.ts";
import { startSqld } from "../support/sqld.ts";
import { tempFolder } from "../support/temp.ts";
import { startWorker } from "../support/worker.ts";

const ORDER = buy("kraken", { symbol: "ETH/USDT", amount: 0.01, price: 2000 });
const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 4, orderSize: 100 });

describe("a rate-limited address", () => {
  async function usedUp(how: "wrong tokens" | "requests") {
    const limits = parseConfig({ EDGEMAKER_RATE_LIMIT: "address=1,burst=20,failed=2,token=1" }).rateLimits;
    const limiter = createLimiter(limits, () => 0);
    const app = await testApp({ rates: { limiter, addressOf: () => "203.0.113.9" } });
    const ask = async (method: string, path: string, token: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      return (await app.ask(`/api/v1${path}`, init)).status;
    };
    const wrong = `em_${canary("wrong")}`;
    if (how === "requests")
      for (let requestCount = 0; requestCount < 21; requestCount++) await app.ask("/health");
    else for (let requestCount = 0; requestCount < 4; requestCount++) await ask("GET", "/kill", wrong);
    return { ...app, ask, wrong };
  }

  it.each(["wrong tokens", "requests"] as const)(
    "can turn on the switch by %s with a valid token",
    async (how) => {
      const { ask, tokens, wrong, store } = await usedUp(how);
      expect(await ask("GET", "/balance?exchange=kraken", tokens.admin)).toBe(429);
      expect(await ask("POST", "/kill", wrong, { on: true })).toBe(429);
      expect(await ask("POST", "/kill", tokens.trade, { on: true })).toBe(403);
      expect(await store.killed()).toBe(false);
      for (const on of [true, false, true])
        expect(await ask("POST", "/kill", tokens.admin, { on })).toBe(200);
      expect(await store.killed()).toBe(true);
    },
  );
});

async function serving(over: Record<string, string> = {}, database?: string) {
  const folder = tempFolder();
  const file = join(folder, "edge.db");
  const db = database ?? `file:${file}`;
  const server = await serve(folder, ["--sandbox", "--tick-interval", "100", "--db", db], over);
  const ask = async (path: string, body?: object) => {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await server.ask(`/api/v1${path}`, init);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { folder, file, ask };
}

const REFUSED = {
  status: 403,
  body: { error: "Forbidden", message: expect.stringMatching(/kill switch is on/) },
};

describe("a kill file beside the database", () => {
  it("turns on the switch of a running server until the file is removed", async () => {
    const { folder, file, ask } = await serving();
    await ask("/strategy/grid", GRID);
    writeFileSync(`${file}.kill`, "");
    expect(await ask("/orders", ORDER)).toMatchObject(REFUSED);
    expect(await ask("/strategy/grid", GRID)).toMatchObject(REFUSED);
    expect(await ask("/kill")).toMatchObject({
      body: { on: true, message: expect.stringContaining("edge.db.kill") },
    });
    // What is cancelled is not placed again.
    const { code } = await edgemaker(folder, [
      "orders",
      "cancel-all",
      "--yes",
      "--exchange",
      "kraken",
      "--sandbox",
      "--db",
      `file:${file}`,
    ]);
    expect(code).toBe(0);
    const refused = async () => {
      const { body } = await ask("/strategy/grid/status");
      return (body.strategies as { refused: { reason: string }[] }[])[0]?.refused.map(({ reason }) => reason);
    };
    await eventually(refused, (reasons) => reasons?.length === 4 && reasons.every((one) => one === "killed"));
    // Not even a person's word takes it away.
    expect(await ask("/kill", { on: false })).toMatchObject({ status: 200, body: { on: true } });
    rmSync(`${file}.kill`);
    await eventually(refused, (reasons) => reasons?.length === 0);
    expect((await ask("/orders", ORDER)).status).toBe(200);
  });

  it.each([
    ["an order", "/orders", ORDER],
    ["a start", "/strategy/grid", GRID],
  ])("blocks %s that waits for a database locked by another process", async (_what, path, body) => {
    const { file, ask } = await serving();
    const other = besideServer(`file:${file}`);
    onTestFinished(() => other.close());
    const lock = await other.transaction("write");
    await lock.execute("update control set kind = kind");
    const waiting = ask(path, body);
    await new Promise((after) => setTimeout(after, 300));
    writeFileSync(`${file}.kill`, "");
    await lock.rollback();
    expect(await waiting).toMatchObject(REFUSED);
    expect(await ask("/orders?exchange=kraken")).toMatchObject({ body: { count: 0 } });
    expect(await ask("/strategy/grid/status")).toMatchObject({ body: { strategies: [] } });
  });

  it("is located in the data directory if the database is on a server", async () => {
    const sqld = await startSqld();
    onTestFinished(() => sqld.stop());
    const { folder, ask } = await serving({}, sqld.url);
    const data = join(environment(folder).XDG_DATA_HOME ?? "", "edgemaker");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "edgemaker.kill"), "");
    expect(await ask("/orders", ORDER)).toMatchObject(REFUSED);
  });

  it.each([
    ["created", "kill on", true],
    ["named", "panic", false],
  ])("is %s when %s cannot turn on the switch", async (_is, words, isCreated) => {
    const folder = tempFolder();
    const file = join(folder, "broken.db");
    writeFileSync(file, "no database at all, and long enough to be read as one".repeat(20));
    const run = [...words.split(" "), "--sandbox", "--db", `file:${file}`];
    const { code, stderr } = await edgemaker(folder, run);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("broken.db.kill") });
    expect(existsSync(`${file}.kill`)).toBe(isCreated);
  });

  it.each(["kill on", "panic --yes"])(
    "is not named for a server elsewhere that does not get `%s`",
    async (words) => {
      const folder = tempFolder();
      // Nothing listens on this port.
      const call = [...words.split(" "), "--api-url", "http://127.0.0.1:1"];
      const { code, stderr } = await edgemaker(folder, call);
      expect(code).toBe(1);
      expect(stderr).toContain("run `edgemaker kill on` on the machine of that server");
      expect(stderr).not.toContain(folder);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.skipIf(process.platform === "win32")("is created by `kill on` if the disk is full", async () => {
    const folder = tempFolder();
    const file = join(folder, "full.db");
    const words = ["--sandbox", "--db", `file:${file}`];
    expect((await edgemaker(folder, ["kill", "off", ...words])).code).toBe(0);
    // No file can grow, as on a full disk.
    const full = ["-c", 'ulimit -f 0; exec "$@"', "sh", process.execPath, launcher, "kill", "on", ...words];
    const { status, stderr } = spawnSync("sh", full, { env: environment(folder), encoding: "utf8" });
    expect(status).not.toBe(0);
    expect(stderr).toContain(`Created the file ${file}.kill`);
    expect(stderr).toContain("remove it to place orders again");
    const kill = readdirSync(folder).filter((name) => name.includes("kill"));
    expect(kill).toEqual(["full.db.kill"]);
  });

  it("is not removed by `kill off` if the user created it", async () => {
    const folder = tempFolder();
    const file = join(folder, "edge.db");
    writeFileSync(`${file}.kill`, "");
    const { stdout } = await edgemaker(folder, ["kill", "off", "--sandbox", "--db", `file:${file}`]);
    expect({ stdout, isThere: existsSync(`${file}.kill`) }).toEqual({
      stdout: expect.stringContaining("edge.db.kill"),
      isThere: true,
    });
  });
});

describe("a database locked by another process", () => {
  async function locked() {
    const folder = tempFolder();
    const url = `file:${join(folder, "edge.db")}`;
    const server = await serve(folder, ["--sandbox", "--tick-interval", "100", "--db", url]);
    const other = besideServer(url);
    onTestFinished(() => other.close());
    const lock = await other.transaction("write");
    await lock.execute("update control set kind = kind");
    return { folder, url, server, lock };
  }
  const NOT_READY = {
    error: "Not ready",
    message: expect.stringMatching(/database is locked by another process.*edge\.db\.kill/),
  };

  it.each([
    ["POST /kill", { on: true }],
    ["POST /kill that cancels", { on: true, cancel: true }],
    ["POST /kill that stops", { on: true, stop: true }],
  ])("makes %s return 503 immediately, and stores the switch after the unlock", async (_name, body) => {
    const { server, lock } = await locked();
    const answer = await server.ask("/api/v1/kill", { method: "POST", body: JSON.stringify(body) });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 503,
      body: NOT_READY,
    });
    await lock.rollback();
    const read = async () => (await (await server.ask("/api/v1/kill")).json()) as { on: boolean };
    await eventually(read, ({ on }) => on);
  });

  it("makes `kill on` create the kill file, which `kill off` removes after the unlock", async () => {
    const { folder, url, lock } = await locked();
    const file = `${url.slice("file:".length)}.kill`;
    const run = (word: string) => edgemaker(folder, ["kill", word, "--sandbox", "--db", url]);
    const { code, stderr } = await run("on");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Created the file ${file}`),
    });
    expect(existsSync(file)).toBe(true);
    await lock.rollback();
    expect(await run("off")).toMatchObject({ code: 0, stdout: expect.stringContaining("is off") });
    expect(existsSync(file)).toBe(false);
  });

  it("makes `kill on` create the kill file even without a server", async () => {
    const { folder, url, lock, server } = await locked();
    await server.kill("SIGKILL");
    const file = `${url.slice("file:".length)}.kill`;
    const ran = edgemaker(folder, ["kill", "on", "--sandbox", "--db", url]);
    await eventually(
      async () => existsSync(file),
      (isThere) => isThere,
    );
    await lock.rollback();
    await ran;
    expect(existsSync(file)).toBe(true);
  });
});

describe("EDGEMAKER_KILL=1", () => {
  it("prevents a server from placing orders", async () => {
    const { ask } = await serving({ EDGEMAKER_KILL: "1" });
    expect(await ask("/orders", ORDER)).toMatchObject(REFUSED);
    expect(await ask("/kill")).toMatchObject({
      body: { on: true, message: expect.stringContaining("EDGEMAKER_KILL") },
    });
  });

  it("prevents the worker from placing orders", async () => {
    const { settings, close } = await edgeDatabase({ EDGEMAKER_SANDBOX: "1", EDGEMAKER_KILL: "1" });
    const worker = await startWorker(settings);
    try {
      const answer = await worker.dispatchFetch("http://localhost/api/v1/orders", {
        method: "POST",
        headers: { authorization: `Bearer ${settings.EDGEMAKER_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(ORDER),
      });
      expect({ status: answer.status, body: await answer.json() }).toMatchObject(REFUSED);
    } finally {
      await worker.dispose();
      await close();
    }
  });
});
