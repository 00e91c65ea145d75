import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edgemaker, placed, type Ran, together } from "../support/command.ts";
import { makeFolder, tempFolder } from "../support/temp.ts";

const START = [
  "--exchange",
  "kraken",
  "--symbol",
  "BTC/USDT",
  "--lower",
  "57000",
  "--upper",
  "63000",
  "--levels",
  "4",
  "--size",
  "100",
  "--sandbox",
];
const databases = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".db"))
    : [];

const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    "a flag before the command",
    ["--dry-run", "grid", "start", ...START],
    /--dry-run comes before the command/,
  ],
  [
    "a flag before the sub-command",
    ["grid", "--db", "file:x.db", "start", ...START],
    /--db comes before the sub-command of grid/,
  ],
  ["a value flag before the sub-command", ["grid", "--json", "start", ...START], /--json comes before/],
  ["an unknown flag", ["grid", "start", ...START, "--dryrun"], /unknown flag: --dryrun/],
  ["a slip of a flag, with the nearest one", ["ticker", "--exchang", "kraken"], /did you mean --exchange\?/],
  ["a slip of a command, with the nearest one", ["tickr"], /did you mean ticker\?/],
  ["a slip of a sub-command", ["grid", "statsu"], /did you mean status\?/],
  ["a flag without its value", ["grid", "stop", "--id"], /--id needs a value/],
  ["a flag whose value is another flag", ["orders", "get", "--id", "--json"], /--id needs a value/],
  ["a flag with an empty value", ["orders", "get", "--id="], /--id needs a value/],
  ["a flag twice", ["ticker", "--exchange", "kraken", "--exchange", "mexc"], /--exchange is set twice/],
  [
    "a stray word",
    ["ticker", "BTC/USDT"],
    /unexpected word: BTC\/USDT; `edgemaker ticker --help` lists the flags/,
  ],
  [
    "a flag like no other",
    ["grid", "start", ...START, "--money", "5"],
    /unknown flag: --money; `edgemaker grid start --help` lists the flags/,
  ],
  [
    "a command like no other",
    ["withdraw"],
    /unknown command: withdraw; `edgemaker --help` lists the commands/,
  ],
  ["a switch with another value", ["ticker", "--json=yes"], /--json takes no value/],
  ["no command", [], /name a command/],
  ["no sub-command", ["grid"], /name a sub-command of grid/],
  [
    "--sandbox with an exchange's address",
    ["ticker", "--sandbox", "--venue-url", "kraken=http://127.0.0.1:1"],
    /exclude each other/,
  ],
  ["an address for nobody", ["ticker", "--venue-url", "binance=http://127.0.0.1:1"], /not configured/],
  ["a sandbox flag without --sandbox", ["serve", "--speed", "10"], /need --sandbox/],
  ["a speed that is none", ["serve", "--sandbox", "--speed", "fast"], /--speed must be/],
  ["a time that is none", ["serve", "--sandbox", "--origin", "yesterday"], /--origin must be/],
  ["a port that is none", ["serve", "--sandbox", "--port", "70000"], /--port must be/],
  [
    "two ways at once",
    ["ticker", "--api-url", "http://127.0.0.1:1", "--db", "file:x.db"],
    /remove one of them/,
  ],
];

describe("an invalid command line, which exits 2 with a reason and opens no database:", () => {
  const { path: folder, remove } = makeFolder();
  let ran: readonly Ran[] = [];
  beforeAll(async () => {
    ran = await together(
      folder,
      WRONG.map(([, args]) => ({ args })),
    );
  });
  afterAll(remove);
  it.each(WRONG.map(([what, , pattern], place) => ({ what, pattern, place })))(
    "$what",
    ({ pattern, place }) => {
      const { code, stdout, stderr } = ran[place] as Ran;
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(pattern);
      expect(stderr).not.toMatch(/\n {4}at /);
      expect(databases(folder)).toEqual([]);
    },
  );

  it("input that fails its schema", async () => {
    const folder = tempFolder();
    const { code, stdout, stderr } = await edgemaker(folder, [
      "orderbook",
      "--exchange",
      "kraken",
      "--symbol",
      "BTC/USDT",
      "--limit",
      "0",
      "--sandbox",
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Invalid limit: --limit must be a whole number from 1 to 100/);
    expect(databases(folder)).toEqual([]);
  });

  it("a configuration file with an unknown key", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "config/edgemaker"), { recursive: true });
    writeFileSync(join(folder, "config/edgemaker/edgemaker.json"), JSON.stringify({ EDGEMAKER_TOKN: "x" }));
    const { code, stderr } = await edgemaker(folder, ["exchanges", "--sandbox"]);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown key: EDGEMAKER_TOKN");
  });
});

