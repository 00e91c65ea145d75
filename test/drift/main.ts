/**
 * Changes one field of an exchange's responses at a time: npm run drift [-- …]
 *   --edition kraken     of one edition; default: each
 *   --only balance.*     calls and fields that begin so
 *   --kinds null,zero    of these kinds only
 *   --rows last          of the last row of each table only; all: of every row together only
 *   --part 1/2           every second change, from the first
 *   --from 200           without the first 200 of them
 *   --count 100          at most so many of each edition
 *   --group 8            so many fields together, and each alone only if they have an effect
 *   --out drift.jsonl    also writes each result to this file
 */
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { EDITIONS, type Edition, EFFECTS, editionName, type Finding, isEssential } from "./essentials.ts";
import { type Kind, type Mutation, nameOf } from "./mutate.ts";
import { fieldsOf, runMutations } from "./scenario.ts";
import { runStreamMutations, STREAM, streamFieldsOf } from "./streams.ts";

const { values } = parseArgs({
  options: {
    edition: { type: "string" },
    only: { type: "string", default: "" },
    kinds: { type: "string" },
    rows: { type: "string" },
    part: { type: "string", default: "1/1" },
    from: { type: "string", default: "0" },
    count: { type: "string", default: "1000000" },
    group: { type: "string", default: "1" },
    out: { type: "string" },
  },
});
const [part = 1, parts = 1] = values.part.split("/").map(Number);
const kinds = values.kinds?.split(",");
let violated = 0;

const print = (line: object) => {
  const text = JSON.stringify(line);
  if (values.out) appendFileSync(values.out, `${text}\n`);
  console.log(text);
};

/** Runs changes together, and halves of them if they have an effect. */
async function runGroup(edition: Edition, group: readonly Mutation[]): Promise<void> {
  const [first] = group;
  if (!first) return;
  const isStream = first.call.startsWith(STREAM);
  const { findings, changed } = await (isStream ? runStreamMutations : runMutations)(edition, group);
  if (findings.length > 0 && group.length > 1) {
    const middle = Math.ceil(group.length / 2);
    await runGroup(edition, group.slice(0, middle));
    return runGroup(edition, group.slice(middle));
  }
  const unlisted = findings.filter((finding) => !group.every((one) => isEssential(edition, one, finding)));
  if (unlisted.length > 0) violated++;
  for (const mutation of group)
    print({
      edition: editionName(edition),
      mutation: nameOf(mutation),
      changed,
      unlisted: unlisted.length,
      findings: findings.map(textOf),
    });
}

const textOf = ({ what, text }: Finding): string => `${what}: ${text}`;

for (const edition of EDITIONS) {
  const name = editionName(edition);
  if (values.edition !== undefined && values.edition !== name) continue;
  const fields = new Map([...(await fieldsOf(edition)), ...(await streamFieldsOf(edition))]);
  const all = [...fields].flatMap(([call, paths]) =>
    [...paths].flatMap(([path, kindsOfField]: readonly [string, ReadonlySet<Kind>]) =>
      [...kindsOfField].map((kind): Mutation => ({ call, path: path === "" ? [] : path.split("."), kind })),
    ),
  );
  const chosen = all
    .filter((mutation) => nameOf(mutation).startsWith(values.only))
    .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
    .filter(({ path }) => values.rows === undefined || path.includes("$") === (values.rows === "last"))
    .filter((_mutation, at) => at % parts === part - 1)
    .slice(Number(values.from))
    .slice(0, Number(values.count));
  console.log(`# ${name}: ${chosen.length} of ${all.length} changes`);
  const startedAt = performance.now();
  const groups: Mutation[][] = [];
  for (const mutation of chosen) {
    // Fields of one stream are tried apart from those of the calls, and an essential one alone.
    const isAlone = EFFECTS.some((what) => isEssential(edition, mutation, { what }));
    const last = groups.at(-1);
    const canJoin =
      last !== undefined &&
      last.length < Number(values.group) &&
      !last.some(
        ({ call, path }) =>
          call.startsWith(STREAM) !== mutation.call.startsWith(STREAM) ||
          (call === mutation.call && isWithin(path, mutation.path)),
      );
    if (canJoin && !isAlone) last.push(mutation);
    else groups.push(isAlone ? [mutation] : [mutation]);
    if (isAlone) groups.push([]);
  }
  for (const group of groups) await runGroup(edition, group);
  console.log(`# ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
}
console.log(`# ${violated} violations`);
process.exitCode = violated === 0 ? 0 : 1;

/** Whether one field contains the other, so one change would hide the other. */
function isWithin(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length);
  const same = (key = "", other = "") =>
    key === other || [key, other].every((one) => one === "*" || one === "$");
  return a.slice(0, length).every((key, at) => same(key, b[at]));
}
