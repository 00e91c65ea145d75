import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { EDITIONS, type Edition, EFFECTS, editionName, isEssential } from "./essentials.ts";
import { type Kind, type Mutation, nameOf } from "./mutate.ts";
import { fieldsOf, runMutations } from "./scenario.ts";
import { runStreamMutations, STREAM, streamFieldsOf } from "./streams.ts";

const USAGE = `Changes one field of an exchange's responses at a time: npm run drift [-- …]

  --edition kraken     of one edition; default: each
  --only balance       calls and fields that begin so
  --kinds null,zero    of these kinds only
  --rows last          of the last row of each table only; all: of every row together only
  --part 1/2           every second change, from the first
  --group 8            so many fields together, and each alone only if they have an effect; default 1
  --out drift.jsonl    also writes each result to this file`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    edition: { type: "string" },
    only: { type: "string", default: "" },
    kinds: { type: "string" },
    rows: { type: "string" },
    part: { type: "string", default: "1/1" },
    group: { type: "string", default: "1" },
    out: { type: "string" },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const [part = 1, parts = 1] = values.part.split("/").map(Number);
const kinds = values.kinds?.split(",");

interface Count {
  changes: number;
  essential: number;
  violations: number;
}
const counts = new Map<string, Count>();

for (const edition of EDITIONS) {
  if (values.edition !== undefined && values.edition !== editionName(edition)) continue;
  const fields = new Map([...(await fieldsOf(edition)), ...(await streamFieldsOf(edition))]);
  const chosen = [...fields]
    .flatMap(([call, paths]) =>
      [...paths].flatMap(([path, kindsOfField]: readonly [string, ReadonlySet<Kind>]) =>
        [...kindsOfField].map((kind): Mutation => ({ call, path: path === "" ? [] : path.split("."), kind })),
      ),
    )
    .filter((mutation) => nameOf(mutation).startsWith(values.only))
    .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
    .filter(({ path }) => values.rows === undefined || path.includes("$") === (values.rows === "last"))
    .filter((_mutation, at) => at % parts === part - 1);
  console.log(`# ${editionName(edition)}: ${chosen.length} changes`);
  for (const group of groupsOf(edition, chosen, Number(values.group))) await runGroup(edition, group);
}
console.table(Object.fromEntries(counts));
const violations = [...counts.values()].reduce((sum, one) => sum + one.violations, 0);
console.log(`# ${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;

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
  for (const mutation of group) {
    const unlisted = findings.filter((finding) => !isEssential(edition, mutation, finding));
    const name = `${editionName(edition)} ${mutation.call}`;
    const count = counts.get(name) ?? { changes: 0, essential: 0, violations: 0 };
    counts.set(name, {
      changes: count.changes + 1,
      essential: count.essential + (isAlone(edition, mutation) ? 1 : 0),
      violations: count.violations + (unlisted.length > 0 ? 1 : 0),
    });
    const line = JSON.stringify({
      edition: editionName(edition),
      mutation: nameOf(mutation),
      changed,
      unlisted: unlisted.length,
      findings: findings.map(({ what, text }) => `${what}: ${text}`),
    });
    if (values.out) appendFileSync(values.out, `${line}\n`);
    if (unlisted.length > 0) console.log(line);
  }
}

/** Collects changes that can be tried together: none hides another, and an essential field is tried alone. */
function groupsOf(edition: Edition, all: readonly Mutation[], size: number): Mutation[][] {
  const groups: Mutation[][] = [];
  let open: Mutation[][] = [];
  for (const mutation of all) {
    const alone = isAlone(edition, mutation);
    const group = alone ? undefined : open.find((one) => one.every((other) => areApart(other, mutation)));
    if (group) group.push(mutation);
    else groups.push([mutation]);
    if (!group && !alone) open.push(groups.at(-1) as Mutation[]);
    open = open.filter(({ length }) => length < size);
  }
  return groups;
}

function isAlone(edition: Edition, mutation: Mutation): boolean {
  return EFFECTS.some((what) => isEssential(edition, mutation, { what }));
}

function areApart(a: Mutation, b: Mutation): boolean {
  return (
    a.call.startsWith(STREAM) === b.call.startsWith(STREAM) &&
    !(a.call === b.call && isWithin(a.path, b.path))
  );
}

/** Whether one field contains the other, so one change would hide the other. */
function isWithin(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length);
  const same = (key = "", other = "") =>
    key === other || [key, other].every((one) => one === "*" || one === "$");
  return a.slice(0, length).every((key, at) => same(key, b[at]));
}
