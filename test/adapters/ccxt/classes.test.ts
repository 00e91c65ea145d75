import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ALIASES } from "../../../cli/build/aliases.mjs";
import { classesOf } from "../../../cli/build/slim-ccxt.mjs";
import { root } from "../../support/bundle.ts";

const folder = join(root, "src/adapters/ccxt/exchanges");
const exchanges = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
/** What wrangler.toml puts in place of a module, by the module's name. */
const aliases = new Map(
  [...readFileSync(join(root, "wrangler.toml"), "utf8").matchAll(/^"(.+)" = "(.+)"$/gm)].map(
    ([, name = "", to = ""]) => [name, to] as const,
  ),
);
/** Classes that a deployment would carry whole, or without a method that they need of the base. */
const whole = (texts: readonly string[]): string[] =>
  classesOf(texts).filter(
    (name) => aliases.get(`../../../../node_modules/ccxt/js/src/${name}.js`) !== `./dist/ccxt/${name}.js`,
  );

it("the worker's bundle takes each exchange's class without what nothing reaches", () => {
  expect(classesOf(exchanges)).toHaveLength(4);
  expect(whole(exchanges)).toEqual([]);
  const added = 'load: async () => asCcxt(await import("../../../../node_modules/ccxt/js/src/okx.js"))';
  expect(whole([...exchanges, added])).toEqual(["okx"]);
});

it("wrangler.toml leaves out the packages that the command leaves out", () => {
  expect([...aliases.keys()]).toEqual(expect.arrayContaining(Object.keys(ALIASES)));
});
