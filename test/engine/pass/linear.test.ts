import { expect, it } from "vitest";
import { runPass } from "../../../src/engine/pass/pass.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import { oneAccount } from "../../support/one-account.ts";

/** Reads of fields in a pass over this many grids, of their orders and of themselves; the last grid is new. */
async function readsOf(count: number) {
  const reads = { orders: 0, strategies: 0 };
  const counted = <T extends object>(rows: readonly T[], what: keyof typeof reads): T[] =>
    rows.map(
      (row) =>
        new Proxy(row, {
          get: (of, field) => {
            reads[what]++;
            return Reflect.get(of, field);
          },
        }),
    );
  const { deps, still } = await oneAccount(count);
  const store: typeof deps.store = {
    ...deps.store,
    async takeLease(request) {
      const found = await deps.store.takeLease(request);
      if (!found) return undefined;
      const strategies = found.strategies.map((strategy, place) =>
        place < count - 1 ? strategy : { ...strategy, phase: "starting" as const },
      );
      return {
        ...found,
        orders: counted(found.orders, "orders"),
        strategies: counted(strategies, "strategies"),
      } satisfies Snapshot;
    },
  };
  expect(await runPass({ ...deps, store }, still)).toMatchObject({ outcome: "stepped" });
  return reads;
}

it("a pass reads each strategy and each order as often, however many there are", async () => {
  const [few, many] = [await readsOf(20), await readsOf(60)];
  expect(few.orders).toBeGreaterThan(20);
  expect(many.orders / few.orders).toBeLessThan(3.3);
  expect(many.strategies / few.strategies).toBeLessThan(3.3);
});
