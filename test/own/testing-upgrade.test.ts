import { expect, it } from "vitest";
import { backtest } from "../../cli/testing/package.ts";
import { defineStrategy, z } from "../../src/own/package.ts";

interface Counted {
  readonly count: number;
}

/** It counts the minutes of its calls; version 1 left a number. */
const counter = (upgrade?: (state: unknown, version: number) => Counted, version = 2) =>
  defineStrategy<z.ZodObject, Counted>({
    name: "counter",
    config: z.object({}),
    initial: { count: 0 },
    version,
    ...(upgrade ? { upgrade } : {}),
    orders: ({ state }) => ({ orders: [], state: { count: state.count + 1 } }),
  });

const run = (definition: ReturnType<typeof counter>, stored?: { version: number; state: unknown }) =>
  backtest(definition, {
    config: {},
    prices: [60_000, 60_000, 60_000],
    quote: 1000,
    tickInterval: 60_000,
    ...(stored ? { stored } : {}),
  });
const left = { version: 1, state: 7 };

it("goes on from the state of an older version, upgraded once", () => {
  const upgraded: unknown[] = [];
  const upgrade = (state: unknown, version: number) => {
    upgraded.push([state, version]);
    return { count: Number(state) };
  };
  const fresh = run(counter(upgrade));
  expect([fresh.error, upgraded]).toEqual([null, []]);
  const { state, error } = run(counter(upgrade), left);
  const { count } = fresh.state as Counted;
  expect([state, error]).toEqual([{ count: count + 7 }, null]);
  expect(upgraded).toEqual([[7, 1]]);
});

it("goes on from the state of the same version without an upgrade", () => {
  const { count } = run(counter()).state as Counted;
  const { state, error } = run(counter(), { version: 2, state: { count: 10 } });
  expect([state, error]).toEqual([{ count: count + 10 }, null]);
});

it("reports with which message a server would pause it", () => {
  expect(run(counter(), left)).toMatchObject({
    state: 7,
    error: "counter has changed to version 2 without an upgrade from version 1",
  });
  expect(run(counter(undefined, 1), { version: 3, state: {} }).error).toBe(
    "counter was started with version 3, and version 1 is loaded",
  );
  const throwing = () => {
    throw new Error("no such version");
  };
  expect(run(counter(throwing), left).error).toMatch(/testing-upgrade\.test\.ts:\d+: no such version$/);
});
