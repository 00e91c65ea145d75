import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";

const DOWN = "\x1b[B";
const ENTER = "\r";

describe.skipIf(!hasTerminal)("edgemaker without a command, in a terminal", () => {
  it.each([
    ["the demo", 0, /edgemaker demo: simulated exchanges/],
    ["paper trading", 1, /On which exchange\?/],
    ["setup", 2, /Which exchange/],
    ["the tutorial", 3, /Each command of parts 2 to 7/],
    ["the guides", 4, /release +Release/],
  ])("offers %s", async (_what, down, shown) => {
    const screen = terminal(tempFolder(), [], { columns: 200 });
    await screen.until(/What do you want to do\?/);
    screen.type(DOWN.repeat(down));
    screen.type(ENTER);
    await screen.until(shown);
  });

  it("does nothing after Ctrl-C", async () => {
    const screen = terminal(tempFolder(), [], { columns: 80 });
    await screen.until(/What do you want to do\?/);
    expect(screen.isWrapped()).toBe(false);
    screen.type("\x03");
    expect(await screen.ended).toBe(0);
  });
});

it("asks nothing without a terminal: it prints the help, and fails", async () => {
  const { code, stdout, stderr } = await edgemaker(tempFolder(), []);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/name a command[\s\S]*Get started/);
});