describe("commands", () => {
  it("print tables by default and only JSON with --json", async () => {
    const folder = tempFolder();
    const people = await edgemaker(folder, [
      "book",
      "--exchange",
      "kraken",
      "--symbol",
      "BTC/USDT",
      "--sandbox",
      "--limit",
      "3",
    ]);
    expect(people).toMatchObject({ code: 0, stderr: "" });
    expect(people.stdout).toMatch(/bids\n +price +amount +total\n/);
    const program = await edgemaker(folder, [
      "trades",
      "--exchange",
      "kraken",
      "--symbol",
      "BTC/USDT",
      "--sandbox",
      "--json",
    ]);
    expect(program).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(program.stdout).trades).toHaveLength(20);
  });

  it("describe each of their flags in the help", async () => {
    const { code, stdout } = await edgemaker(tempFolder(), ["grid", "start", "--help"]);
    expect(code).toBe(0);
    for (const flag of [
      "--exchange",
      "--lower",
      "--upper",
      "--levels",
      "--size",
      "--json",
      "--db",
      "--sandbox",
      "--api-url",
    ])
      expect(stdout).toContain(flag);
  });

  it("exit 1 with a one-sentence error", async () => {
    const { code, stdout, stderr } = await edgemaker(tempFolder(), [
      "ticker",
      "--exchange",
      "kraken",
      "--symbol",
      "DOGE/USDT",
      "--sandbox",
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe("Invalid symbol: DOGE/USDT is not listed on kraken\n");
  });

  it("create a database that only its owner can access", async () => {
    const folder = tempFolder();
    await edgemaker(folder, ["balance", "--exchange", "kraken", "--sandbox"]);
    const file = join(folder, "data/edgemaker/sandbox.db");
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  });

  it("refuse a sandbox database for live exchanges, and a live database for the sandbox", async () => {
    const folder = tempFolder();
    const db = ["--db", `file:${join(folder, "one.db")}`];
    expect((await edgemaker(folder, ["exchanges", "--sandbox", ...db])).code).toBe(0);
    const live = await edgemaker(folder, ["exchanges", ...db]);
    expect(live).toMatchObject({ code: 2, stderr: expect.stringContaining("is a sandbox") });
    const other = ["--db", `file:${join(folder, "two.db")}`];
    expect((await edgemaker(folder, ["exchanges", ...other])).code).toBe(0);
    expect((await edgemaker(folder, ["exchanges", "--sandbox", ...other])).code).toBe(2);
  });

  it("refuse to change the settings that a sandbox was created with", async () => {
    const folder = tempFolder();
    const ask = (seed: string) =>
      edgemaker(folder, [
        "ticker",
        "--exchange",
        "kraken",
        "--symbol",
        "BTC/USDT",
        "--sandbox",
        "--seed",
        seed,
      ]);
    expect((await ask("7")).code).toBe(0);
    expect((await edgemaker(folder, ["grid", "start", ...START, "--yes"])).code).toBe(0);
    expect((await ask("7")).code).toBe(0);
    expect(await ask("8")).toMatchObject({ code: 2, stderr: expect.stringContaining("--seed") });
  });

  it("start a grid locally and warn that no server answers its fills", async () => {
    const folder = tempFolder();
    const started = await edgemaker(folder, ["grid", "start", ...START, "--use-own-base", "--yes"]);
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining("edgemaker serve --sandbox") });
    await placed(folder);
    const status = await edgemaker(folder, ["grid", "status", "--sandbox", "--json"]);
    const [grid] = JSON.parse(status.stdout).strategies;
    expect(grid).toMatchObject({ status: "running", openOrders: 4 });
    const one = await edgemaker(folder, ["grid", "status", "--id", grid.id, "--sandbox", "--json"]);
    expect(JSON.parse(one.stdout).count).toBe(1);
    const stopped = await edgemaker(folder, ["grid", "stop", grid.id, "--yes", "--sandbox"]);
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining("has no orders left") });
  });

  it("refuse a grid whose cycles would lose money", async () => {
    const losing = START.map((word) => (word === "57000" ? "59990" : word === "63000" ? "60010" : word));
    const { code, stderr } = await edgemaker(tempFolder(), ["grid", "start", ...losing, "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Invalid spacing: every cycle loses/);
  });
});

