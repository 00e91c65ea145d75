/**
 * MEXC's spot streams (mexcdevelop/apidocs, pull 264): answers in JSON, data in protobuf. A listen key of a signed call is
 * good for 60 minutes, and for 60 more with each PUT; a connection ends with it, after 24 hours, after 30 seconds without a
 * subscription, or after a minute without data or a ping. At most 30 subscriptions.
 */
import { text } from "../../../src/kernel/decimal.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { listingBy, ok, type PrivateAsk, type Reply } from "../dialect.ts";
import { idOf, refuse } from "../mexc-orders.ts";
import { issueKey, streamKeys } from "./keys.ts";
import { FILLS, priceTopic, type StreamAsk, type StreamDialect } from "./session.ts";

const DEALS = "spot@private.deals.v3.api.pb";
const TICKER = "spot@public.aggre.bookTicker.v3.api.pb@100ms@";
const MAX_TOPICS = 30;

/** POST makes a listen key, PUT keeps it for another hour, DELETE ends it. */
export function listenKey(ask: PrivateAsk): Reply {
  const { request, engine, now } = ask;
  if (request.method === "POST") return ok({ listenKey: issueKey(ask, HOUR) });
  const given = request.query.get("listenKey") ?? "";
  const key = streamKeys(engine).get(given);
  // Code and text of mexc-api-demo#35.
  if (!key || key.until < now) return refuse(730708, "listen key information error");
  key.until = request.method === "PUT" ? now + HOUR : now;
  return ok({ listenKey: given });
}

const keyOf = ({ session, engine }: StreamAsk) =>
  streamKeys(engine).get(session.query.get("listenKey") ?? "");

function subscribed(ask: StreamAsk, channel: string, isOn: boolean): boolean {
  const { session, engine } = ask;
  if (session.topics.size >= MAX_TOPICS && isOn) return false;
  if (channel === DEALS) {
    if (session.member) session.topics.add(FILLS);
    return session.member !== undefined;
  }
  const listing = channel.startsWith(TICKER)
    ? listingBy(engine, idOf, channel.slice(TICKER.length))
    : undefined;
  if (!listing) return false;
  if (isOn) session.topics.add(priceTopic(listing));
  else session.topics.delete(priceTopic(listing));
  return true;
}

export const mexc: StreamDialect = {
  paths: ["/ws"],
  lifetime: DAY,

  opened(ask) {
    const { session, members, now } = ask;
    if (!session.query.has("listenKey")) return;
    const key = keyOf(ask);
    if (!key || key.until < now || !members.has(key.member.keys.key)) {
      session.send("Invalid listen key");
      return session.close(1008, "Invalid listen key");
    }
    session.member = key.member;
  },

  received(ask, message) {
    const { method = "", params = [] } = JSON.parse(message) as { method?: string; params?: string[] };
    if (method === "PING") return ask.session.send(JSON.stringify({ id: 0, code: 0, msg: "PONG" }));
    const isOn = method === "SUBSCRIPTION";
    const refused = params.filter((channel) => !subscribed(ask, channel, isOn));
    const taken = params.filter((channel) => !refused.includes(channel)).join(",");
    const msg =
      refused.length > 0 ? `Not Subscribed successfully! [${refused.join(",")}]. Reason： Blocked! ` : taken;
    return ask.session.send(JSON.stringify({ id: 0, code: 0, msg }));
  },

  check(ask) {
    const { session, now } = ask;
    const key = keyOf(ask);
    if (key && key.until < now) return "the listen key has expired";
    if (session.topics.size === 0)
      return now - session.openedAt > 30 * SECOND ? "no subscription" : undefined;
    return now - Math.max(session.heardAt, session.sentAt) > MINUTE ? "no data for a minute" : undefined;
  },

  fill({ now }, { id, order, price, amount, notional, fee, maker, at }) {
    const deal = protobuf([
      [1, text(price)],
      [2, text(amount)],
      [3, text(notional)],
      [4, order.side === "buy" ? 1 : 2],
      [5, maker ? 1 : 0],
      [7, id],
      [8, order.clientId],
      [9, order.id],
      [10, text(fee.amount)],
      [11, fee.asset],
      [12, at],
    ]);
    return protobuf([
      [1, DEALS],
      [3, idOf(order.listing)],
      [6, now],
      [306, deal],
    ]);
  },

  price({ now }, { listing, bid, ask }) {
    const best = protobuf([
      [1, text(bid.price)],
      [2, text(bid.amount)],
      [3, text(ask.price)],
      [4, text(ask.amount)],
    ]);
    return protobuf([
      [1, TICKER + idOf(listing)],
      [3, idOf(listing)],
      [6, now],
      [315, best],
    ]);
  },
};

/** Writes MEXC's messages: fields of text and of messages (mexcdevelop/websocket-proto; ccxt src/protobuf/mexc). */

type Fields = readonly (readonly [number: number, value: string | Uint8Array | number])[];

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

export function protobuf(fields: Fields): Uint8Array {
  const bytes = fields.flatMap(([number, value]) => {
    if (typeof value === "number") return [...varint(number * 8), ...varint(value)];
    const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return [...varint(number * 8 + 2), ...varint(content.length), ...content];
  });
  return Uint8Array.from(bytes);
}
