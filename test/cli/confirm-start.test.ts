import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { confirmEdit, confirmStart } from "../../cli/actions/confirm-start.ts";

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
  expect(await confirmStart({ symbol: "BTC/USDT" }, {}, asks)).toBe(failed);
  expect(start).not.toHaveBeenCalled();
  await confirmStart({ symbol: "BTC/USDT" }, { yes: true }, asks);
  expect(start).toHaveBeenCalledTimes(1);
});

it("starts nothing without a terminal unless it is approved by --yes or by the hash of a plan", async () => {
  process.stdin.isTTY = false;
  const start = vi.fn(async () => ({ status: 200, body: {} }));
  const asks = { preview: vi.fn(), start };
  expect(() => confirmStart({ symbol: "BTC/USDT" }, {}, asks)).toThrow(/add --yes/);
  expect(() => confirmStart({ symbol: "BTC/USDT" }, { json: true }, asks)).toThrow(/add --yes/);
  const change = { ...asks, formatAs: () => ({}), question: "Change it?" };
  await expect(confirmEdit({ id: "grid" }, {}, change)).rejects.toThrow(/add --yes/);
  expect(start).not.toHaveBeenCalled();
  await confirmStart({ symbol: "BTC/USDT", planHash: "0" }, {}, asks);
  await confirmStart({ symbol: "BTC/USDT", dryRun: true }, {}, asks);
  await confirmEdit({ id: "grid" }, { yes: true }, change);
  expect(start).toHaveBeenCalledTimes(3);
});
