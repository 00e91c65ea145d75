import { expect, it } from "vitest";
import type { VenueName } from "../../src/config.ts";
import { runGrid } from "./grid-run.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];

// A part of what `npm run soak` does.
it.each(NAMES)(
  "a grid on %s keeps its invariants among random faults",
  async (name) => {
    const { violations, faults, executions } = await runGrid({ name, ticks: 50, seed: 7 });
    expect(violations).toEqual([]);
    expect(faults).toBeGreaterThan(5);
    expect(executions).toBeGreaterThan(5);
  },
  120_000,
);
