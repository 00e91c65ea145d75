/** However many orders rest, each is looked at a few times: looked through for each other, they cost their square. */
import { expect, it } from "vitest";
import { tradesAreDue } from "../../../src/engine/pass/observe-markets.ts";
import { lookUp } from "../../../src/engine/pass/observe-orders.ts";
import { NEW_ORDER, type Order } from "../../../src/model/order.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import type { Timing, Venue, VenueOrder } from "../../../src/ports/venue.ts";

const COUNT = 500;
const BOTH = { symbol: "BTC/USDT", side: "buy", type: "limit", price: 1n, amount: 1n, filled: 0n } as const;

const orders = Array.from({ length: COUNT }, (_, slot) => ({
  ...NEW_ORDER,
  ...BOTH,
  slot,
  kind: "slot",
  account: "live:mexc:a",
  strategy: "grid-1",
  generation: 0,
  clientId: `em${slot}`,
  exchangeId: `C${slot}`,
  state: "open",
  timeInForce: "gtc",
  createdAt: 0,
  sendBy: 0,
  notAfter: 0,
  actor: null,
})) as unknown as readonly Order[];

/** The same orders as the venue lists them, the last one first, and how often their ids were read. */
function listed() {
  let reads = 0;
  const open = orders.map(({ exchangeId, clientId }) => ({
    ...BOTH,
    status: "open",
    at: 0,
    get id() {
      reads++;
      return exchangeId as string;
    },
    get clientId() {
      reads++;
      return clientId;
    },
  })) as readonly VenueOrder[];
  return { open: [...open].reverse(), reads: () => reads };
}

it("a pass with many open orders finds each one on the open list", async () => {
  const { open, reads } = listed();
  const { reports } = await lookUp(
    {} as Venue,
    { orders, open, trades: [], turn: 0, now: 0, readAt: undefined },
    {} as never,
  );
  expect(reports.size).toBe(COUNT);
  expect(orders.every(({ clientId }) => reports.get(clientId) !== "missing")).toBe(true);
  expect(reads()).toBeLessThan(10 * COUNT);
});

it("a pass with many open orders detects that none has moved", () => {
  const { open, reads } = listed();
  const snapshot = {
    memory: { tradesAt: { "BTC/USDT": 0 } },
    lease: { now: 1 },
    strategies: [],
    epoch: 0,
    orders,
  } as unknown as Snapshot;
  expect(tradesAreDue(snapshot, "BTC/USDT", open, { tradesEvery: 60_000 } as Timing)).toBe(false);
  expect(reads()).toBeLessThan(10 * COUNT);
});
