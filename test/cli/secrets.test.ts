/** What a command line, a settings file or a dead server leaves of secrets for others to see. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { shownUrl } from "../../cli/host/directories.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { canary } from "../support/canary.ts";
import { edgemaker, environment, serve } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { startSqld } from "../support/sqld.ts";
import { tempFolder } from "../support/temp.ts";

describe("--token", () => {
  it("reads the token from a file, and reports the path if the file is missing", async () => {
    const folder = tempFolder();
    const server = await serve(folder, ["--sandbox"]);
    const file = join(folder, "token.txt");
    writeFileSync(file, `${server.token}\n`);
    const balance = (token: string) =>
      edgemaker(tempFolder(), ["balance", "--exchange", "kraken", "--api-url", server.url, "--token", token]);
    expect((await balance(`@${file}`)).code).toBe(0);
    rmSync(file);
    const missing = await balance(`@${file}`);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/--token cannot be read from/) });
    writeFileSync(file, "\n");
    expect(await balance(`@${file}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/contains no token/),
    });
    const { stdout } = await edgemaker(folder, ["balance", "--help"]);
    expect(stdout).toMatch(/@FILE/);
  });
});

describe("--token -", () => {
  const ask = (url: string, over?: string) =>
    edgemaker(tempFolder(), ["balance", "--exchange", "kraken", "--api-url", url, "--token", "-"], {}, over);

  it("reads the token from standard input, and reports when it is empty", async () => {
    const server = await serve(tempFolder(), ["--sandbox"]);
    const answered = await ask(server.url, `${server.token}\n`);
    expect(answered).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("USDT") });
    expect(await ask(server.url, "")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/--token: standard input contains no token/),
    });
    const wrong = await ask(server.url, `em_${canary("wrong")}`);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Unauthorized: /) });
  });
});

describe("the token of local commands", () => {
  const fileOf = (folder: string) => {
    const data = join(environment(folder).XDG_DATA_HOME ?? "", "edgemaker");
    const [name = ""] = readdirSync(data).filter((one) => one.startsWith("server-"));
    return JSON.parse(readFileSync(join(data, name), "utf8")) as { url: string; token: string };
  };

  it("expires with its server: each start creates another one", async () => {
    const folder = tempFolder();
    const first = await serve(folder, ["--sandbox"]);
    const { token } = fileOf(folder);
    await first.kill("SIGTERM");
    const second = await serve(folder, ["--sandbox"]);
    expect(fileOf(folder).token).not.toBe(token);
    const headers = { authorization: `Bearer ${token}` };
    expect((await second.ask("/api/v1/kill", { headers })).status).toBe(401);
    expect(existsSync(join(environment(folder).XDG_DATA_HOME ?? "", "edgemaker", "token"))).toBe(false);
    // What is done with it is told as done on this machine.
    expect((await edgemaker(folder, ["kill", "on", "--sandbox"])).code).toBe(0);
    const { stdout } = await edgemaker(folder, ["audit", "export", "--sandbox"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.find(({ kind }) => kind === "kill")).toMatchObject({ actor: "local" });
  });

  it("is never sent to another program on the port, whatever that program claims to be", async () => {
    const folder = tempFolder();
    const server = await serve(folder, ["--sandbox", "--port", String(await freePort())]);
    const { url, token } = fileOf(folder);
    const health = await (await server.ask("/health")).json();
    await server.kill("SIGKILL");
    const heard: string[] = [];
    const impostor = createServer((request, response) => {
      heard.push(`${request.url} ${request.headers.authorization}`);
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ ...health, proof: "0".repeat(64) }));
    });
    await new Promise<void>((listens) => impostor.listen(Number(new URL(url).port), "127.0.0.1", listens));
    onTestFinished(() => void impostor.close());
    expect((await edgemaker(folder, ["kill", "status", "--sandbox"])).code).toBe(0);
    expect(heard).toEqual([expect.stringMatching(/^\/health\?challenge=[0-9a-z]{32} undefined$/)]);
    expect(heard.join()).not.toContain(token);
  });
});

it("the next command deletes the server file of a killed server", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const data = join(environment(folder).XDG_DATA_HOME ?? "", "edgemaker");
  const files = () => readdirSync(data).filter((name) => name.startsWith("server-"));
  expect(files()).toHaveLength(1);
  await server.kill("SIGKILL");
  expect(files()).toHaveLength(1);
  expect((await edgemaker(folder, ["kill", "status", "--sandbox"])).code).toBe(0);
  expect(files()).toEqual([]);
  expect(existsSync(data)).toBe(true);
});

it("the address of a database is shown without its credentials", () => {
  const secret = canary("database");
  for (const url of [`libsql://me:${secret}@db.example/x`, `libsql://db.example?authToken=${secret}&tls=0`])
    expect(shownUrl(url)).not.toContain(secret);
  expect(shownUrl("file:/var/lib/edge.db")).toBe("file:/var/lib/edge.db");
});

it("commands that prepare a database on a server show its address without its credentials", async () => {
  const sqld = await startSqld();
  onTestFinished(() => sqld.stop());
  const over = {
    EDGEMAKER_DATABASE_URL: `${sqld.url}?authToken=${canary("database")}`,
    EDGEMAKER_SANDBOX: "1",
  };
  for (const words of [
    ["db", "migrate"],
    ["sandbox", "reset"],
  ]) {
    const { code, stdout, stderr } = await edgemaker(tempFolder(), [...words, "--json"], over);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).database).toBe(`${sqld.url}?authToken=…`);
  }
});

it("the same keys under two exchange ids are rejected with both ids, but without the key", () => {
  const [key, secret] = [canary("twice-key"), canary("twice-secret")];
  const settings = (venue: string) => ({
    EDGEMAKER_EXCHANGES: `kraken,other=${venue}`,
    KRAKEN_API_KEY: key,
    KRAKEN_SECRET: secret,
    OTHER_API_KEY: key,
    OTHER_SECRET: secret,
  });
  expect(() => parseConfig(settings("kraken"))).toThrow(/^kraken and other have the same API key/);
  expect(() => parseConfig(settings("kraken"))).not.toThrow(key);
  expect(parseConfig(settings("mexc")).exchanges).toHaveLength(2);
});
