import { describe, expect, it } from "vitest";
import { auditBooks } from "../support/audit.ts";
import { type Driven, drivenApp } from "../support/driven.ts";
import { d } from "../support/grid.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const WIDE = { ...MARKET, lowerPrice: 56_000, upperPrice: 64_000, gridLevels: 8, orderSize: 300 };
const NARROW = { ...MARKET, lowerPrice: 57_150, upperPrice: 62_850, gridLevels: 10, orderSize: 250 };

/** Every second price is over before a step sees it: what it has filled wants an order beyond the market. */
const WALK = [1.03, 1 / 1.04, 1 / 1.03, 1.05, 1.04, 1 / 1.05, 1.03, 1 / 1.02, 1 / 1.04, 1.03];

async function walk({ move, tick, time, grids }: Driven, look: () => Promise<void>): Promise<Set<string>> {
  const refused = new Set<string>();
  for (const [place, factor] of WALK.entries()) {
    time.pass(20_000);
    await move(factor);
    for (let pass = 0; place % 2 === 1 && pass < 3; pass++) {
      await tick(20_000);
      await look();
      for (const grid of await grids()) for (const { reason } of grid.refused) refused.add(reason);
    }
  }
  return refused;
}

const ids = async ({ resting }: Driven, ofPerson = false) =>
  (await resting())
    .filter(({ clientId = "" }) => clientId.startsWith("person") === ofPerson)
    .map(({ id }) => id)
    .sort();

async function person({ call }: Driven): Promise<void> {
  for (const [side, price] of [
    ["buy", 58_765],
    ["sell", 61_234],
  ] as const) {
    const body = { ...MARKET, side, type: "limit", amount: 0.001, price, clientOrderId: `person${side}` };
    expect((await call("POST", "/orders", body)).status).toBe(200);
  }
}

/** The account's best buy is below its best sell: it never trades with itself. */
async function crossed({ resting }: Driven): Promise<boolean> {
  const open = await resting();
  const buys = open.filter(({ side }) => side === "buy").map(({ price }) => price);
  const sells = open.filter(({ side }) => side === "sell").map(({ price }) => price);
  return buys.some((buy) => sells.some((sell) => buy >= sell));
}

const rejected = async ({ context }: Driven) =>
  (await context.client.execute("select message from events where kind = 'rejected'")).rows;

describe("two strategies on one market of one account", () => {
  it.each([true, false])(
    "never cross each other or the person's own orders; post only: %s",
    async (postOnly) => {
      const app = await drivenApp();
      const one = await app.start({ ...WIDE, postOnly });
      const two = await app.start({ ...NARROW, postOnly });
      await person(app);
      const refused = await walk(app, async () => expect(await crossed(app)).toBe(false));
      // What only rests is placed beside the market, and meets nothing there.
      expect(refused.has("would_self_cross")).toBe(!postOnly);
      for (const { id } of [one, two])
        expect(await app.grid(id)).toMatchObject({ status: "running", lastError: null });
      expect((await auditBooks(app.context, "kraken")).unbooked).toEqual([]);
    },
  );

  it("share a balance too small for both, and never order more than there is", async () => {
    const app = await drivenApp();
    await app.deposit("USDT", d("1500") - d("100000"));
    await app.deposit("BTC", d("0.01") - d("2"));
    const one = await app.start(WIDE);
    const two = await app.start(NARROW);
    const refused = await walk(app, async () => undefined);
    expect(refused).toContain("no_quote");
    expect(await rejected(app)).toEqual([]);
    const [first, second] = [await app.grid(one.id), await app.grid(two.id)];
    expect(first.filledOrders).toBeGreaterThan(0);
    expect(second.filledOrders).toBeGreaterThan(0);
    expect(first.otherChanges).toEqual({});
  });

  it("are stopped separately: the other's orders and the person's stay unchanged", async () => {
    const app = await drivenApp();
    const one = await app.start(WIDE);
    const before = await ids(app);
    const two = await app.start(NARROW);
    await person(app);
    const persons = await ids(app, true);
    await app.stop(two.id);
    expect(await ids(app)).toEqual(before);
    expect(await ids(app, true)).toEqual(persons);
    expect(await app.grid(one.id)).toMatchObject({ status: "running", openOrders: WIDE.gridLevels });
    expect(await app.grid(two.id)).toMatchObject({ status: "stopped", openOrders: 0 });
    await app.stop(one.id);
    expect(await ids(app)).toEqual([]);
    expect(await ids(app, true)).toEqual(persons);
  });
});
