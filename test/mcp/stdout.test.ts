import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { environment, launcher } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const say = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });
const tool = (id: number, name: string, values: object): string =>
  say({ id, method: "tools/call", params: { name, arguments: values } });
const HELLO = say({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});
const SESSION = [
  HELLO,
  say({ method: "notifications/initialized" }),
  "this is no JSON",
  '{"jsonrpc":"2.0","id":',
  say({ id: 1, method: "no/such/method" }),
  tool(2, "no_such_tool", {}),
  tool(3, "get_ticker", { exchange: "kraken", symbol: "DOGE/USDT" }),
  tool(4, "get_ticker", { exchange: 7 }),
  tool(5, "create_order", {}),
  tool(6, "get_ticker", { exchange: "kraken", symbol: "BTC/USDT" }),
];

/** Runs `edgemaker mcp …` on what a client says, which then closes its end. */
function converse(folder: string, args: readonly string[], over: Record<string, string>, lines = SESSION) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [launcher, "mcp", ...args], {
      env: environment(folder, over),
      cwd: folder,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part) => (stdout += String(part)));
    child.stderr.on("data", (part) => (stderr += String(part)));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${lines.join("\n")}\n`);
  });
}

const idsOf = (stdout: string): unknown[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { jsonrpc: string; id?: number })
    .map(({ jsonrpc, id }) => (jsonrpc === "2.0" ? id : "not the protocol"))
    .sort();

it.each(["debug", "info", "warn", "error"])(
  "at log level %s standard output has only the protocol, and every request is answered",
  async (level) => {
    const { code, stdout } = await converse(tempFolder(), ["--sandbox"], { EDGEMAKER_LOG_LEVEL: level });
    expect(code).toBe(0);
    expect(idsOf(stdout)).toEqual([0, 1, 2, 3, 4, 5, 6, null, null]);
  },
);

it("every line is answered: after a byte order mark, with null parameters, malformed, or a batch", async () => {
  const list = { id: 1, method: "tools/list", params: null };
  const lines = [
    `\uFEFF${HELLO}\r`,
    say({ method: "notifications/initialized", params: null }),
    say(list),
    say({ id: 2, method: "tools/call", params: { name: "list_exchanges", arguments: null } }),
    '{"jsonrpc":"2.0","id":3,"method"',
    '{"jsonrpc":"2.0","id":3}',
    "[]",
    '"text"',
    '{"jsonrpc":"2.0","id":99,"result":null}',
    `[${say({ ...list, id: 4 })},{"id":5},${say({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } })},${tool(6, "list_exchanges", {})}]`,
    `[${say({ method: "notifications/initialized" })}]`,
    tool(7, "list_exchanges", {}),
  ];
  const { code, stdout } = await converse(tempFolder(), ["--sandbox"], {}, lines);
  expect(code).toBe(0);
  type Answered = { id: number | null; error?: { code: number }; result?: object };
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Answered | Answered[]);
  const short = ({ id, error, result }: Answered) => [id, error?.code ?? Object.keys(result ?? {})[0]];
  const single = answers.flatMap((answer) => (Array.isArray(answer) ? [] : [short(answer)]));
  expect(single.sort()).toEqual([
    [null, -32600],
    [null, -32600],
    [null, -32700],
    [0, "protocolVersion"],
    [1, "tools"],
    [2, "content"],
    [3, -32600],
    [7, "content"],
  ]);
  const batches = answers.filter(Array.isArray).map((all: Answered[]) => all.map(short).sort());
  expect(batches).toEqual([
    [
      [4, "tools"],
      [5, -32600],
      [6, "content"],
    ],
  ]);
});

it.each<[string, string[], Record<string, string>, RegExp]>([
  ["a setting that is none", ["--sandbox"], { EDGEMAKER_EXCHANGES: "binance" }, /binance is not supported/],
  ["an unknown flag", ["--sandboks"], {}, /did you mean --sandbox/],
  ["a database that is none", ["--db", "nonsense:"], {}, /a database must be/],
])(
  "%s is reported on standard error, with exit code 2 and no standard output",
  async (_what, args, over, pattern) => {
    const { code, stdout, stderr } = await converse(tempFolder(), args, over);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(pattern);
    expect(stderr).not.toMatch(/\n {4}at /);
  },
);

it("a database that cannot be opened is reported on standard error, with exit code 1", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "taken.db"));
  const { code, stdout } = await converse(
    folder,
    ["--sandbox", "--db", `file:${join(folder, "taken.db")}`],
    {},
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});

it("settings that only the relayed-to server could apply are rejected", async () => {
  const trading = { EDGEMAKER_MCP_TRADING: "1", EDGEMAKER_MCP_CONFIRM: "terminal" };
  for (const [flags, over] of [
    [["--api-url", "http://127.0.0.1:9"], trading],
    [[], { ...trading, EDGEMAKER_API_URL: "http://127.0.0.1:9" }],
  ] as const) {
    const { code, stdout, stderr } = await converse(tempFolder(), flags, over, [HELLO]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/EDGEMAKER_MCP_TRADING has no effect with --api-url.*on that server/);
  }
});

it("an unreachable server is reported in a protocol response", async () => {
  const { stdout, stderr } = await converse(tempFolder(), ["--api-url", "http://127.0.0.1:9"], {}, [HELLO]);
  expect(JSON.parse(stdout)).toMatchObject({
    id: 0,
    error: { message: expect.stringContaining("no response from") },
  });
  expect(stderr).toContain("no response from http://127.0.0.1:9");
});
