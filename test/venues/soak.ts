/** A 20-slot grid on each emulated exchange among random faults: node test/venues/run.mjs [--ticks N] [--seed N] [exchange …] */
import { parseArgs } from "node:util";
import { VENUES, type VenueName } from "../../src/config.ts";
import { runGrid } from "./grid-run.ts";

const { values, positionals } = parseArgs({
  options: { ticks: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const names = (positionals.length > 0 ? positionals : Object.keys(VENUES)) as VenueName[];
let violated = 0;
for (const name of names) {
  const startedAt = performance.now();
  const { violations, passes, ...counted } = await runGrid({
    name,
    ticks: Number(values.ticks),
    seed: Number(values.seed),
  });
  violated += violations.length;
  const figures = Object.entries({ ...counted, ...passes }).map(([what, count]) => `${count} ${what}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${name}: ${values.ticks} ticks in ${seconds} s, ${figures.join(", ")}`);
  for (const violation of violations.slice(0, 20)) console.log(`  VIOLATED ${violation}`);
}
console.log(violated === 0 ? "no invariant was violated" : `${violated} violations`);
process.exitCode = violated === 0 ? 0 : 1;
