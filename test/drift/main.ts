/**
 * Changes one field of an exchange's responses at a time: npm run drift [-- …]
 *   --edition kraken   of one edition; default: each
 *   --only balance.*   calls and fields that begin so
 *   --kinds null,zero  of these kinds only
 *   --part 1/2         every second change, from the first
 *   --from 200         without the first 200 of them
 *   --count 100        at most so many of each edition
 */
import { parseArgs } from "node:util";
import type { Mutation } from "./mutate.ts";
import { EDITIONS, editionName, fieldsOf, runMutation } from "./scenario.ts";
import { nameOf } from "./mutate.ts";

const { values } = parseArgs({
  options: {
    edition: { type: "string" },
    kinds: { type: "string" },
    only: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
    from: { type: "string", default: "0" },
    count: { type: "string", default: "1000000" },
  },
});
const [part = 1, parts = 1] = values.part.split("/").map(Number);

let violated = 0;
for (const edition of EDITIONS) {
  const name = editionName(edition);
  if (values.edition !== undefined && values.edition !== name) continue;
  const fields = await fieldsOf(edition);
  const all = [...fields].flatMap(([call, paths]) =>
    [...paths].flatMap(([path, kinds]) =>
      [...kinds].map((kind): Mutation => ({ call, path: path === "" ? [] : path.split("."), kind })),
    ),
  );
  const chosen = all
    .filter((mutation) => nameOf(mutation).startsWith(values.only))
    .filter(({ kind }) => values.kinds === undefined || values.kinds.split(",").includes(kind))
    .filter((_mutation, at) => at % parts === part - 1)
    .slice(Number(values.from))
    .slice(0, Number(values.count));
  console.log(`# ${name}: ${chosen.length} of ${all.length} changes`);
  const startedAt = performance.now();
  for (const [at, mutation] of chosen.entries()) {
    const began = performance.now();
    const { findings, changed } = await runMutation(edition, mutation);
    const took = Math.round(performance.now() - began);
    if (findings.length > 0) violated++;
    const texts = findings.map(({ what, text }) => `${what}: ${text}`);
    console.log(JSON.stringify({ at, edition: name, mutation: nameOf(mutation), changed, took, findings: texts }));
  }
  console.log(`# ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
}
console.log(`# ${violated} violations`);
process.exitCode = violated === 0 ? 0 : 1;
