/**
 * Gate's spot streams, v4 (gate.com/docs/developers/apiv4/ws/en): each private subscription is signed by itself with
 * HMAC-SHA512 over `channel=…&event=…&time=…` (ccxt pro/gate.js, subscribePrivate). A connection on which neither side has
 * sent anything for a minute is closed (gatews#34); `spot.ping` is answered with `spot.pong`. The lifetime of 24 hours is
 * assumed, as its page names none.
 */
import { createHmac } from "node:crypto";
import { text } from "../../../src/kernel/decimal.ts";
import { DAY, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { listingBy } from "../dialect.ts";
import { idOf } from "../gateio-orders.ts";
import { FILLS, priceTopic, type StreamAsk, type StreamDialect } from "./session.ts";

interface Request {
  readonly id?: number;
  readonly time?: number;
  readonly channel?: string;
  readonly event?: string;
  readonly payload?: readonly string[];
  readonly auth?: { readonly method?: string; readonly KEY?: string; readonly SIGN?: string };
}

type Refused = { readonly code: number; readonly message: string };

const envelope = (now: number, channel: string, event: string, result: unknown, more: object = {}) =>
  JSON.stringify({ time: Math.floor(now / SECOND), time_ms: now, channel, event, ...more, result });

function login(
  { session, members, now }: StreamAsk,
  { channel, event, time, auth }: Request,
): Refused | undefined {
  const member = members.get(auth?.KEY ?? "");
  if (!member) return { code: 4, message: "invalid key provided" };
  const signed = `channel=${channel}&event=${event}&time=${time}`;
  const expected = createHmac("sha512", member.keys.secret).update(signed).digest("hex");
  if (auth?.SIGN !== expected) return { code: 4, message: "signature mismatch" };
  if (Math.abs(now - Number(time) * SECOND) > MINUTE) return { code: 4, message: "request expired" };
  session.member = member;
  return undefined;
}

function subscribed(ask: StreamAsk, request: Request): Refused | undefined {
  const { session, engine } = ask;
  const { channel, payload = [] } = request;
  if (channel === "spot.usertrades") {
    const refused = login(ask, request);
    if (!refused) session.topics.add(FILLS);
    return refused;
  }
  if (channel !== "spot.book_ticker") return { code: 2, message: `unknown channel ${channel}` };
  for (const id of payload) {
    const listing = listingBy(engine, idOf, id);
    if (!listing) return { code: 2, message: `unknown currency pair ${id}` };
    if (request.event === "unsubscribe") session.topics.delete(priceTopic(listing));
    else session.topics.add(priceTopic(listing));
  }
  return undefined;
}

export const gateio: StreamDialect = {
  paths: ["/ws/v4/"],
  lifetime: DAY,

  received(ask, message) {
    const request = JSON.parse(message) as Request;
    const { channel = "", event = "", id } = request;
    if (channel === "spot.ping") return ask.session.send(envelope(ask.now, "spot.pong", "", null));
    const refused = subscribed(ask, request);
    const more = refused ? { id, error: refused } : { id, error: null };
    ask.session.send(envelope(ask.now, channel, event, { status: refused ? "fail" : "success" }, more));
  },

  check: ({ session, now }) =>
    now - Math.max(session.heardAt, session.sentAt) > MINUTE ? "no message for a minute" : undefined,

  fill({ now, session }, { id, number, order, price, amount, fee, maker, at }) {
    const row = {
      id: number,
      user_id: 10000 + (order.account?.number ?? 0),
      order_id: order.id,
      currency_pair: idOf(order.listing),
      create_time: Math.floor(at / SECOND),
      create_time_ms: `${at}.000000`,
      side: order.side,
      amount: text(amount),
      role: maker ? "maker" : "taker",
      price: text(price),
      fee: text(fee.amount),
      fee_currency: fee.asset,
      text: order.clientId,
      trade_id: id,
      id_market: session.sequence,
    };
    return envelope(now, "spot.usertrades", "update", [row]);
  },

  price: ({ now }, { listing, bid, ask }) =>
    envelope(now, "spot.book_ticker", "update", {
      t: now,
      u: now,
      s: idOf(listing),
      b: text(bid.price),
      B: text(bid.amount),
      a: text(ask.price),
      A: text(ask.amount),
    }),
};
