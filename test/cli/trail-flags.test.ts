import { expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const BOUNDS = ["--lower", "57000", "--upper", "63000", "--levels", "12", "--size", "100"];
const PREVIEW = ["grid", "preview", "--sandbox", "--exchange", "kraken", "--symbol", "BTC/USDT", ...BOUNDS];

it("a trail takes its two bounds, one of them, or JSON, but not both forms", async () => {
  const folder = tempFolder();
  const trailOf = async (...flags: string[]) => {
    const { code, stdout, stderr } = await edgemaker(folder, [...PREVIEW, ...flags, "--json"]);
    expect(code, stderr).toBe(0);
    return (JSON.parse(stdout) as { details: { options: { trail?: object } } }).details.options.trail;
  };
  expect(await trailOf("--trail-up", "70000", "--trail-down", "50000.5")).toEqual({
    up: "70000",
    down: "50000.5",
  });
  expect(await trailOf("--trail-up", "70000")).toEqual({ up: "70000" });
  expect(await trailOf("--trail", '{"down":50000}')).toEqual({ down: "50000" });
  expect(await trailOf()).toBeUndefined();
  const twice = await edgemaker(folder, [...PREVIEW, "--trail", "{}", "--trail-up", "70000"]);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
  const none = await edgemaker(folder, [...PREVIEW, "--trail-up", "high"]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--trail-up must be")]);
  const { stdout: help } = await edgemaker(folder, ["grid", "start", "--help"]);
  expect(help).toMatch(/--trail-up <number>.*\n? *--trail-down <number>/);
});

it("backtest takes the same two trail flags", async () => {
  const folder = tempFolder();
  // Where its past lies is otherwise a matter of the day.
  const reset = await edgemaker(folder, ["sandbox", "reset", "--origin", "2026-01-02T00:00:00Z"]);
  expect(reset.code, reset.stderr).toBe(0);
  const words = ["backtest", "--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox", ...BOUNDS];
  const until = ["--since", "1767225600000", "--until", "1767312000000", "--json"];
  const two = await edgemaker(folder, [...words, ...until, "--trail-up", "70000", "--trail-down", "50000"]);
  const json = await edgemaker(folder, [...words, ...until, "--trail", '{"up":70000,"down":50000}']);
  expect(two).toEqual(json);
  expect([two.code, two.stderr]).toEqual([0, ""]);
  const { stdout: help } = await edgemaker(folder, ["backtest", "--help"]);
  expect(help).toMatch(/--trail-up <number>.*\n? *--trail-down <number>/);
});
