import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildLibrary, LIBRARY_EXPORTS } from "../../cli/build/library.mjs";
import { root } from "../support/bundle.ts";
import { edgemaker, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const CONFIG = ["--spread-percent", "0.2", "--size", "100"];

/** A home with this example among its strategies. */
function home(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  cpSync(join(root, "examples/two-sided.ts"), join(folder, "strategies/two-sided.ts"));
  return folder;
}

const result = async (folder: string, ...args: string[]) => {
  const { code, stdout, stderr } = await edgemaker(folder, ["strategy", ...args, "--sandbox", "--json"]);
  expect([code, stderr.replace(/^(No server is running.*|\d+ % done)\n/gm, "")], args.join(" ")).toEqual([
    0,
    "",
  ]);
  return JSON.parse(stdout);
};

it("a custom strategy starts with the flags of its config and supports every command", async () => {
  const folder = home();
  const { code, stdout } = await edgemaker(folder, ["strategy", "start", "two-sided", "--help"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("Spread between bid and ask, in percent (required)"),
  ]);
  const { planHash } = await result(folder, "preview", "two-sided", ...MARKET, ...CONFIG);
  expect(planHash).toMatch(/^[0-9a-f]{32}-/);
  const { id } = await result(folder, "start", "two-sided", ...MARKET, ...CONFIG, "--yes");
  expect((await result(folder, "orders", id)).count).toBe(2);
  expect((await result(folder, "fills", id)).id).toBe(id);
  expect((await result(folder, "events", id)).events[0].kind).toBeTypeOf("string");
  expect(await result(folder, "pause", id)).toMatchObject({ success: true });
  expect(await result(folder, "resume", id)).toMatchObject({ success: true });
  const status = await result(folder, "status", id);
  expect(status).toMatchObject({ status: "running", lastError: null });
  expect(await result(folder, "stop", id, "--yes")).toMatchObject({ status: "stopped" });
});

it("the strategy of the README starts with the command that the README shows", async () => {
  const text = readFileSync(join(root, "README.md"), "utf8").split("## Write a strategy")[1] ?? "";
  const [, code = ""] = /```ts\n(.*?)```/s.exec(text) ?? [];
  const [, command = ""] = /npx edgemaker (strategy start [^`\n]*)/.exec(text) ?? [];
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  writeFileSync(join(folder, "strategies/two-sided.ts"), code);
  // Without a terminal, a start needs this flag.
  const started = await edgemaker(folder, [...command.trim().split(" "), "--yes", "--json"]);
  expect([started.code, JSON.parse(started.stdout)]).toMatchObject([0, { status: "running" }]);
});

it("only commands that run own strategies load their files", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  // The file leaves its context and creates a file, so that a test sees that it ran.
  const ran = join(folder, "ran");
  writeFileSync(
    join(folder, "strategies/spy.ts"),
    `import { defineStrategy, z } from "edgemaker";
const process = defineStrategy.constructor("return process")();
process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(ran)}, "");
export default defineStrategy({ name: "spy", config: z.object({}), orders: () => [] });
`,
  );
  const isRunBy = async (...args: string[]) => {
    const { code, stderr } = await edgemaker(folder, args);
    // A wrong command line would run nothing.
    expect([args, code, stderr]).not.toEqual([args, 2, expect.anything()]);
    const exists = existsSync(ran);
    rmSync(ran, { force: true });
    return exists;
  };
  for (const line of [
    "ticker --exchange kraken --symbol BTC/USDT --sandbox",
    "doctor --sandbox",
    "kill on --sandbox",
    "panic --sandbox --yes",
    "kill off --sandbox",
    "completion bash",
    "--help",
  ])
    expect([line, await isRunBy(...line.split(" "))]).toEqual([line, false]);
  expect(await isRunBy("strategy", "check")).toBe(true);
});

it("strategy new writes a starter that passes its checks, which report a wrong type by file and line", async () => {
  const folder = tempFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(root, "tsconfig.json") }));
  const run = (...args: string[]) => edgemaker(folder, ["strategy", ...args, "--json"]);
  const made = JSON.parse((await run("new", "my-own")).stdout);
  expect(made).toMatchObject({ strategy: "strategies/my-own.ts" });
  // In a checkout, vitest finds no tests in the folder of strategies.
  expect(made).not.toHaveProperty("to run its test");
  expect(await run("new", "my-own")).toMatchObject({ code: 2 });
  expect(await run("new", "My own")).toMatchObject({ code: 2 });
  const good = await run("check");
  expect([good.code, JSON.parse(good.stdout)]).toMatchObject([0, { count: 1, types: "checked" }]);
  const file = join(folder, "strategies/my-own.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace('side: "sell"', 'side: "sel"'));
  const wrong = await run("check");
  expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringMatching(/my-own\.ts\(\d+,\d+\): error TS/)]);
  await run("new", "compares");
  rmSync(file);
  const comparing = join(folder, "strategies/compares.ts");
  // Operators between numbers, texts and types are allowed.
  const lines = [
    "    const isWide: Array<number> = half > 0.1 && 'b' >= 'a' ? [1] : [];",
    "    if (isWide.length > 0 || quote.mid >= quote.ask) return [];",
    "    if (isRising(quote.bid, quote.mid)) return [];",
  ];
  const text = readFileSync(comparing, "utf8").replace(/ {4}return \[/, `${lines.join("\n")}\n$&`);
  writeFileSync(comparing, `import { isRising } from "./rising.ts";\n${text}`);
  writeFileSync(
    join(folder, "strategies/rising.ts"),
    `import type { Money } from "edgemaker";\nexport const isRising = (a: Money, b: Money) => a < b;\n`,
  );
  const compared = await run("check");
  expect([compared.code, JSON.parse(compared.stdout).mistakes]).toEqual([
    1,
    [
      expect.stringContaining("strategies/rising.ts:1: export the strategy"),
      "strategies/compares.ts(15,30): error: operators do not work on Money: compare with isLess and isMore",
      "strategies/rising.ts(2,49): error: operators do not work on Money: compare with isLess and isMore",
    ],
  ]);
});

it("strategy new writes a tsconfig.json with which tsc accepts the starter and its test, and keeps one that exists", async () => {
  const folder = tempFolder();
  const installed = join(folder, "node_modules/edgemaker");
  await buildLibrary(join(installed, "dist/library"));
  writeFileSync(
    join(installed, "package.json"),
    JSON.stringify({ name: "edgemaker", exports: LIBRARY_EXPORTS }),
  );
  for (const name of ["vitest", "zod"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  const run = (...args: string[]) => edgemaker(folder, ["strategy", ...args, "--json"]);
  const own = join(folder, "tsconfig.json");
  expect(JSON.parse((await run("new", "my-own")).stdout)).toMatchObject({
    settings: "tsconfig.json",
    "for agents": "AGENTS.md",
  });
  const { stdout, status } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([stdout, status]).toEqual(["", 0]);
  writeFileSync(own, "{}");
  const another = JSON.parse((await run("new", "another")).stdout);
  expect(Object.keys(another).filter((key) => /settings|agents/.test(key))).toEqual([]);
  expect(readFileSync(own, "utf8")).toBe("{}");
});

it("names the file with prices if a test cannot read it", async () => {
  const args = [
    "strategy",
    "test",
    "two-sided",
    "--spread-percent",
    "0.4",
    "--size",
    "500",
    "--data",
    "none.csv",
  ];
  const { code, stderr } = await edgemaker(home(), args);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--data none.csv cannot be read")]);
});

it("tests a strategy in the sandbox with crashes, and reports a variable that a restart loses", async () => {
  const folder = home();
  const test = (...args: string[]) => edgemaker(folder, ["strategy", "test", ...args, "--json"]);
  const good = await test(
    "two-sided",
    "--spread-percent",
    "0.4",
    "--size",
    "500",
    "--passes",
    "100",
    "--seed",
    "3",
  );
  expect([good.code, JSON.parse(good.stdout)]).toMatchObject([0, { passes: 100, problems: [] }]);
  writeFileSync(
    join(folder, "strategies/forgetful.ts"),
    `import { defineStrategy, z } from "edgemaker";
let first: number | undefined;
export default defineStrategy({ name: "forgetful", config: z.object({}),
  orders({ quote }) {
    first ??= quote.bid.toNumber();
    return [{ id: "a", side: "buy", price: first * 0.9, quoteSize: 100 }];
  } });`,
  );
  const forgetful = await test("forgetful", "--seed", "3");
  expect(forgetful.code).toBe(1);
  expect(JSON.parse(forgetful.stdout).problems).toEqual([
    expect.stringContaining("a restarted process returned other orders"),
  ]);
  expect(await test("two-sided", "--spread-percent", "x")).toMatchObject({ code: 2 });
});

it("the definition of docs/extending.md passes its check and its simulation, and starts", async () => {
  const text = readFileSync(join(root, "docs/extending.md"), "utf8");
  const [, code = ""] = /```ts\n(.*?)```/s.exec(text) ?? [];
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  writeFileSync(join(folder, "strategies/bid.ts"), code);
  const commands = [...text.matchAll(/`npx edgemaker ((?:start|strategy check|strategy test) ?[^`]*)`/g)].map(
    ([, command = ""]) => command.split(" "),
  );
  expect(commands.map(([first]) => first)).toEqual(["strategy", "strategy", "start"]);
  for (const command of commands) {
    const { code, stderr } = await edgemaker(folder, [
      ...command,
      ...(command[0] === "start" ? ["--yes"] : []),
    ]);
    expect([command, code, stderr.includes("edgemaker:")]).toEqual([command, 0, false]);
  }
  const { orders } = await result(
    folder,
    "status",
    JSON.parse((await edgemaker(folder, ["list", "--sandbox", "--json"])).stdout).strategies[0].id,
  );
  expect(orders).toMatchObject([{ id: "bid", side: "buy" }]);
});

it("a command that does not know a strategy leaves it as it is, and says so", async () => {
  const folder = home();
  const { id } = await result(folder, "start", "two-sided", ...MARKET, ...CONFIG, "--yes");
  expect((await edgemaker(folder, ["tick", "--sandbox"])).code).toBe(0);
  const before = await result(folder, "status", id);
  expect(before).toMatchObject({ phase: "active", orders: [{}, {}] });
  // Others have another folder: it does not exist, or has other strategies.
  mkdirSync(join(folder, "others"));
  cpSync(join(root, "examples/dca.ts"), join(folder, "others/dca.ts"));
  for (const strategies of ["nowhere", "others"]) {
    const elsewhere = { EDGEMAKER_STRATEGIES: join(folder, strategies) };
    const ticked = await edgemaker(folder, ["tick", "--sandbox", "--json"], elsewhere);
    expect(JSON.parse(ticked.stdout).accounts).toEqual([
      {
        account: "sandbox:kraken:",
        outcome: "stepped",
        message: `${id} stays as it is: the strategy two-sided is not loaded here; set EDGEMAKER_STRATEGIES to its folder`,
      },
    ]);
    const resumed = await edgemaker(folder, ["resume", id, "--sandbox", "--json"], elsewhere);
    expect(resumed.code).toBe(0);
    const after = await result(folder, "status", id);
    expect(after).toMatchObject({ phase: "active", lastError: null });
    expect(after.orders).toEqual(before.orders);
  }
  const { events } = await result(folder, "events", id);
  expect(events.filter(({ kind }: { kind: string }) => kind === "error")).toEqual([]);
  await result(folder, "pause", id);
  const elsewhere = { EDGEMAKER_STRATEGIES: join(folder, "others") };
  const { stdout } = await edgemaker(folder, ["resume", id, "--sandbox", "--json"], elsewhere);
  expect(JSON.parse(stdout).message).toMatch(/stays paused: .*the strategy two-sided is not loaded here/);
});

it("a strategy pauses when its file is broken, and continues once it is fixed", async () => {
  const folder = home();
  const file = join(folder, "strategies/two-sided.ts");
  const { id } = await result(folder, "start", "two-sided", ...MARKET, ...CONFIG, "--yes");
  const stepped = async () => {
    expect((await edgemaker(folder, ["tick", "--sandbox"])).code).toBe(0);
    return result(folder, "status", id);
  };
  // On a busy machine a pass can be too short for all of it.
  const steppedUntil = async (isIt: (now: Awaited<ReturnType<typeof stepped>>) => boolean) => {
    for (;;) {
      const now = await stepped();
      if (isIt(now)) return now;
    }
  };
  writeFileSync(file, 'import { z } from "edgemaker";\nexport default 7 +;\n');
  const broken = await steppedUntil(({ phase, orders }) => phase === "paused" && orders.length === 0);
  expect(broken.lastError).toContain("is not loaded");
  cpSync(join(root, "examples/two-sided.ts"), file);
  const again = await steppedUntil(({ orders }) => orders.length === 2);
  expect(again).toMatchObject({ lastError: null });
});

it("a custom strategy's config appears in the API document and the agent tools", async () => {
  const folder = home();
  writeFileSync(
    join(folder, "strategies/broken.ts"),
    'import { z } from "edgemaker";\nexport default 7 +;\n',
  );
  const server = await serve(folder, ["--sandbox"]);
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  expect(document).toContain("Spread between bid and ask, in percent");
  const config = { spreadPercent: 0.2, size: 100 };
  const body = { definition: "two-sided", exchange: "kraken", symbol: "BTC/USDT", config };
  const response = await fetch(`${server.url}/api/v1/strategies`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${server.token}` },
    body: JSON.stringify(body),
  });
  expect([response.status, await response.json()]).toMatchObject([200, { definition: "two-sided" }]);
  expect(server.stderr()).toContain("broken.ts:2:19");
});

it("a server that started before a strategy was written is to be restarted", async () => {
  const folder = home();
  await serve(folder, ["--sandbox"]);
  expect((await edgemaker(folder, ["strategy", "new", "drip"])).code).toBe(0);
  const flags = [...MARKET, "--spread-percent", "1", "--size", "100"];
  for (const command of [
    ["strategy", "preview", "drip"],
    ["strategy", "start", "drip", "--yes"],
    ["backtest", "drip"],
  ]) {
    const { code, stderr } = await edgemaker(folder, [...command, ...flags, "--sandbox"]);
    expect([code, stderr]).toEqual([
      2,
      "Invalid request: the running server does not know drip; restart it to load it\n",
    ]);
  }
});

it("backtest runs a strategy on a candle file, and reports stored arguments or endless loops by line", async () => {
  const folder = home();
  const rows = Array.from({ length: 60 }, (_, i) => {
    const price = 60_000 + (i % 6) * 300;
    return `${1_767_225_600_000 + i * 60_000},${price},${price + 200},${price - 200},${price},1`;
  });
  writeFileSync(join(folder, "hour.csv"), ["timestamp,open,high,low,close,volume", ...rows].join("\n"));
  const RULES = ["--tick", "0.01", "--lot", "0.00001", "--maker-fee", "0.001", "--data", "hour.csv"];
  const BUDGET = ["--base-budget", "0.1", "--quote-budget", "5000"];
  const test = (...args: string[]) =>
    edgemaker(folder, ["strategy", "backtest", ...args, ...MARKET, ...RULES, ...BUDGET, "--json"]);
  const { code, stdout } = await test("two-sided", "--spread-percent", "0.2", "--size", "500");
  const answer = JSON.parse(stdout);
  expect([code, answer.lastError, answer.definition]).toEqual([0, null, "two-sided"]);
  expect(answer.filledOrders).toBeGreaterThan(0);
  const own = (name: string, body: string) =>
    writeFileSync(
      join(folder, `strategies/${name}.ts`),
      `import { defineStrategy, z } from "edgemaker";
let calls = 0;
export default defineStrategy({ name: "${name}", config: z.object({}),
  orders({ quote }) { ${body} } });`,
    );
  own("counting", 'return [{ id: "a", side: "buy", price: quote.bid.minus(calls++), size: 0.001 }];');
  own("endless", "for (;;);");
  expect(JSON.parse((await test("counting")).stdout).lastError).toMatch(
    /^strategies\/counting\.ts:4: two calls with the same input/,
  );
  const endless = await test("endless");
  expect(endless.code).toBe(1);
  expect(endless.stderr).toContain("strategies/endless.ts:4: it ran for more than 2000 ms");
});

it("compares the values of config fields in one table, with stored candles of other exchanges as reference prices", async () => {
  const folder = home();
  const csv = (name: string, shift: number) => {
    const rows = Array.from({ length: 60 }, (_, i) => {
      const price = 60_000 + shift + (i % 6) * 300;
      return `${1_767_225_600_000 + i * 60_000},${price},${price + 200},${price - 200},${price},1`;
    });
    writeFileSync(join(folder, name), ["timestamp,open,high,low,close,volume", ...rows].join("\n"));
  };
  csv("hour.csv", 0);
  csv("other.csv", 500);
  const file = ["--data", "hour.csv", "--tick", "0.01", "--lot", "0.00001", "--maker-fee", "0.001"];
  const backtest = (...args: string[]) =>
    edgemaker(folder, [
      "backtest",
      ...args,
      ...MARKET,
      ...file,
      "--base-budget",
      "0.1",
      "--quote-budget",
      "5000",
    ]);
  const swept = await backtest(
    "two-sided",
    "--sweep",
    "spreadPercent=0.2,50",
    "--sweep",
    "size=100,500",
    "--json",
  );
  expect([swept.code, swept.stderr.replace(/^\d+ % done\n/gm, "")]).toEqual([0, ""]);
  const { runs, count } = JSON.parse(swept.stdout);
  expect(count).toBe(4);
  expect(runs.map(({ values }: { values: object }) => JSON.stringify(values)).sort()).toEqual(
    ["0.2", "50"].flatMap((spread) =>
      ["100", "500"].map((size) => JSON.stringify({ "spread-percent": spread, size })),
    ),
  );
  const totals = runs.map(({ total }: { total: string }) => Number(total));
  expect(totals).toEqual([...totals].sort((a, b) => b - a));
  const single = async (...args: string[]) => JSON.parse((await backtest(...args, "--json")).stdout);
  const alone = await single("two-sided", "--spread-percent", "0.2", "--size", "500", "--single");
  expect(alone.band).toBeNull();
  const same = runs.find(
    ({ values }: { values: object }) => JSON.stringify(values) === '{"spread-percent":"0.2","size":"500"}',
  );
  expect(same.total).toBe(alone.total);
  expect((await backtest("two-sided", "--sweep", "spreadPercent=0.2,50", "--size", "100")).stdout).toMatch(
    /spread-percent +total/,
  );
  for (const wrong of ["symbol=A/B", "spreadPercent", "spreadPercent="])
    expect(await backtest("two-sided", "--size", "1", "--sweep", wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Fields: spread-percent, size"),
    });
  expect(await backtest("two-sided", "--sweep", "size=1,2", "--format", "csv")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--sweep prints no trades"),
  });
  writeFileSync(
    join(folder, "strategies/follows.ts"),
    `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({ name: "follows", config: z.object({}), reference: true,
  orders({ now, reference }) { if (now > 1_767_225_720_000) throw new Error("reference " + JSON.stringify(reference.prices)); return []; } });`,
  );
  expect((await single("follows")).lastError).toContain("reference []");
  const imported = await edgemaker(folder, [
    "candles",
    "import",
    "other.csv",
    "--from",
    "mexc",
    "--symbol",
    "BTC/USDT",
  ]);
  expect([imported.code, imported.stderr]).toEqual([0, expect.anything()]);
  expect((await single("follows")).lastError).toContain('reference [{"source":"mexc","price":');
});

it("backtests with stored candles of another pair, and asks for them if there are none", async () => {
  const folder = home();
  const csv = (name: string, first: number) => {
    const rows = Array.from({ length: 30 }, (_, i) => {
      const price = first + i;
      return `${1_767_225_600_000 + i * 60_000},${price},${price},${price},${price},1`;
    });
    writeFileSync(join(folder, name), ["timestamp,open,high,low,close,volume", ...rows].join("\n"));
  };
  csv("btc.csv", 60_000);
  csv("eth.csv", 3000);
  writeFileSync(
    join(folder, "strategies/paired.ts"),
    `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({ name: "paired", config: z.object({}),
  candles: { eth: { timeframe: "5m", count: 2, symbol: "ETH/USDT" }, own: { timeframe: "15m", count: 1 } },
  orders({ candles, now }) {
    const { eth, own } = candles;
    const closes = (all: typeof eth) => all.map(({ close }) => String(close)).join(" ");
    return { orders: [], state: null, notes: { eth: closes(eth), own: closes(own), minute: now / 60000 % 60 } };
  } });`,
  );
  const rules = "--tick 0.01 --lot 0.00001 --maker-fee 0.001 --data btc.csv --tick-interval 60000 --json";
  const budgets = ["--base-budget", "0.1", "--quote-budget", "5000"];
  const backtest = () =>
    edgemaker(folder, ["strategy", "backtest", "paired", ...MARKET, ...rules.split(" "), ...budgets]);
  const missing = await backtest();
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain(
    "paired uses candles of 5m of ETH/USDT, and there are none of this time; download them first with `edgemaker candles download --exchange …",
  );
  const stored = ["candles", "import", "eth.csv", "--from", "kraken", "--symbol", "ETH/USDT"];
  expect((await edgemaker(folder, stored)).code).toBe(0);
  const { code, stdout, stderr } = await backtest();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { notes } = JSON.parse(stdout).details as { notes: { eth: string; own: string; minute: number } };
  const newest = Math.floor(notes.minute / 5) * 5 - 1;
  expect(notes.eth).toBe(`${3000 + newest - 5} ${3000 + newest}`);
  expect(notes.own).toBe(String(60_000 + Math.floor(notes.minute / 15) * 15 - 1));
});