describe("sandbox commands", () => {
  it("deposit, withdraw, shock and reset", async () => {
    const folder = tempFolder();
    const run = (...args: string[]) => edgemaker(folder, ["sandbox", ...args]);
    const price = async () =>
      JSON.parse(
        (
          await edgemaker(folder, [
            "ticker",
            "--exchange",
            "kraken",
            "--symbol",
            "BTC/USDT",
            "--sandbox",
            "--json",
          ])
        ).stdout,
      ).last as number;
    expect(
      (await run("deposit", "--exchange", "kraken", "--asset", "USDT", "--amount", "50")).stdout,
    ).toContain("100050");
    expect(
      (await run("deposit", "--exchange", "kraken", "--asset", "USDT", "--amount", "-100051")).code,
    ).toBe(1);
    const before = await price();
    expect((await run("shock", "--symbol", "BTC/USDT", "--percent", "-20", "--sandbox")).code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect.poll(async () => (await price()) / before, { interval: 500 }).toBeLessThan(0.85);
    expect((await run("reset", "--seed", "5")).code).toBe(0);
    const balance = await edgemaker(folder, [
      "balance",
      "--exchange",
      "kraken",
      "--asset",
      "USDT",
      "--sandbox",
      "--json",
    ]);
    expect(JSON.parse(balance.stdout).balances[0].total).toBe("100000");
  });

  it.each([
    [["deposit", "--exchange", "kraken"], /--asset is missing/],
    [["deposit", "--exchange", "nope", "--asset", "USDT", "--amount", "1"], /no exchange nope/],
    [["deposit", "--exchange", "kraken", "--asset", "USDT", "--amount", "much"], /--amount must be/],
    [["shock", "--symbol", "BTC/USDT", "--percent", "-100"], /--percent must be/],
    [["shock", "--symbol", "XYZ/USDT", "--percent", "1"], /--symbol must be/],
  ])("rejects %j", async (args, pattern) => {
    const { code, stderr } = await edgemaker(tempFolder(), ["sandbox", ...args]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(pattern);
  });
});

describe("tokens", () => {
  it("are created, shown once, listed and revoked", async () => {
    const folder = tempFolder();
    const made = JSON.parse(
      (await edgemaker(folder, ["token", "create", "--name", "bot", "--scope", "trade", "--json"])).stdout,
    );
    expect(made).toMatchObject({ scope: "trade", token: expect.stringMatching(/^em_[0-9a-z]{50}$/) });
    const listed = await edgemaker(folder, ["token", "list", "--json"]);
    expect(listed.stdout).not.toContain(made.token);
    expect(JSON.parse(listed.stdout).tokens).toMatchObject([
      { id: made.id, name: "bot", scope: "trade", revokedAt: null },
    ]);
    expect((await edgemaker(folder, ["token", "revoke", made.id])).code).toBe(0);
    expect(await edgemaker(folder, ["token", "revoke", made.id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no valid token"),
    });
    expect((await edgemaker(folder, ["token", "create", "--scope", "root"])).code).toBe(2);
  });
});
