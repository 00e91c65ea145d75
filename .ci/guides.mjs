// Runs each command of every `sh` block in the README and the guides: one fresh sandbox with a running server per page.
// What a reader would fill in is filled in, a question is answered, and what stays running is interrupted.
// Each command has to end with code 0. What cannot run here is listed with its reason. Arguments: pages to run alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Commands that other proofs run, or that need what no sandbox has. */
const ELSEWHERE = [
  [/^npm (ci|test|run demo)|^npm ci && npm test/, "the newcomer's proof runs it"],
  [/^npm (install|run) /, "it installs packages, or is a proof of its own"],
  [/^(turso|npx wrangler) /, "it needs a program that is installed apart"],
  [/\bdeploy\b|libsql:|--db http:/, "it needs a libSQL server or a Workers account"],
  [/\b(exchange (add|test|remove)|setup)\b|kraken-two/, "it needs keys of an exchange"],
  [/\bplans approve\b/, "it needs a plan of an agent"],
  [/\bmcp install\b/, "it writes into another program's settings"],
  [/\bOTEL_|notify (test|replay)\b/, "it needs a receiver"],
  [/\bdb restore\b/, "it needs a stopped server"],
  [/\bproof (publish|verify)\b|verify\.py/, "it needs samples of a month"],
  [/\bsqlite3\b/, "it needs orders that are older than a year"],
  [/^export EM_TOKEN=/, "the token is set before"],
  [/^echo /, "it writes settings of a command that does not run here"],
  [/\bcandles import\b|--from binance\b/, "it needs archives of an exchange"],
];

/** Commands that stay: they are interrupted once they have shown something. */
const STAYS = /\bserve\b|--watch\b/;
/** Commands that ask, and the keys of the answers. */
const ANSWERS = [
  [/\bgrid new\b/, ["\r", "BTC/USDT\r", "1000\r", "\r", "\r", "\r"]],
  [/\bnotify add\b/, ["https://example.org/hook\r", "\r", "\r"]],
];
/** The request that docs/http-api.md sends. */
const GRID = {
  definition: "grid",
  exchange: "kraken",
  symbol: "BTC/USDT",
  config: {
    lowerPrice: 57000,
    upperPrice: 63000,
    gridLevels: 6,
    orderSize: 50,
    useOwnBase: false,
    allowLoss: false,
  },
};
const SPENDS = /\b(grid|quote|strategy) (start|edit|stop)\b|\bedgemaker clone\b/;

const pages = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["README.md", ...guides()];
let failed = 0;
let passed = 0;
const skipped = new Map();
for (const page of pages) await runPage(page);
for (const [reason, commands] of skipped)
  process.stdout.write(`not run, ${reason}:\n  ${commands.join("\n  ")}\n`);
