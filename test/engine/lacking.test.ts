import { expect, it } from "vitest";
import { budgetOf } from "../../src/engine/pass/budget.ts";
import { readLacking } from "../../src/engine/pass/observe-fills.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { d } from "../support/grid.ts";
import { NOW, observedMarket, order, SYMBOL, snapshot, TIMING } from "../support/made.ts";

/** Orders whose trades are late, asked for by passes a minute apart: which ones each pass asks for. */
async function requestedFor(count: number, passes: number): Promise<readonly (readonly string[])[]> {
  const behind = { filled: d("2"), behindSince: NOW - TIMING.readLag };
  const orders = Array.from({ length: count }, (_, slot) =>
    order({ ...behind, slot, exchangeId: `x${slot}` }),
  );
  const requests: (readonly string[])[] = [];
  const venue = {
    timing: TIMING,
    fillsOf: async (_symbol: string, ids: readonly string[]) => {
      requests.push(ids);
      return { fills: [], unreadable: [] };
    },
  } as unknown as Venue;
  for (let pass = 0; pass < passes; pass++) {
    const now = NOW + pass * MINUTE;
    const lease = { account: "a", token: 1 + pass, owner: "one", now, until: now + TIMING.leaseTtl };
    const looked = { observed: { ...observedMarket(), short: false }, reports: new Map(), found: [] };
    const budget = budgetOf({ clock: () => 0, last: 100_000 });
    await readLacking(venue, snapshot({ lease, orders }), SYMBOL, looked, budget);
  }
  return requests;
}

it.each([4, 5, 6, 10, 12, 30, 60])(
  "requests the trades of each of %i orders in turn, however regular the passes are",
  async (count) => {
    const requests = await requestedFor(count, count);
    expect(Math.max(...requests.map(({ length }) => length))).toBe(3);
    expect(new Set(requests.flat()).size).toBe(count);
  },
);

it("requests the trades of all orders together if they are few", async () => {
  expect(await requestedFor(3, 1)).toEqual([["x0", "x1", "x2"]]);
});
