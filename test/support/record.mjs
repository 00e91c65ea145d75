// Runs a suite of docs/testing.md again, and stores its date and result: npm run record -- "npm run simulate -- --hints removed"
// `npm run docs` then writes the page. A suite that fails, or whose output has no figures, stores nothing.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const RESULTS = fileURLToPath(new URL("../results.json", import.meta.url));
/** What suites count, in the order of preference, and what they find. */
const COUNTED = ["passes", "calls", "runs"];
const FOUND = ["violations", "differences"];

/**
 * Returns what a suite's output says it counted and found; undefined if it has no figures.
 * @param {string} output
 * @returns {string | undefined}
 */
export function summaryOf(output) {
  const [counted, found] = [COUNTED, FOUND].map((units) => {
    // Shares such as "of 513 passes" and bounds such as "6 passes of the last fault" count nothing.
    const pattern = (unit) => new RegExp(`(?<!of )\\b(\\d+) ${unit}\\b(?! of)`, "g");
    const sums = units.map((unit) => [unit, [...output.matchAll(pattern(unit))]]);
    const [unit, matches] = sums.find(([, all]) => all.length > 0) ?? [];
    return unit && `${matches.reduce((sum, [, n]) => sum + Number(n), 0).toLocaleString("en-US")} ${unit}`;
  });
  return counted && found && `${counted}, ${found}`;
}

/**
 * Runs the command of one suite, and stores its result in a file. Throws an Error if there is none to store.
 * @param {string} command
 * @param {string} date
 * @param {string} file
 */
export async function record(command, date, file = RESULTS) {
  const results = JSON.parse(readFileSync(file, "utf8"));
  const rows = results.suites.filter((suite) => suite.command === command);
  if (rows.length !== 1) {
    const commands = results.suites.map((suite) => suite.command).join("\n");
    throw new Error(
      `${rows.length} suites have the command ${command}; choose one that is there once:\n${commands}`,
    );
  }
  const suite = spawn(command, { shell: true, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  suite.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    process.stdout.write(text);
  });
  const code = await new Promise((resolve) => suite.on("close", resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}; nothing was stored`);
  const result = summaryOf(output);
  if (!result) throw new Error(`the output of ${command} has no figures; nothing was stored`);
  Object.assign(rows[0], { date, result });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(await record(process.argv[2], new Date().toISOString().slice(0, 10)));
