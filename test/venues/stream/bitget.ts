/**
 * Bitget's streams (bitget.com/api-doc/common/websocket-intro): login with HMAC-SHA256 in base64 over the time in seconds
 * and `GET/user/verify`; each connection ends after 24 hours, or after 2 minutes without the text `ping`; the eleventh
 * message in a second ends it too. Classic accounts use v2, unified ones v3 (ccxt pro/bitget.js, utaPrivate); that either
 * refuses the other's login is assumed, as REST does.
 */
import { createHmac } from "node:crypto";
import { text } from "../../../src/kernel/decimal.ts";
import { DAY, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { idOf } from "../bitget-orders.ts";
import { listingBy } from "../dialect.ts";
import type { Execution } from "../order.ts";
import { FILLS, priceTopic, type Session, type StreamAsk, type StreamDialect } from "./session.ts";

type Arg = Readonly<Record<string, string>>;

interface Request {
  readonly op?: string;
  readonly args?: readonly Arg[];
}

const PINGED = new WeakMap<Session, number>();
const SENT = new WeakMap<Session, number[]>();
const MAX_MESSAGES_PER_SECOND = 10;

const isUnified = ({ path }: Session) => path.startsWith("/v3/");

function login({ session, members, now }: StreamAsk, { apiKey = "", passphrase, timestamp, sign }: Arg) {
  const member = members.get(apiKey);
  if (!member) return { code: 30011, msg: "Invalid ACCESS_KEY" };
  const expected = createHmac("sha256", member.keys.secret)
    .update(`${timestamp}GET/user/verify`)
    .digest("base64");
  if (sign !== expected) return { code: 30015, msg: "Invalid sign" };
  if (passphrase !== member.keys.passphrase) return { code: 30012, msg: "Invalid ACCESS_PASSPHRASE" };
  if (Math.abs(now - Number(timestamp) * SECOND) > 30 * SECOND)
    return { code: 30014, msg: "Request timestamp expired" };
  if (member.account.unified !== isUnified(session)) return { code: 30005, msg: "login failed" };
  session.member = member;
  return undefined;
}

function subscribed({ session, engine }: StreamAsk, op: string, arg: Arg) {
  const topic = arg.channel ?? arg.topic;
  if (topic === "fill") {
    if (!session.member) return { code: 30004, msg: "User needs to log in" };
    session.topics.add(FILLS);
    return undefined;
  }
  const listing = listingBy(engine, idOf, arg.instId ?? arg.symbol ?? "");
  if (topic !== "ticker" || !listing)
    return {
      code: 30001,
      msg: `instType:${arg.instType},channel:${topic},instId:${arg.instId} doesn't exist`,
    };
  if (op === "unsubscribe") session.topics.delete(priceTopic(listing));
  else session.topics.add(priceTopic(listing));
  return undefined;
}

function isTooFast(session: Session, now: number): boolean {
  const times = [...(SENT.get(session) ?? []), now].filter((at) => now - at < SECOND);
  SENT.set(session, times);
  return times.length > MAX_MESSAGES_PER_SECOND;
}

export const bitget: StreamDialect = {
  paths: ["/v2/ws/public", "/v2/ws/private", "/v3/ws/public", "/v3/ws/private"],
  lifetime: DAY,

  received(ask, message) {
    const { session, now } = ask;
    if (isTooFast(session, now)) return session.close(1008, "too many messages");
    if (message === "ping") {
      PINGED.set(session, now);
      return session.send("pong");
    }
    const { op = "", args = [] } = JSON.parse(message) as Request;
    for (const arg of args) {
      const refused = op === "login" ? login(ask, arg) : subscribed(ask, op, arg);
      if (op === "login") {
        session.send(
          JSON.stringify(refused ? { event: "error", ...refused } : { event: "login", code: 0, msg: "" }),
        );
        if (refused) session.close(1008, "login failed");
      } else session.send(JSON.stringify(refused ? { event: "error", arg, ...refused } : { event: op, arg }));
    }
  },

  check: ({ session, now }) =>
    now - (PINGED.get(session) ?? session.openedAt) > 2 * MINUTE ? "no ping for two minutes" : undefined,

  fill({ session, now }, execution) {
    const arg = isUnified(session)
      ? { instType: "UTA", topic: "fill" }
      : { instType: "SPOT", channel: "fill", instId: "default" };
    const row = isUnified(session) ? unifiedRow(execution) : classicRow(execution);
    return JSON.stringify({ action: "snapshot", arg, data: [row], ts: now });
  },

  price: ({ now }, { listing, bid, ask, last }) =>
    JSON.stringify({
      action: "snapshot",
      arg: { instType: "SPOT", channel: "ticker", instId: idOf(listing) },
      data: [
        {
          instId: idOf(listing),
          lastPr: text(last),
          bidPr: text(bid.price),
          askPr: text(ask.price),
          bidSz: text(bid.amount),
          askSz: text(ask.amount),
          ts: String(now),
        },
      ],
      ts: now,
    }),
};

const classicRow = ({ id, order, price, amount, notional, fee, maker, at }: Execution) => ({
  orderId: order.id,
  tradeId: id,
  symbol: idOf(order.listing),
  orderType: order.type,
  side: order.side,
  priceAvg: text(price),
  size: text(amount),
  amount: text(notional),
  tradeScope: maker ? "maker" : "taker",
  feeDetail: [
    { feeCoin: fee.asset, deduction: "no", totalDeductionFee: "0", totalFee: `-${text(fee.amount)}` },
  ],
  cTime: String(at),
  uTime: String(at),
});

const unifiedRow = ({ id, order, price, amount, notional, fee, maker, at }: Execution) => ({
  category: "spot",
  symbol: idOf(order.listing),
  orderId: order.id,
  clientOid: order.clientId,
  execId: id,
  orderType: order.type,
  side: order.side,
  execPrice: text(price),
  execQty: text(amount),
  execValue: text(notional),
  tradeScope: maker ? "maker" : "taker",
  feeDetail: [{ feeCoin: fee.asset, fee: text(fee.amount) }],
  execTime: String(at),
  updatedTime: String(at),
});
