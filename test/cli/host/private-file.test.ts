import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writePrivate } from "../../../cli/host/kill-file.ts";
import { tempFolder } from "../../support/temp.ts";

it("leaves no other file with the secrets if it cannot write the file", () => {
  const folder = tempFolder();
  const file = join(folder, "settings.json");
  mkdirSync(file);
  expect(() => writePrivate(file, "secrets")).toThrow("EISDIR");
  expect(readdirSync(folder)).toEqual(["settings.json"]);
});
