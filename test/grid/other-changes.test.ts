import { describe, expect, it } from "vitest";
import { unbookedBalanceChanges } from "../../src/grid/schema/accounting.ts";
import { decimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { NO_MEMORY } from "../../src/model/memory.ts";
import { auditBooks } from "../support/audit.ts";
import { type Driven, drivenApp } from "../support/driven.ts";
import { d } from "../support/grid.ts";
import { gridRequest } from "../support/requests.ts";

const GRID = gridRequest();
const BY_HAND = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", amount: 0.01 };

/** Through the grid and back, so that orders fill and new ones are placed. */
async function roundTrip({ move, tick }: Driven): Promise<void> {
  for (const factor of [1.04, 1 / 1.04]) {
    await move(factor);
    for (let pass = 0; pass < 3; pass++) await tick(20_000);
  }
}

describe("a manual change on the account of a running grid", () => {
  it("is reported as other changes, to the last unit, and stops nothing", async () => {
    const app = await drivenApp();
    const { id } = await app.start(GRID);
    await app.tick();
    expect((await app.grid(id)).otherChanges).toEqual({});

    await app.deposit("USDT", d("1234.5"));
    await app.deposit("BTC", -d("0.125"));
    const bought = await app.call<{ order: { id: string } }>("POST", "/orders", {
      ...BY_HAND,
      type: "market",
    });
    const resting = await app.call("POST", "/orders", { ...BY_HAND, type: "limit", price: 50_000 });
    expect([bought.status, resting.status]).toEqual([200, 200]);
    const before = await app.grid(id);
    await roundTrip(app);

    const order = await app.venue("kraken").order({ symbol: "BTC/USDT", id: bought.body.order.id });
    const fee = order?.fees?.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n;
    const paid = (order?.notional ?? 0n) + fee;
    const after = await app.grid(id);
    expect(after).toMatchObject({ status: "running", phase: "active", lastError: null });
    expect(after.filledOrders).toBeGreaterThan(before.filledOrders);
    const expected = { BTC: text(d("0.01") - d("0.125")), USDT: text(d("1234.5") - paid) };
    expect(after.otherChanges).toEqual(expected);
    expect(await app.resting()).toHaveLength(GRID.gridLevels + 1);

    const { differences, twice, unbooked, withoutIntent } = await auditBooks(app.context, "kraken");
    expect(Object.fromEntries(differences.map((output) => output.split(" ").reverse()))).toEqual(expected);
    expect([twice, unbooked, withoutIntent]).toEqual([[], [], []]);
  });

  it("is reported for an asset that the venue no longer lists", () => {
    const memory = {
      ...NO_MEMORY,
      baseline: { BTC: d("2"), USDT: d("1000") },
      moved: { BTC: d("0.5"), USDT: d("-100"), GT: d("-1") },
      balances: [{ asset: "USDT", free: d("900"), used: ZERO }],
    };
    expect(unbookedBalanceChanges({ memory })).toEqual({ BTC: d("-2.5"), GT: d("1") });
  });

  it("excludes what a paused grid's own fills moved", async () => {
    const app = await drivenApp();
    const { id } = await app.start(GRID);
    await app.tick();
    await app.call("POST", `/strategies/${id}/pause`, {});
    await app.move(1.04);
    for (let pass = 0; pass < 3; pass++) await app.tick(20_000);
    const grid = await app.grid(id);
    expect(grid.filledOrders).toBeGreaterThan(0);
    expect(grid.otherChanges).toEqual({});
  });

  it("never makes a grid sell what the account no longer has", async () => {
    const app = await drivenApp();
    const { id } = await app.start(GRID);
    await app.move(1.03);
    for (let pass = 0; pass < 3; pass++) await app.tick(20_000);
    const free = (await app.venue("kraken").balances()).find(({ asset }) => asset === "BTC")?.free ?? 0n;
    await app.deposit("BTC", -free);
    await app.move(1 / 1.06);
    for (let pass = 0; pass < 3; pass++) await app.tick(20_000);
    await app.move(1.06);
    for (let pass = 0; pass < 3; pass++) await app.tick(20_000);
    const { rows } = await app.context.client.execute("select message from events where kind = 'rejected'");
    expect(rows).toEqual([]);
    expect(await app.grid(id)).toMatchObject({ status: "running", lastError: null });
    expect(decimal((await app.grid(id)).otherChanges.BTC ?? "0")).toBe(-free);
  });
});
