import { expect, it } from "vitest";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { most } from "../support/whole.ts";
import { runPayloads } from "./payloads.ts";

/** `npm run fuzz:payloads` changes 10,000 answers; these are few. */
it.each(Object.keys(VENUES) as VenueName[])(
  "a grid on %s with malformed responses places only the orders that its slots require",
  async (name) => {
    const mutations = most(60, 8);
    const { violations, mutated, orders } = await runPayloads({ name, mutations, seed: 1 });
    expect(violations).toEqual([]);
    expect(mutated).toBeGreaterThanOrEqual(mutations);
    expect(orders).toBeGreaterThan(6);
  },
);
