import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { edgemaker, environment } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, type Screen, terminal } from "../support/terminal.ts";
import { type EmulatedVenue, startVenue, type VenueOptions } from "../venues/index.ts";

const settingsOf = (folder: string) => join(folder, "config/edgemaker/edgemaker.json");
const ENTER = "\r";

async function venueFor(options: VenueOptions = {}) {
  const venue = await startVenue("kraken", options);
  onTestFinished(() => venue.close());
  return venue;
}

function folderWith(exchanges: string): string {
  const folder = tempFolder();
  mkdirSync(dirname(settingsOf(folder)), { recursive: true });
  writeFileSync(settingsOf(folder), JSON.stringify({ EDGEMAKER_EXCHANGES: exchanges }));
  return folder;
}

/** Setup of kraken, its keys typed. */
async function typed(folder: string, { url, keys }: Pick<EmulatedVenue, "url" | "keys">, columns = 100) {
  const screen = terminal(folder, ["setup", "--venue-url", `kraken=${url}`], { columns });
  await screen.until(/Which exchange/);
  screen.type(ENTER);
  await screen.until(/kraken: api key/);
  screen.type(`${keys.key}${ENTER}`);
  await screen.until(/kraken: secret/);
  screen.type(`${keys.secret}${ENTER}`);
  return screen;
}

/** Enters no other exchange, and leaves the other answers as they are. */
async function finished(screen: Screen) {
  await screen.until(/No other: continue/);
  screen.type(ENTER);
  await screen.until(/Allow agents to trade/);
  screen.type(ENTER);
  expect(await screen.ended).toBe(0);
}

const settingsIn = (folder: string) =>
  JSON.parse(readFileSync(settingsOf(folder), "utf8")) as Record<string, string>;

