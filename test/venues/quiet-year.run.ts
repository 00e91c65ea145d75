import { expect, it } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { runQuietYear } from "./quiet-year.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];

// A part of what `npm run soak -- --quiet-year` does.
it.each(NAMES)("a grid on %s books every fill of a pair that is quiet for eight days", async (name) => {
  const { violations, executions } = await runQuietYear({ name, gaps: [8] });
  expect(violations).toEqual([]);
  expect(executions).toBeGreaterThan(50);
});
