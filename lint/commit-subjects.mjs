// Checks the commit subjects of a range: node lint/commit-subjects.mjs main..HEAD
import { execFileSync } from "node:child_process";

const FORM = /^(feat|fix|refactor|test|docs|build|perf|chore|ci)(\([\w-]+\))?: [a-z]\S* .+[^.]$/;
const MAX_SUBJECT_CHARACTERS = 72;
const RETIRED = /\b(tells?|told|anew|by hand|held against|of its own)\b/;

const [range = "main..HEAD"] = process.argv.slice(2);
const subjects = execFileSync("git", ["log", "--format=%s", range], { encoding: "utf8" })
  .split("\n")
  .filter((subject) => subject !== "");
const faults = subjects.flatMap((subject) => [
  ...(FORM.test(subject) ? [] : [`${subject}: write type(scope): imperative`]),
  ...(subject.length > MAX_SUBJECT_CHARACTERS
    ? [`${subject}: has ${subject.length} characters, at most ${MAX_SUBJECT_CHARACTERS}`]
    : []),
  ...(RETIRED.test(subject) ? [`${subject}: has a retired word`] : []),
]);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
