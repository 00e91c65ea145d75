import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { root } from "./bundle.ts";

/** The recorded results of the suites that take long: `npm run record -- COMMAND` runs one, and stores its result. */
const Results = z.strictObject({
  suites: z.array(
    z.strictObject({ proves: z.string(), command: z.string(), date: z.iso.date(), result: z.string() }),
  ),
  tables: z.array(
    z.strictObject({
      title: z.string(),
      text: z.string(),
      date: z.iso.date(),
      head: z.array(z.string()),
      rows: z.array(z.array(z.string())),
    }),
  ),
});

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lineOf = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [lineOf(head), `|${"---|".repeat(head.length)}`, ...rows.map(lineOf)].join("\n");
};

/** docs/testing.md */
export function testingPage(): string {
  const { suites, tables } = Results.parse(JSON.parse(readFileSync(join(root, "test/results.json"), "utf8")));
  const parts = tables.map(
    ({ title, text, date, head, rows }) =>
      `## ${title}\n${text} Measured on ${date}:\n\n${tableOf(head, rows)}\n`,
  );
  return `# Tests

This page lists the slow test suites, what each one shows, and its last recorded result.
\`npm run record -- "COMMAND"\` runs a suite of the first table again, and stores its date and result in \`test/results.json\`. It stores
nothing if the suite fails. \`npm run docs\` writes this page from that file, and a test checks that both match.

\`npm test\` and \`.ci/run\` run on each change; [CONTRIBUTING](../CONTRIBUTING.md) lists all suites. The suites below use the real pass,
plan and stores with a virtual clock. Every call can fail in these ways: crashes before and after it, lost requests and responses,
late effects, old reads, outages, late or missing trades, restored databases, lost commits and clock steps. After each event, \`test/invariants\` checks
the account independently of the engine: orders without a record, two orders in a slot, orders after a stop, orders that could trade
with each other, exceeded limits, and differences between ledger and fills.

## Recorded run of each suite
${tableOf(
  ["shows", "command", "date", "result"],
  suites.map(({ proves, command, date, result }) => [proves, `\`${command}\``, date, result]),
)}

A violation is fixed before the next run, and its seed becomes a test in \`test/simulation/simulation.test.ts\`. \`.ci/run\` runs the
same seeds each time; a nightly workflow runs new ones. \`test/simulation/golden\` stores a hash of each request for 2,700
seeds. A change that must not alter orders leaves these hashes equal (\`npm run simulate -- --golden\`).

The simulation does not include the adapters. \`test/venues\` tests them against emulated exchanges, over sockets.

${parts.join("\n")}
## Run one yourself
\`\`\`sh
npm run guards                        # remove each SQL condition in turn, on a file and on a server
npm run crash                         # kill a real server fifty times
npm run simulate                      # 200 seeds
npm run simulate -- --swarm           # 1,000 new seeds, each with its own mix of faults
npm run simulate -- --seed 17 --timing real      # one seed, with its trace
npm run simulate:full                 # everything, with figures
npm run world -- --weakened "no wait for the read lag"     # a trace that needs this wait
\`\`\`

Next: [reliability](reliability.md) · [benchmarks](benchmarks.md) · [security](security.md)
`;
}
