import { describe, expect, it } from "vitest";
import { sandboxBooks } from "../../src/adapters/libsql/sandbox-books.ts";
import { deposit } from "../../src/adapters/sandbox/venue.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { MINUTE, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Balance } from "../../src/model/account.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { BY } from "../support/by.ts";
import { d, GRID } from "../support/grid.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

/** A venue that shows balances as they were so long ago: what was set aside for cancelled orders still is. */
async function lagging(lag: Millis, readLag: Millis = MINUTE) {
  const box = await testSandbox();
  const shown: { readonly at: Millis; readonly balances: readonly Balance[] }[] = [];
  const real = box.venue("kraken");
  const note = async () => {
    const balances = await real.balances();
    shown.push({ at: box.time.now(), balances });
    return balances;
  };
  const venue: Venue = {
    ...real,
    timing: { ...real.timing, readLag },
    async balances() {
      const balances = await note();
      return (
        shown.findLast(({ at }) => box.time.now() - at >= lag)?.balances ?? shown[0]?.balances ?? balances
      );
    },
  };
  const deps: Deps = { ...box.deps, venue: () => venue, venueOf: () => venue };
  const pass = async (millis: Millis) => {
    box.time.pass(millis);
    await note();
    await runRound(deps);
  };
  /** Takes from the account all base that no order has set aside. */
  const withdrawFree = async () => {
    const free = (await real.balances()).find(({ asset }) => asset === "BTC")?.free ?? 0n;
    await deposit(sandboxBooks(box.context), { exchange: "kraken", asset: "BTC", amount: -free });
  };
  return { ...box, deps, pass, withdrawFree };
}

const stopped = async ({ store }: Awaited<ReturnType<typeof lagging>>) => {
  const [view] = await store.strategies({});
  const { slots = [], idle = [] } = view ? asGrid(view.strategy).state : {};
  const base = [...slots.map((slot) => slot.base - slot.sold), ...idle.map((lot) => lot.base)];
  return {
    status: view?.strategy.status,
    text: view?.strategy.lastError ?? null,
    balance: base.reduce((sum, one) => sum + one, 0n),
  };
};

describe("a stop that sells the base", () => {
  it("waits while balances still show base locked by the grid's own orders", async () => {
    const app = await lagging(30 * SECOND);
    const { id } = await runOperation<{ id: string }>(app.deps, "start_grid", GRID);
    await app.pass(5 * SECOND);
    await app.withdrawFree();
    for (let pass = 0; pass < 10; pass++) await app.pass(5 * SECOND);
    expect((await stopped(app)).balance).toBeGreaterThan(0n);
    await runOperation(app.deps, "stop_strategy", { id, cancelOrders: true, sellBase: true });
    for (let pass = 0; pass < 30; pass++) await app.pass(5 * SECOND);
    const { status, balance } = await stopped(app);
    expect({ status, dust: balance < d("0.00002") }).toEqual({ status: "stopped", dust: true });
  });

  it.each([0, MINUTE])(
    "ends without the base the account no longer has, and reports it: reads lag %i ms",
    async (readLag) => {
      const app = await lagging(0, readLag);
      const { id } = await runOperation<{ id: string }>(app.deps, "start_grid", GRID);
      await app.store.setPaused(id, { keepOrders: true }, BY);
      const real = app.venue("kraken");
      const permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };
      for (const order of await real.openOrders()) await real.cancel(order, permit);
      await app.withdrawFree();
      await app.store.setWants(id, "stop", { keepOrders: false, sellBase: true }, BY);
      for (let pass = 0; pass < 30; pass++) await app.pass(5 * SECOND);
      const { status, balance, text } = await stopped(app);
      expect({ status, keeps: balance > 0n }).toEqual({ status: "stopped", keeps: true });
      expect(text).toContain("BTC of the grid were not free in the account and were not sold");
    },
  );
});
