import { describe, expect, it } from "vitest";
import { type Decimal, decimal, wire } from "../../../src/kernel/decimal.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Fee, NewOrder } from "../../../src/model/order.ts";
import type { Venue, VenueOrder } from "../../../src/ports/venue.ts";
import { type Case, type Dict, PAYLOADS, type Recorded } from "../../support/fixtures.ts";
import { answering, liveBox, PERMIT, type Reply, type Requested } from "../../support/live.ts";

const EXCHANGES = PAYLOADS.map((found) => ({ name: found.exchange, source: found.source, found }));

/** Our adapter over the recorded markets, and a server that gives the recorded answer. */
async function replay(name: string, { markets }: Recorded, reply: (request: Requested) => Reply) {
  const server = await answering(reply);
  const box = await liveBox({ urls: { [name]: server.url } });
  await box.keep(name, Object.values(markets));
  await box.classic(name);
  return { venue: box.venue(name), calls: server.requests };
}

/** A list of ended orders answers no call of ours, but each of its orders answers a look at it. */
function asRequested(one: Case): Case {
  if (one.method !== "fetchClosedOrders" || one.input[3] !== undefined) return one;
  const [httpResponse] = one.httpResponse as Dict[];
  const [parsedResponse] = one.parsedResponse as Dict[];
  return {
    ...one,
    method: "fetchOrder",
    input: [httpResponse?.id, one.input[0]],
    httpResponse,
    parsedResponse,
  };
}

/** Kraken's lookup by our id reads the open orders first. */
const bodyFor = ({ method, httpResponse }: Case, { path }: Requested): string =>
  JSON.stringify(
    method === "fetchClosedOrders" && path.endsWith("/OpenOrders")
      ? { error: [], result: { open: {} } }
      : httpResponse,
  );

const order = ([symbol, type, side, amount, price]: readonly unknown[]): NewOrder => ({
  clientId: "em000000000000test",
  symbol: symbol as Pair,
  type: type as "limit",
  side: side as "buy",
  amount: decimal(String(amount)),
  price: price ? decimal(String(price)) : 0n,
});

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

const byTime = (a: Dict, b: Dict): number => Number(a.timestamp) - Number(b.timestamp);

/** Our call for a call of ccxt's, and what its answer should tell of ccxt's own parse of the same payload. */
const CALLS: Readonly<
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

describe.each(EXCHANGES)("responses of $name, from $source", ({ name, found }) => {
  const cases = [...found.cases, ...found.derived].map(asRequested);
  it.for(cases.map((one) => [`${one.method}: ${one.description}`, one] as const))("%s", async ([, one]) => {
    const { venue } = await replay(name, found, (request) => ({ body: bodyFor(one, request) }));
    const { call, read: format } = CALLS[one.method] as (typeof CALLS)[string];
    expect(await call(venue, one.input)).toEqual(format(one.parsedResponse as never));
  });
});

/** What differs by intent: our own ids, expiry, fee asset, self-trade prevention, and the signature with its time. */
const OWN = [
  "newClientOrderId",
  "text",
  "clientOid",
  "cl_ord_id",
  "requestTime",
  "receiveWindow",
  "deadline",
  "oflags",
  "stpMode",
  "stptype",
  "stp_act",
  "nonce",
  "timestamp",
  "recvWindow",
  "signature",
];

function fieldsOf(text: string): Dict {
  const all: Dict = text.startsWith("{") ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
  return Object.fromEntries(Object.entries(all).filter(([field]) => !OWN.includes(field)));
}

const isSent = ({ method, input }: Recorded["requests"][number]): boolean => {
  const [, type, side, , price, params] = input;
  const byCost = type === "market" && side === "buy" && (price || params);
  const unified = JSON.stringify(input).includes("unifiedAccount");
  return CALLS[method] !== undefined && method !== "fetchClosedOrders" && !byCost && !unified;
};

const RECORDED = EXCHANGES.filter(({ found }) => found.requests.some(isSent));

describe.skipIf(RECORDED.length === 0).each(RECORDED)("recorded requests of $name", ({ name, found }) => {
  const requests = found.requests.filter(isSent);
  it.for(requests.map((one) => [`${one.method}: ${one.description}`, one] as const))(
    "%s",
    async ([, one]) => {
      const { venue, calls } = await replay(name, found, () => ({ status: 503, body: "" }));
      await CALLS[one.method]?.call(venue, one.input).catch(() => undefined);
      const [sent] = calls;
      const [is, was] = [new URL(sent?.path ?? "", "http://x"), new URL(one.url)];
      expect(sent?.method).toBe(one.httpMethod);
      expect(is.pathname).toBe(was.pathname);
      expect(fieldsOf(is.search.slice(1))).toEqual(fieldsOf(was.search.slice(1)));
      const body = typeof one.output === "object" ? JSON.stringify(one.output ?? {}) : (one.output ?? "");
      expect(fieldsOf(sent?.body ?? "")).toEqual(fieldsOf(body));
    },
  );
});

/** What each refusal means: of a write whether it was certainly refused, of a read what a caller can do about it. */
const MEANS: Readonly<Record<string, unknown>> = {
  "-2013": undefined,
  "10072": { failure: "invalid_credentials" },
  "700003": { result: "rejected" },
  "700007": { failure: "invalid_credentials" },
  "30005": { result: "rejected" },
  "10007": { result: "rejected" },
  CLIENT_ID_NOT_FOUND: undefined,
  INVALID_PARAM_VALUE: { result: "rejected" },
  POC_FILL_IMMEDIATELY: { result: "rejected" },
  READ_ONLY: { result: "rejected", failure: "invalid_credentials" },
  REQUEST_EXPIRED: { failure: "unavailable" },
  SERVER_ERROR: { result: "unknown" },
  "00000": undefined,
  "43012": { result: "rejected" },
  "43118": { result: "unknown" },
  "40012": { failure: "invalid_credentials" },
  "40018": { failure: "invalid_credentials" },
  "429": { failure: "rate_limited" },
  "40604": { result: "unknown" },
  "EAPI:Invalid key": { failure: "invalid_credentials" },
  "EGeneral:Permission denied": { failure: "invalid_credentials" },
  "EOrder:Order minimum not met": { result: "rejected" },
  "EOrder:Rate limit exceeded": { result: "rejected" },
  "EService:Unavailable": { result: "unknown" },
  "EService:Market in cancel_only mode": { result: "rejected" },
};

const codeOf = (body: string): string => {
  const { code, label, error } = JSON.parse(body) as { code?: unknown; label?: unknown; error?: string[] };
  return String(code ?? label ?? error?.[0]);
};

describe.each(EXCHANGES)("rejections of $name, from $source", ({ name, found }) => {
  it.for(found.errors.map((one) => [one.description, one] as const))("%s", async ([, one]) => {
    const code = codeOf(one.body);
    // A look that finds nothing goes on to lists, and they are empty.
    const isLook = (request: Requested) =>
      one.call.method !== "fetchOrder" || /orderInfo|orders\/t-|v3\/order\?/.test(request.path);
    const { venue } = await replay(name, found, (request) =>
      isLook(request)
        ? { status: one.httpStatus, body: one.body }
        : { body: name === "bitget" ? '{"code":"00000","msg":"success","data":[]}' : "[]" },
    );
    const result = await CALLS[one.call.method]?.call(venue, one.call.args).catch((error: unknown) => error);
    expect(Object.keys(MEANS)).toContain(code);
    const means = MEANS[code];
    if (means === undefined) expect(result).toBeUndefined();
    else expect(result).toMatchObject(means as object);
  });
});

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
