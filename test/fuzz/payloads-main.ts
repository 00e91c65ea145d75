/** Malformed answers into running grids: npm run fuzz:payloads -- [--mutations N] [--seed N] [exchange …] */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { VENUES, type VenueName } from "../../src/model/venues.ts";
import { runPayloads } from "./payloads.ts";

const { values, positionals } = parseArgs({
  options: { mutations: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const names = (positionals.length > 0 ? positionals : Object.keys(VENUES)) as VenueName[];
let violated = 0;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** What is held after an exchange's run is over: its emulated books are gone by then, and all else should be. */
function heap(): string {
  collect();
  return `${(process.memoryUsage().heapUsed / 1024 / 1024).toFixed(1)} MiB held after collection`;
}

for (const name of names) {
  const startedAt = performance.now();
  const mutations = Math.ceil(Number(values.mutations) / names.length);
  const { violations, passes, ...counted } = await runPayloads({
    name,
    mutations,
    seed: Number(values.seed),
  });
  violated += violations.length;
  const figures = Object.entries({ ...counted, ...passes }).map(([what, count]) => `${count} ${what}`);
  console.log(
    `${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s, ${figures.join(", ")}; ${heap()}`,
  );
  for (const violation of violations.slice(0, 20)) console.log(`  VIOLATED ${violation}`);
}
console.log(violated === 0 ? "no order came from a malformed answer" : `${violated} violations`);
process.exitCode = violated === 0 ? 0 : 1;
