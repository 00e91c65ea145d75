import { describe, expect, it } from "vitest";
import { helpOf } from "../../../cli/command-line.ts";
import { groupsOf, rootCommand } from "../../../cli/commands/root.ts";
import { KINDS } from "../../../src/kinds.ts";
import { commandsOf } from "../../support/pages.ts";
import { EXCHANGES } from "../../support/sandbox.ts";

const root = rootCommand(EXCHANGES);

describe("the help", () => {
  it("lists each top-level command in one group", () => {
    const listed = Object.values(groupsOf(KINDS)).flat();
    expect([...listed].sort()).toEqual(Object.keys(root.subCommands ?? {}).sort());
  });

  it.each([["", root] as const, ...commandsOf(root)])("fits %s in 80 columns", (path, found) => {
    const wide = helpOf(found, path.split(" "), 80)
      .split("\n")
      .filter((line) => line.length > 80);
    expect(wide).toEqual([]);
  });
});
