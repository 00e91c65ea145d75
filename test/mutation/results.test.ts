import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { sharedResults } from "./results.ts";

it("two runs in one folder do not overwrite each other's results", () => {
  const file = join(tempFolder(), "results.json");
  const open = () => sharedResults<{ readonly by?: string }>(file);
  const first = open();
  first.all.a = {};
  first.save();
  const [one, two] = [open(), open()];
  one.all.a = { by: "a test" };
  two.all.b = { by: "another test" };
  one.save();
  two.save();
  expect(open().all).toEqual({ a: { by: "a test" }, b: { by: "another test" } });
  one.all.c = {};
  one.save();
  expect(Object.keys(open().all)).toEqual(["a", "b", "c"]);
});
