import { expect, it } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { most } from "../support/whole.ts";
import { runGrid } from "./grid-run.ts";

const KINDS: readonly (readonly [string, { readonly name: VenueName; readonly unified?: boolean }])[] = [
  ...(["mexc", "gateio", "bitget", "kraken"] as const).map((name) => [name, { name }] as const),
  ["gateio, a unified account", { name: "gateio", unified: true }],
  ["bitget, a unified account", { name: "bitget", unified: true }],
];

// A part of what `npm run soak` does.
it.each(KINDS)("a grid on %s keeps its invariants under random faults", async (_kind, account) => {
  const ticks = most(100, 15);
  const { violations, faults, executions } = await runGrid({ ...account, ticks, seed: 9 });
  expect(violations).toEqual([]);
  expect(faults).toBeGreaterThan(ticks / 10);
  expect(executions).toBeGreaterThan(ticks / 10);
});
