import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { edgemaker, environment, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { irisPool, irisServer } from "../venues/iris.ts";

it("compare prints a table with the best bid and ask highlighted, and only JSON with --json", async () => {
  const folder = tempFolder();
  // A time limit that would still run would hold the process up until this test fails.
  const limit = { EDGEMAKER_READ_TIMEOUT_MILLIS: "60000" };
  const people = await edgemaker(folder, ["compare", "BTC/USDT", "--amount", "0.5", "--sandbox"], limit);
  expect(people).toMatchObject({ code: 0, stderr: "" });
  expect(people.stdout).toMatch(/^prices\n {2}exchange +price +bid +ask +spreadPercent +best\n/m);
  const marks = people.stdout.split("\n").filter((line) => /^ {2}(mexc|gateio|bitget|kraken) /.test(line));
  expect(marks).toHaveLength(4);
  for (const mark of ["bid", "ask"]) expect(marks.filter((line) => line.includes(mark))).toHaveLength(1);
  expect(people.stdout).toMatch(/^executable {2}/m);
  expect(people.stdout).toMatch(/^whole +0\.5 BTC from \w+ to \w+: -\d/m);
  const { code, stdout, stderr } = await edgemaker(folder, ["compare", "BTC/USDT", "--sandbox", "--json"]);
  expect([code, stderr, JSON.parse(stdout).prices.length]).toEqual([0, "", 4]);
});

it.each([
  [["compare"], 2, /^Missing symbol/],
  [["compare", "BTC/USDT", "--exchanges", "kraken,binance"], 2, /^Invalid exchange/],
  [["compare", "DOGE/USDT"], 1, /^Invalid symbol: DOGE\/USDT is listed on none/],
  [["dex", "price", "ADA"], 2, /^Unsupported token: --symbol must be one of INDY, SNEK, NIGHT, MIN/],
])("%j fails with a one-sentence error", async (args, code, pattern) => {
  const ran = await edgemaker(tempFolder(), [...args, "--sandbox"]);
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: "" });
  expect(ran.stderr).toMatch(pattern);
});

it("compare --watch refreshes until Ctrl-C, exits 0, and prints one JSON result per line", async () => {
  const folder = tempFolder();
  const child = spawn(
    process.execPath,
    [join(root, "cli/edgemaker.cjs"), "compare", "BTC/USDT", "--sandbox", "--watch", "--json"],
    { env: environment(folder), cwd: folder },
  );
  let stdout = "";
  const twice = new Promise<void>((resolve) => {
    child.stdout.on("data", (part) => {
      stdout += String(part);
      if (stdout.split("\n").length > 2) resolve();
    });
  });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  await twice;
  child.kill("SIGINT");
  expect(await closed).toBe(0);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { timestamp: number });
  expect(answers.length).toBeGreaterThanOrEqual(2);
  expect(answers[1]?.timestamp).toBeGreaterThan(answers[0]?.timestamp ?? Number.NaN);
});

it.each([
  [["price", "min"], /^confidence +(0\.\d+|1)$/m],
  [["pools", "SNEK", "--limit", "2"], /dex +tvl +price +ADA +SNEK +identifier\n {2}MinswapV2 /],
  [["tokens"], /NIGHT +0691b2fe/],
])("dex %j works offline", async (args, pattern) => {
  const ran = await edgemaker(tempFolder(), ["dex", ...args, "--sandbox"]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toMatch(pattern);
});

it("--venue-url iris=… replaces the simulated aggregator, and a hanging one fails at the time limit", async () => {
  const folder = tempFolder();
  const iris = await irisServer([irisPool("INDY", { ada: 5000, price: 2, dex: "Only" })]);
  const args = ["dex", "pools", "INDY", "--sandbox", "--venue-url", `iris=${iris.url}`];
  const { stdout } = await edgemaker(folder, [...args, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ count: 1, pools: [{ dex: "Only", price: 2, tvl: 10_000 }] });
  iris.behaviour.hang = "before";
  const ended = await edgemaker(folder, args, { EDGEMAKER_READ_TIMEOUT_MILLIS: "200" });
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(/^Discovery failed: .*DEX aggregator.*\n$/);
});

it("compare rejects an invalid time limit", async () => {
  const ran = await edgemaker(tempFolder(), ["compare", "BTC/USDT", "--sandbox"], {
    EDGEMAKER_READ_TIMEOUT_MILLIS: "soon",
  });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("EDGEMAKER_READ_TIMEOUT_MILLIS") });
});

it("a server returns the same comparison without a token", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const remote = ["--api-url", server.url];
  const compared = await edgemaker(folder, ["compare", "INDY/USDT", "--dex", ...remote]);
  expect(compared).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("SundaeSwapV3") });
  const priced = await fetch(`${server.url}/api/v1/cardano/price/InDy`);
  expect([priced.status, ((await priced.json()) as { symbol: string }).symbol]).toEqual([200, "INDY/USDT"]);
});
