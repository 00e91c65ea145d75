import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootCommand } from "../../cli/commands/root.ts";
import type { Args } from "../../cli/terminal/arguments.ts";
import { createOperations } from "../../src/operations.ts";
import { canary, canarySecret } from "../support/canary.ts";
import { edgemaker, type Ran, serve, together } from "../support/command.ts";
import { commandsOf } from "../support/pages.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";
import { partOf } from "../support/whole.ts";

const COMMANDS = commandsOf(rootCommand(EXCHANGES)).filter(([, { run }]) => run);
const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const BOUNDS = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
const QUOTES = ["--spread-percent", "1", "--size", "100", "--quote-budget", "1000", "--base-budget", "0.1"];
const ORDER = ["--side", "buy", "--type", "limit", "--amount", "0.001", "--price", "50000"];

/** What earlier commands have answered, by their words. */
type Reported = Readonly<Record<string, { readonly id: string; readonly order: { readonly id: string } }>>;
const grid = (result: Reported) => result["grid start"]?.id ?? "";
const quotes = (result: Reported) => result["quote start"]?.id ?? "";
const order = (result: Reported) => result["orders create"]?.order.id ?? "";

/** Each command as a person would use it, in an order that works on one sandbox. */
const USES: readonly (readonly [string, (result: Reported) => readonly string[]])[] = [
  ["ticker", () => MARKET],
  ["orderbook", () => MARKET],
  ["trades", () => MARKET],
  ["ohlcv", () => MARKET],
  ["exchanges", () => []],
  ["balance", () => ["--exchange", "kraken"]],
  ["orders create", () => [...MARKET, ...ORDER]],
  ["orders list", () => ["--exchange", "kraken"]],
  ["orders get", (result) => [...MARKET, "--id", order(result)]],
  ["orders cancel", (result) => [...MARKET, "--id", order(result)]],
  ["orders cancel-all", () => ["--exchange", "kraken"]],
  ["grid preview", () => [...MARKET, ...BOUNDS]],
  ["grid withdraw-plan", () => ["--exchange", "kraken"]],
  ["grid start", () => [...MARKET, ...BOUNDS]],
  ["grid status", (result) => [grid(result)]],
  ["grid list", () => []],
  ["grid orders", (result) => [grid(result)]],
  ["grid fills", (result) => [grid(result)]],
  ["grid events", (result) => [grid(result)]],
  ["grid pause", (result) => [grid(result)]],
  ["grid resume", (result) => [grid(result)]],
  ["grid edit", (result) => [grid(result), "--stop-loss-price", "30000"]],
  ["edit", (result) => [grid(result), "--stop-loss-price", "31000"]],
  ["rename", (result) => [grid(result), "treasury"]],
  ["definitions", () => []],
  ["list", () => ["--all"]],
  ["status", () => []],
  ["pause", (result) => [grid(result), "--cancel-orders"]],
  ["resume", (result) => [grid(result)]],
  ["orders-of", (result) => [grid(result)]],
  ["fills", (result) => [grid(result)]],
  ["events", (result) => [grid(result)]],
  ["tick", () => []],
  ["grid stop", () => ["treasury"]],
  ["preview grid", () => [...MARKET, ...BOUNDS]],
  ["start grid", () => [...MARKET, ...BOUNDS, "--dry-run"]],
  ["preview centered", () => MARKET],
  ["start centered", () => [...MARKET, "--dry-run"]],
  ["preview quote", () => [...MARKET, ...QUOTES]],
  ["start quote", () => [...MARKET, ...QUOTES, "--dry-run"]],
  ["liquidity list", () => []],
  ["agreement create", () => ["desk", "--markets", "kraken:BTC/USDT depth=500", "--total", "uptime=90"]],
  ["agreement edit", () => ["desk", "--until", "2199-12-31"]],
  ["agreement show", () => ["desk"]],
  ["agreement list", () => []],
  ["agreement report", () => ["desk"]],
  ["agreement end", () => ["desk"]],
  ["quote preview", () => [...MARKET, ...QUOTES]],
  ["backtest quote", () => [...MARKET, ...QUOTES]],
  ["quote start", () => [...MARKET, ...QUOTES]],
  ["quote status", (result) => [quotes(result)]],
  ["quote list", () => []],
  ["quote orders", (result) => [quotes(result)]],
  ["quote fills", (result) => [quotes(result)]],
  ["quote events", (result) => [quotes(result)]],
  ["quote edit", (result) => [quotes(result), "--spread-percent", "2"]],
  ["quote pause", (result) => [quotes(result)]],
  ["quote resume", (result) => [quotes(result)]],
  ["quote stop", (result) => [quotes(result)]],
  ["stop", (result) => [quotes(result)]],
  ["strategy new", () => ["my-strategy"]],
  ["strategy check", () => []],
  ["strategy status", () => []],
  ["strategy list", () => []],
  ["trade", () => ["--strategy", "grid", ...MARKET, "--preview"]],
  ["dex price", () => ["SNEK"]],
  ["dex pools", () => ["SNEK"]],
  ["dex tokens", () => []],
  ["compare", () => ["BTC/USDT"]],
  ["panic", () => []],
  ["kill on", () => []],
  ["kill status", () => []],
  ["kill off", () => []],
  ["limits set", () => ["--open-orders", "500"]],
  ["limits show", () => []],
  ["plans list", () => []],
  ["cost", () => []],
  ["doctor", () => []],
  ["token create", () => ["--name", "test"]],
  ["token list", () => []],
  ["token revoke", (result) => [result["token create"]?.id ?? ""]],
  ["audit verify", () => []],
  ["report", () => []],
  ["quality", () => []],
  ["disposals", () => ["--from", "2026-01-01", "--to", "2026-12-31"]],
  ["sandbox deposit", () => ["--exchange", "kraken", "--asset", "USDT", "--amount", "5"]],
  ["sandbox fault", () => ["--exchange", "kraken", "--kind", "stale", "--for", "1s"]],
  ["sandbox shock", () => ["--symbol", "BTC/USDT", "--percent", "1"]],
  ["db backup", () => ["copy.db"]],
  ["db prune", () => []],
  ["sandbox reset", () => []],
];

