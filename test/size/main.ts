import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../support/bundle.ts";
import { compare, format, readBudget, updated, versionsOf } from "./budget.ts";
import { INSTALL, measure } from "./measure.ts";

const USAGE = `Counts the code, the API and the install. size.json has a limit for each number, with a reason.

  --json                   print the numbers as JSON
  --check                  fail if a number is greater than in size.json, or was raised there without a new reason
  --write [--reason TEXT]  write the numbers to size.json; what grew needs a reason in one line

Rules: code is the .ts and .tsx files of src and cli that git does not ignore, without .d.ts.
  tokens                   words, literals and signs. Comments, grouping parentheses, and separators before a closing
                           bracket do not count, so the number does not depend on the format
  lines                    lines up to the last one that is not blank
  files used by one other  files that exactly one file of the code imports, with "import … from" or import(). Paths of
                           tsconfig.json count; re-exports, tests and build scripts do not
  exported symbols         names in export statements. "export *" is one
  test lines               the lines of the same kinds of files in test, printed without a limit
  operations               the list in src/operations.ts
  input, output fields     fields in the operations' JSON schemas that have no fields of their own. Of alternatives, the
                           one with most fields counts
  dependencies             entries in package.json, with optional ones
  npm ci MB                bytes in node_modules, in units of 2^20, without caches. Counted only if the packages are
                           exactly those of package-lock.json. Its limit is a multiple of 50`;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean" },
    check: { type: "boolean" },
    write: { type: "boolean" },
    reason: { type: "string" },
    help: { type: "boolean" },
  },
});

if (options.help) console.log(USAGE);
else count();

function count(): void {
  const [sizes, budget, versions] = [measure(), readBudget(root), versionsOf(root)];
  if (options.json) console.log(JSON.stringify(sizes, null, 2));
  else for (const [name, size] of Object.entries(sizes)) console.log(`${format(size).padStart(9)}  ${name}`);
  if (!options.check && !options.write) return;
  if (!(INSTALL in sizes)) console.log(`${INSTALL}: not counted, node_modules is not clean; run npm ci`);
  if (!versions) console.log("reasons: not checked, this clone has no history");
  const findings = compare(sizes, budget, versions);
  const faults = findings.filter(({ kind }) => kind !== "shrank");
  if (options.write && (faults.length === 0 || options.reason)) {
    const text = JSON.stringify(updated(sizes, budget, findings, options.reason ?? ""), null, 2);
    writeFileSync(join(root, "size.json"), `${text}\n`);
    return;
  }
  for (const { kind, text } of findings) console.log(`${kind === "shrank" ? "hint" : "failed"}: ${text}`);
  if (faults.length > 0)
    console.log('Remove code, or run: npm run size -- --write --reason "why it is worth it"');
  else if (findings.length > 0) console.log("Lower size.json: npm run size -- --write");
  process.exitCode = faults.length > 0 ? 1 : 0;
}
