/**
 * A grid on each emulated exchange: node test/venues/run.mjs [exchange …]
 *   [--ticks N] [--seed N]   20 slots among random faults
 *   --quiet-year             a pair on which days and months go by between fills
 *   --unified                on unified accounts, where the exchange has such
 */
import { parseArgs } from "node:util";
import { VENUES, type VenueName } from "../../src/config.ts";
import { runGrid } from "./grid-run.ts";
import { ALL_GAPS, runQuietYear } from "./quiet-year.ts";

const { values, positionals } = parseArgs({
  options: {
    ticks: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    "quiet-year": { type: "boolean", default: false },
    unified: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const { unified } = values;
const names = (positionals.length > 0 ? positionals : Object.keys(VENUES)) as VenueName[];

interface Run {
  readonly violations: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

async function amongFaults(name: VenueName): Promise<Run> {
  const asked = { name, unified, ticks: Number(values.ticks), seed: Number(values.seed) };
  const { violations, passes, ...counted } = await runGrid(asked);
  return { violations, figures: { ticks: asked.ticks, ...counted, ...passes } };
}

async function quietYear(name: VenueName): Promise<Run> {
  const { violations, slowest, ...counted } = await runQuietYear({ name, unified, gaps: ALL_GAPS });
  return { violations, figures: { ...counted, "passes at most until a fill was booked": slowest } };
}

let violated = 0;
for (const name of names) {
  const startedAt = performance.now();
  const { violations, figures } = await (values["quiet-year"] ? quietYear(name) : amongFaults(name));
  violated += violations.length;
  const told = Object.entries(figures).map(([what, count]) => `${count} ${what}`);
  console.log(`${name}: ${told.join(", ")}, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  for (const violation of violations.slice(0, 20)) console.log(`  VIOLATED ${violation}`);
}
console.log(violated === 0 ? "no invariant was violated" : `${violated} violations`);
process.exitCode = violated === 0 ? 0 : 1;