/** Commands that need a server, a terminal, a plan, real keys or a shell, and where they are tested. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  serve: "test/processes",
  page: "test/web/strategies.test.ts",
  backtest: "test/backtest/surfaces.test.ts",
  "backtest centered": "test/backtest/surfaces.test.ts",
  "backtest grid": "test/backtest/surfaces.test.ts",
  "grid backtest": "test/backtest/surfaces.test.ts",
  "quote backtest": "test/backtest/quotes.test.ts",
  replay: "test/backtest/replay-command.test.ts",
  ...Object.fromEntries(
    ["stop", "pause", "resume", "orders", "fills", "events", "edit"].map((word) => [
      `strategy ${word}`,
      "test/own/command.test.ts",
    ]),
  ),
  "strategy edit": "test/commands/edit.test.ts",
  clone: "test/commands/clone.test.ts",
  "preview clone": "test/commands/clone.test.ts",
  suggest: "test/backtest/suggest/suggest.test.ts",
  "candles download": "test/candles",
  "candles import": "test/candles",
  "candles list": "test/candles",
  "candles show": "test/candles",
  "liquidity report": "test/liquidity/served.test.ts",
  demo: "test/cli/actions/demo.test.ts",
  deploy: "test/edge/heavy/packed.run.ts",
  setup: "test/commands/setup.test.ts",
  "grid new": "test/commands/grid-new.test.ts",
  mcp: "test/mcp",
  "mcp install": "test/commands/setup.test.ts",
  "plans approve": "test/mcp/stdio.test.ts",
  "plans refuse": "test/transport/mcp/plans.test.ts",
  docs: "test/cli/guides.test.ts",
  verify: "test/cli/verify.test.ts",
  "completion bash": "test/commands/setup.test.ts",
  "completion zsh": "test/commands/setup.test.ts",
  "completion fish": "test/commands/setup.test.ts",
  "exchange add": "test/cli",
  "exchange import": "test/cli/key-store.test.ts",
  "exchange list": "test/cli",
  "exchange remove": "test/cli",
  "exchange test": "test/cli",
  "exchange rotate": "test/cli",
  "notify add": "test/processes/alert-channels.test.ts",
  "notify list": "test/processes/alert-channels.test.ts",
  "notify remove": "test/processes/alert-channels.test.ts",
  "notify replay": "test/processes/alert-channels.test.ts",
  "notify test": "test/processes/alert-channels.test.ts",
  "audit export": "test/audit/operations/verify.test.ts",
  "audit checkpoint": "test/audit/operations/verify.test.ts",
  "proof key": "test/liquidity/proof.test.ts",
  "proof publish": "test/liquidity/proof.test.ts",
  "proof verify": "test/liquidity/proof.test.ts",
  "status-page build": "test/cli/status-page.test.ts",
  "db restore": "test/cli",
  "db restored": "test/cli",
  "db migrate": "test/edge",
};

/** Four at a time: each is a process. */
async function each<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = [...list];
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

