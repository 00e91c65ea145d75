import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { edgemaker, environment, eventually, launcher } from "../support/command.ts";
import { spawnServer } from "../support/server.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal } from "../support/terminal.ts";

const GRID =
  "grid start --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 6 --size 200";

/** Runs a command in a terminal of its own, with its output in files, until the terminal closes. */
function inTerminal(folder: string, words: string) {
  const command = `echo $$ > pid; exec '${process.execPath}' '${launcher}' ${words}`;
  const child = spawn("script", ["-qefc", command, "screen"], {
    env: environment(folder),
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";
  const isAlive = () => {
    try {
      return process.kill(Number(read("pid")), 0);
    } catch {
      return false;
    }
  };
  onTestFinished(() => {
    child.kill("SIGKILL");
    if (isAlive()) process.kill(Number(read("pid")), "SIGKILL");
  });
  return {
    until: (name: string, text: string) =>
      eventually(
        async () => read(name),
        (found) => found.includes(text),
      ),
    read,
    type: (text: string) => void child.stdin?.write(text),
    close: () => void child.kill("SIGKILL"),
    ended: () => eventually(async () => !isAlive(), Boolean),
  };
}

describe.skipIf(!hasTerminal || process.platform !== "linux")("a closed terminal", () => {
  it("ends a server in order, and lists the orders that stay open", async () => {
    const folder = tempFolder();
    const server = inTerminal(folder, "serve --sandbox --port 0 > out 2> err");
    await server.until("out", "Serving ");
    const started = await edgemaker(folder, [...GRID.split(" "), "--sandbox", "--yes"]);
    expect(started.code, started.stderr).toBe(0);
    server.close();
    await server.ended();
    expect(server.read("out")).toMatch(
      /These orders stay open and can fill[\s\S]*grid-kraken-BTC-USDT-\d+: \d+ orders/,
    );
    expect(server.read("err")).not.toMatch(/EIO|Error/);
  });

  it("ends a server whose output it shows", async () => {
    const folder = tempFolder();
    const data = join(folder, "data/edgemaker");
    const servers = async () =>
      (existsSync(data) ? readdirSync(data) : []).filter((name) => name.endsWith(".json"));
    const server = inTerminal(folder, "serve --sandbox --port 0");
    await server.until("screen", "Serving ");
    expect(await servers()).toHaveLength(1);
    server.close();
    await server.ended();
    // A server that crashes leaves its file.
    expect(await servers()).toEqual([]);
  });

  it.each([
    ["demo --port 0 > out 2> err", "out", "API", "out", "The demo is over."],
    [
      "trade --strategy grid --exchange kraken --symbol BTC/USDT --levels 2 --spacing 0.005 --size 100 --sandbox --yes > out 2> err",
      "out",
      "active",
      "err",
      "orders of grid-kraken-BTC-USDT-",
    ],
    ["mcp --sandbox > out 2> err", "out", "result", "err", ""],
  ])("ends %s in order", async (words, startedIn, started, endedIn, ended) => {
    const folder = tempFolder();
    const command = inTerminal(folder, words);
    command.type('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await command.until(startedIn, started);
    command.close();
    await command.ended();
    expect(command.read(endedIn)).toContain(ended);
    expect(command.read("err")).not.toMatch(/EIO|Error/);
  });
});

it("a server without a terminal runs on after SIGHUP, as under nohup", async () => {
  const folder = tempFolder();
  const server = spawnServer(folder, ["--sandbox"], {}, ["nohup", process.execPath]);
  onTestFinished(() => server.kill("SIGKILL"));
  await server.listens;
  server.child.kill("SIGHUP");
  expect((await server.ask("/api/v1/strategy/grid/list")).status).toBe(200);
  await server.kill("SIGTERM");
  expect([server.child.exitCode, server.child.signalCode]).toEqual([0, null]);
});
