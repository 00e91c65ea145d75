import { runPass } from "../../src/engine/pass/pass.ts";
import { clientOrderId, parseClientOrderId, strategyTag } from "../../src/kernel/ids.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { Order } from "../../src/model/order.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { statement } from "../../src/storage/client/context.ts";
import { orders, strategies } from "../../src/storage/tables/trading-tables.ts";
import { gridInput } from "./requests.ts";
import { runOperation, testSandbox } from "./sandbox.ts";

/** Many grids on one account, copies of one that has placed its orders; its exchange answers at once and never changes. */
export async function oneAccount(count: number, { slots = 4, url = "file::memory:", realTime = false } = {}) {
  const box = await testSandbox({ url, realTime });
  const { deps, context, time } = box;
  const input = gridInput({ gridLevels: slots, orderSize: 50_000_000_000_000_000_000n });
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", input);
  const kraken = box.venue("kraken");
  const pass = async (venue: Venue) => {
    time.pass(5 * SECOND);
    const { outcome, message } = await runPass(deps, venue);
    // A busy machine can leave a pass too little time for its last reads.
    if (outcome !== "stepped" && outcome !== "short") throw new Error(`a pass ${outcome}: ${message}`);
  };
  await pass(kraken);
  const [view] = await deps.store.strategies({ id });
  const placed = await deps.store.unsettledOrders();
  if (!view || placed.length === 0) throw new Error("the grid has no orders");
  const copies = Array.from({ length: count - 1 }, (_, i) => {
    const number = view.strategy.number + 1 + i;
    const strategy = { ...view.strategy, id: `grid-${number}`, number, request: null };
    return { strategy, orders: placed.map((order, slot) => copyOf(order, strategy, `${i}-${slot}`)) };
  });
  for (let from = 0; from < copies.length; from += 100) {
    const part = copies.slice(from, from + 100);
    await context.client.batch(
      [
        ...part.map(({ strategy }) => statement(context.db.insert(strategies).values(strategy))),
        ...part.map((copy) => statement(context.db.insert(orders).values(copy.orders))),
      ],
      "write",
    );
  }
  const still = await stillVenue(kraken, [...placed, ...copies.flatMap((copy) => copy.orders)]);
  return { ...box, still, pass: () => pass(still), ids: [id, ...copies.map((copy) => copy.strategy.id)] };
}

const copyOf = (order: Order, { id, number }: { id: string; number: number }, name: string): Order => {
  const key = parseClientOrderId(order.clientId);
  if (!key) throw new Error(`${order.clientId} is not an order of a strategy`);
  const clientId = clientOrderId({ ...key, tag: strategyTag(number) });
  return { ...order, strategy: id, clientId, exchangeId: `copy-${name}` };
};

/** The exchange as it was once, with all these orders open. */
async function stillVenue(venue: Venue, all: readonly Order[]): Promise<Venue> {
  const [ticker, balances] = [await venue.ticker("BTC/USDT"), await venue.balances()];
  const { open } = { open: await venue.openOrders("BTC/USDT") };
  const [first] = open;
  if (!first) throw new Error("no order is open");
  const listed = all.map(({ clientId, exchangeId, side, price, amount, symbol, type }) => ({
    ...first,
    id: exchangeId ?? "",
    clientId,
    side,
    price,
    amount,
    symbol,
    type,
  }));
  return {
    ...venue,
    openOrders: async () => listed,
    ticker: async () => ticker,
    balances: async () => balances,
    fills: async (_symbol, { from, to = from }) => ({
      fills: [],
      unreadable: [],
      covered: { from, to: Math.max(from, to) },
      now: Math.max(from, to),
    }),
  };
}