const isPlain = ({ stdout, stderr }: Ran): boolean =>
  stdout === "" && /^[A-Z][\w ]+: [^\n]+\n$/.test(stderr) && !/\n\s+at /.test(stderr);

describe("every command", () => {
  it("is run here or tested elsewhere", () => {
    const known = [...USES.map(([path]) => path), ...Object.keys(ELSEWHERE)];
    expect(COMMANDS.map(([path]) => path).filter((path) => !known.includes(path))).toEqual([]);
  });

  it("takes --json if it prints a result", () => {
    // Setup is a dialog, serve and demo print until Ctrl-C, mcp speaks a protocol, and completion prints a script.
    const others = /^(setup|serve|demo|mcp|strategy edit|completion \w+)$/;
    const lacking = COMMANDS.filter(([, { args = {} }]) => !Object.hasOwn(args as Args, "json"));
    expect(lacking.map(([path]) => path).filter((path) => !others.test(path))).toEqual([]);
  });

  it("prints only JSON with --json, and nothing on standard error", async () => {
    const folder = tempFolder();
    const result: Record<string, never> = {};
    const there = USES.filter(([path]) => COMMANDS.some(([one]) => one === path));
    for (const [path, argsOf] of there) {
      const takes = Object.keys((COMMANDS.find(([one]) => one === path)?.[1].args ?? {}) as Args);
      const args = [
        ...path.split(" "),
        ...argsOf(result),
        "--json",
        ...(takes.includes("sandbox") ? ["--sandbox"] : []),
        ...(takes.includes("yes") && path !== "trade" ? ["--yes"] : []),
      ];
      const { code, stdout, stderr } = await edgemaker(folder, args);
      // A grid that nothing steps, the file of a kill and the progress of what takes long are for the person.
      const said = stderr.replace(
        /^(No server is running[^\n]*|(Created|Removed) the file[^\n]*|\d+ % done)\n/gm,
        "",
      );
      expect({ code, said }, `${args.join(" ")}\n${stdout}`).toEqual({ code: 0, said: "" });
      result[path] = JSON.parse(stdout) as never;
    }
  });

  it("exits 1 with one sentence when the exchange does not respond", async () => {
    const asking = USES.filter(([path]) => {
      const found = createOperations(EXCHANGES).find(({ cli }) => cli?.path === path);
      return found && !found.mcp?.isSelfContained && found.failure !== "Internal error";
    }).filter(
      ([path]) => !path.startsWith("grid s") && !/^(((grid|quote) )?(edit|stop)|pause|resume)$/.test(path),
    );
    expect(asking.length).toBeGreaterThan(12);
    const dead = [...EXCHANGES, "iris"].flatMap((id) => ["--venue-url", `${id}=http://127.0.0.1:9`]);
    const over = { KRAKEN_API_KEY: canary("key"), KRAKEN_SECRET: canarySecret("nobody") };
    await each(partOf(asking, 0), async ([path, argsOf]) => {
      const [, { args: accepted = {} } = {}] = COMMANDS.find(([one]) => one === path) ?? [];
      const yes = Object.hasOwn(accepted, "yes") ? ["--yes"] : [];
      const given = argsOf({ "orders create": { id: "", order: { id: "OUF4EM-FRGI2-MQMWZD" } } });
      const ran = await edgemaker(tempFolder(), [...path.split(" "), ...given, ...yes, ...dead], over);
      expect({ code: ran.code, plain: isPlain(ran) }, `${path}: ${ran.stdout}${ran.stderr}`).toEqual({
        code: 1,
        plain: true,
      });
    });
  });

  it("rejects an unknown flag with exit 2, suggests the nearest, and opens no database", async () => {
    const folder = tempFolder();
    const lines = COMMANDS.map(([path, { args = {} }]) => {
      const flags = Object.entries(args as Args).filter(([, { type }]) => type !== "positional");
      const [flag = "help"] = flags.at(-1) ?? [];
      const text = `unknown flag: --${flag}x${flags.length > 0 ? `; did you mean --${flag}?` : ""}`;
      return { path, args: [...path.split(" "), `--${flag}x`], text };
    });
    const ran = await together(folder, lines);
    for (const [place, { path, text }] of lines.entries()) {
      const { code, stdout, stderr } = ran[place] as Ran;
      expect({ code, stdout }, path).toEqual({ code: 2, stdout: "" });
      expect(stderr, path).toContain(text);
    }
    expect(existsSync(join(folder, "data/edgemaker/edgemaker.db"))).toBe(false);
  });

  it.each(["serve", "mcp", "grid start"])(
    "%s rejects an unknown setting with exit 2, suggests the nearest, and opens no database",
    async (path) => {
      const folder = tempFolder();
      const over = { EDGEMAKER_SANDBX: "1" };
      const { code, stdout, stderr } = await edgemaker(folder, path.split(" "), over);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toBe("edgemaker: EDGEMAKER_SANDBX is not a setting; did you mean EDGEMAKER_SANDBOX?\n");
      expect(existsSync(join(folder, "data/edgemaker"))).toBe(false);
    },
  );

  it("works the same against a hosted API, and runs a grid there", async () => {
    const server = await serve(tempFolder(), ["--sandbox"]);
    const folder = tempFolder();
    const there = ["--api-url", server.url, "--token", server.token];
    const run = (...args: string[]) => edgemaker(folder, [...args, ...there]);
    for (const [path, args] of [
      ["ticker", MARKET],
      ["balance", ["--exchange", "kraken"]],
      ["grid list", []],
      ["plans list", []],
    ] as const) {
      const { code, stdout, stderr } = await run(...path.split(" "), ...args, "--json");
      expect({ code, stderr }, path).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout), path).toBeTypeOf("object");
    }
    const started = await run(
      "trade",
      "--strategy",
      "grid",
      ...MARKET,
      "--levels",
      "2",
      "--detach",
      "--use-own-base",
      "--yes",
      "--json",
    );
    expect(started.code, started.stderr).toBe(0);
    const { id } = JSON.parse(started.stdout) as { id: string };
    expect(JSON.parse((await run("grid", "status", id, "--json")).stdout)).toMatchObject({
      strategies: [{ id, gridLevels: 4, openOrders: 4 }],
    });
    expect((await run("grid", "stop", id, "--yes")).stdout).toContain("has no orders left");
    expect(existsSync(join(folder, "data/edgemaker/edgemaker.db"))).toBe(false);
    const wrong = await edgemaker(folder, ["balance", "--exchange", "kraken", "--api-url", server.url]);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unauthorized: .*\nGive a token/),
    });
  });
});
