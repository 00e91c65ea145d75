import { expect, it } from "vitest";
import { VENUES, type VenueName } from "../../src/config.ts";
import { runPayloads } from "./payloads.ts";

/** `npm run fuzz:payloads` changes 10,000 answers; these are few. */
it.each(Object.keys(VENUES) as VenueName[])(
  "a grid on %s whose answers are malformed orders nothing that its slots do not say",
  async (name) => {
    const { violations, mutated, orders } = await runPayloads({ name, mutations: 60, seed: 1 });
    expect(violations).toEqual([]);
    expect(mutated).toBeGreaterThanOrEqual(60);
    expect(orders).toBeGreaterThan(6);
  },
);
