import { afterEach, expect, it, vi } from "vitest";
import { waitedFor } from "../../../cli/terminal/waited-for.ts";

const { isTTY } = process.stderr;
afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.restoreAllMocks();
});

/** Runs work of 30 s that reports each second, and returns what it wrote. */
async function written(terminal: boolean): Promise<string[]> {
  process.stderr.isTTY = terminal;
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const write = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  await waitedFor(async ({ hear }) => {
    for (; now <= 30_000; now += 1000) hear(now / 30_000);
  });
  return write.mock.calls.map(([text]) => String(text));
}

it("draws the progress in place in a terminal, and writes lines now and then into a pipe", async () => {
  const drawn = await written(true);
  expect(drawn[0]).toMatch(/^\r3 % done; Ctrl-C /);
  expect(drawn).toHaveLength(31);
  vi.restoreAllMocks();
  expect(await written(false)).toEqual(["33 % done\n", "66 % done\n", "100 % done\n"]);
});
