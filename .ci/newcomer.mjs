// Does what the README says, in a clone with nothing beside it: install, the demo until it tells fills, the tests.
// `--without-tests` ends after the demo.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "edgemaker-newcomer-"));
const clone = join(folder, "edgemaker");
const env = { ...process.env, XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") };
/** Five hours of the demo's market. */
const SECONDS = 30;

try {
  execFileSync("git", ["clone", "--quiet", root, clone], { stdio: "inherit" });
  const readme = readFileSync(join(clone, "README.md"), "utf8");
  const [install, demo] = commandsAfter(readme, "# edgemaker");
  const [test] = commandsAfter(readme, "## Tests");
  run(install);
  run("npm run check:node");
  await untilFills(demo);
  if (!process.argv.includes("--without-tests")) run(test);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The lines of the first shell block below a heading, without their comments. */
function commandsAfter(text, heading) {
  const at = `\n${text}`.indexOf(`\n${heading}\n`);
  const [, block] = /```sh\n([\s\S]*?)```/.exec(text.slice(at)) ?? [];
  if (at < 0 || !block) throw new Error(`the README has no commands below ${heading}`);
  return block
    .trim()
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, ""));
}

function run(command) {
  process.stdout.write(`\n$ ${command}\n`);
  execFileSync(command, { cwd: clone, env, shell: true, stdio: "inherit" });
}

/** Lets it end by itself after a while: by then it has to have told of fills. */
async function untilFills(command) {
  const bounded = `${command} -- --seconds ${SECONDS}`;
  process.stdout.write(`\n$ ${bounded}\n`);
  const child = spawn(bounded, { cwd: clone, env, shell: true, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
  let fills = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(`${line}\n`);
    if (/\b(bought|sold)\b/.test(line)) fills++;
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the demo ended with ${code}`);
  if (fills === 0) throw new Error("the demo told of no fill");
}
