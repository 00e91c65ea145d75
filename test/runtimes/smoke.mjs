// Runs a part of the tests on the other supported versions of Node: npm run test:nodes
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = ["kernel", "candles", "engine", "grid", "transport", "storage", "adapters/libsql"].map(
  (folder) => `test/${folder}`,
);

for (const version of ["node-22", "node-26"]) {
  const node = fileURLToPath(new URL(`node_modules/${version}/bin/node`, import.meta.url));
  const words = ["node_modules/vitest/vitest.mjs", "run", "--project", "shared", ...PARTS];
  process.stdout.write(`${spawnSync(node, ["--version"], { encoding: "utf8" }).stdout}`);
  const { status } = spawnSync(node, words, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