/** What a command that only reads answers. */
async function answer(folder: string, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await edgemaker(folder, [...args, "--json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

/** The same with keys that are accepted, up to its end: the screen's words in one line. */
async function reportAtTheEnd(balances: Readonly<Record<string, string>>, columns: number): Promise<string> {
  const screen = await typed(folderWith("kraken"), await venueFor({ balances }), columns);
  await finished(screen);
  const lines = screen.lines();
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  return lines.join(" ").replace(/\s+/g, " ");
}

describe.skipIf(!hasTerminal)("setup", () => {
  it("reads keys without echo, tests them, and stores them for the owner only", async () => {
    const folder = folderWith("kraken,mexc");
    const { url, keys } = await venueFor();
    const screen = terminal(folder, ["setup", "--venue-url", `kraken=${url}`], { columns: 100 });
    await screen.until(/Which exchange/);
    screen.type(ENTER);
    await screen.until(/kraken: api key/);
    screen.type(`wrong${ENTER}`);
    await screen.until(/kraken: secret/);
    screen.type(`d3Jvbmc=${ENTER}`);
    await screen.until(/does not accept them[\s\S]*EAPI:Invalid key/);
    await screen.until(/What do you want to do with the keys/);
    screen.type(ENTER);
    await screen.until(/kraken: api key[\s\S]*kraken: api key/);
    screen.type(`${keys.key}${ENTER}`);
    await screen.until(/kraken: secret[\s\S]*kraken: secret/);
    screen.type(`${keys.secret}${ENTER}`);
    await screen.until(/accepts them; \d+ assets/);
    await finished(screen);
    const file = settingsOf(folder);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(settingsIn(folder)).toEqual({
      EDGEMAKER_EXCHANGES: "kraken,mexc",
      EDGEMAKER_KEK: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      EDGEMAKER_MCP_TRADING: "0",
      EDGEMAKER_MCP_CONFIRM: "terminal",
    });
    expect(screen.written()).not.toContain(keys.secret);
    expect(screen.written()).not.toContain(keys.key);
    const checked = await edgemaker(folder, [
      "doctor",
      "--json",
      "--venue-url",
      `kraken=${url}`,
      "--venue-url",
      `mexc=${url}`,
    ]);
    const { checks } = JSON.parse(checked.stdout) as { checks: { check: string; finding: string }[] };
    const found = Object.fromEntries(checks.map(({ check, finding }) => [check, finding]));
    expect(found).toMatchObject({
      "settings file": "ok",
      kraken: "ok",
      "kraken keys": "ok",
      "mexc keys": "note",
    });
    expect(checked.stdout + checked.stderr).not.toContain(keys.secret);
  });

  it("distinguishes an exchange without a response from rejected keys, and retries with the same keys", async () => {
    const before = await startVenue("kraken", { port: await freePort() });
    await before.close();
    const { url, keys } = before;
    const screen = await typed(folderWith("kraken"), { url, keys });
    await screen.until(
      /could not be reached[\s\S]*The keys could not be tested[\s\S]*What do you want to do with the keys/,
    );
    expect(screen.written()).not.toContain("does not accept");
    await venueFor({ port: Number(new URL(url).port), keys });
    screen.type(ENTER);
    await screen.until(/accepts them; \d+ assets/);
    await finished(screen);
    expect(screen.written()).toContain("Sample plan");
  });

  it.each([80, 120])("ends with the balance and a first plan in %d columns", async (columns) => {
    const output = await reportAtTheEnd({ USDT: "500", EUR: "20", BTC: "0.5" }, columns);
    expect(output).toMatch(/kraken .*500 USDT/);
    expect(output).toMatch(/Sample plan: BTC\/USDT with all 500 USDT\. Nothing was started\./);
    expect(output).toMatch(/orders \d+ buys at .*each cycle earns .*worst case/);
    expect(output).toContain("edgemaker grid new --exchange kraken --symbol BTC/USDT --budget 500;");
    expect(output).toMatch(/Next: edgemaker doctor, then edgemaker serve\.$/);
  });

  it.each([
    [
      "too small",
      { USDT: "3" },
      /kraken 3 USDT free no plan yet on BTC\/USDT, the budget must be at least [\d.]+ USDT/,
    ],
    [
      "not one to pay with",
      { BTC: "0.5" },
      /kraken 0\.5 BTC free no plan yet no free USDT, USDC, USD, EUR for a grid/,
    ],
    ["empty", {}, /kraken no free balance no plan yet no free USDT/],
  ])("explains how to continue with a balance that is %s", async (_what, balances, expected) => {
    const output = await reportAtTheEnd(balances, 100);
    expect(output).toMatch(expected);
    expect(output).toMatch(
      /Deposit there, then run edgemaker grid new\. To try a grid without money, run edgemaker demo/,
    );
  });

  it("suggests a pair for a token that the account has", async () => {
    const output = await reportAtTheEnd({ USDT: "500", ETH: "3", BTC: "0.001" }, 100);
    expect(output).toMatch(/Sample plan: ETH\/USDT with all 500 USDT\. Nothing was started\./);
    expect(output).toContain("edgemaker grid new --exchange kraken --symbol ETH/USDT --budget 500;");
  });

  it("preserves the keys, their encryption and the answers on a second run", async () => {
    const folder = folderWith("kraken,mexc");
    const venue = await venueFor();
    const first = await typed(folder, venue);
    await first.until(/No other: continue/);
    first.type(ENTER);
    await first.until(/Allow agents to trade/);
    first.type("y");
    expect(await first.ended).toBe(0);
    const before = settingsIn(folder);
    expect(before.EDGEMAKER_MCP_TRADING).toBe("1");
    writeFileSync(settingsOf(folder), JSON.stringify({ ...before, EDGEMAKER_MCP_CONFIRM: "plan" }));
    const args = ["--venue-url", `kraken=${venue.url}`];
    const second = terminal(folder, ["setup", ...args], { columns: 100 });
    await finished(second);
    expect(settingsIn(folder)).toEqual({ ...before, EDGEMAKER_MCP_CONFIRM: "plan" });
    expect(await answer(folder, ["exchange", "list", ...args])).toMatchObject({
      exchanges: [{ exchange: "kraken", from: "database" }],
    });
  });

  it("moves the keys that an earlier version wrote to the settings file", async () => {
    const folder = folderWith("kraken");
    const { keys } = await venueFor();
    const old = { EDGEMAKER_EXCHANGES: "kraken", KRAKEN_API_KEY: keys.key, KRAKEN_SECRET: keys.secret };
    writeFileSync(settingsOf(folder), JSON.stringify(old));
    const screen = terminal(folder, ["setup"], { columns: 100 });
    await finished(screen);
    expect(screen.written()).toContain("Moved the keys of kraken");
    expect(settingsIn(folder)).not.toHaveProperty("KRAKEN_SECRET");
    expect(await answer(folder, ["exchange", "list"])).toMatchObject({
      exchanges: [{ exchange: "kraken", from: "database" }],
    });
  });

  it("writes nothing when aborted", async () => {
    const folder = tempFolder();
    const screen = terminal(folder, ["setup"], { columns: 80 });
    await screen.until(/Which exchange/);
    screen.type("\x03");
    expect(await screen.ended).toBe(1);
    expect(existsSync(settingsOf(folder))).toBe(false);
  });
});

it("setup without a terminal explains what to do instead", async () => {
  expect(await edgemaker(tempFolder(), ["setup"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("_API_KEY"),
  });
});

describe("doctor", () => {
  it("reports each problem and continues its checks", async () => {
    const folder = tempFolder();
    mkdirSync(dirname(settingsOf(folder)), { recursive: true });
    writeFileSync(settingsOf(folder), "{}", { mode: 0o644 });
    const { code, stdout } = await edgemaker(folder, [
      "doctor",
      "--json",
      ...["kraken", "mexc", "gateio", "bitget"].flatMap((id) => ["--venue-url", `${id}=http://127.0.0.1:9`]),
    ]);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as { checks: { check: string; finding: string; detail: string }[] };
    const of = (name: string) => checks.find(({ check }) => check === name);
    expect(of("settings file")).toMatchObject({
      finding: "bad",
      detail: expect.stringContaining("chmod 600"),
    });
    expect(of("database")).toMatchObject({
      finding: "note",
      detail: expect.stringMatching(/serve creates it/),
    });
    expect(of("kraken")).toMatchObject({ finding: "bad" });
    expect(of("kraken clock")).toMatchObject({ finding: "bad" });
    expect(of("kraken keys")).toMatchObject({ finding: "note" });
  });

  it("shows problems first, and everything on one screen", async () => {
    const { code, stdout } = await edgemaker(tempFolder(), [
      "doctor",
      ...["kraken", "mexc", "gateio", "bitget"].flatMap((id) => ["--venue-url", `${id}=http://127.0.0.1:9`]),
    ]);
    expect(code).toBe(1);
    const kinds = stdout.split("\n").map((line) => line.slice(0, 9).trim());
    expect(kinds.length).toBeLessThanOrEqual(24);
    const order = kinds.filter((kind) => kind !== "");
    expect([...new Set(order)]).toEqual(["problem", "note", "ok"]);
    expect(order).toEqual(
      order.toSorted((a, b) => ["problem", "note", "ok"].indexOf(a) - ["problem", "note", "ok"].indexOf(b)),
    );
    expect(stdout).toContain("mexc keys, gateio keys, bitget keys, kraken keys: none;");
  });

  it("ignores the addresses of exchanges in a sandbox, and says so", async () => {
    const over = { EDGEMAKER_VENUE_URLS: "kraken=http://127.0.0.1:9" };
    const { code, stdout, stderr } = await edgemaker(tempFolder(), ["doctor", "--sandbox", "--json"], over);
    expect([code, stderr]).toEqual([
      0,
      "EDGEMAKER_VENUE_URLS is ignored: the sandbox simulates the exchanges\n",
    ]);
    expect(JSON.parse(stdout).checks).toContainEqual({
      check: "kraken",
      finding: "ok",
      detail: "returns market data",
    });
    const flag = await edgemaker(tempFolder(), [
      "doctor",
      "--sandbox",
      "--venue-url",
      over.EDGEMAKER_VENUE_URLS,
    ]);
    expect(flag.stdout + flag.stderr).toMatch(/--venue-url of an exchange and --sandbox exclude each other/);
  });

  it("reports clock skew", async () => {
    const past = new Date(Date.now() - 60_000).toUTCString();
    const late = createServer((_request, response) => {
      response.sendDate = false;
      response.writeHead(200, { date: past }).end();
    });
    await new Promise<void>((resolve) => late.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void late.close());
    const url = `http://127.0.0.1:${(late.address() as AddressInfo).port}`;
    const args = ["doctor", "--json", "--venue-url", `kraken=${url}`];
    const { stdout } = await edgemaker(tempFolder(), args, { EDGEMAKER_EXCHANGES: "kraken" });
    const { checks } = JSON.parse(stdout) as { checks: { check: string; finding: string; detail: string }[] };
    const found = checks.find(({ check }) => check === "kraken clock");
    expect(found?.finding).toBe("bad");
    const [, seconds] = /clock is (\d+) s off/.exec(found?.detail ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(59);
  });
});

describe("mcp install", () => {
  const FILES = {
    "claude-desktop": ["config/Claude/claude_desktop_config.json", "mcpServers"],
    "claude-code": [".claude.json", "mcpServers"],
    cursor: [".cursor/mcp.json", "mcpServers"],
    windsurf: [".codeium/windsurf/mcp_config.json", "mcpServers"],
    vscode: ["config/Code/User/mcp.json", "servers"],
  } as const;

  it.each(Object.entries(FILES))(
    "adds the server to %s, preserves other entries, and saves a backup",
    async (client, [name, key]) => {
      const folder = tempFolder();
      const file = join(folder, name);
      const before = { theme: "dark", [key]: { other: { command: "other" } } };
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(before));
      const { code, stdout } = await edgemaker(folder, [
        "mcp",
        "install",
        "--client",
        client,
        "--sandbox",
        "--json",
      ]);
      expect(code).toBe(0);
      const after = JSON.parse(readFileSync(file, "utf8"));
      expect(after).toMatchObject(before);
      expect(JSON.parse(readFileSync(JSON.parse(stdout).backup, "utf8"))).toEqual(before);
      const { command, args, env } = after[key].edgemaker;
      expect(env).toEqual({});
      const hello = { jsonrpc: "2.0", id: 1, method: "ping" };
      const spoken = spawnSync(command, args, {
        input: `${JSON.stringify(hello)}\n`,
        env: environment(folder),
        encoding: "utf8",
      });
      expect(JSON.parse(spoken.stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    },
  );

  it.each(["a file", "no file yet"])("writes through a symbolic link to %s", async (what) => {
    const folder = tempFolder();
    const [link, file] = [join(folder, ".cursor/mcp.json"), join(folder, "dotfiles/cursor.json")];
    for (const name of [link, file]) mkdirSync(dirname(name), { recursive: true });
    if (what === "a file") writeFileSync(file, "{}");
    symlinkSync("../dotfiles/cursor.json", link);
    const { code, stderr } = await edgemaker(folder, ["mcp", "install", "--client", "cursor"]);
    expect(code, stderr).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8")).mcpServers).toHaveProperty("edgemaker");
    expect(readdirSync(dirname(file))).toEqual(["cursor.json"]);
  });

  it("names the database and the token of its flags so that the client finds them from any folder", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "token.txt"), "em_0123456789abcdef\n");
    const entry = async (...flags: string[]) => {
      const ran = await edgemaker(folder, ["mcp", "install", "--client", "cursor", ...flags]);
      expect(ran.code, ran.stderr).toBe(0);
      return JSON.parse(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).mcpServers.edgemaker;
    };
    const { args } = await entry("--db", "file:trade.db");
    expect(args.slice(1)).toEqual(["mcp", "--db", `file:${join(folder, "trade.db")}`]);
    const { env } = await entry("--api-url", "https://grids.example", "--token", "@token.txt");
    expect(env).toEqual({
      EDGEMAKER_API_URL: "https://grids.example",
      EDGEMAKER_TOKEN: "em_0123456789abcdef",
    });
  });

  it("saves a second backup on a second run and changes only its entry", async () => {
    const folder = tempFolder();
    const install = (...flags: string[]) =>
      edgemaker(folder, ["mcp", "install", "--client", "cursor", ...flags]);
    await install();
    await install("--trading", "--max-notional", "USDT=500");
    expect(
      JSON.parse(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).mcpServers.edgemaker.env,
    ).toEqual({
      EDGEMAKER_MCP_TRADING: "1",
      EDGEMAKER_MCP_CONFIRM: "terminal",
      EDGEMAKER_MCP_MAX_NOTIONAL: "USDT=500",
    });
    await install("--api-url", "https://grids.example", "--token", "em_0123456789abcdef");
    const names = readdirSync(join(folder, ".cursor")).sort();
    expect(names).toEqual(["mcp.json", "mcp.json.before-edgemaker", "mcp.json.before-edgemaker-2"]);
    expect((statSync(join(folder, ".cursor/mcp.json")).mode & 0o777).toString(8)).toBe("600");
    expect(
      JSON.parse(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).mcpServers.edgemaker.env,
    ).toEqual({
      EDGEMAKER_API_URL: "https://grids.example",
      EDGEMAKER_TOKEN: "em_0123456789abcdef",
    });
  });

  it.each([
    ["a file with comments", '{ // mine\n "mcpServers": {} }', 1, /is not plain JSON.*nothing was changed/],
    ["a list", "[]", 1, /not a JSON object/],
    ["servers that are none", '{"mcpServers":[]}', 1, /mcpServers is not an object/],
  ])("rejects %s without changing anything", async (_what, text, code, pattern) => {
    const folder = tempFolder();
    mkdirSync(join(folder, ".cursor"));
    writeFileSync(join(folder, ".cursor/mcp.json"), text);
    const ran = await edgemaker(folder, ["mcp", "install", "--client", "cursor"]);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(pattern);
    expect(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).toBe(text);
  });

  it("reads the old name of the flag of the cap, and says the new one", async () => {
    const folder = tempFolder();
    const old = ["--trading", "--most", "USDT=500"];
    const ran = await edgemaker(folder, ["mcp", "install", "--client", "cursor", ...old]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("is now --max-notional") });
    expect(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).toContain("EDGEMAKER_MCP_MAX_NOTIONAL");
  });

  it.each([
    ["trading without a cap", ["--trading"], /--trading needs a cap for each plan.*--max-notional USDT=500/],
    ["a cap that is no amount", ["--trading", "--max-notional", "500"], /QUOTE=amount/],
    ["a cap without trading", ["--max-notional", "USDT=500"], /--max-notional requires --trading/],
    [
      "trading by a server elsewhere, whose settings decide",
      ["--trading", "--max-notional", "USDT=500", "--api-url", "https://grids.example"],
      /--trading has no effect with --api-url.*EDGEMAKER_MCP_CONFIRM.*on that server/,
    ],
  ])("rejects the flags of %s without changing anything", async (_what, flags, message) => {
    const folder = tempFolder();
    const ran = await edgemaker(folder, ["mcp", "install", "--client", "cursor", ...flags]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(existsSync(join(folder, ".cursor/mcp.json"))).toBe(false);
  });

  it.skipIf(!hasTerminal)("prompts for the cap of each plan in a terminal", async () => {
    const folder = tempFolder();
    const screen = terminal(folder, ["mcp", "install", "--client", "cursor", "--trading"], { columns: 100 });
    await screen.until(/What is the maximum that one plan can trade\?/);
    screen.type("USDT=250\r");
    expect(await screen.ended).toBe(0);
    expect(
      JSON.parse(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).mcpServers.edgemaker.env,
    ).toMatchObject({ EDGEMAKER_MCP_MAX_NOTIONAL: "USDT=250" });
  });

  it("lists the supported clients", async () => {
    const ran = await edgemaker(tempFolder(), ["mcp", "install", "--client", "emacs"]);
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("claude-desktop, claude-code, cursor, windsurf, vscode"),
    });
  });
});

/** Says so where a shell is not on this machine. */
function lacks(shell: string): boolean {
  const isAbsent = spawnSync(shell, ["-c", "exit 0"]).error !== undefined;
  if (isAbsent) console.log(`skipped: ${shell} is not on this machine, its completion is not tried`);
  return isAbsent;
}

describe("completion", () => {
  it.each([
    [["grid", "st"], 2, "start status stop"],
    [["boo"], 1, "book"],
    [["grid", "start", "--sy"], 3, "--symbol"],
    [["completion", ""], 2, "--help bash fish zsh"],
  ])("completes %j in bash", async (words, place, expected) => {
    const { stdout } = await edgemaker(tempFolder(), ["completion", "bash"]);
    const script = `${stdout}\nCOMP_WORDS=(edgemaker "$@"); COMP_CWORD=${place}; _edgemaker; echo "\${COMPREPLY[@]}"`;
    const ran = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
    expect(ran.stdout.trim().split(" ").sort().join(" ")).toBe(expected);
  });

  it.skipIf(lacks("fish")).each([
    ["edgemaker gri", "grid"],
    ["edgemaker grid st", "start status stop"],
    ["edgemaker --sandbox grid start --sy", "--symbol"],
    ["edgemaker orders --exchange kraken cr", "create"],
    ["edgemaker completion ", "bash fish zsh"],
  ])("completes %j in fish", async (line, expected) => {
    const { stdout } = await edgemaker(tempFolder(), ["completion", "fish"]);
    const script = `${stdout}\nfunction edgemaker; end\ncomplete -C '${line}'`;
    const ran = spawnSync("fish", ["-c", script], { encoding: "utf8" });
    const words = ran.stdout
      .trim()
      .split("\n")
      .map((output) => output.split("\t")[0]);
    expect({ words: words.sort().join(" "), stderr: ran.stderr }).toEqual({ words: expected, stderr: "" });
  });

  it.skipIf(lacks("zsh"))("completes the typed word in zsh", async () => {
    const folder = tempFolder();
    const { stdout } = await edgemaker(folder, ["completion", "zsh"]);
    writeFileSync(join(folder, "completion.zsh"), stdout + TELLING);
    const typed = ["gri", "grid sto", "grid start --lo", "orders --exchange kraken cr", "completion ba"];
    const ran = spawnSync("zsh", ["-f", "-c", TYPING, "zsh", ...typed], {
      cwd: folder,
      encoding: "utf8",
      timeout: 240_000,
    });
    expect(ran.stdout.trim().split(/\s*\n/)).toEqual([
      "grid",
      "grid stop",
      "grid start --lower",
      "orders --exchange kraken create",
      "completion bash",
    ]);
  });
});

/** Tells what stands on the line after the key was pressed. */
const TELLING = `
edgemaker() { :; }
told() { zle expand-or-complete; print -r -- "<$BUFFER>"; BUFFER=; }
zle -N told; bindkey '^I' told; print READY
`;

/** Types into a shell of its own behind a terminal. */
const TYPING = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source ./completion.zsh"
zpty -r -m shell answer '*READY*'
for line; do
  zpty -w -n shell "edgemaker $line"$'\t'
  zpty -r -m shell answer '*<edgemaker *>*'
  print -r -- "\${\${answer##*<edgemaker }%>*}"
done
`;
