import { expect } from "vitest";
import { type Decimal, decimal, wire } from "../../../src/kernel/decimal.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Fee, NewOrder } from "../../../src/model/order.ts";
import type { Venue, VenueOrder } from "../../../src/ports/venue.ts";
import type { Dict } from "../../support/fixtures.ts";
import { PERMIT } from "../../support/live.ts";

const order = ([symbol, type, side, amount, price]: readonly unknown[]): NewOrder => ({
  clientId: "em000000000000test",
  symbol: symbol as Pair,
  type: type as "limit",
  side: side as "buy",
  amount: decimal(String(amount)),
  price: price ? decimal(String(price)) : 0n,
});

/** Our call for a call of ccxt's, and what its answer should tell of ccxt's own parse of the same payload. */
export const CALLS: Readonly<
  Record<
    string,
    {
      readonly call: (venue: Venue, input: readonly unknown[]) => Promise<unknown>;
      readonly read: (parsed: never) => unknown;
    }
  >
> = {
  createOrder: {
    call: (venue, input) => venue.create(order(input), PERMIT),
    read: ({ id }: Dict) => ({ result: "accepted", id }),
  },
  cancelOrder: {
    call: (venue, [id, symbol]) => venue.cancel({ id: String(id), symbol: symbol as Pair }, PERMIT),
    read: () => ({ result: "accepted" }),
  },
  fetchOrder: {
    call: async (venue, [id, symbol, params]) => {
      const own = params as { clientOid?: string; clientOrderId?: string } | undefined;
      const clientId = own?.clientOid ?? own?.clientOrderId;
      const key = id === "" ? { clientId } : { id: String(id) };
      const found = await venue.order({ symbol: symbol as Pair, ...key });
      return found && plainOrder(found);
    },
    read: (parsed: Dict) => formatOrder(parsed),
  },
  fetchOpenOrders: {
    call: async (venue, [symbol]) => (await venue.openOrders(symbol as Pair)).map(plainOrder),
    read: (parsed: Dict[]) => parsed.map(formatOrder),
  },
  fetchClosedOrders: {
    call: async (venue, [symbol, , , params]) => {
      const clientId = (params as { clientOrderId?: string } | undefined)?.clientOrderId;
      const found = await venue.order({ symbol: symbol as Pair, clientId: clientId ?? "apiv4" });
      return found && [plainOrder(found)];
    },
    read: (parsed: Dict[]) => parsed.map(formatOrder),
  },
  fetchMyTrades: {
    call: async (venue, [symbol]) =>
      (await venue.fills(symbol as Pair, { from: 0 })).fills.map(({ fees, ...fill }) => ({
        ...numbers(fill),
        ...fee(fees),
      })),
    read: (parsed: Dict[]) =>
      parsed.sort(byTime).map((trade) => ({
        id: trade.id,
        orderId: trade.order,
        symbol: trade.symbol,
        side: trade.side,
        price: trade.price,
        amount: trade.amount,
        notional: trade.cost,
        at: trade.timestamp,
        ...formatFee(trade.fees as Dict[]),
      })),
  },
  fetchTrades: {
    call: async (venue, [symbol]) => (await venue.trades(symbol as Pair, 500)).map(numbers),
    read: (parsed: Dict[]) =>
      parsed.map(({ id, side, price, amount, timestamp }) => ({ id, side, price, amount, at: timestamp })),
  },
  fetchTicker: {
    call: async (venue, [symbol]) => numbers(await venue.ticker(symbol as Pair)),
    read: ({ bid, ask, last, baseVolume, quoteVolume, timestamp }: Dict) => ({
      bid,
      ask,
      last,
      baseVolume,
      quoteVolume,
      at: timestamp ?? expect.closeTo(Date.now(), -5),
    }),
  },
  fetchOrderBook: {
    call: async (venue, [symbol]) => {
      const { bids, asks, at } = await venue.book(symbol as Pair, 100);
      const pairs = (levels: typeof bids) => levels.map(({ price, amount }) => [wire(price), wire(amount)]);
      return { bids: pairs(bids), asks: pairs(asks), at };
    },
    read: ({ bids, asks, timestamp }: Dict) => ({
      bids,
      asks,
      at: timestamp ?? expect.closeTo(Date.now(), -5),
    }),
  },
  fetchBalance: {
    call: async (venue) =>
      Object.fromEntries((await venue.balances()).map((one) => [one.asset, numbers(one)])),
    read: (parsed: Record<string, Dict>) =>
      Object.fromEntries(
        Object.keys(parsed.total ?? {}).map((asset) => [
          asset,
          { asset, free: parsed[asset]?.free, used: parsed[asset]?.used },
        ]),
      ),
  },
};

const numbers = <T extends object>(value: T): Dict =>
  Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, typeof part === "bigint" ? wire(part) : part]),
  );

const fee = (fees: readonly Fee[] | undefined): Dict => ({
  fees: fees && Object.fromEntries(fees.map(({ asset, amount }) => [asset, wire(amount)])),
});

/** Null says that the payload tells no fee: that is unknown, not none. */
const formatFee = (fees: readonly Dict[] | null | undefined): Dict => ({
  fees:
    fees === null
      ? undefined
      : Object.fromEntries(
          (fees ?? []).filter(({ cost }) => cost).map(({ currency, cost }) => [currency, cost]),
        ),
});

const plainOrder = ({ clientId: _own, fees, notional, ...rest }: VenueOrder): Dict => ({
  ...numbers(rest),
  notional: wire(notional ?? (0n as Decimal)),
  ...fee(fees),
});

const STATUS: Readonly<Record<string, string>> = { closed: "filled" };

function formatOrder(parsed: Dict): Dict {
  const { id, symbol, side, type, amount, filled, average, price, cost, status, timestamp, info } = parsed;
  return {
    id,
    symbol,
    side,
    type,
    amount,
    filled,
    price: type === "market" ? expect.closeTo(Number(average), 9) : price,
    status: STATUS[String(status)] ?? status,
    at: timestamp,
    // Of gate's market buys ccxt tells the cost asked for, the payload what was exchanged.
    notional: Number((info as Dict | undefined)?.filled_total ?? cost),
    ...(filled === 0 ? { fees: {} } : formatFee(parsed.fees as Dict[])),
  };
}

const byTime = (a: Dict, b: Dict): number => Number(a.timestamp) - Number(b.timestamp);
