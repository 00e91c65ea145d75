import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askedStart } from "../../cli/actions/asked-start.ts";

const given = [process.stdin.isTTY, process.stdout.isTTY] as const;
beforeEach(() => {
  [process.stdin.isTTY, process.stdout.isTTY] = [true, true];
});
afterEach(() => {
  [process.stdin.isTTY, process.stdout.isTTY] = given;
});

it("starts nothing where the plan could not be shown", async () => {
  const start = vi.fn(async () => ({ status: 200, body: {} }));
  const failed = { status: 502, body: { error: "Fetch failed", message: "kraken did not answer" } };
  const asks = { preview: async () => failed, start };
  expect(await askedStart({ symbol: "BTC/USDT" }, {}, asks)).toBe(failed);
  expect(start).not.toHaveBeenCalled();
  // Nobody is asked about it: it is started, as it was before there was anything to show.
  await askedStart({ symbol: "BTC/USDT" }, { yes: true }, asks);
  expect(start).toHaveBeenCalledTimes(1);
});
