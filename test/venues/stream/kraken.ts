/**
 * Kraken's streams, v2 (docs.kraken.com/exchange/guides/websockets): a token of GetWebSocketsToken opens the private topic
 * within 15 minutes and lasts as long as the connection. A heartbeat comes about every second once there is a
 * subscription; a client without any is closed after a minute (assumed). Public and private messages have a host each; here
 * the private one is under /auth.
 */
import { text } from "../../../src/kernel/decimal.ts";
import { DAY, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { PrivateAsk, Reply } from "../dialect.ts";
import { result, streamNameOf } from "../kraken-words.ts";
import type { Order } from "../order.ts";
import { issueKey, streamKeys } from "./keys.ts";
import { FILLS, priceTopic, type Session, type StreamAsk, type StreamDialect } from "./session.ts";

interface Request {
  readonly method?: string;
  readonly req_id?: number;
  readonly params?: {
    readonly channel?: string;
    readonly token?: string;
    readonly symbol?: readonly string[];
    readonly snap_trades?: boolean;
    readonly snap_orders?: boolean;
  };
}

const TOKEN_LASTS = 15 * MINUTE;
const BEATEN = new WeakMap<Session, number>();

export const token = (ask: PrivateAsk): Reply =>
  result({ token: issueKey(ask, TOKEN_LASTS), expires: TOKEN_LASTS / SECOND });

const iso = (at: number): string => new Date(at).toISOString();

const answer = ({ session, now }: StreamAsk, { method, req_id }: Request, given: object) =>
  session.send(
    JSON.stringify({
      method,
      ...(req_id === undefined ? {} : { req_id }),
      ...given,
      time_in: iso(now),
      time_out: iso(now),
    }),
  );

function executions(ask: StreamAsk, request: Request) {
  const { session, engine, now, members } = ask;
  const { token: given = "", snap_orders = true } = request.params ?? {};
  const key = streamKeys(engine).get(given);
  // A revoked key's tokens end with it.
  if (!session.path.startsWith("/auth") || !key || key.until < now || !members.has(key.member.keys.key))
    return answer(ask, request, { success: false, error: "ESession:Invalid session" });
  session.member = key.member;
  session.topics.add(FILLS);
  answer(ask, request, { success: true, result: { channel: "executions", snap_orders } });
  const open = snap_orders
    ? [...key.member.account.open.values()].map((order) => orderRow(order, "new"))
    : [];
  session.send(
    JSON.stringify({ channel: "executions", type: "snapshot", data: open, sequence: ++session.sequence }),
  );
}

function ticker(ask: StreamAsk, request: Request) {
  for (const symbol of request.params?.symbol ?? []) {
    const listing = [...ask.engine.listings.values()].find((one) => streamNameOf(one) === symbol);
    if (!listing) {
      answer(ask, request, { success: false, error: "Currency pair not supported", symbol });
      continue;
    }
    if (request.method === "unsubscribe") ask.session.topics.delete(priceTopic(listing));
    else ask.session.topics.add(priceTopic(listing));
    answer(ask, request, {
      success: true,
      result: { channel: "ticker", symbol, event_trigger: "bbo", snapshot: true },
    });
  }
}

export const kraken: StreamDialect = {
  paths: ["/v2", "/auth/v2"],
  lifetime: DAY,

  opened({ session }) {
    const data = [
      { api_version: "v2", connection_id: "13834774380200032777", system: "online", version: "2.0.10" },
    ];
    session.send(JSON.stringify({ channel: "status", type: "update", data }));
  },

  received(ask, message) {
    const request = JSON.parse(message) as Request;
    if (request.method === "ping") return answer(ask, { ...request, method: "pong" }, {});
    if (request.params?.channel === "executions") return executions(ask, request);
    if (request.params?.channel === "ticker") return ticker(ask, request);
    return answer(ask, request, { success: false, error: "Event(s) not found" });
  },

  check({ session, now }) {
    if (session.topics.size === 0) return now - session.heardAt > MINUTE ? "no subscription" : undefined;
    if (now - (BEATEN.get(session) ?? session.openedAt) < SECOND) return undefined;
    BEATEN.set(session, now);
    session.send(JSON.stringify({ channel: "heartbeat" }));
    return undefined;
  },

  fill({ session, now }, { id, number, order, price, amount, notional, fee, maker }) {
    const row = {
      ...orderRow(order, "trade"),
      exec_id: id,
      trade_id: number,
      last_qty: Number(text(amount)),
      last_price: Number(text(price)),
      cost: Number(text(notional)),
      liquidity_ind: maker ? "m" : "t",
      fees: [{ asset: fee.asset, qty: Number(text(fee.amount)) }],
      timestamp: iso(now),
    };
    return JSON.stringify({
      channel: "executions",
      type: "update",
      data: [row],
      sequence: ++session.sequence,
    });
  },

  order: ({ session }, order) =>
    JSON.stringify({
      channel: "executions",
      type: "update",
      data: [orderRow(order, order.status === "open" ? "new" : "canceled")],
      sequence: ++session.sequence,
    }),

  price: (_ask, { listing, bid, ask, last }) =>
    JSON.stringify({
      channel: "ticker",
      type: "update",
      data: [
        {
          symbol: streamNameOf(listing),
          bid: Number(text(bid.price)),
          bid_qty: Number(text(bid.amount)),
          ask: Number(text(ask.price)),
          ask_qty: Number(text(ask.amount)),
          last: Number(text(last)),
        },
      ],
    }),
};

const orderRow = (order: Order, exec_type: string) => ({
  order_id: order.id,
  cl_ord_id: order.clientId,
  symbol: streamNameOf(order.listing),
  exec_type,
  side: order.side,
  order_type: order.type,
  order_qty: Number(text(order.amount)),
  cum_qty: Number(text(order.filled)),
  limit_price: Number(text(order.price)),
  order_status: order.status === "open" && order.filled > 0n ? "partially_filled" : order.status,
});
