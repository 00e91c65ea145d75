import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";

const [ENTER, LEFT] = ["\r", "\x1b[D"];
const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const BOUNDS = ["--lower", "50000", "--upper", "70000", "--levels", "4", "--size", "100"];

async function started() {
  const folder = tempFolder();
  const run = (...args: string[]) => edgemaker(folder, [...args, "--sandbox"]);
  const grid = await run("grid", "start", ...MARKET, ...BOUNDS, "--name", "treasury", "--yes", "--json");
  expect(grid.code, grid.stderr).toBe(0);
  const status = async () => {
    const { stdout } = await run("grid", "status", "treasury", "--json");
    return (JSON.parse(stdout) as { strategies: { status: string }[] }).strategies[0]?.status;
  };
  return { folder, run, status };
}

it.each([
  ["grid stop", ["grid", "stop", "treasury"]],
  ["orders cancel-all", ["orders", "cancel-all", "--exchange", "kraken"]],
  ["panic --sell", ["panic", "--sell"]],
])("%s refuses to run in a script without --yes, changes nothing, and runs with it", async (_, args) => {
  const { run, status } = await started();
  const refused = await run(...args);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("nobody can confirm it: add --yes"),
  });
  expect(await status()).toBe("running");
  expect(await run(...args, "--yes")).toMatchObject({ code: 0 });
});

it("panic without a sale needs no --yes", async () => {
  const { run, status } = await started();
  expect(await run("panic")).toMatchObject({ code: 0 });
  expect(await status()).toBe("stopped");
});

describe.skipIf(!hasTerminal).each(["stop", "grid stop"])("%s in a terminal", (command) => {
  it("shows the strategy and asks, with No as the default", async () => {
    const { folder, status } = await started();
    const stop = async (answer: string) => {
      const screen = terminal(folder, [...command.split(" "), "treasury", "--sandbox"], { columns: 100 });
      await screen.until(/Stop treasury, cancel its orders\? You cannot resume it\./);
      const text = screen.lines().join(" ").replace(/\s+/g, " ");
      screen.type(answer);
      return { text, code: await screen.ended };
    };
    const refused = await stop(ENTER);
    expect(refused.text).toMatch(/treasury \(grid-kraken-BTC-USDT-\d+\).*orders \d open/);
    expect([refused.code, await status()]).toEqual([1, "running"]);
    expect((await stop(`${LEFT}${ENTER}`)).code).toBe(0);
    expect(await status()).toBe("stopped");
  });
});
