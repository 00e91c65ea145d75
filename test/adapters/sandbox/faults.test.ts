import { expect, it } from "vitest";
import { activeFaults, setFault } from "../../../src/adapters/libsql/sandbox-books.ts";
import { ONE } from "../../../src/kernel/decimal.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { FaultKind } from "../../../src/model/venue-fault.ts";
import type { Permit, Venue } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import { START, testSandbox } from "../../support/sandbox.ts";

const permit: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };
const HIGH = {
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: d("90000"),
  amount: ONE / 1000n,
} as const;
const buy = (venue: Venue, clientId = "mine") => venue.create({ ...HIGH, clientId }, permit);

async function faulty(kind: FaultKind, until: number | null = null) {
  const box = await testSandbox();
  box.time.pass(MINUTE);
  const from = box.time.now();
  expect(await setFault(box.context, "kraken", { kind, from, until })).toBe(true);
  return { ...box, from, kraken: box.venue("kraken"), end: () => setFault(box.context, undefined, null) };
}

const marketData = (venue: Venue) =>
  Promise.all([
    venue.ticker("BTC/USDT"),
    venue.book("BTC/USDT", 5),
    venue.candles("BTC/USDT", { span: MINUTE, limit: 3 }),
  ]);

it("shows the market of the moment at which it became stale, and goes on executing orders", async () => {
  const { kraken, venue, from, time, end } = await faulty("stale");
  const [ticker, book, candles] = await marketData(kraken);
  time.pass(5 * MINUTE);
  expect([ticker.at, book.at]).toEqual([from, from]);
  expect(await marketData(kraken)).toEqual([ticker, { ...book, readAt: time.now() }, candles]);
  expect((await venue("gateio").ticker("BTC/USDT")).at).toBe(time.now());
  expect(await buy(kraken)).toMatchObject({ result: "accepted" });
  const { fills } = await kraken.fills("BTC/USDT", { from: START });
  expect(new Set(fills.map(({ at }) => at))).toEqual(new Set([time.now()]));
  await end();
  const [now, fresh] = await marketData(kraken);
  expect([now.at, fresh.at, fresh.readAt]).toEqual([time.now(), time.now(), undefined]);
});

it("answers a second later while it is slow", async () => {
  const { kraken, venue, time } = await faulty("slow");
  const took = async (call: () => Promise<unknown>) => {
    const before = time.now();
    await call();
    return time.now() - before;
  };
  expect(await took(() => kraken.ticker("BTC/USDT"))).toBe(SECOND);
  expect(await took(() => kraken.openOrders())).toBe(SECOND);
  expect(await took(() => buy(kraken))).toBe(SECOND);
  expect(await took(() => venue("gateio").balances())).toBe(0);
});

it("shows the market of the time of its answer while it is slow", async () => {
  const { kraken, from, time } = await faulty("slow");
  const { at } = await kraken.ticker("BTC/USDT");
  expect([at, time.now()]).toEqual([from + SECOND, from + SECOND]);
  const book = await kraken.book("BTC/USDT", 5);
  expect([book.at, time.now()]).toEqual([from + 2 * SECOND, from + 2 * SECOND]);
});

it.each([
  ["no-asks", "asks", "bids"],
  ["no-bids", "bids", "asks"],
] as const)("has an empty side with %s, so its ticker cannot be read", async (kind, empty, other) => {
  const { kraken, end } = await faulty(kind);
  const book = await kraken.book("BTC/USDT", 5);
  expect([book[empty].length, book[other].length]).toEqual([0, 5]);
  await expect(kraken.ticker("BTC/USDT")).rejects.toThrow(`kraken has no ${empty} for BTC/USDT`);
  await kraken.create({ ...HIGH, clientId: "mine", timeInForce: "ioc" }, permit);
  const { fills } = await kraken.fills("BTC/USDT", { from: START });
  expect(fills.length > 0).toBe(kind === "no-bids");
  await end();
  expect((await kraken.book("BTC/USDT", 5))[empty]).toHaveLength(5);
});

it("fails each call until its fault ends, and sends no order", async () => {
  const { kraken, context, time } = await faulty("failing", START + 2 * MINUTE);
  const failed = {
    failure: "unavailable",
    message: expect.stringContaining("sandbox fault --exchange kraken"),
  };
  for (const call of [() => kraken.balances(), () => kraken.openOrders(), () => marketData(kraken)])
    await expect(call()).rejects.toMatchObject(failed);
  expect(await buy(kraken)).toEqual({ result: "not_sent" });
  expect(await kraken.cancel({ symbol: "BTC/USDT", id: "1000000001" }, permit)).toEqual({
    result: "not_sent",
  });
  expect(await activeFaults(context, time.now())).toMatchObject([{ exchange: "kraken", kind: "failing" }]);
  time.pass(MINUTE);
  expect(await activeFaults(context, time.now())).toEqual([]);
  expect(await buy(kraken, "later")).toMatchObject({ result: "accepted" });
});
