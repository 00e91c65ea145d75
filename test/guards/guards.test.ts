import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { partOf } from "../support/whole.ts";
import { GUARDS } from "./guards.ts";
import { prove } from "./prove.ts";
import { isOfSchema } from "./without.ts";

const names = GUARDS.map(({ name }) => name);

it("each guard has a unique name", () => {
  expect(new Set(names).size).toBe(names.length);
});

it("each guard of a statement occurs in the store exactly once", () => {
  const times = GUARDS.filter((guard) => !isOfSchema(guard)).map(({ name, file, from }) => ({
    name,
    times: readFileSync(file, "utf8").split(from).length - 1,
  }));
  expect(times.filter((one) => one.times !== 1)).toEqual([]);
});

// `npm run guards` takes out each of them, on a file and on a server.
describe("two writers on one file", () => {
  it.each(partOf(GUARDS, 0))("$name", async ({ name, should }) => {
    const { was } = await prove(name, `file:${join(tempFolder(), "guards.db")}`, false);
    expect(was).toEqual(should);
  });
});

describe("a different result without a guard of the schema", () => {
  it.each(GUARDS.filter(isOfSchema))("$name", async ({ name, should }) => {
    const { was } = await prove(name, `file:${join(tempFolder(), "guards.db")}`, true);
    expect(was).not.toEqual(should);
  });
});
