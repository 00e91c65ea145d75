import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NEWEST_MIGRATION } from "../../src/storage/client/migrate.ts";
import { root } from "../support/bundle.ts";

/** From the next one on, a migration only adds, so that the release before it can go on with the newer database. */
const LAST_THAT_CHANGED = "0043_own_offers.sql";

/** Rows that a migration may change all the same, and why the release before does not mind. */
const HARMLESS: Readonly<Record<string, string>> = {
  "0047_paused_orders.sql":
    "keep_orders of a paused strategy: the release before reads it only of a stop, which sets it anew",
  "0048_random_revisions.sql":
    "the trigger is made again: its revisions stay integers that are compared only for equality",
};

const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ["drops something that the release before reads", /\bdrop\s+(table|column|view|trigger)\b/i],
  ["renames something: add the new name, and drop the old one two releases later", /\brename\b/i],
  ["rebuilds a table", /__new_/i],
  [
    "adds a column that the release before does not write",
    /\badd\s+(?:column\s+)?[`"\w]+\s+(?!.*\bdefault\b)[^;]*\bnot\s+null\b/i,
  ],
  ["changes or deletes rows that the release before reads", /^\s*(update|delete|replace)\b/im],
  ["rewrites stored fields", /\bjson_(set|remove|replace|patch)\b/i],
];

const faultsOf = (text: string): string[] =>
  FORBIDDEN.flatMap(([what, pattern]) => (pattern.test(text.replace(/--.*$/gm, "")) ? [what] : []));

const names = readdirSync(join(root, "drizzle"))
  .filter((name) => name.endsWith(".sql"))
  .sort();
const textOf = (name: string) => readFileSync(join(root, "drizzle", name), "utf8");

describe("migrations", () => {
  it("only add", () => {
    const later = names.filter((name) => name > LAST_THAT_CHANGED && HARMLESS[name] === undefined);
    expect(later.map((name) => [name, faultsOf(textOf(name))])).toEqual(later.map((name) => [name, []]));
  });

  it("are known to Workers by the name of the newest one", () => {
    expect(NEWEST_MIGRATION).toBe(names.at(-1));
  });

  it.each([
    ["DROP TABLE `orders`;", 1],
    ["ALTER TABLE `orders` DROP COLUMN `reason`;", 1],
    ["ALTER TABLE `orders` RENAME COLUMN `reason` TO `why`;", 1],
    ["CREATE TABLE `__new_orders` (`id` text);\nALTER TABLE `__new_orders` RENAME TO `orders`;", 2],
    ["ALTER TABLE `orders` ADD `venue` text NOT NULL;", 1],
    ["UPDATE strategies SET state = json_remove(state, '$.laid');", 2],
    ["ALTER TABLE `orders` ADD `venue` text NOT NULL DEFAULT '';", 0],
    ["ALTER TABLE `orders` ADD `venue` text;", 0],
    ["CREATE TABLE `new` (`id` text NOT NULL);\nCREATE INDEX `new_ids` ON `new` (`id`);", 0],
    [textOf("0038_state_names.sql"), 2],
  ])("are checked: %s", (text, faults) => {
    expect(faultsOf(text).length >= faults && (faults > 0 || faultsOf(text).length === 0)).toBe(true);
  });
});
