import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edgemaker, type Ran, serve, together } from "../support/command.ts";
import { makeFolder, tempFolder } from "../support/temp.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const GRID = [
  "grid",
  "start",
  ...MARKET,
  "--lower",
  "abc",
  "--upper",
  "63000",
  "--levels",
  "4",
  "--size",
  "9",
];

const MISTAKES: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["flags and no sub-command", ["orders", ...MARKET], /name a sub-command of orders\n[\s\S]*cancel-all/],
  ["a flag before the sub-command", ["orders", "--json", "list"], /--json comes before the sub-command/],
  ["an order without its id", ["orders", "cancel", ...MARKET], /^Invalid request: --id is missing$/m],
  ["a grid without its id", ["grid", "stop"], /^Invalid request: --id is missing$/m],
  ["a strategy of your own without its id", ["strategy", "orders"], /^Invalid request: --id is missing$/m],
  ["a flag that is no number", GRID, /^Invalid range: --lower must be a positive number/],
  ["no exchange", ["ticker"], /^Invalid exchange: --exchange must be one of mexc/],
];

describe("the fix suggested for a mistake on the command line:", () => {
  const { path: folder, remove } = makeFolder();
  let ran: readonly Ran[] = [];
  beforeAll(async () => {
    const lines = MISTAKES.map(([, args]) => ({
      args: args.includes("--json") || args.length < 6 ? args : [...args, "--sandbox"],
    }));
    ran = await together(folder, lines);
  });
  afterAll(remove);

  it.each(MISTAKES.map(([what, , pattern], place) => ({ what, pattern, place })))(
    "$what",
    ({ pattern, place }) => {
      const { code, stdout, stderr } = ran[place] as Ran;
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr.replace(/^edgemaker: /, "")).toMatch(pattern);
    },
  );

  it("an order without its id, when a server responds", async () => {
    const folder = tempFolder();
    await serve(folder, ["--sandbox"]);
    const { code, stderr } = await edgemaker(folder, ["orders", "cancel", ...MARKET, "--sandbox"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^Invalid request: --id is missing$/m),
    });
    const gone = await edgemaker(folder, ["orders", "cancel", "999", ...MARKET, "--sandbox"]);
    expect({ code: gone.code, stderr: gone.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Order not found: /),
    });
    const wrong = await edgemaker(folder, ["orders", "cancel", "none", ...MARKET, "--sandbox"]);
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: "Invalid request: an order id of kraken is digits, for example 1000000007\n",
    });
  });

  it("missing keys", async () => {
    const { code, stderr } = await edgemaker(tempFolder(), ["balance", "--exchange", "kraken"]);
    expect(code).toBe(1);
    expect(stderr).toContain("KRAKEN_API_KEY and KRAKEN_SECRET");
    expect(stderr).toContain("edgemaker exchange add kraken");
  });

  it("an invalid database", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "notes.txt"), "not a database, whatever its length is: ".repeat(20));
    const args = ["grid", "status", "--sandbox", "--db", `file:${join(folder, "notes.txt")}`];
    const { code, stderr } = await edgemaker(folder, args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/this file is not a database; choose another one with --db/);
  });
});
