import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../support/temp.ts";
import { partOf } from "../../support/whole.ts";
import { changes } from "../bundle.ts";
import { GUARDS, isOfSchema, prove } from "./guards.ts";

const names = GUARDS.map(({ name }) => name);
const ofStatements = GUARDS.filter((guard) => !isOfSchema(guard));

it("each guard has a unique name", () => {
  expect(new Set(names).size).toBe(names.length);
});

it("each guard of a statement occurs in the store exactly once", () => {
  const times = ofStatements.map(({ name, file, from }) => ({
    name,
    times: readFileSync(file, "utf8").split(from).length - 1,
  }));
  expect(times.filter((one) => one.times !== 1)).toEqual([]);
});

it("each guard of a statement is one of the changes that the mutation tests make", () => {
  const made = changes().mutants.flatMap(({ guard }) => guard ?? []);
  expect(made.sort()).toEqual(ofStatements.map(({ name }) => name).sort());
});

const proved = (name: string, isWithout: boolean) =>
  prove({ name, isWithout, url: `file:${join(tempFolder(), "guards.db")}`, own: `g${names.indexOf(name)}n` });

// `npm run guards` takes out each of them, on a file and on a server.
describe("two writers on one file", () => {
  it.each(partOf(GUARDS, 0))("$name", async ({ name, should }) => {
    expect((await proved(name, false)).was).toEqual(should);
  });
});

describe("a different result without a guard of the schema", () => {
  it.each(GUARDS.filter(isOfSchema))("$name", async ({ name, should }) => {
    expect((await proved(name, true)).was).not.toEqual(should);
  });
});