process.stdout.write(`${passed} commands ended with code 0, ${failed} did not\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function guides() {
  return readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
}

/** The commands of each shell block of a page, without comments. */
function blocksOf(page) {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) =>
    block
      .replace(/\\\n\s*/g, "")
      .trim()
      .split("\n")
      .map((line) => line.replace(/\s+#.*$/, "")),
  );
}

async function runPage(page) {
  const blocks = blocksOf(page).map((commands) => commands.filter((command) => runsHere(page, command)));
  if (blocks.flat().length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-guides-"));
  const reader = await readerIn(folder);
  try {
    for (const block of blocks) {
      for (const command of block) {
        const { code, output } = await reader.run(command);
        if (code === 0) passed++;
        else failed++;
        process.stdout.write(
          code === 0 ? `ok     ${page}: ${command}\n` : `code ${code} ${page}: ${command}\n${output}\n`,
        );
      }
      await reader.stopAll();
    }
  } finally {
    await reader.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function runsHere(page, command) {
  const reason = ELSEWHERE.find(([pattern]) => pattern.test(command))?.[1];
  if (reason) skipped.set(reason, [...(skipped.get(reason) ?? []), `${page}: ${command}`]);
  return !reason;
}

/** A person in a folder of their own, with the files that the guides speak of, a server and a running grid. */
async function readerIn(folder) {
  const bin = join(folder, "bin");
  const work = join(folder, "work");
  mkdirSync(bin);
  mkdirSync(join(work, "strategies"), { recursive: true });
  const program = `exec '${process.execPath}' '${join(root, "cli/edgemaker.cjs")}' "$@"`;
  script(join(bin, "edgemaker"), program);
  script(join(bin, "npx"), `shift; ${program}`);
  for (const name of readdirSync(join(root, "examples")))
    if (/^[\w-]+\.ts$/.test(name)) cpSync(join(root, "examples", name), join(work, "strategies", name));
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    XDG_DATA_HOME: join(folder, "data"),
    XDG_CONFIG_HOME: join(folder, "config"),
    EDGEMAKER_SANDBOX: "true",
    EDGEMAKER_KEK: Buffer.alloc(32, 7).toString("base64"),
    EDGEMAKER_OUTBOUND_HOSTS: "example.org",
  };
  const at = { cwd: work, env };
  const server = spawn("edgemaker", ["serve", "--port", "0"], {
    ...at,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(server, "exit").then(([code]) => {
    throw new Error(`the server ended with code ${code}`);
  });
  const [shown] = await Promise.race([once(server.stdout, "data"), ended]);
  const [url] = /http:\S+/.exec(String(shown));
  ended.catch(() => undefined);
  server.stdout.resume();
  const answer = async (command) => JSON.parse((await call(`edgemaker ${command} --json`, at)).output);
  const { id: strategy } = await answer(
    "grid start --exchange gateio --symbol BTC/USDT --lower 56000 --upper 64000 --levels 4 --size 30",
  );
  const { id: token, token: secret } = await answer("token create --name reader --scope trade");
  env.EM_TOKEN = secret;
  writeFileSync(join(work, "grid.json"), JSON.stringify(GRID));
  writeFileSync(join(work, "btc-usd.csv.gz"), gzipSync(candles()));
  const quotes =
    " --exchange mexc --symbol SNEK/USDT --spread-percent 1.8 --depth 500 --within-percent 1.7 --levels 3 --base-budget 600000 --quote-budget 1200";
  const words = [
    ["<id>", strategy],
    ["tok_4f0c", token],
    [" …", quotes],
    ["http://127.0.0.1:3000", url],
  ];
  return {
    /** So that the next block may use the account. */
    async stopAll() {
      const { strategies } = await answer("strategy status");
      for (const { id } of strategies) await call(`edgemaker strategy stop ${id}`, at);
    },
    run: (command) =>
      call(
        words.reduce((text, [word, value]) => text.replaceAll(word, value), command),
        at,
      ),
    async end() {
      server.kill("SIGTERM");
      if (server.exitCode === null) await once(server, "exit");
    },
  };
}

/** Ten days of minutes in which the price goes up and down by 4 %, as CSV. */
function candles() {
  const from = Date.UTC(2026, 5, 1) / 1000;
  const rows = Array.from({ length: 10 * 1440 }, (_, minute) => {
    const price = 60_000 + 24 * Math.round(100 * Math.sin(minute / 200));
    return [from + minute * 60, price, price + 30, price - 30, price + 20, 3].join(",");
  });
  return ["time,open,high,low,close,volume", ...rows].join("\n");
}

function script(path, text) {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/** Runs one command, and returns its exit code and what it wrote. */
async function call(command, at) {
  const answers = [...(ANSWERS.find(([pattern]) => pattern.test(command))?.[1] ?? [])];
  const asked = answers.length > 0;
  const flags = SPENDS.test(command) && !asked && !command.includes("--yes") ? " --yes" : "";
  // Another server of this machine may use the usual port.
  const words = command.replace(/ serve\b(?!.*--port)/, " serve --port 0") + flags;
  const child = spawn(
    ...(asked
      ? ["script", ["-qec", `stty cols 100 rows 40; ${words}`, "/dev/null"]]
      : ["sh", ["-c", `exec env ${words}`]]),
    {
      ...at,
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  let output = "";
  let quiet;
  const heard = (chunk) => {
    output += chunk;
    clearTimeout(quiet);
    if (STAYS.test(command)) quiet = setTimeout(() => child.kill("SIGINT"), 1000);
    else if (asked) quiet = setTimeout(() => child.stdin.write(answers.shift() ?? ""), 2000);
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  if (!asked) child.stdin.end();
  const late = setTimeout(() => child.kill("SIGKILL"), 120_000);
  const [code, signal] = await once(child, "close");
  clearTimeout(late);
  clearTimeout(quiet);
  return { code: code ?? signal, output };
}
